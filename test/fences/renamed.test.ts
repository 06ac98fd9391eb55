/** A tab that is renamed while its answers are fenced: the log of the new name is the one that counts. */
import { afterEach, describe, expect, it } from 'vitest';
import { defaultPack, requestContracts } from '../../src/contracts.ts';
import { endRigs, openRig, type Rig, TAB } from '../coordinator/rig.ts';
import { HandLog } from './log.ts';

afterEach(endRigs);

const NEW = 'session-2';

async function withTwo() {
  const logs = { [TAB]: new HandLog(), [NEW]: new HandLog() } as const;
  logs[TAB].add('a');
  logs[NEW].add('z');
  const rig = await openRig('memory', { conversationLog: (tab) => logs[tab as keyof typeof logs]?.log });
  return { rig, from: logs[TAB], to: logs[NEW] };
}

async function answered(rig: Rig, log: HandLog, tab = TAB, at = 'q') {
  const id = await rig.unattended({ question: `Which one, ${at}?` }, { tab });
  log.add(at);
  await rig.done(rig.c.questionLogged(id, at));
  const { token } = await rig.answer(id, 'green');
  await rig.hand.settle();
  return token as string;
}

async function push(rig: Rig, tab: string): Promise<string[]> {
  const given: string[] = [];
  await rig.done(
    rig.c.journal.deliverPending(tab, (_payload, token) => {
      given.push(token);
      return { carrier: 'turn' };
    }),
  );
  return given;
}

describe('a tab that is renamed', () => {
  it('[SE-R90] [SE-R93] takes its answers along, and the log of its new name judges them', async () => {
    const { rig, from, to } = await withTwo();
    // The new name has answers of its own, and its log has judged them for this leaf.
    const own = await answered(rig, to, NEW, 'q2');
    expect(await push(rig, NEW)).toEqual([own]);
    await answered(rig, from);
    await rig.done(rig.c.journal.moveKey(TAB, NEW));
    expect(await push(rig, NEW)).toEqual([]);
    // A log that has the question gives them.
    to.entries.set('q', { parentId: 'z', type: 'entry' });
    to.at = 'q';
    expect(await push(rig, NEW)).toHaveLength(1);
  });

  it('[SE-R93] is not judged by a finding of the log of its old name that came after the rename', async () => {
    const { rig, from, to } = await withTwo();
    await answered(rig, from);
    from.add();
    // What was found is there, and the leaf is looked at once more.
    from.onRead = () => {
      from.isMute = true;
    };
    to.isMute = true;
    const changed = rig.c.leafChanged(TAB);
    await rig.hand.settle();
    await rig.done(rig.c.journal.moveKey(TAB, NEW));
    from.speak();
    await rig.done(changed);
    const fences = (await rig.done(rig.c.rows())).filter(({ machine }) => machine === 'fence');
    expect(fences).toMatchObject([{ tab: NEW, states: ['judging'] }]);
    to.speak();
    expect(await push(rig, NEW)).toEqual([]);
  });
});

it('[SE-R96] a permission is not spent without its fence where its tab has been renamed', async () => {
  const log = new HandLog();
  log.add('a');
  let isOld = true;
  const rig = await openRig('memory', {
    contracts: requestContracts(defaultPack),
    conversationLog: (tab) => (tab === (isOld ? TAB : NEW) ? log.log : undefined),
  });
  const request = { sid: TAB, approvalId: 'one', command: 'rm -rf build', timeoutMs: null };
  void rig.c.approvals.request(TAB, request).catch(() => undefined);
  await rig.hand.settle();
  log.add('q');
  await rig.done(rig.c.approvalLogged(TAB, 'one', 'q'));
  const digest = rig.c.approvals.pending(TAB)[0]?.digest as string;
  rig.c.approvals.resolve(TAB, 'once');
  await rig.hand.settle();
  isOld = false;
  await rig.done(rig.c.journal.moveKey(TAB, NEW));
  log.at = 'a';
  for (const tab of [TAB, NEW]) await rig.done(rig.c.leafChanged(tab));
  expect(rig.c.approvals.claim('one', digest)).toEqual({ ok: false, why: 'unproven' });
});
