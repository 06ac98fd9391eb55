/** One commit section: what is decided is written first, then it is so, then it is told. */
import type { Tell, Watch } from '../../machines/shared/tap.ts';
import type { Ledger, RowChange } from './api.ts';
import type { Log } from './log.ts';

export class Section {
  readonly changes: RowChange[] = [];
  /** Makes it so in memory; must not throw. */
  readonly published: (() => void)[] = [];
  /** The steps that it takes, for whoever looks on. */
  readonly steps: Parameters<Tell>[] = [];
  /** Tells others; each is isolated. */
  readonly effects: { readonly what: string; readonly run: () => unknown }[] = [];

  change(change: RowChange): void {
    this.changes.push(change);
  }

  publish(make: () => void): void {
    this.published.push(make);
  }

  took(...step: Parameters<Tell>): void {
    this.steps.push(step);
  }

  tell(what: string, run: () => unknown): void {
    this.effects.push({ what, run });
  }
}

export class Sections {
  readonly watch: Watch | undefined;
  readonly #ledger: Ledger | undefined;
  readonly #log: Log;
  #open = false;

  constructor(ledger: Ledger | undefined, log: Log, watch: Watch | undefined) {
    this.watch = watch;
    this.#ledger = ledger;
    this.#log = log;
  }

  /** If the ledger throws, nothing has happened and the caller gets what it threw. */
  commit(section: Section): void {
    // A ledger that called back would decide on a state that is about to change.
    if (this.#open) throw new Error('the ledger of the approvals called back into them while it committed');
    this.#open = true;
    try {
      if (section.changes.length > 0) this.#ledger?.commit(section.changes);
      for (const make of section.published) make();
      for (const one of section.steps) this.watch?.tell?.(...one);
    } finally {
      this.#open = false;
    }
    for (const { what, run } of section.effects) this.#log.guard(what, run);
  }
}
