/** What has changed of which ask, and telling it once it is committed. */

import { attempt } from '../machines/shared/heed.ts';
import type { AskChange } from './api.ts';
import type { Core } from './journal/core.ts';
import { isRetired } from './journal/rows.ts';
import type { AuditNote } from './store/store.ts';
import { askView } from './views.ts';

export class Announcer {
  readonly #listeners = new Set<(change: AskChange) => void>();
  readonly #warn: (text: string) => void;
  #touched = new Map<string, string>();
  /** Committed, still to be told. */
  #sealed = new Map<string, string>();

  constructor(warn: (text: string) => void) {
    this.#warn = warn;
  }

  subscribe(listener: (change: AskChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Notes which asks a staged change concerns. */
  touch(core: Core, { askId, tab, event }: AuditNote): void {
    if (askId !== undefined) this.#touched.set(askId, event);
    else if (tab !== undefined) this.#touchTab(core, tab, event);
  }

  /** What ends or renames a conversation changes its cards and the receipts of its answers without naming them. */
  #touchTab({ book, tabs }: Core, tab: string, event: string): void {
    const ends = event === 'boundary' || event === 'forgotten';
    if (!ends && event !== 'moved') return;
    const last = tabs.epoch(tab) - 1;
    for (const { askId, at } of book.ticketsOn(tab)) {
      const wasLive = at.context.openings.some((opening) => opening.tab === tab && opening.epoch === last);
      if (!ends || wasLive) this.#touched.set(askId, event);
    }
    for (const row of book.entriesOn(tab)) if (!isRetired(row)) this.#touched.set(row.askId, event);
  }

  isTouched(askId: string): boolean {
    return this.#touched.has(askId);
  }

  /** Nothing of what was touched has happened, or it is nobody's business. */
  forget(): void {
    this.#touched.clear();
  }

  /** What was touched is committed, and will be told whatever becomes of what is staged next. */
  seal(): void {
    if (this.#sealed.size === 0) [this.#sealed, this.#touched] = [this.#touched, this.#sealed];
    else {
      for (const [askId, cause] of this.#touched) this.#sealed.set(askId, cause);
      this.#touched.clear();
    }
  }

  /** Tells what is committed: first the calls that wait, then everyone who listens. */
  publish(core: Core, wake: (askId: string) => void): void {
    if (this.#sealed.size === 0) return;
    const sealed = this.#sealed;
    this.#sealed = new Map();
    for (const [askId, cause] of sealed) {
      wake(askId);
      if (this.#listeners.size > 0) this.#announce(core, askId, cause);
    }
  }

  /** Tells what needed no commit of its own: at once, or with the next commit while the view would show what is staged. */
  tell(core: Core, askId: string, cause: string, isStaged: boolean): void {
    if (isStaged) this.#touched.set(askId, cause);
    else if (this.#listeners.size > 0) this.#announce(core, askId, cause);
  }

  #announce(core: Core, askId: string, cause: string): void {
    try {
      const ask = askView(core, askId);
      if (ask !== undefined) for (const listener of [...this.#listeners]) this.#tell(listener, { ask, cause });
    } catch (error) {
      this.#warn(`ask ${askId.slice(0, 12)} could not be shown (${String(error)})`);
    }
  }

  #tell(listener: (change: AskChange) => void, change: AskChange): void {
    attempt(
      () => listener(change),
      (error) => this.#warn(`a listener failed (${String(error)})`),
    );
  }

  close(): void {
    this.#listeners.clear();
  }
}
