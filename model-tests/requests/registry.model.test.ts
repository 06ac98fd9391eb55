/** The invariants of requests under random use: sessions, clients that come and go, deadlines, a disk that fails. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Op, QIDS, type Question, SIDS, World, type WorldOptions } from './registry.world.ts';

const who = fc.nat(5);
const peer = fc.nat(2);
const sid = fc.nat(1);
const value = fc.constantFrom('a', 'b', 'c');

const send = fc.record({
  op: fc.constant('send' as const),
  kind: fc.constantFrom('plain' as const, 'batch' as const, 'owned' as const, 'callback' as const),
  sid,
  timeoutMs: fc.constantFrom(null, 0, 40, 100),
});
const client = fc.oneof(
  fc.record({ op: fc.constant('respond' as const), who, peer, good: fc.boolean(), value }),
  fc.record({ op: fc.constant('fail' as const), who, peer, code: fc.constantFrom(-32004, -32004, 4404, -32601, -1) }),
  fc.record({ op: fc.constant('lock' as const), who, qid: fc.nat(1), value: fc.option(value, { nil: null }) }),
);
const connection = fc.oneof(
  fc.record({
    op: fc.constantFrom('attach' as const, 'advertise' as const, 'silence' as const, 'forget' as const),
    peer,
    sid,
  }),
  fc.record({ op: fc.constant('replay' as const), peer, sid }),
);
const host = fc.oneof(
  fc.record({
    op: fc.constant('cancel' as const),
    sid: fc.option(sid, { nil: null }),
    reason: fc.constantFrom('interrupted' as const, 'session_closed' as const),
  }),
  fc.record({ op: fc.constantFrom('withdraw' as const, 'abort' as const), who }),
  fc.record({ op: fc.constant('advance' as const), ms: fc.constantFrom(1, 20, 40, 100) }),
);
const disk = fc.record({ op: fc.constant('disk' as const), fails: fc.boolean() });
const usual = fc.oneof({ weight: 4, arbitrary: send }, { weight: 5, arbitrary: client }, connection, host);
const ops = (...more: fc.Arbitrary<Op>[]): fc.Arbitrary<Op[]> =>
  fc.array(fc.oneof({ weight: 10, arbitrary: usual as fc.Arbitrary<Op> }, ...more), { maxLength: 40, size: 'max' });

function checkQuestion(world: World, question: Question): void {
  const { id, settlements, rejections, accepted } = question;
  const frames = world.framesOf(id).map(({ kind }) => kind);
  // I-06: first the request; then at most one ending, and nothing after it.
  expect(frames[0], id).toBe('request');
  expect(frames.length, id).toBeLessThanOrEqual(2);
  const ends = settlements.length + rejections.length;
  // I-01, I-02, I-04, I-05
  expect(ends, id).toBe(world.isOpen(question) || question.withdrawn ? 0 : 1);
  const [settlement] = settlements;
  if (settlement !== undefined) {
    const isTakenBack = settlement.kind === 'cancelled' || settlement.kind === 'timed_out';
    expect(frames[1], id).toBe(isTakenBack ? 'cancel' : 'settled');
  }
  if (rejections.length > 0) expect([rejections, frames[1]]).toEqual([['stop'], 'cancel']);
  // I-03, I-13
  if (accepted !== undefined) expect(settlement, id).toMatchObject({ ...accepted.settlement, result: accepted.result });
  // I-12
  if (settlement?.kind === 'timed_out') expect(settlement.locked).toEqual(Object.fromEntries(question.locked));
  // I-16
  if (settlement?.kind === 'answered' && settlement.via === 'quorum') {
    expect([...question.candidates].filter((one) => !question.declined.has(one))).toEqual([]);
  }
}

function check(world: World): void {
  for (const question of world.questions) checkQuestion(world, question);
  // I-07, I-08
  const { requests } = world.rig;
  let open = 0;
  for (const one of SIDS) {
    const expected = world.questions.filter((question) => question.sid === one && world.isOpen(question));
    const shown = requests.openRequests(one);
    expect(shown.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    const locks = expected.map(({ locked }) =>
      locked.size === 0
        ? undefined
        : Object.fromEntries(QIDS.flatMap((qid) => (locked.has(qid) ? [[qid, locked.get(qid)]] : []))),
    );
    expect(shown.map(({ params }) => params['answers'])).toEqual(locks);
    expect(requests.pendingKind(one)).toBe(shown[0]?.method ?? '');
    open += shown.length;
  }
  expect(requests.openRequestCount()).toBe(open);
  // I-11
  for (const settlement of world.unanswerable) expect(settlement).toEqual({ kind: 'unanswerable' });
}

async function play(sequence: readonly Op[], options: WorldOptions): Promise<World> {
  const world = new World(options);
  for (const op of sequence) {
    await world.run(op);
    check(world);
  }
  return world;
}

const outcomes = ({ questions }: World) => questions.map(({ settlements, rejections }) => [settlements, rejections]);

describe('requests under random use', () => {
  it('[RQ-I01][RQ-I02][RQ-I03][RQ-I04][RQ-I05][RQ-I06][RQ-I07][RQ-I08][RQ-I09][RQ-I11][RQ-I12][RQ-I13][RQ-I16] hold', async () => {
    await fc.assert(
      fc.asyncProperty(ops(), fc.nat(1_000), async (sequence, seed) => {
        await play(sequence, { seed });
      }),
      { numRuns: 150 },
    );
  });

  it('[RQ-I10] after a shutdown nothing is open, everybody was told, and nothing runs any more', async () => {
    await fc.assert(
      fc.asyncProperty(ops(), fc.nat(1_000), async (sequence, seed) => {
        const world = await play(sequence, { seed });
        world.rig.requests.shutdown();
        await world.run({ op: 'send', kind: 'plain', sid: 0, timeoutMs: null });
        expect(world.rig.requests.openRequestCount()).toBe(0);
        for (const question of world.questions) {
          checkQuestion(world, question);
          expect(world.isOpen(question)).toBe(false);
        }
        expect(world.rig.runtime.timers).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it('[RQ-I14] sinks and owners that throw change no settlement and nothing of any other request', async () => {
    await fc.assert(
      fc.asyncProperty(ops(), fc.nat(1_000), async (sequence, seed) => {
        const [whole, broken] = [await play(sequence, { seed }), await play(sequence, { seed, broken: true })];
        expect(outcomes(broken)).toEqual(outcomes(whole));
        expect(broken.watcher.seen).toEqual(whole.watcher.seen);
      }),
      { numRuns: 60 },
    );
  });

  it('[RQ-R02] the same over a store whose disk fills up and is emptied at any time', async () => {
    let failed = 0;
    await fc.assert(
      fc.asyncProperty(ops(disk, disk), fc.nat(1_000), async (sequence, seed) => {
        const world = await play(sequence, { seed, durable: true });
        failed += world.diskErrors;
        const open = world.questions.filter((question) => world.isOpen(question)).map(({ id }) => id);
        expect(world.ledger.requests.map(({ id }) => id).sort()).toEqual([...open].sort());
      }),
      { numRuns: 100 },
    );
    expect(failed).toBeGreaterThan(20);
  });
});
