/** The table of answers, through the coordinator: one tab, one log as a tree. */
import { afterEach, describe, expect, it } from 'vitest';
import { endRigs, KINDS, type Kind, openRig, type Rig, TAB } from '../coordinator/rig.ts';
import { HandLog } from './log.ts';

afterEach(endRigs);

async function withLog(kind: Kind, more: ConstructorParameters<typeof Rig>[1] = {}) {
  const log = new HandLog();
  log.add('a');
  log.add('b');
  const rig = await openRig(kind, { conversationLog: (tab) => (tab === TAB ? log.log : undefined), ...more });
  return { rig, log };
}

/** An answer that came late, to a question that stands in the log as `q`. */
async function answered(rig: Rig, log: HandLog) {
  const id = await rig.unattended();
  log.add('q');
  await rig.done(rig.c.questionLogged(id, 'q'));
  const { token } = await rig.answer(id, 'g');
  await rig.hand.settle();
  return { id, token: token as string };
}

async function push(rig: Rig): Promise<string[]> {
  const given: string[] = [];
  await rig.done(
    rig.c.journal.deliverPending(TAB, (payload, token) => {
      given.push(`${token} ${payload.ask_answer.slice(0, 5)}${payload.possible_repeat === true ? ' (repeat)' : ''}`);
      return { carrier: 'turn' };
    }),
  );
  return given;
}

/** Pushes, proves and logs the delivery. */
async function deliver(rig: Rig, log: HandLog, token: string, at = 'd'): Promise<void> {
  expect(await push(rig)).toHaveLength(1);
  await rig.proven(rig.c.ack([token], 'turn'));
  log.add(at);
  expect(await rig.done(rig.c.answerLogged(token, at))).toBe(true);
}

describe.each(KINDS)('an answer fenced by its log, on %s', (kind) => {
  it('[SE-R90] is delivered on a plain continuation, and kept then', async () => {
    const { rig, log } = await withLog(kind);
    const { token } = await answered(rig, log);
    log.add('c');
    await deliver(rig, log, token);
    log.add('e');
    await rig.done(rig.c.leafChanged(TAB));
    expect(await push(rig)).toEqual([]);
  });

  it('[SE-R90] is owed to nobody once it is kept, and had by whoever asks for it by its id', async () => {
    const { rig, log } = await withLog(kind);
    const { id, token } = await answered(rig, log);
    await deliver(rig, log, token);
    log.add('e');
    await rig.done(rig.c.leafChanged(TAB));
    expect(await rig.done(rig.c.unread(TAB))).toEqual([]);
    expect(await rig.done(rig.c.awaitAnswer(id, { timeoutMs: 0 }))).toMatchObject({ outcome: 'answered', token });
  });

  it('[SE-R90] is retired by a rewind to before its question, and revived by a switch back', async () => {
    const { rig, log } = await withLog(kind);
    const { id } = await answered(rig, log);
    log.at = 'b';
    await rig.done(rig.c.leafChanged(TAB));
    expect(await push(rig)).toEqual([]);
    expect((await rig.show(id))?.answers[0]?.receipt).toBe('retired');
    log.at = 'q';
    expect(await push(rig)).toHaveLength(1);
  });

  it('[SE-R90] is delivered again, and not as a repeat, after a rewind past its delivery', async () => {
    const { rig, log } = await withLog(kind);
    const { token } = await answered(rig, log);
    await deliver(rig, log, token);
    log.at = 'q';
    log.add('other');
    expect(await push(rig)).toEqual([`${token} Green`]);
  });

  it('[SE-R91] is handed over again after a compaction, as a repeat, and once only', async () => {
    const { rig, log } = await withLog(kind);
    const { token } = await answered(rig, log);
    await deliver(rig, log, token);
    log.compact();
    expect(await push(rig)).toEqual([`${token} Green (repeat)`]);
    expect(await push(rig)).toEqual([]);
    log.add('d2');
    await rig.done(rig.c.answerLogged(token, 'd2'));
    log.add();
    expect(await push(rig)).toEqual([]);
    log.compact();
    expect(await push(rig)).toHaveLength(1);
  });
});
