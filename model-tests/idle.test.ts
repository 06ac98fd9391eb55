/** The idle proof against all short worlds, and against ledgers that throw, reject, lie and dawdle. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IDLE_TABLE, idleVerdict, type Probe, probeState, shortCircuits, takeReading } from '../machines/idle.ts';
import { type RetirementEvent, retirementMachine } from '../machines/retirement.ts';
import { compile, type SnapshotOf, start, step } from '../machines/shared/step.ts';
import { createIdle, type IdleLedger } from '../src/idle.ts';
import { HandRuntime, quiet, settled } from '../test/idle/support.ts';

const STATES = ['clear', 'busy', 'unreadable'] as const;

/** The table of the contract, cell by cell, in the order in which it stands there. */
const CONTRACT = [
  ['clear', 'clear', true, null],
  ['clear', 'busy', false, 'awaiting_human_input'],
  ['clear', 'unreadable', null, 'input_probe_unavailable'],
  ['busy', 'clear', false, 'turn_in_flight'],
  ['busy', 'busy', false, 'turn_in_flight'],
  ['busy', 'unreadable', false, 'turn_in_flight'],
  ['unreadable', 'clear', null, 'turn_probe_unavailable'],
  ['unreadable', 'busy', null, 'turn_probe_unavailable'],
  ['unreadable', 'unreadable', null, 'turn_probe_unavailable'],
] as const;

describe('the table', () => {
  it('[RQ-R143] has each cell of the contract, and no other', () => {
    const cells = STATES.flatMap((turn) =>
      STATES.map((input) => [turn, input, ...Object.values(IDLE_TABLE[turn][input])]),
    );
    expect(cells).toEqual(CONTRACT.map((row) => [...row]));
    for (const [turn, input, idle, reason] of CONTRACT) expect(idleVerdict(turn, input)).toEqual({ idle, reason });
  });

  it('[RQ-R143] short-circuits exactly where input makes no difference', () => {
    for (const turn of STATES) {
      const answers = new Set(STATES.map((input) => idleVerdict(turn, input)));
      expect(shortCircuits(turn)).toBe(answers.size === 1);
    }
  });

  it('[RQ-R143] [RQ-I28] says true in one cell alone', () => {
    expect(CONTRACT.filter(([, , idle]) => idle).map(([turn, input]) => [turn, input])).toEqual([['clear', 'clear']]);
  });

  it('[RQ-R149] cannot be written', () => {
    expect(() => Object.assign(idleVerdict('busy', 'busy'), { idle: true })).toThrow(TypeError);
  });
});

type Said = 'empty' | 'some' | 'broken';
const SAID: readonly Said[] = ['empty', 'some', 'broken'];

/** All lists of up to `length` words. */
function lists(length: number): Said[][] {
  if (length === 0) return [[]];
  const shorter = lists(length - 1);
  return [[], ...SAID.flatMap((first) => shorter.map((rest) => [first, ...rest]))].filter(
    (list, at, all) => all.findIndex((one) => one.join() === list.join()) === at,
  );
}

/** in the words of the contract, apart from the code. */
function expected(turn: readonly Said[], input: readonly Said[]): { idle: boolean | null; reason: string | null } {
  const probe = (list: readonly Said[]): 'busy' | 'unreadable' | 'clear' => {
    const [busy, broken] = [list.indexOf('some'), list.indexOf('broken')];
    if (busy >= 0 && (broken < 0 || busy < broken)) return 'busy';
    return broken >= 0 || list.length === 0 ? 'unreadable' : 'clear';
  };
  const turns = probe(turn);
  if (turns === 'busy') return { idle: false, reason: 'turn_in_flight' };
  if (turns === 'unreadable') return { idle: null, reason: 'turn_probe_unavailable' };
  const inputs = probe(input);
  if (inputs === 'busy') return { idle: false, reason: 'awaiting_human_input' };
  return inputs === 'clear' ? { idle: true, reason: null } : { idle: null, reason: 'input_probe_unavailable' };
}

function said(word: Said, name: string, probe: Probe, reads: string[]): IdleLedger {
  return {
    name,
    probe,
    read: () => {
      reads.push(name);
      if (word === 'broken') throw new Error('locked');
      return word === 'empty' ? 0 : 1;
    },
  };
}

describe('every list of up to three ledgers a probe', () => {
  it('[RQ-R142] [RQ-R143] [RQ-R144] [RQ-I28] is answered as the contract says, and true has read them all', async () => {
    let seen = 0;
    for (const turn of lists(3)) {
      for (const input of lists(3)) {
        const reads: string[] = [];
        const ledgers = [
          ...input.map((word, at) => said(word, `i${at}`, 'input', reads)),
          ...turn.map((word, at) => said(word, `t${at}`, 'turn', reads)),
        ];
        const { idle, reason } = await createIdle({ ledgers, logger: quiet }).idle();
        expect({ idle, reason, turn, input }).toEqual({ ...expected(turn, input), turn, input });
        if (idle === true) expect(reads.length).toBe(ledgers.length);
        const firstInput = reads.findIndex((name) => name.startsWith('i'));
        if (firstInput >= 0) expect(reads.slice(firstInput).every((name) => name.startsWith('i'))).toBe(true);
        seen += 1;
      }
    }
    expect(seen).toBe(40 * 40);
  });
});

/** Ledgers at their worst; `honest` says whether what comes of one is "empty". */
const behaviour = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom({ honest: true, read: () => 0 }, { honest: true, read: () => ({ count: 0 }) }),
  },
  { weight: 3, arbitrary: fc.constant({ honest: true, read: () => Promise.resolve(0) }) },
  fc.nat().map((more) => ({ honest: false, read: () => more + 1 })),
  fc.nat().map((more) => ({ honest: false, read: () => Promise.resolve({ count: more + 1, owners: ['a'] }) })),
  fc.anything().map((error) => ({ honest: false, read: () => Promise.reject(error) })),
  fc.anything().map((error) => ({
    honest: false,
    read: (): never => {
      // Whatever can be thrown is.
      const thrown: unknown = error;
      throw thrown;
    },
  })),
  fc
    .anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withSet: true })
    .filter((value) => !isEmpty(value))
    .map((value) => ({ honest: false, read: () => value })),
  fc.constant({ honest: false, read: () => new Promise(() => undefined) }),
  fc.double({ noInteger: true }).map((value) => ({ honest: false, read: () => value })),
);

/** What the contract calls an empty ledger, apart from the code. */
function isEmpty(value: unknown): boolean {
  if (value === 0) return true;
  if (typeof value !== 'object' || value === null || (value as { count?: unknown }).count !== 0) return false;
  const { owners } = value as { owners?: unknown };
  return owners === undefined || (Array.isArray(owners) && owners.length === 0);
}

const worst = fc.array(fc.record({ probe: fc.constantFrom<Probe>('turn', 'input'), behaviour }), { maxLength: 6 });

describe('ledgers at their worst', () => {
  it('[RQ-I28] [RQ-R144] true means that each was read in that call and was empty; nothing is ever thrown', async () => {
    let trues = 0;
    await fc.assert(
      fc.asyncProperty(worst, async (all) => {
        const runtime = new HandRuntime();
        const reads = new Set<number>();
        const ledgers = all.map(({ probe, behaviour: one }, at): IdleLedger => {
          const read = (): number => {
            reads.add(at);
            return one.read() as number;
          };
          return { name: `l${at}`, probe, read };
        });
        const asked = createIdle({ ledgers, logger: quiet, runtime, readMs: 100 }).idle();
        for (let at = 0; at <= all.length; at += 1) {
          await settled();
          runtime.advance(100);
        }
        const { idle } = await asked;
        const both = new Set(all.map(({ probe }) => probe)).size === 2;
        const allEmpty = both && all.every(({ behaviour: one }) => one.honest);
        expect(idle === true).toBe(allEmpty);
        if (idle !== true) return;
        trues += 1;
        expect(reads.size).toBe(all.length);
        expect(runtime.armed).toBe(0);
      }),
      { numRuns: 600 },
    );
    // Some thirty of them, give or take what chance gives and takes.
    expect(trues).toBeGreaterThan(5);
  });

  it('[RQ-R144] whatever a ledger says, it is a whole number of at least zero, or it is unreadable', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true }), (value) => {
        const reading = takeReading(value);
        if (reading.kind === 'count') {
          expect(Number.isInteger(reading.count) && reading.count >= 0).toBe(true);
          expect(reading.owners.length).toBeLessThanOrEqual(reading.count);
        }
        expect(probeState([reading]) === 'clear').toBe(isEmpty(value));
      }),
      { numRuns: 2_000 },
    );
  });
});

const doors = compile(retirementMachine);
type Doors = SnapshotOf<typeof doors>;

/** Each place that two retirements and three admissions can lead to, with the history that matters. */
interface Walk {
  readonly at: Doors;
  readonly since: readonly [number, number];
  /** Which of them was told that the process may go, and has not given it up. */
  readonly promised: ReadonlySet<number>;
}

describe('every order of two retirements and three admissions', () => {
  it('[RQ-R148] keeps the doors closed for the one that was told so, and lets nobody in meanwhile', () => {
    const key = ({ at, since, promised }: Walk): string => JSON.stringify([at.value, at.context, since, [...promised]]);
    const first: Walk = { at: start(doors, undefined).snapshot, since: [0, 0], promised: new Set() };
    const seen = new Map([[key(first), first]]);
    let steps = 0;
    for (const walk of seen.values()) {
      for (const next of walksFrom(walk)) {
        steps += 1;
        if (!seen.has(key(next))) seen.set(key(next), next);
      }
    }
    expect(steps).toBeGreaterThan(200);
    expect(new Set([...seen.values()].map(({ at }) => at.value))).toEqual(new Set(['open', 'frozen', 'retired']));
  });
});

function walksFrom(walk: Walk): Walk[] {
  const { at, since } = walk;
  const { admitted } = at.context;
  const next: Walk[] = [];
  // Being prepared is a note of the count, and may happen at any time.
  for (const by of [0, 1]) next.push({ ...walk, since: by === 0 ? [admitted, since[1]] : [since[0], admitted] });
  const events: RetirementEvent[] = admitted < 3 ? [{ type: 'ADMIT' }] : [];
  for (const by of [0, 1]) {
    events.push({ type: 'FREEZE', by, since: since[by] ?? 0 });
    events.push({ type: 'PROVEN', by }, { type: 'REFUTED', by }, { type: 'CANCEL', by });
  }
  for (const event of events) {
    const { snapshot: after, ignored } = step(doors, at, event);
    if (ignored) continue;
    const promised = new Set(walk.promised);
    if (event.type === 'PROVEN') promised.add(event.by);
    if (event.type === 'CANCEL') promised.delete(event.by);
    judge(at, event, after, promised);
    next.push({ at: after, since, promised });
  }
  return next;
}

function judge(
  { value: was, context: before }: Doors,
  event: RetirementEvent,
  { value: is, context: after }: Doors,
  promised: ReadonlySet<number>,
): void {
  const seen = { was, before, event, is, after };
  expect({ ...seen, closed: is !== 'open' }).toEqual({ ...seen, closed: after.holder !== null });
  if (event.type === 'ADMIT') expect({ ...seen, was }).toEqual({ ...seen, was: 'open' });
  if (event.type === 'FREEZE') expect({ ...seen, since: event.since }).toEqual({ ...seen, since: before.admitted });
  if (event.type === 'PROVEN') expect(was).toBe('frozen');
  if (was !== 'open' && event.type !== 'ADMIT')
    expect({ ...seen, by: event.by }).toEqual({ ...seen, by: before.holder });
  expect(after.admitted - before.admitted).toBe(event.type === 'ADMIT' ? 1 : 0);
  // Who was promised closed doors has them, and nobody else was.
  expect(promised.size).toBeLessThanOrEqual(1);
  for (const by of promised) expect({ ...seen, by: after.holder }).toEqual({ ...seen, is: 'retired', by });
  if (promised.size === 0) expect(is).not.toBe('retired');
}
