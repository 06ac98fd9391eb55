import { describe, expect, it, test } from 'vitest';
import { createIdle, IDLE_BOUNDS, type IdleLedger } from '../../src/idle.ts';
import { deferred, type HandLedger, HandRuntime, ledger, quiet, settled } from './support.ts';

const proofOf = (...ledgers: IdleLedger[]) => createIdle({ ledgers, logger: quiet });

/** One ledger a probe, each saying what it is given. */
function pair(turn: unknown, input: unknown): { turn: HandLedger; input: HandLedger; ask: () => Promise<unknown> } {
  const ledgers = { turn: ledger('runs', 'turn', turn), input: ledger('asks', 'input', input) };
  const proof = proofOf(ledgers.turn, ledgers.input);
  return { ...ledgers, ask: () => proof.idle() };
}

const broken = (): never => {
  throw new Error('the table is locked');
};
const NEVER_A_COUNT: readonly [what: string, says: unknown][] = [
  ['a throw', broken],
  ['a throw of nothing', () => Promise.reject(undefined)],
  ['a rejection', () => Promise.reject(new Error('gone'))],
  ['undefined', undefined],
  ['null', null],
  ['NaN', Number.NaN],
  ['a negative number', -1],
  ['half of something', 0.5],
  ['infinity', Number.POSITIVE_INFINITY],
  ['a text', '0'],
  ['an empty text', ''],
  ['false', false],
  ['a bigint', 0n],
  ['an empty list', []],
  ['an empty object', {}],
  ['a count that is no number', { count: '0' }],
  ['a promise of no count', () => Promise.resolve('0')],
  ['a promise of nothing', () => Promise.resolve()],
  ['a function', () => () => 0],
  ['owners that are a text', { count: 1, owners: 'j' }],
  ['owners that are a number', { count: 0, owners: 7 }],
  ['owners that are null', { count: 0, owners: null }],
  ['owners that are no texts', { count: 1, owners: [7] }],
  ['none, and whose it is', { count: 0, owners: ['job-1'] }],
  [
    'a member that throws',
    {
      get count(): number {
        return broken();
      },
    },
  ],
  ['a promise that throws when it is asked', Object.defineProperty({}, 'then', { get: broken })],
  ['an error that cannot be told', () => Promise.reject({ toString: broken })],
];

describe('what a ledger may say', () => {
  it.each([
    ['zero', 0],
    ['minus zero', -0],
    ['a count', { count: 0 }],
    ['a count of nobody', { count: 0, owners: [] }],
    ['a promise', () => Promise.resolve({ count: 0 })],
    ['a thenable', Object.fromEntries([['then', (yes: (value: number) => void) => yes(0)]])],
  ])('[RQ-R142] [RQ-R143] %s, in both probes, is idle', async (_what, says) => {
    expect(await pair(says, says).ask()).toEqual({ idle: true, reason: null });
  });

  it.each(NEVER_A_COUNT)('[RQ-R144] [RQ-I28] %s is unreadable, which is never idle', async (_what, says) => {
    expect(await pair(says, 0).ask()).toMatchObject({ idle: null, reason: 'turn_probe_unavailable' });
    expect(await pair(0, says).ask()).toMatchObject({ idle: null, reason: 'input_probe_unavailable' });
  });

  test('[RQ-R144] a lying getter is believed once: what was read is what counts', async () => {
    let asked = 0;
    const liar = {
      get count() {
        asked += 1;
        return asked === 1 ? 2 : 0;
      },
    };
    expect(await pair(liar, 0).ask()).toMatchObject({ idle: false, reason: 'turn_in_flight', detail: { count: 2 } });
    expect(asked).toBe(1);
  });
});

describe('the order of reading', () => {
  test('[RQ-R143] a turn that is busy or unreadable is the answer, and input is not read', async () => {
    for (const says of [1, broken]) {
      const { input, ask } = pair(says, 5);
      expect(await ask()).not.toMatchObject({ idle: true });
      expect(input.reads).toBe(0);
    }
  });

  test('[RQ-R144] within a probe, one that is busy before one that cannot be read wins', async () => {
    const [empty, busy, bad] = [ledger('a', 'turn'), ledger('b', 'turn', 2), ledger('c', 'turn', broken)];
    const asks = ledger('d', 'input');
    expect(await proofOf(empty, busy, bad, asks).idle()).toEqual({
      idle: false,
      reason: 'turn_in_flight',
      detail: { ledger: 'b', count: 2 },
    });
    expect(await proofOf(asks, empty, bad, busy).idle()).toEqual({
      idle: null,
      reason: 'turn_probe_unavailable',
      detail: { ledger: 'c' },
    });
  });

  test('[RQ-R144] one that cannot be read makes its probe unreadable though every other one is empty', async () => {
    const rest = ['a', 'b'].map((name) => ledger(name, 'input'));
    const proof = proofOf(ledger('runs', 'turn'), ...rest, ledger('bad', 'input', broken));
    expect(await proof.idle()).toMatchObject({ idle: null, reason: 'input_probe_unavailable' });
  });

  test('[RQ-I28] idle means that each ledger was read in that very call', async () => {
    const all = [ledger('a', 'turn'), ledger('b', 'input'), ledger('c', 'turn'), ledger('d', 'input')];
    const proof = proofOf(...all);
    for (const round of [1, 2, 3]) {
      expect(await proof.idle()).toEqual({ idle: true, reason: null });
      expect(all.map(({ reads }) => reads)).toEqual([round, round, round, round]);
    }
  });

  test('[RQ-R144] [RQ-I28] a probe for which nobody gave a ledger proves nothing', async () => {
    expect(await proofOf().idle()).toEqual({ idle: null, reason: 'turn_probe_unavailable' });
    expect(await proofOf(ledger('runs', 'turn')).idle()).toEqual({ idle: null, reason: 'input_probe_unavailable' });
    expect(await proofOf(ledger('asks', 'input')).idle()).toEqual({ idle: null, reason: 'turn_probe_unavailable' });
  });
});

describe('slow ledgers', () => {
  const slow = (says: () => Promise<unknown>, readMs = 50) => {
    const runtime = new HandRuntime();
    const ledgers = [ledger('runs', 'turn', says), ledger('asks', 'input')];
    return { runtime, proof: createIdle({ ledgers, logger: quiet, runtime, readMs }) };
  };

  test('[RQ-R144] one that takes longer than its bound is unreadable, and its late word is not heard', async () => {
    const late = deferred<number>();
    const { runtime, proof } = slow(() => late.promise);
    const answer = proof.idle();
    runtime.advance(49);
    await settled();
    expect(await Promise.race([answer, Promise.resolve('waits')])).toBe('waits');
    runtime.advance(1);
    expect(await answer).toMatchObject({ idle: null, reason: 'turn_probe_unavailable', detail: { ledger: 'runs' } });
    late.resolve(0);
    expect(await answer).toMatchObject({ idle: null });
    expect(runtime.armed).toBe(0);
  });

  test('[RQ-R144] a failure that comes after the bound hurts nobody', async () => {
    const late = deferred<number>();
    const { runtime, proof } = slow(() => late.promise);
    const answer = proof.idle();
    await settled();
    runtime.advance(50);
    await answer;
    // An unhandled rejection would fail the run.
    late.reject(new Error('too late'));
    await settled();
  });

  test('[RQ-R144] within its bound a slow one is read, and no timer is left behind', async () => {
    const due = deferred<number>();
    const { runtime, proof } = slow(() => due.promise);
    const answer = proof.idle();
    runtime.advance(49);
    due.resolve(0);
    expect(await answer).toEqual({ idle: true, reason: null });
    expect(runtime.armed).toBe(0);
  });

  test('[RQ-R144] one that stops the whole process for longer than the bound is unreadable too', async () => {
    const runtime = new HandRuntime();
    const stuck = ledger('runs', 'turn', () => {
      runtime.advance(51);
      return 0;
    });
    const proof = createIdle({ ledgers: [stuck, ledger('asks', 'input')], logger: quiet, runtime, readMs: 50 });
    expect(await proof.idle()).toMatchObject({ idle: null, reason: 'turn_probe_unavailable' });
  });

  test('[RQ-R144] the default bound holds on the clock of the machine', async () => {
    const never = ledger('runs', 'turn', () => new Promise(() => undefined));
    const begun = Date.now();
    expect(await proofOf(never, ledger('asks', 'input')).idle()).toMatchObject({ idle: null });
    expect(Date.now() - begun).toBeGreaterThanOrEqual(IDLE_BOUNDS.read - 5);
    expect(Date.now() - begun).toBeLessThan(IDLE_BOUNDS.read + 2_000);
  });
});

describe('the words of an answer', () => {
  const detail = async (says: unknown, more: Partial<IdleLedger> = {}) =>
    (await proofOf({ ...ledger('runs', 'turn'), read: () => says as number, ...more }).idle()) as { detail?: unknown };

  test('[RQ-R147] busy names the ledger, how many, and whose', async () => {
    const owners = ['job-7', 'job-9'];
    expect((await detail({ count: 3, owners })).detail).toEqual({ ledger: 'runs', count: 3, owners });
    expect((await detail(2)).detail).toEqual({ ledger: 'runs', count: 2 });
    expect((await detail({ count: 1, owners })).detail).toEqual({ ledger: 'runs' });
  });

  test('[RQ-R147] a ledger may keep its owners to itself', async () => {
    const answer = await detail({ count: 1, owners: ['job-7'] }, { detail: false });
    expect(answer.detail).toEqual({ ledger: 'runs', count: 1 });
  });

  test('[RQ-R147] owners are bounded in number and length', async () => {
    const owners = Array.from({ length: 500 }, (_, at) => `${at}${'x'.repeat(1_000)}`);
    const { detail: said } = (await detail({ count: 500, owners })) as { detail: { count: number; owners: string[] } };
    expect(said.count).toBe(500);
    expect(said.owners).toHaveLength(IDLE_BOUNDS.owners);
    expect(said.owners.every((one) => one.length === IDLE_BOUNDS.owner)).toBe(true);
  });

  test('[RQ-R149] nothing is cached: each answer is of now, and two calls at once read on their own', async () => {
    const { turn, ask } = pair(0, 0);
    expect(await ask()).toMatchObject({ idle: true });
    turn.says = 1;
    expect(await ask()).toMatchObject({ idle: false });
    turn.says = 0;
    expect(await Promise.all([ask(), ask()])).toEqual([
      { idle: true, reason: null },
      { idle: true, reason: null },
    ]);
    expect(turn.reads).toBe(4);
  });
});

describe('bad ledgers are refused when they are given', () => {
  it.each<[string, unknown, string]>([
    ['no list', {}, 'ledgers'],
    ['a ledger that is none', [null], 'ledgers[0].name'],
    ['no name', [{ probe: 'turn', read: () => 0 }], 'ledgers[0].name'],
    ['a probe nobody has heard of', [{ name: 'a', probe: 'both', read: () => 0 }], 'ledgers[0].probe'],
    ['nothing to read', [{ name: 'a', probe: 'turn' }], 'ledgers[0].read'],
    ['a name twice', [ledger('a', 'turn'), ledger('a', 'input')], 'ledgers[1].name'],
    ['the name of the one that is built in', [ledger('admissions', 'turn')], 'ledgers[0].name'],
  ])('[RQ-R142] %s', (_what, ledgers, field) => {
    const create = () => createIdle({ ledgers: ledgers as IdleLedger[], logger: quiet });
    expect(create).toThrow(expect.objectContaining({ code: 'invalid_input', field }));
  });

  it.each([0, -1, Number.NaN])('[RQ-R144] a bound of %s ms', (readMs) => {
    expect(() => createIdle({ ledgers: [], readMs })).toThrow(expect.objectContaining({ field: 'readMs' }));
  });
});
