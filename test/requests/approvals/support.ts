/** A queue of approvals on a hand-driven clock, with everything it says, writes and shows on record. */
import { createApprovals } from '../../../src/approvals.ts';
import type { Ledger, RowChange } from '../../../src/requests/api.ts';
import type {
  ApprovalOutcome,
  ApprovalRequest,
  ApprovalSurface,
  Approvals,
  ApprovalsOptions,
  ApprovalVerdict,
  ApprovalView,
} from '../../../src/requests/approval-types.ts';
import { HandRuntime } from '../../../src/testing/hand-runtime.ts';
import type { JsonObject } from '../../../src/wire/json.ts';

export const KEY = 'conversation-1';
export const SID = 'live-1';

/** Keeps rows as text, as a file would; a commit is all or nothing. */
export class TextLedger implements Ledger {
  readonly files = new Map<string, string>();
  readonly notes: NonNullable<RowChange['note']>[] = [];
  commits = 0;
  /** Thrown by the next commits, while it is set. */
  broken: Error | undefined;
  onCommit: ((changes: readonly RowChange[]) => void) | undefined;

  commit(changes: readonly RowChange[]): void {
    if (this.broken !== undefined) throw this.broken;
    this.onCommit?.(changes);
    this.commits += 1;
    for (const { kind, id, row, note } of changes) {
      if (row === undefined) this.files.delete(`${kind} ${id}`);
      else this.files.set(`${kind} ${id}`, JSON.stringify(row));
      if (note !== undefined) this.notes.push(note);
    }
  }

  rows(kind: RowChange['kind']): JsonObject[] {
    const found = [...this.files].filter(([name]) => name.startsWith(`${kind} `));
    const rows = found.map(([, text]) => JSON.parse(text) as JsonObject);
    return rows.sort((a, b) => Number(a['seq']) - Number(b['seq']));
  }

  get events(): string[] {
    return this.notes.map(({ event }) => event);
  }

  get everything(): string {
    return JSON.stringify([[...this.files], this.notes]);
  }
}

export interface Shown {
  readonly view: ApprovalView;
  readonly taken: string[];
}

/** A surface that shows everything, and notes why each card was taken away. */
export function surface(): ApprovalSurface & { readonly shown: Shown[] } {
  const shown: Shown[] = [];
  const show: ApprovalSurface = (view) => {
    const card: Shown = { view, taken: [] };
    shown.push(card);
    return (reason) => void card.taken.push(reason);
  };
  return Object.assign(show, { shown });
}

export interface AfterCall {
  readonly id: string;
  readonly coalesced: boolean;
  readonly outcome: ApprovalOutcome;
  readonly verdict: ApprovalVerdict;
}

export class Rig {
  readonly runtime: HandRuntime;
  readonly ledger: TextLedger;
  readonly lines: string[] = [];
  readonly before: { id: string; coalesced: boolean }[] = [];
  readonly after: AfterCall[] = [];
  readonly beats: string[] = [];
  readonly card = surface();
  readonly approvals: Approvals;

  constructor(options: ApprovalsOptions = {}, from?: Rig) {
    this.runtime = from?.runtime ?? new HandRuntime();
    this.ledger = from?.ledger ?? new TextLedger();
    const say = (...args: unknown[]): void => void this.lines.push(JSON.stringify(args));
    this.approvals = createApprovals({
      runtime: this.runtime,
      ledger: this.ledger,
      logger: { debug: say, info: say, warn: say, error: say },
      notify: [this.card],
      onHeartbeat: (key) => void this.beats.push(key),
      ...options,
      hooks: {
        before: ({ approval_id, coalesced }) => void this.before.push({ id: approval_id, coalesced }),
        after: ({ approval_id, coalesced }, { outcome, ...verdict }) =>
          void this.after.push({ id: approval_id, coalesced, outcome, verdict }),
        ...options.hooks,
      },
    });
  }

  /** The same file, in the next process. */
  restart(options: ApprovalsOptions = {}): Rig {
    this.approvals.shutdown();
    return new Rig(options, this);
  }

  ask(id: string, more: Partial<ApprovalRequest> = {}, key = KEY): Asking {
    return new Asking(this.approvals.request(key, { sid: SID, command: `run ${id}`, approvalId: id, ...more }));
  }

  /** The same command each time. */
  twin(id: string, more: Partial<ApprovalRequest> = {}): Asking {
    return this.ask(id, { command: 'rm -rf build', patternKeys: ['rm'], ...more });
  }

  ids(key = KEY): string[] {
    return this.approvals.pending(key).map(({ approval_id }) => approval_id);
  }
}

/** One call that waits, and what it got. */
export class Asking {
  readonly promise: Promise<ApprovalVerdict>;
  verdict: ApprovalVerdict | undefined;
  error: unknown;
  /** How often it came to an end. */
  ends = 0;

  constructor(promise: Promise<ApprovalVerdict>) {
    this.promise = promise;
    promise.then(
      (verdict) => {
        this.verdict = verdict;
        this.ends += 1;
      },
      (error: unknown) => {
        this.error = error;
        this.ends += 1;
      },
    );
  }
}

/** Lets promises go on. */
export const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What a caller may act on. */
export const releases = (verdict: ApprovalVerdict | undefined): boolean =>
  verdict?.resolved === true && verdict.choice !== null && verdict.choice !== 'deny';
