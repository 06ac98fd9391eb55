/** Every transition of the approval chart, taken by the queue, compared after each event. */
import { describe, expect, it } from 'vitest';
import type { AnyMachineSnapshot, EventFromLogic } from 'xstate';
import type { ApprovalContext, ApprovalInput } from '../../machines/requests/approval.ts';
import { compile, start, step } from '../../machines/shared/step.ts';
import { type Asking, breathe, KEY, Rig } from '../../test/requests/approvals/support.ts';
import { Coverage, coverPaths } from '../support/cover.ts';
import { same } from '../support/same.ts';
import { APPROVAL_EVENTS, APPROVAL_INPUTS, approvalMachine, approvalPlace } from './approval-samples.ts';

type Event = EventFromLogic<typeof approvalMachine>;
const chart = compile(approvalMachine);
const QUEUED = new Set(['announcing', 'unseen', 'seen']);
/** Enough time for nothing else to fall due. */
const TIMEOUT = 1_000;

const PROJECTION: Readonly<Record<string, object>> = {
  withdrawn: { resolved: true, choice: null },
  expired: { resolved: false, choice: null },
  interrupted: { resolved: true, choice: 'deny', cancelled: 'interrupted' },
  superseded: { resolved: true, choice: 'deny', cancelled: 'interrupted' },
  notify_failed: { resolved: false, choice: null, notify_failed: true },
};

/** What happens while the entry is announced happens inside the surface that is being told. */
class ApprovalDriver {
  readonly #coverage: Coverage<typeof approvalMachine>;
  readonly #abort = new AbortController();
  readonly #hooks: string[] = [];
  readonly #ordered: string[] = [];
  readonly #rig: Rig;
  #attached = 0;
  #fault: unknown;
  #asking: Asking | undefined;
  #at: ReturnType<typeof start<ApprovalContext, Event, string, ApprovalInput, { type: string }>>['snapshot'];
  readonly #inside: Event[];
  readonly #outside: Event[];

  constructor(input: ApprovalInput, events: readonly Event[], coverage: Coverage<typeof approvalMachine>) {
    this.#coverage = coverage;
    this.#at = start(chart, input).snapshot;
    coverage.start(input);
    const told = events.findIndex(({ type }) => type === 'NOTIFIED' || type === 'NOTIFY_FAILED');
    this.#inside = [...events.slice(0, told < 0 ? events.length : told)];
    const after = events.slice(this.#inside.length);
    // Reading comes with the end of the tick, so it never happens inside.
    const read = this.#inside.findIndex(({ type }) => type === 'READ');
    this.#outside = read < 0 ? [...after] : this.#inside.splice(read);
    this.#rig = new Rig({
      notify: [
        () => {
          try {
            for (const event of this.#inside) this.#play(event);
          } catch (error) {
            // A surface that throws is a surface that fails; a comparison that fails is a fault.
            this.#fault = error;
          }
          if (this.#outside[0]?.type === 'NOTIFY_FAILED') throw new Error('no surface');
          return undefined;
        },
      ],
    });
  }

  async run({ choices }: ApprovalInput): Promise<void> {
    this.#asking = this.#rig.ask('a', { choices, timeoutMs: TIMEOUT, signal: this.#abort.signal });
    if (this.#fault !== undefined) throw this.#fault;
    for (const event of this.#outside) {
      if (event.type === 'READ') await breathe();
      this.#play(event);
    }
    await breathe();
    const isRead = this.#at.value === 'resolved' ? 'reported' : this.#at.value;
    this.#compareVerdict(isRead);
    this.#rig.approvals.shutdown();
  }

  #play(event: Event): void {
    const result = this.#perform(event);
    this.#coverage.step(this.#at, event);
    const { snapshot, effects } = step(chart, this.#at, event);
    const settled = effects.find(({ type }) => type === 'settle') as { params: { reason: string } } | undefined;
    if (settled !== undefined) for (let i = 0; i < this.#attached; i += 1) this.#ordered.push(settled.params.reason);
    if (event.type === 'RESOLVE') same('count', 'resolve', result, snapshot.value === 'resolved' ? 1 : 0);
    if (event.type === 'ATTACH_HOOK') same('hook', 'attach', result, true);
    this.#at = snapshot;
    this.#compare(JSON.stringify(event));
  }

  #perform(event: Event): unknown {
    const { approvals, runtime } = this.#rig;
    switch (event.type) {
      case 'NOTIFIED':
      case 'NOTIFY_FAILED':
      case 'READ':
        return undefined;
      case 'RECEIVED':
        return approvals.received(KEY, 'a');
      case 'RESOLVE':
        return approvals.resolve(KEY, event.choice, { requestId: 'a' });
      case 'WITHDRAW':
        return approvals.withdraw(KEY, 'a', event.cause);
      case 'SESSION_CLEARED':
        return approvals.clear(KEY, event.cause);
      case 'NOTIFIER_GONE':
        return approvals.notifierGone(KEY, event.cause);
      case 'DEADLINE':
        return runtime.advance(TIMEOUT);
      case 'INTERRUPT':
        return this.#abort.abort();
      case 'ATTACH_HOOK':
        this.#attached += 1;
        return approvals.attachHook(KEY, 'a', (reason) => void this.#hooks.push(reason));
      default:
        throw new Error(`no executor for ${JSON.stringify(event)}`);
    }
  }

  #compare(what: string): void {
    const { approvals, ledger } = this.#rig;
    const isQueued = QUEUED.has(String(this.#at.value));
    const [pending] = approvals.pending(KEY);
    same(what, 'pending', pending !== undefined, isQueued);
    if (pending !== undefined) same(what, 'acknowledged', pending.acknowledged, this.#at.context.acked);
    same(what, 'count', approvals.count(), isQueued ? 1 : 0);
    same(what, 'row', ledger.rows('approval').length, isQueued ? 1 : 0);
    same(what, 'hooks', this.#hooks, this.#ordered);
    const { choice } = this.#at.context;
    if (choice === null) same(what, 'grants', ledger.rows('grant'), []);
  }

  #compareVerdict(value: unknown): void {
    const { verdict, ends } = this.#asking as Asking;
    const isQueued = QUEUED.has(String(value));
    same('the end', 'ends', ends, isQueued ? 0 : 1);
    if (isQueued) return;
    const { choice, cause } = this.#at.context;
    const decided = { resolved: true, choice };
    const said = value === 'withdrawn' ? { cancelled: cause } : value === 'superseded' ? { superseded: choice } : {};
    expect(verdict, String(value)).toEqual({
      approvalId: 'a',
      digest: verdict?.digest,
      ...(PROJECTION[String(value)] ?? decided),
      ...said,
    });
    const claim = this.#rig.approvals.claim('a', verdict?.digest ?? '');
    same('the end', 'released', claim.ok, value === 'reported' && choice !== 'deny');
    same('the end', 'asked on behalf of', this.#rig.before.length, 1);
    same('the end', 'reported', this.#rig.after.length, 1);
  }
}

describe('every transition of the approval chart', () => {
  it('[RQ-R81, RQ-R83, RQ-R84, RQ-R85, RQ-R90, RQ-R91, RQ-R92] is taken by the queue', async () => {
    const coverage = new Coverage(approvalMachine);
    const paths = coverPaths(approvalMachine, APPROVAL_EVENTS, {
      inputs: APPROVAL_INPUTS,
      serialize: (at) => approvalPlace(at as AnyMachineSnapshot as never),
      // An entry is announced within the call that makes it: nothing is left to announce afterwards.
      allowed: ({ event, before }) => event.type !== 'ATTACH_HOOK' || (before.context as ApprovalContext).hooks < 2,
    });
    for (const { input, events } of paths) {
      await new ApprovalDriver(input as ApprovalInput, events as Event[], coverage).run(input as ApprovalInput);
    }
    expect(paths.length).toBeGreaterThan(100);
    expect(coverage.untaken).toEqual([]);
  });
});
