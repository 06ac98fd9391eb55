/** What always holds, along random sequences of everything that can happen to a queue. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApprovalVerdict } from '../../../src/requests/approval-types.ts';
import { type Asking, breathe, KEY, Rig, releases } from './support.ts';

const COMMANDS = ['ls', 'rm', 'cp'];

type Act =
  | { readonly do: 'ask'; readonly command: number; readonly timeout: number; readonly smart: boolean }
  | {
      readonly do: 'resolve';
      readonly choice: string;
      readonly nth: number;
      readonly all: boolean;
      readonly named: boolean;
    }
  | { readonly do: 'withdraw' | 'interrupt' | 'claim' | 'hook' | 'received'; readonly nth: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'breathe' | 'clear' | 'gone' | 'restart' | 'break' | 'mend' };

const nth = fc.nat({ max: 4 });
const one = <Name extends string>(name: Name) => fc.record({ do: fc.constant(name) });
const ACT: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      command: fc.nat({ max: 2 }),
      timeout: fc.constantFrom(5, 50, 500),
      smart: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('resolve' as const),
      choice: fc.constantFrom('once', 'session', 'always', 'deny', 'sure'),
      nth,
      all: fc.boolean(),
      named: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('withdraw', 'interrupt', 'hook', 'received'), nth }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('claim' as const), nth }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 10, 100) }) },
  { weight: 3, arbitrary: one('breathe') },
  { weight: 1, arbitrary: fc.oneof(one('clear'), one('gone'), one('restart'), one('break'), one('mend')) },
) as fc.Arbitrary<Act>;

interface Known {
  readonly id: string;
  readonly asking: Asking;
  readonly abort: AbortController;
  readonly hooks: { ran: number }[];
  readonly digest: string;
}

class World {
  rig = new Rig();
  readonly known: Known[] = [];
  readonly executions = new Map<string, number>();
  counted = 0;
  /** Decisions that the ledger took, by what they were on. */
  #seen = 0;
  readonly decided = new Map<string, string>();
  resolvedEntries = 0;

  async act(act: Act): Promise<void> {
    const { approvals, runtime, ledger } = this.rig;
    try {
      switch (act.do) {
        case 'ask':
          return this.#ask(act.command, act.timeout, act.smart);
        case 'resolve':
          return this.#resolve(act);
        case 'withdraw':
          return void approvals.withdraw(KEY, this.#pick(act.nth)?.id ?? '-', 'x');
        case 'interrupt':
          return this.#pick(act.nth)?.abort.abort();
        case 'claim':
          return this.#claim(this.#pick(act.nth));
        case 'hook':
          return this.#hook(this.#pick(act.nth));
        case 'received':
          return void approvals.received(KEY, this.#pick(act.nth)?.id ?? '-');
        case 'wait':
          return runtime.advance(act.ms);
        case 'breathe':
          return await breathe();
        case 'clear':
          return void approvals.clear(KEY, 'over');
        case 'gone':
          return void approvals.notifierGone(KEY, 'over');
        case 'restart':
          ledger.broken = undefined;
          this.rig = this.rig.restart();
          for (const { hooks } of this.known) hooks.splice(0);
          return;
        case 'break':
          ledger.broken = new Error('disk full');
          return;
        default:
          ledger.broken = undefined;
      }
    } catch (error) {
      if (ledger.broken === undefined || error !== ledger.broken) throw error;
    }
  }

  #pick(at: number): Known | undefined {
    return this.known[this.known.length - 1 - at];
  }

  #ask(at: number, timeoutMs: number, smartDenied: boolean): void {
    const id = `a${this.known.length}`;
    const abort = new AbortController();
    const command = COMMANDS[at] ?? 'ls';
    const asking = this.rig.ask(id, { command, timeoutMs, smartDenied, digest: command, signal: abort.signal });
    this.known.push({ id, asking, abort, hooks: [], digest: command });
  }

  #resolve({ choice, nth: at, all, named }: Extract<Act, { do: 'resolve' }>): void {
    const { approvals } = this.rig;
    const before = approvals.pending(KEY);
    const id = named ? (this.#pick(at)?.id ?? '-') : undefined;
    const count = approvals.resolve(KEY, choice, { all, requestId: id });
    this.counted += count;
    const left = new Set(this.rig.ids());
    const offering = before.filter(({ choices }) => (choices as readonly string[]).includes(choice));
    const isStale = id !== undefined && !before.some(({ approval_id }) => approval_id === id);
    if (isStale) expect([count, this.rig.ids()]).toEqual([0, before.map(({ approval_id }) => approval_id)]);
    else if (all) {
      expect(count).toBe(offering.length);
      expect(offering.filter(({ approval_id }) => left.has(approval_id))).toEqual([]);
    } else expect(count).toBeLessThanOrEqual(1);
  }

  #claim(known: Known | undefined): void {
    if (known === undefined) return;
    const claim = this.rig.approvals.claim(known.id, known.digest);
    if (!claim.ok) return;
    this.executions.set(known.id, (this.executions.get(known.id) ?? 0) + 1);
    const decision = this.decisions().get(known.id);
    expect(['once', 'session', 'always']).toContain(decision);
    // What was interrupted before it could be read releases nothing.
    expect(known.asking.verdict?.superseded).toBeUndefined();
  }

  #hook(known: Known | undefined): void {
    if (known === undefined) return;
    const hook = { ran: 0 };
    const isPending = this.rig.ids().includes(known.id);
    const isTaken = this.rig.approvals.attachHook(KEY, known.id, () => void hook.ran++);
    expect(isTaken).toBe(isPending);
    if (isTaken) known.hooks.push(hook);
  }

  /** By approval id, from what the ledger was given. */
  decisions(): Map<string, string> {
    const rows = this.rig.ledger.rows('grant').filter(({ type }) => type === 'grant');
    return new Map(rows.map(({ id, choice }) => [String(id), String(choice)]));
  }

  check(): void {
    const { approvals, ledger } = this.rig;
    const pending = approvals.pending(KEY);
    expect(new Set(pending.map(({ command }) => command)).size).toBe(pending.length);
    expect(approvals.count()).toBe(pending.length);
    expect(ledger.rows('approval').map(({ id }) => id)).toEqual(pending.map(({ approval_id }) => approval_id));
    const isPending = new Set(this.rig.ids());
    for (const { id, hooks } of this.known) {
      for (const { ran } of hooks) expect(ran).toBe(isPending.has(id) ? 0 : 1);
    }
    for (; this.#seen < ledger.notes.length; this.#seen += 1) {
      if (ledger.notes[this.#seen]?.event === 'approval_resolved') this.resolvedEntries += 1;
    }
    expect(this.resolvedEntries).toBe(this.counted);
  }

  async end(): Promise<void> {
    this.rig.ledger.broken = undefined;
    const decisions = this.decisions();
    await breathe();
    this.rig.approvals.clear(KEY, 'end');
    await breathe();
    for (const { id, asking } of this.known) {
      expect(asking.ends).toBe(1);
      const { verdict } = asking;
      if (verdict === undefined) continue;
      expect(this.executions.get(id) ?? 0).toBeLessThanOrEqual(1);
      this.#agree(verdict, decisions.get(id));
    }
    this.rig.approvals.shutdown();
  }

  /** What the waiter was told is what the person was told: the decision, or that it was superseded. */
  #agree(verdict: ApprovalVerdict, decision: string | undefined): void {
    const told = verdict.superseded ?? (verdict.cancelled === undefined ? verdict.choice : null);
    if (verdict.resolved && told !== null) expect(told).toBe(decision);
    // Released by a shutdown, its card lived on and may have been decided later.
    else if (verdict.cancelled !== 'shutdown') expect(decision).toBeUndefined();
    if (releases(verdict)) expect(['once', 'session', 'always']).toContain(decision);
  }
}

describe('along any sequence', () => {
  it('[RQ-I17, RQ-I18, RQ-I19, RQ-I20, RQ-I21, RQ-I22, RQ-I23] counts, verdicts, hooks and releases agree', async () => {
    let decided = 0;
    let released = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(ACT, { minLength: 10, maxLength: 60, size: 'max' }), async (acts) => {
        const world = new World();
        for (const act of acts) {
          await world.act(act);
          world.check();
        }
        await world.end();
        decided += world.counted;
        released += world.executions.size;
      }),
      { numRuns: 200, endOnFailure: false },
    );
    // A world in which nothing happens proves nothing.
    expect(decided).toBeGreaterThan(150);
    expect(released).toBeGreaterThan(30);
  });
});
