/** A world in which questions come and go while ledgers are read: no answer and no retirement may overlook one. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIdle, type IdleLedger, type IdleProof, type Retirement } from '../src/idle.ts';
import { HandRuntime, quiet, settled } from '../test/idle/support.ts';

const KINDS = ['own', 'mirrored', 'approval'] as const;
type Kind = (typeof KINDS)[number];
/** `now`: at once. `start`: counted when it is asked, told when it is released. `end`: counted when it is released. */
type Pace = 'now' | 'start' | 'end';

type Step =
  | { readonly do: 'open' | 'close'; readonly kind: Kind }
  /** Something that takes a while until it is on file. */
  | { readonly do: 'begin'; readonly kind: Kind }
  | { readonly do: 'land'; readonly fails: boolean }
  | { readonly do: 'idle' | 'release' | 'prepare' | 'wait' }
  | { readonly do: 'commit'; readonly at: number }
  | { readonly do: 'cancel'; readonly at: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('open' as const, 'close' as const), kind: fc.constantFrom(...KINDS) }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('close' as const), kind: fc.constantFrom(...KINDS) }) },
  fc.record({ do: fc.constant('begin' as const), kind: fc.constantFrom(...KINDS) }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('land' as const), fails: fc.boolean() }) },
  { weight: 2, arbitrary: fc.constant({ do: 'idle' as const }) },
  { weight: 6, arbitrary: fc.constant({ do: 'release' as const }) },
  fc.constant({ do: 'prepare' as const }),
  fc.constant({ do: 'wait' as const }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('commit' as const), at: fc.nat(2) }) },
  fc.record({ do: fc.constant('cancel' as const), at: fc.nat(2) }),
);

class World {
  readonly proof: IdleProof;
  readonly runtime = new HandRuntime();
  readonly count: Record<Kind, number> = { own: 0, mirrored: 0, approval: 0 };
  readonly faults: string[] = [];
  readonly tally = { trues: 0, retired: 0, refused: 0, overtaken: 0 };
  #entering: { kind: Kind; landed: () => void }[] = [];
  #held: (() => void)[] = [];
  #retirements: { one: Retirement; cancelled: boolean; gone: boolean }[] = [];
  #asked: Promise<unknown>[] = [];

  constructor(paces: readonly Pace[]) {
    const read = (kind: Kind, pace: Pace) => (): number | Promise<number> => {
      const atStart = this.count[kind];
      if (pace === 'now') return atStart;
      return new Promise((resolve) => this.#held.push(() => resolve(pace === 'start' ? atStart : this.count[kind])));
    };
    const ledgers = KINDS.map((kind, at): IdleLedger => {
      return { name: kind, probe: 'input', read: read(kind, paces[at] ?? 'now') };
    });
    const turn: IdleLedger = { name: 'runs', probe: 'turn', read: () => 0 };
    this.proof = createIdle({ ledgers: [turn, ...ledgers], logger: quiet, runtime: this.runtime, readMs: 100 });
  }

  get open(): number {
    return KINDS.reduce((sum, kind) => sum + this.count[kind], 0) + this.#entering.length;
  }

  run(one: Step): void {
    if (one.do === 'open')
      this.#enter(
        () => this.proof.admit(),
        () => this.#add(one.kind),
      );
    else if (one.do === 'close') this.count[one.kind] = Math.max(0, this.count[one.kind] - 1);
    else if (one.do === 'begin') this.#begin(one.kind);
    else if (one.do === 'land') this.#land(one.fails);
    else if (one.do === 'idle') this.#ask();
    else if (one.do === 'release') this.#held.shift()?.();
    else if (one.do === 'wait') this.runtime.advance(40);
    else if (one.do === 'prepare')
      this.#retirements.unshift({ one: this.proof.prepare(), cancelled: false, gone: false });
    else if (one.do === 'commit') this.#commit(one.at);
    else if (one.do === 'cancel') this.#cancel(one.at);
  }

  /** Ends what is still read: first what is held, then by the bound. */
  async end(): Promise<void> {
    for (let round = 0; round < 40; round += 1) {
      this.#held.shift()?.();
      await settled();
    }
    this.runtime.advance(1_000);
    await Promise.all(this.#asked);
  }

  #add(kind: Kind): void {
    this.count[kind] += 1;
    if (this.#retirements.some(({ gone }) => gone)) this.faults.push(`${kind} was opened in a process that may go`);
  }

  #enter(admit: () => void, then: () => void): void {
    try {
      admit();
    } catch (error) {
      if ((error as { code?: string }).code !== 'retiring' || this.proof.doors === 'open')
        this.faults.push(String(error));
      this.tally.refused += 1;
      return;
    }
    then();
  }

  #begin(kind: Kind): void {
    let landed: () => void = () => undefined;
    this.#enter(
      () => {
        landed = this.proof.beginAdmission();
      },
      () => this.#entering.push({ kind, landed }),
    );
  }

  #land(fails: boolean): void {
    const first = this.#entering.shift();
    if (first === undefined) return;
    if (!fails) this.#add(first.kind);
    first.landed();
  }

  #ask(): void {
    const asked = this.proof.idle().then(({ idle, ...rest }) => {
      if ('detail' in rest && rest.detail?.ledger === 'admissions') this.tally.overtaken += 1;
      if (idle !== true) return;
      this.tally.trues += 1;
      if (this.open > 0) this.faults.push(`idle, with ${this.open} open`);
    });
    this.#asked.push(asked);
  }

  #commit(at: number): void {
    const found = this.#retirements[at];
    if (found === undefined) return;
    const said = found.one.commit().then((gone) => {
      if (!gone || found.cancelled) return;
      this.tally.retired += 1;
      if (this.open > 0) this.faults.push(`may go, with ${this.open} open`);
      if (this.#retirements.some((one) => one !== found && one.gone)) this.faults.push('two may end one process');
      found.gone = true;
    });
    this.#asked.push(said);
  }

  #cancel(at: number): void {
    const found = this.#retirements[at];
    found?.one.cancel();
    if (found === undefined) return;
    found.cancelled = true;
    found.gone = false;
  }
}

describe('questions that come and go while ledgers are read', () => {
  it('[RQ-I29] [RQ-R148] none is overlooked by an answer, and none is opened in a process that may go', async () => {
    const total = { trues: 0, retired: 0, refused: 0, overtaken: 0 };
    const pace = fc.constantFrom<Pace>('now', 'start', 'end');
    const paces = fc.array(pace, { minLength: KINDS.length, maxLength: KINDS.length });
    await fc.assert(
      fc.asyncProperty(paces, fc.array(step, { maxLength: 60, size: 'max' }), async (given, steps) => {
        const world = new World(given);
        for (const one of steps) {
          world.run(one);
          await settled();
        }
        await world.end();
        expect(world.faults).toEqual([]);
        for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += world.tally[name];
      }),
      { numRuns: 800 },
    );
    // A property that never comes to the point proves nothing.
    for (const count of Object.values(total)) expect(count).toBeGreaterThan(50);
  });
});
