/** What the log cannot say, what moves while it is asked, and what is not in it yet. */
import { afterEach, describe, expect, it } from 'vitest';
import { endRigs, openRig, type Rig, TAB } from '../coordinator/rig.ts';
import { HandLog } from './log.ts';

afterEach(endRigs);

async function withLog() {
  const log = new HandLog();
  log.add('a');
  log.add('b');
  const flushed: string[] = [];
  const recalled: string[] = [];
  const rig = await openRig('memory', {
    conversationLog: (tab) => (tab === TAB ? log.log : undefined),
    flusher: (tab) => void flushed.push(tab),
    revoker: (_tab, token) => recalled.push(token) > 0,
  });
  return { rig, log, flushed, recalled };
}

async function answered(rig: Rig, log: HandLog) {
  const id = await rig.unattended();
  log.add('q');
  await rig.done(rig.c.questionLogged(id, 'q'));
  const { token } = await rig.answer(id, 'g');
  await rig.hand.settle();
  return { id, token: token as string };
}

async function push(rig: Rig, during?: () => unknown): Promise<string[]> {
  const given: string[] = [];
  await rig.done(
    rig.c.journal.deliverPending(TAB, (_payload, token) => {
      given.push(token);
      during?.();
      return { carrier: 'turn' };
    }),
  );
  return given;
}

const reports = (rig: Rig) => rig.log.lines.filter((line) => line.text.includes('undetermined standing'));

describe('an answer of which the log cannot speak', () => {
  it('[SE-R92] is held, reported once after three leaves with its question, and given when the log speaks again', async () => {
    const { rig, log } = await withLog();
    const { token } = await answered(rig, log);
    for (let leaf = 1; leaf <= 5; leaf += 1) {
      log.isDown = false;
      log.add();
      log.isDown = true;
      await rig.done(rig.c.leafChanged(TAB));
      expect(await push(rig)).toEqual([]);
      expect(reports(rig)).toHaveLength(leaf < 3 ? 0 : 1);
    }
    expect(reports(rig)[0]?.text).toContain('Which colour shall the door have?');
    expect((await rig.entry(token))?.retired).toBe(false);
    log.isDown = false;
    await rig.done(rig.c.leafChanged(TAB));
    expect(await push(rig)).toEqual([token]);
  });

  it('[SE-R92] does not count the same leaf twice', async () => {
    const { rig, log } = await withLog();
    await answered(rig, log);
    log.isDown = true;
    for (let n = 0; n < 5; n += 1) await rig.done(rig.c.leafChanged(TAB));
    expect(reports(rig)).toHaveLength(0);
  });

  it('[SE-R92] holds a call that waits, and says so', async () => {
    const { rig, log } = await withLog();
    const { id } = await answered(rig, log);
    log.add();
    log.isDown = true;
    await rig.done(rig.c.leafChanged(TAB));
    const outcome = await rig.done(rig.c.awaitAnswer(id, { timeoutMs: 0 }));
    expect(outcome).toMatchObject({ outcome: 'pending', held: expect.stringContaining('answered') });
    const waiting = rig.c.awaitAnswer(id, { timeoutMs: 10_000 });
    await rig.hand.settle();
    log.isDown = false;
    await rig.done(rig.c.leafChanged(TAB));
    expect(await rig.done(waiting)).toMatchObject({ outcome: 'answered', text: 'Green [g]' });
  });
});

describe('a leaf that moves while it is asked about', () => {
  it('[SE-R93] is judged once more; if it moves again nothing is delivered', async () => {
    const { rig, log } = await withLog();
    const { token } = await answered(rig, log);
    log.isMoving = true;
    expect(await push(rig)).toEqual([]);
    log.isMoving = false;
    expect(await push(rig)).toEqual([token]);
  });

  it('[SE-R93] stops what is being delivered at that very answer', async () => {
    const { rig, log, flushed } = await withLog();
    const first = await answered(rig, log);
    const id = await rig.unattended({ question: 'And the floor?' });
    log.add('q2');
    await rig.done(rig.c.questionLogged(id, 'q2'));
    await rig.answer(id, 'grey');
    // The host rewinds to before the second question while the first answer is given.
    const given = await push(rig, () => {
      log.at = 'q';
      void rig.c.leafChanged(TAB);
    });
    expect(given).toEqual([first.token]);
    expect(await push(rig)).toEqual([]);
    flushed.length = 0;
    log.at = 'q2';
    await rig.done(rig.c.leafChanged(TAB));
    expect(flushed).toContain(TAB);
    expect(await push(rig)).toHaveLength(1);
  });

  it('[SE-R90] fetches an unread copy back out of the queue when its question has gone', async () => {
    const { rig, log, recalled } = await withLog();
    const { token } = await answered(rig, log);
    expect(await push(rig)).toEqual([token]);
    log.at = 'b';
    await rig.done(rig.c.leafChanged(TAB));
    expect(recalled).toEqual([token]);
    expect((await rig.entry(token))?.state).toBe('pending');
    // Whoever reads the audit sees that it came back.
    const told = await rig.done(rig.c.audit());
    expect(told.filter(({ event }) => event === 'handed_back').map((row) => row.token)).toEqual([token]);
    expect(await rig.done(rig.c.unread(TAB))).toEqual([]);
    expect(await rig.done(rig.c.handOver(token, () => 'turn'))).toBe(false);
  });
});

it('[SE-R90] a copy that was to be fetched back when the host died is fetched back by the next one', async () => {
  const { rig, log, recalled } = await withLog();
  const { token } = await answered(rig, log);
  expect(await push(rig)).toEqual([token]);
  log.at = 'b';
  // The finding is on disk, and what came of the recall is not.
  rig.store.plant({ on: 'commit', nth: 2, times: 99 });
  await rig.done(rig.c.leafChanged(TAB)).catch(() => undefined);
  expect(rig.store.outbox()).toMatchObject([{ kind: 'recall', token, because: 'fence' }]);
  recalled.length = 0;
  await rig.restart();
  expect(recalled).toEqual([token]);
  expect(rig.store.outbox()).toEqual([]);
  expect((await rig.entry(token))?.state).toBe('pending');
  expect(await push(rig)).toEqual([]);
});

describe('a question that is not in the log yet', () => {
  it('[SE-R97] gives its answer to the call that is still open', async () => {
    const { rig } = await withLog();
    const asked = await rig.ask();
    await rig.answer(asked.id, 'g');
    expect(await rig.done(asked.outcome)).toMatchObject({ outcome: 'answered' });
  });

  it('[SE-R97] gives it to no other call once that one has taken it', async () => {
    const { rig, log } = await withLog();
    const asked = await rig.ask();
    await rig.answer(asked.id, 'g');
    expect(await rig.done(asked.outcome)).toMatchObject({ outcome: 'answered' });
    await rig.hand.pass(50);
    log.at = 'a';
    expect(await rig.done(rig.c.awaitAnswer(asked.id, { timeoutMs: 0 }))).toMatchObject({ outcome: 'pending' });
    const again = await rig.ask(undefined, { timeoutMs: 0 });
    expect(await rig.proven(again.outcome)).toMatchObject({ outcome: 'pending', others: [] });
  });

  it('[SE-R97] has delivered it where the log says so, also if the log names the delivery before the question', async () => {
    const { rig, log } = await withLog();
    const asked = await rig.ask();
    const { token = '' } = await rig.answer(asked.id, 'g');
    await rig.done(asked.outcome);
    log.add('q');
    log.add('d');
    await rig.done(rig.c.answerLogged(token, 'd'));
    await rig.done(rig.c.questionLogged(asked.id, 'q'));
    log.add();
    await rig.done(rig.c.leafChanged(TAB));
    expect(await push(rig)).toEqual([]);
    log.at = 'q';
    log.add();
    await rig.done(rig.c.leafChanged(TAB));
    expect(await push(rig)).toEqual([token]);
  });

  it('[SE-R97] holds and reports an answer that comes after the turn had ended so, until it is in the log after all', async () => {
    const { rig, log } = await withLog();
    const id = await rig.unattended();
    expect(await rig.done(rig.c.questionLogged(id, null))).toBe(true);
    expect(reports(rig)).toEqual([]);
    const { token } = await rig.answer(id, 'g');
    expect(reports(rig)).toHaveLength(1);
    expect(await push(rig)).toEqual([]);
    log.add('q');
    await rig.done(rig.c.questionLogged(id, 'q'));
    expect(await push(rig)).toEqual([token]);
  });

  it('[SE-R97] gives it to nobody else until it is, and holds it for ever if it never is', async () => {
    const { rig, log } = await withLog();
    const { id, token } = await rig.late();
    expect(await push(rig)).toEqual([]);
    expect(await rig.done(rig.c.awaitAnswer(id, { timeoutMs: 0 }))).toMatchObject({ outcome: 'pending' });
    const other = await rig.late('b', { question: 'And this?', options: [{ id: 'b', label: 'Blue' }] });
    await rig.done(rig.c.questionLogged(other.id, null));
    expect(reports(rig)).toHaveLength(1);
    log.add('q');
    await rig.done(rig.c.questionLogged(id, 'q'));
    expect(await push(rig)).toEqual([token]);
  });

  it('[SE-R97] [SE-R90] is retired by a boundary, and one in the log is not', async () => {
    const { rig, log } = await withLog();
    const unplaced = await rig.late();
    const placed = await rig.unattended({ question: 'And the floor?' });
    log.add('q');
    await rig.done(rig.c.questionLogged(placed, 'q'));
    await rig.answer(placed, 'grey');
    await rig.done(rig.c.journal.closeAsks(TAB));
    await rig.done(rig.c.questionLogged(unplaced.id, 'q'));
    expect((await rig.entry(unplaced.token))?.retired).toBe(true);
    expect(await push(rig)).toHaveLength(1);
  });
});

describe('an answer whose delivery is in the log', () => {
  async function logged() {
    const { rig, log, recalled } = await withLog();
    const { token } = await answered(rig, log);
    expect(await push(rig)).toEqual([token]);
    log.add('d');
    expect(await rig.done(rig.c.answerLogged(token, 'd'))).toBe(true);
    return { rig, log, token, recalled };
  }

  it('[SE-R90] is owed to nobody, although the process that held its copy died, and comes again after a compaction', async () => {
    const { rig, log, token } = await logged();
    await rig.hand.pass(50);
    await rig.restart();
    expect((await rig.entry(token))?.state).toBe('pending');
    expect(await push(rig)).toEqual([]);
    expect(await rig.done(rig.c.unread(TAB))).toEqual([]);
    expect(await rig.done(rig.c.journal.hasOutstanding())).toBe(false);
    log.compact();
    expect(await push(rig)).toEqual([token]);
  });

  it('[SE-R90] is owed to nobody when the leaf is back below it before it was delivered again', async () => {
    const { rig, log, token } = await logged();
    log.at = 'q';
    await rig.done(rig.c.leafChanged(TAB));
    expect((await rig.entry(token))?.state).toBe('pending');
    log.at = 'd';
    expect(await push(rig)).toEqual([]);
    log.at = 'q';
    expect(await push(rig)).toEqual([token]);
  });
});

it('[SE-R90] takes the card of a question away with its branch, and brings it back', async () => {
  const { rig, log } = await withLog();
  const id = await rig.unattended();
  log.add('q');
  await rig.done(rig.c.questionLogged(id, 'q'));
  log.at = 'b';
  await rig.done(rig.c.leafChanged(TAB));
  expect((await rig.show(id))?.state).toBe('retired');
  expect(await rig.answer(id, 'g')).toMatchObject({ verdict: 'retired', saved: true });
  expect(await push(rig)).toEqual([]);
  log.at = 'q';
  expect(await push(rig)).toHaveLength(1);
});

it('keeps the epoch as it was on a tab without a log', async () => {
  const { rig } = await withLog();
  const ask = await rig.ask(undefined, { tab: 'other', timeoutMs: 0 });
  await rig.hand.pass(50);
  await rig.answer(ask.id, 'g');
  expect(await rig.done(rig.c.questionLogged(ask.id, 'q'))).toBe(false);
  await rig.done(rig.c.journal.closeAsks('other'));
  expect((await rig.show(ask.id))?.answers[0]?.receipt).toBe('retired');
});
