/**
 * The one commit path: operations decide, all that one tick has decided is one transaction, and only then does anyone
 * speak. A commit that fails changes nothing, and every caller whose work was in it is told so.
 */
import { ReadbackError } from './errors.ts';
import { HostFailure, type Op } from './journal/operation.ts';
import type { Tabs } from './journal/tabs.ts';
import { TIMES } from './limits.ts';
import type { Cancel, Runtime } from './runtime.ts';
import type { Store } from './store/store.ts';

/** `grant`: its own commit, now. `prove`: may share the next one, at most `TIMES.lazyCommit` later. */
export type Haste = 'grant' | 'prove';

interface Waiting {
  readonly go: () => void;
  readonly fail: (error: unknown) => void;
}

export interface CommitHooks {
  /** Something is committed; nobody has been told of it yet. Calls nothing of the host's. */
  readonly sealed: () => void;
  /** What is committed may be told. Called before the operations that waited for it go on. */
  readonly told: () => void;
  /** What was staged has been forgotten. */
  readonly abandoned: () => void;
}

const closed = (): ReadbackError => new ReadbackError('closed', 'The coordinator is closed.');

const NOBODY: Waiting = Object.freeze({ go: () => undefined, fail: () => undefined });

export class Commits {
  readonly #store: Store;
  readonly #tabs: Tabs;
  readonly #runtime: Runtime;
  readonly #hooks: CommitHooks;
  #waiting: Waiting[] = [];
  /** Their commit is made; they have not gone on yet. */
  #ready: Waiting[] = [];
  #soon = false;
  #lazy: Cancel | undefined;
  /** What waits now was waiting already when the timer last looked. */
  #seen = false;
  #idle: Cancel | undefined;
  #touched = false;
  #isStopped = false;
  /** How many operations decide right now, one inside a callback of another. */
  #deciding = 0;
  #abandoned = 0;
  #putOff = 0;
  /** The store could not forget what was staged. It is asked again before anything else is decided. */
  #isTorn = false;

  constructor(store: Store, tabs: Tabs, runtime: Runtime, hooks: CommitHooks) {
    this.#store = store;
    this.#tabs = tabs;
    this.#runtime = runtime;
    this.#hooks = hooks;
  }

  /** Runs an operation; resolves after the commit of everything that it decided or relied on. */
  run<T>(op: Op<T>, haste: Haste = 'grant'): Promise<T> {
    return new Promise((resolve, reject) => this.#advance(op, haste, resolve, reject, 'begins'));
  }

  /** The first step of an operation: all that it decides. A callback of the host's may be asked for facts meanwhile. */
  #decide<T>(op: Op<T>): IteratorResult<void, T> {
    const before = this.#abandoned;
    this.#deciding += 1;
    try {
      const next = op.next();
      if (this.#abandoned === before) return next;
    } finally {
      this.#deciding -= 1;
    }
    op.return(undefined as T);
    throw new ReadbackError('commit_failed', 'What was staged for this was given up while it was decided.');
  }

  #advance<T>(
    op: Op<T>,
    haste: Haste,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
    how: 'begins' | 'goes on' = 'goes on',
  ): void {
    let next: IteratorResult<void, T>;
    if (this.#isStopped) {
      op.return(undefined as T);
      reject(closed());
      return;
    }
    try {
      if (this.#isTorn) this.#mend();
      next = how === 'begins' ? this.#decide(op) : op.next();
      // Nothing to commit, and the end of all reading: a store keeps what it has read for as long as it may be in use.
      if (next.done === true && this.#deciding === 0 && !this.#store.dirty) this.#store.commit();
    } catch (error) {
      if (error instanceof HostFailure) {
        reject(error.cause);
        // What the operation had staged before the host failed is right, and waits for nobody.
        if (this.#store.dirty) this.#wait(NOBODY, 'prove');
      } else reject(this.#abandon(error));
      return;
    }
    const fail = (error: unknown): void => {
      // An operation that is given up still undoes what it holds in memory.
      op.return(undefined as T);
      reject(error);
    };
    if (next.done !== true) this.#wait({ go: () => this.#advance(op, haste, resolve, reject), fail }, 'grant');
    else if (this.#store.dirty) this.#wait({ go: () => resolve(next.value as T), fail: reject }, haste);
    else resolve(next.value);
  }

  /** Reads what is on file, staged or not. A store that fails while it reads may have lost what is staged. */
  look<T>(read: () => T): T {
    try {
      if (this.#isTorn) this.#mend();
      return read();
    } catch (error) {
      throw this.#abandon(error);
    }
  }

  /** Operations that wait for their commit, or have not spoken yet. */
  get pending(): number {
    return this.#waiting.length + this.#ready.length;
  }

  /** Whether what is read now may not be committed yet. */
  get isStaging(): boolean {
    return this.#store.dirty;
  }

  #wait(waiting: Waiting, haste: Haste): void {
    this.#waiting.push(waiting);
    if (haste === 'prove') {
      this.#lazy ??= this.#lookLater();
      return;
    }
    if (this.#soon) return;
    this.#soon = true;
    this.#runtime.soon(() => this.flush());
  }

  /** Looks twice, so that a commit in between need not stop the timer: setting one for each costs more than this. */
  #lookLater(): Cancel {
    return this.#runtime.after(TIMES.lazyCommit / 2, () => {
      this.#lazy = undefined;
      if (this.#waiting.length === 0) return;
      if (this.#seen) this.flush();
      else {
        this.#seen = true;
        this.#lazy = this.#lookLater();
      }
    });
  }

  /** Commits what is staged, then lets those go on that waited for it. */
  flush(): void {
    this.#soon = false;
    this.#seen = false;
    if (this.#isStopped) return;
    try {
      if (this.#isTorn) this.#mend();
      this.#store.commit();
    } catch (error) {
      this.#abandon(error);
      return;
    }
    this.#seal();
    this.#speak();
  }

  /**
   * Commits within the caller's own step: what `stage` stages and what the operations decide first, together with all
   * that was staged before. Throws when that fails, and then nothing of it has happened. Whoever has something to say
   * says it a moment later, so that no callback runs inside the step. Refused inside the decision of another operation,
   * of which it would commit a half.
   */
  now(stage: () => void, operations: readonly Op<unknown>[] = []): void {
    if (this.#isStopped) throw closed();
    if (this.#deciding > 0) {
      throw new ReadbackError('commit_failed', 'A callback that is asked for a fact may not decide anything itself.');
    }
    try {
      if (this.#isTorn) this.#mend();
      stage();
      for (const op of operations) {
        if (this.#decide(op).done !== true)
          this.#waiting.push({ go: () => this.#goOn(op), fail: () => op.return(undefined) });
      }
      this.#store.commit();
    } catch (error) {
      throw this.#abandon(error);
    }
    this.#seal();
    this.#runtime.soon(() => this.#speak());
  }

  /** Lets an operation go on whose result nobody waits for. */
  #goOn(op: Op<unknown>): void {
    this.#advance(
      op,
      'prove',
      () => undefined,
      () => undefined,
    );
  }

  #seal(): void {
    this.#tabs.commit();
    this.#ready.push(...this.#waiting);
    this.#waiting = [];
    this.#hooks.sealed();
  }

  #speak(): void {
    if (this.#isStopped) return;
    const ready = this.#ready;
    this.#ready = [];
    this.#hooks.told();
    for (const { go } of ready) go();
    this.#touched = true;
    this.#idle ??= this.#runtime.after(TIMES.idle, () => this.#tidy(), 'quiet');
  }

  /** Forgets everything that is staged, for it may not be committed half; returns what its owner is told. */
  #abandon(error: unknown): unknown {
    this.#abandoned += 1;
    const own = this.#store.errorOf?.(error) ?? error;
    const others =
      own instanceof ReadbackError
        ? own
        : new ReadbackError('commit_failed', 'The change could not be committed.', { cause: error });
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#forget();
    for (const { fail } of waiting) fail(others);
    try {
      this.#hooks.abandoned();
    } catch {
      // A store that fails while it is told anew what has become of its offers still holds their rows.
      this.#forget();
    }
    return own;
  }

  #forget(): void {
    this.#tabs.rollback();
    try {
      this.#store.rollback();
      this.#isTorn = false;
    } catch {
      // Nobody can be told from here, and it must not end the process: whoever comes next is told.
      this.#isTorn = true;
    }
  }

  /** What is in memory may not be what is on disk: nothing is decided by it before it has been read anew. */
  #mend(): void {
    this.#store.rollback();
    this.#isTorn = false;
  }

  /** Folds the log back once nothing has happened for a while. */
  #tidy(): void {
    this.#idle = undefined;
    const busy = this.#touched || this.#store.dirty;
    this.#touched = false;
    if (busy && ++this.#putOff * TIMES.idle < TIMES.tidyAtMost) {
      this.#idle = this.#runtime.after(TIMES.idle, () => this.#tidy(), 'quiet');
      return;
    }
    // A coordinator that is never idle is tidied all the same, or its log would grow for ever.
    this.#putOff = 0;
    if (this.#store.dirty) this.flush();
    this.tidy();
  }

  /** Tidying can wait: a store that cannot, and cannot take back what it began, is read anew before it is used. */
  tidy(): void {
    try {
      this.#store.tidy();
    } catch (error) {
      this.#abandon(error);
    }
  }

  /** Nothing is decided, committed or said any more. Whoever still waits is told so. */
  stop(): void {
    this.#isStopped = true;
    this.#lazy?.();
    this.#idle?.();
    if (this.pending === 0) return;
    const ready = this.#ready.splice(0);
    const over = this.#abandon(closed());
    for (const { fail } of ready) fail(over);
  }
}
