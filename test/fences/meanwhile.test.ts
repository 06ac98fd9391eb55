/** Logs that are slow, that throw where nobody expects it, and commits that fail while a branch is judged. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ConversationLog } from '../../src/seats.ts';
import { endRigs, openRig, type Rig, TAB } from '../coordinator/rig.ts';
import { HandLog } from './log.ts';

afterEach(endRigs);

async function withLog(make: (log: HandLog) => ConversationLog = (log) => log.log) {
  const log = new HandLog();
  log.add('a');
  log.add('b');
  const own = make(log);
  const rig = await openRig('memory', { conversationLog: (tab) => (tab === TAB ? own : undefined) });
  return { rig, log };
}

async function asked(rig: Rig, log: HandLog): Promise<string> {
  const id = await rig.unattended();
  log.add('q');
  await rig.done(rig.c.questionLogged(id, 'q'));
  return id;
}

describe('a branch that is judged', () => {
  it('[SE-R93] is not believed where the leaf moved after it was read and before that was known', async () => {
    let isSlow = false;
    const held: (() => void)[] = [];
    const { rig, log } = await withLog((own) => ({
      ...own.log,
      leaf: () => {
        const { at } = own;
        return isSlow ? new Promise((resolve) => held.push(() => resolve(at))) : at;
      },
    }));
    const id = await asked(rig, log);
    await rig.answer(id, 'g');
    await rig.hand.settle();
    log.add();
    isSlow = true;
    const waiting = rig.c.awaitAnswer(id, { timeoutMs: 10_000 });
    await rig.hand.settle();
    held.shift()?.();
    await rig.hand.settle();
    log.at = 'b';
    void rig.c.leafChanged(TAB);
    isSlow = false;
    expect(held).toHaveLength(1);
    held.shift()?.();
    expect(await rig.done(waiting)).toMatchObject({ outcome: 'superseded' });
  });

  it('[SE-R90] is told of in the audit and to everybody though the first commit of it failed', async () => {
    const { rig, log } = await withLog();
    const id = await asked(rig, log);
    await rig.answer(id, 'g');
    await rig.hand.settle();
    const causes: string[] = [];
    rig.c.subscribe(({ cause }) => causes.push(cause));
    log.at = 'b';
    rig.store.plant({ on: 'commit', nth: 1 });
    await rig.done(rig.c.leafChanged(TAB));
    expect([rig.store.struck, causes]).toEqual([1, []]);
    await rig.done(rig.c.leafChanged(TAB));
    expect(new Set(causes)).toEqual(new Set(['off_branch']));
    const events = (await rig.done(rig.c.audit())).map(({ event }) => event);
    expect(events.filter((event) => event === 'off_branch')).toHaveLength(1);
  });

  it('[SE-R90] is told of once, however often the process starts anew, and again once it has been back', async () => {
    const { rig, log } = await withLog();
    const id = await asked(rig, log);
    await rig.answer(id, 'g');
    await rig.hand.settle();
    const told = async (): Promise<string[]> =>
      (await rig.done(rig.c.audit())).map(({ event }) => event).filter((event) => event.endsWith('_branch'));
    log.at = 'b';
    await rig.done(rig.c.leafChanged(TAB));
    for (let n = 0; n < 3; n += 1) await rig.restart();
    await rig.done(rig.c.leafChanged(TAB));
    expect(await told()).toEqual(['off_branch']);
    log.at = 'q';
    await rig.restart();
    expect(await told()).toEqual(['off_branch', 'on_branch']);
    log.at = 'b';
    await rig.restart();
    expect(await told()).toEqual(['off_branch', 'on_branch', 'off_branch']);
  });

  it('[SE-R92] costs nobody an answer whose log throws where it is asked for its options', async () => {
    let isBroken = false;
    const { rig, log } = await withLog((own) => ({
      ...own.log,
      get lineage() {
        if (isBroken) throw new Error('no options');
        return {};
      },
    }));
    const id = await asked(rig, log);
    isBroken = true;
    expect(await rig.answer(id, 'g')).toMatchObject({ verdict: 'late_accepted' });
    expect(await rig.done(rig.c.awaitAnswer(id, { timeoutMs: 0 }))).toMatchObject({ outcome: 'pending' });
    isBroken = false;
    await rig.done(rig.c.leafChanged(TAB));
    expect(await rig.done(rig.c.awaitAnswer(id))).toMatchObject({ outcome: 'answered' });
  });

  it('[SE-R92] is unproven where the host gives a promise for a log, and its rejection ends nobody', async () => {
    const unheard: unknown[] = [];
    const hear = (error: unknown): void => void unheard.push(error);
    process.on('unhandledRejection', hear);
    const rig = await openRig('memory', { conversationLog: () => Promise.reject(new Error('later')) as never });
    const id = await rig.unattended();
    await rig.done(rig.c.questionLogged(id, 'q'));
    await rig.answer(id, 'g');
    await rig.done(rig.c.leafChanged(TAB));
    expect(await rig.done(rig.c.awaitAnswer(id, { timeoutMs: 0 }))).toMatchObject({ outcome: 'pending' });
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off('unhandledRejection', hear);
    expect(unheard).toEqual([]);
  });
});
