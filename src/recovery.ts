/** What is left to do of an earlier process, or of a commit that failed: done while the doors are open, and tried again. */
import type { Commits } from './commits.ts';
import type { Core } from './journal/core.ts';
import type { Tabs } from './journal/tabs.ts';
import { TIMES } from './limits.ts';
import { foldOffers, foldTickets, redo } from './recover.ts';
import type { Cancel, Runtime } from './runtime.ts';
import type { Store } from './store/store.ts';

export interface RecoveryParts {
  readonly core: Core;
  readonly store: Store;
  readonly tabs: Tabs;
  readonly commits: Commits;
  readonly runtime: Runtime;
  readonly warn: (text: string) => void;
}

export class Recovery {
  readonly #parts: RecoveryParts;
  #redoing: Cancel | undefined;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  foldMore(upTo: number): void {
    const { core, commits, runtime, tabs } = this.#parts;
    runtime.soon(() => {
      if (tabs.doors !== 'open') return;
      commits.run(foldTickets(core, upTo)).then(
        (more) => (more ? this.foldMore(upTo) : undefined),
        // Nothing was folded: a full disk, for example. It is tried again in a while.
        () => runtime.after(TIMES.idle, () => this.foldMore(upTo), 'quiet'),
      );
    });
  }

  /** What was staged has been forgotten: offers whose end was in it count as unknown. Should that fail their rows stay. */
  recant(): void {
    const { core, store, runtime } = this.#parts;
    // Recalls whose result was in it are made again. Not at once: the disk is no less full in this tick.
    this.#redoing ??= runtime.after(TIMES.idle, () => this.redo(), 'quiet');
    foldOffers(core, store, core.effects());
  }

  redo(): void {
    const { core, store, tabs, commits, warn } = this.#parts;
    this.#redoing = undefined;
    if (tabs.doors !== 'open') return;
    commits.run(redo(core, store)).catch((error: unknown) => warn(String(error)));
  }

  stop(): void {
    this.#redoing?.();
  }
}
