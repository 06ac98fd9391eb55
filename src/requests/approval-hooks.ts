/** The host's hooks before and after an approval: they watch, and what they throw changes nothing. */
import { outcomeOf } from './approval-entry.ts';
import type { Asked } from './approval-input.ts';
import type { ApprovalHooks, ApprovalVerdict } from './approval-types.ts';
import type { Log } from './log.ts';

export class Hooks {
  readonly #hooks: ApprovalHooks;
  readonly #log: Log;

  constructor(hooks: ApprovalHooks | undefined, log: Log) {
    this.#hooks = hooks ?? {};
    this.#log = log;
  }

  before({ view }: Asked, coalesced: boolean): void {
    const { before } = this.#hooks;
    if (before !== undefined) this.#log.guard('the hook before an approval', () => before({ ...view, coalesced }));
  }

  after({ view }: Asked, coalesced: boolean, verdict: ApprovalVerdict): void {
    const { after } = this.#hooks;
    if (after === undefined) return;
    const outcome = outcomeOf(verdict);
    this.#log.guard('the hook after an approval', () => after({ ...view, coalesced }, { ...verdict, outcome }));
  }
}
