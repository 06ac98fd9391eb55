/** Every transition of the follower chart, taken by the queue, compared after each event. */
import { describe, expect, it } from 'vitest';
import type { AnyMachineSnapshot, EventFromLogic } from 'xstate';
import type { FollowerContext, FollowerInput, LeaderOutcome } from '../../machines/requests/follower.ts';
import { compile, start, step } from '../../machines/shared/step.ts';
import { type Asking, breathe, KEY, Rig } from '../../test/requests/approvals/support.ts';
import { Coverage, coverPaths } from '../support/cover.ts';
import { same } from '../support/same.ts';
import { FOLLOWER_EVENTS, FOLLOWER_INPUTS, followerMachine, followerPlace } from './approval-samples.ts';

type Event = EventFromLogic<typeof followerMachine>;
const chart = compile(followerMachine);
const OWN_TIMEOUT = 1_000;
const LEADER_TIMEOUT = 2_000;

/** What a follower reports, by the state that it ended in. */
const PROJECTION: Readonly<Record<string, object>> = {
  withdrawn: { resolved: true, choice: null },
  expired: { resolved: false, choice: null },
  interrupted: { resolved: true, choice: 'deny', cancelled: 'interrupted' },
  superseded: { resolved: true, choice: 'deny', cancelled: 'interrupted' },
};

/**
 * The leader is asked for first, then whoever will lead in its place, then the follower in question. All join while the
 * leader is being announced, so that a leader that nobody can be told of has followers, too.
 */
class FollowerDriver {
  readonly #coverage: Coverage<typeof followerMachine>;
  readonly #abort = new AbortController();
  readonly #leaders = new Map<string, AbortController>();
  readonly #failing = new Set<string>();
  readonly #rig: Rig;
  readonly #events: readonly Event[];
  readonly #extras: number;
  #leader = 'l';
  #found = 0;
  #asking: Asking | undefined;
  #at: ReturnType<typeof start<FollowerContext, Event, string, FollowerInput, { type: string }>>['snapshot'];

  constructor(input: FollowerInput, events: readonly Event[], coverage: Coverage<typeof followerMachine>) {
    this.#coverage = coverage;
    this.#events = events;
    this.#at = start(chart, input).snapshot;
    coverage.start(input);
    this.#extras = events.filter(({ type }) => type === 'FOUND').length;
    this.#rig = new Rig({
      notify: [
        ({ approval_id: id }) => {
          if (id === 'l') this.#join(input);
          if (this.#failing.has(id)) throw new Error('no surface');
          return undefined;
        },
      ],
    });
  }

  #join({ choices }: FollowerInput): void {
    for (let i = 1; i <= this.#extras; i += 1) this.#ask(`g${i}`);
    const signal = this.#abort.signal;
    this.#asking = this.#rig.twin('f', { choices, timeoutMs: this.#ownTimeout, signal });
  }

  /** Only a path that ends by its own deadline has one: the one of the leader falls due later. */
  get #ownTimeout(): number {
    return this.#events.some(({ type }) => type === 'DEADLINE') ? OWN_TIMEOUT : 1_000_000;
  }

  #ask(id: string): void {
    const abort = new AbortController();
    this.#leaders.set(id, abort);
    this.#rig.twin(id, { timeoutMs: LEADER_TIMEOUT, signal: abort.signal });
  }

  async run(): Promise<void> {
    const [first] = this.#events;
    if (first?.type === 'LEADER' && first.outcome === 'notify_failed') this.#failing.add('l');
    this.#ask('l');
    for (const event of this.#events) {
      // What is not read at once can still be interrupted.
      if (event.type === 'READ') await breathe();
      this.#play(event);
    }
    await breathe();
    this.#compareEnd();
    this.#rig.approvals.shutdown();
  }

  #play(event: Event): void {
    this.#perform(event);
    this.#coverage.step(this.#at, event);
    this.#at = step(chart, this.#at, event).snapshot;
    const what = JSON.stringify(event);
    const { value } = this.#at;
    // Between the choice of its leader and its own place nobody can look: that is one section.
    if (value === 'contending') return;
    same(what, 'prompts', this.#rig.ids().includes('f'), value === 'entered');
    same(what, 'counted', this.#rig.approvals.count(), this.#rig.ids().length);
    const granted = this.#rig.ledger.rows('grant').find(({ id }) => id === 'f');
    same(what, 'grant', granted?.['choice'] ?? null, this.#at.context.choice);
  }

  #perform(event: Event): void {
    switch (event.type) {
      case 'LEADER':
        return this.#end(event.outcome, event.cause);
      case 'FOUND':
        // Each one that leads was waiting before the next.
        this.#leader = `g${++this.#found}`;
        return same('FOUND', 'leader', this.#rig.ids(), [this.#leader]);
      case 'DEADLINE':
        return this.#rig.runtime.advance(OWN_TIMEOUT);
      case 'INTERRUPT':
        return this.#abort.abort();
      default:
        return;
    }
  }

  #end(outcome: LeaderOutcome, cause: string | null): void {
    const { approvals, runtime } = this.#rig;
    switch (outcome) {
      case 'expired':
        return runtime.advance(LEADER_TIMEOUT);
      case 'withdrawn':
        return same('withdraw', 'done', approvals.withdraw(KEY, this.#leader, cause ?? ''), true);
      case 'interrupted':
        return this.#leaders.get(this.#leader)?.abort();
      case 'notify_failed':
        return;
      default:
        return same('resolve', 'count', approvals.resolve(KEY, outcome, { requestId: this.#leader }), 1);
    }
  }

  #compareEnd(): void {
    const value = String(this.#at.value);
    const { verdict, ends } = this.#asking as Asking;
    const isWaiting = value === 'following' || value === 'contending' || value === 'entered';
    same('the end', 'ends', ends, isWaiting ? 0 : 1);
    same('the end', 'told', this.#rig.before.find(({ id }) => id === 'f')?.coalesced, true);
    if (isWaiting) return;
    const { choice } = this.#at.context;
    const said = value === 'superseded' ? { superseded: choice } : {};
    expect(verdict, value).toMatchObject({
      coalesced: true,
      ...(PROJECTION[value] ?? { resolved: true, choice }),
      ...said,
    });
    const claim = this.#rig.approvals.claim('f', verdict?.digest ?? '');
    const isReleased = (value === 'reported' || value === 'adopted') && choice !== 'deny';
    same('the end', 'released', claim.ok, isReleased);
  }
}

describe('every transition of the follower chart', () => {
  it('[RQ-R94, RQ-R95, RQ-R96, RQ-R97] is taken by the queue', async () => {
    const coverage = new Coverage(followerMachine);
    const paths = coverPaths(followerMachine, FOLLOWER_EVENTS, {
      inputs: FOLLOWER_INPUTS,
      serialize: (at) => followerPlace(at as AnyMachineSnapshot as never),
      allowed: ({ event, before }, previous) => {
        const { leader } = before.context as FollowerContext;
        // A second leader is announced within the section that made it one: its notice cannot fail later.
        if (event.type === 'LEADER' && event.outcome === 'notify_failed') return leader === 'l';
        // A leader that nobody could be told of leaves nobody behind who could be told.
        return !(event.type === 'FOUND' && previous === undefined);
      },
    });
    for (const { input, events } of paths) {
      await new FollowerDriver(input as FollowerInput, events as Event[], coverage).run();
    }
    expect(paths.length).toBeGreaterThan(25);
    expect(coverage.untaken).toEqual([]);
  });
});
