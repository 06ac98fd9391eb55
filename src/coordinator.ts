/** The durable shell: step, commit, then speak. Same journal, one implementation; here each promise resolves after its commit. */

import { Announcer } from './announcer.ts';
import type {
  AskChange,
  Asking,
  AskOptions,
  AskView,
  Attach,
  AuditQuery,
  AuditRow,
  Author,
  AwaitOptions,
  ListQuery,
  Outcome,
  Question,
  Reply,
  Surface,
  Verdict,
} from './api.ts';
import { Asks, expire } from './asks.ts';
import { readAuthor, readLimit, readName, readReason } from './card.ts';
import { Commits } from './commits.ts';
import { Deadlines } from './deadlines.ts';
import { DurableJournal } from './durable-journal.ts';
import { invalid, ReadbackError } from './errors.ts';
import { Core } from './journal/core.ts';
import { ack, park, release } from './journal/delivery.ts';
import { lazy, type Op, reading } from './journal/operation.ts';
import { isProven, numberIn } from './journal/rows.ts';
import { Tabs } from './journal/tabs.ts';
import { DURABLE_LIMITS, TIMES } from './limits.ts';
import { listAsks, unreadOn } from './lists.ts';
import type { CoordinatorOptions } from './options.ts';
import { fold, foldOffers, foldTickets, redo } from './recover.ts';
import { type Cancel, consoleLogger, type Logger, nodeRuntime, type Runtime } from './runtime.ts';
import type { Store } from './store/store.ts';
import { endAsk, submit } from './submit.ts';
import { Surfaces } from './surfaces.ts';
import { askView } from './views.ts';

export type { CoordinatorOptions } from './options.ts';

/** Everything that a host does with readback. See `openCoordinator`. */
export interface Coordinator extends Asking {
  /** The journal's own operations, each a promise that resolves after its commit. */
  readonly journal: DurableJournal;
  /** Asks for which some call waits now. */
  readonly waiting: number;
}

/**
 * Opens a coordinator over a store: fences, folds what the last process left, re-arms deadlines, then opens the doors.
 *
 * Promises that nothing is said before the commit that justifies it, and that what was accepted survives the process.
 * Does not promise exactly-once delivery: after a crash an answer may come again, and then it is labelled.
 * Throws `store_*` errors of the store, and `closed` from every method after `close()`.
 */
export async function openCoordinator(options: CoordinatorOptions): Promise<Coordinator> {
  if (typeof options?.store !== 'object' || options.store === null) {
    throw invalid('store', 'is missing; give memoryStore() or openSqliteStore(path)');
  }
  const shell = new Shell(options);
  try {
    await shell.start();
  } catch (error) {
    shell.giveUp();
    throw error;
  }
  return shell;
}

class Shell implements Coordinator {
  readonly journal: DurableJournal;
  readonly #store: Store;
  readonly #core: Core;
  readonly #tabs: Tabs;
  readonly #commits: Commits;
  readonly #deadlines: Deadlines;
  readonly #surfaces: Surfaces;
  readonly #asks: Asks;
  readonly #runtime: Runtime;
  readonly #logger: Logger;
  readonly #announcer = new Announcer((text) => this.#warn(text));
  #closed: Promise<void> | undefined;
  #enlivening: Cancel | undefined;
  #redoing: Cancel | undefined;

  constructor(options: CoordinatorOptions) {
    const { store } = options;
    const runtime = options.runtime ?? nodeRuntime;
    const logger = options.logger ?? consoleLogger;
    this.#store = store;
    this.#runtime = runtime;
    this.#logger = logger;
    const tabs = Object.fromEntries(store.tabs().map(({ tab, ...facts }) => [tab, facts]));
    this.#tabs = new Tabs('opening', tabs, (tab, facts) =>
      store.saveTab(tab, facts === undefined ? undefined : { tab, ...facts }),
    );
    this.#core = new Core({
      book: store.book,
      tabs: this.#tabs,
      limits: { ...DURABLE_LIMITS, ...options.limits },
      clock: runtime,
      logger,
      durable: {
        note: (row) => {
          store.note(row);
          this.#announcer.touch(this.#core, row);
        },
        intend: (row) => store.intend(row),
        done: (id) => store.done(id),
      },
    });
    this.#core.flusher = options.flusher;
    this.#core.revoker = options.revoker;
    this.#core.attacher = options.attacher;
    this.#core.resolver = options.resolver;
    this.#commits = new Commits(store, this.#tabs, runtime, {
      sealed: () => this.#announcer.seal(),
      told: () => this.#announcer.publish(this.#core, (askId) => this.#asks.waiters.wake(askId)),
      abandoned: () => this.#recant(),
    });
    this.#deadlines = new Deadlines(runtime, (askId) => this.#expire(askId));
    this.#surfaces = new Surfaces(runtime, options.openSurface, options.expectSurface);
    if (options.alwaysVisible === true) this.#surfaces.attach({ kind: 'host', id: 'host' });
    const { core, commits, deadlines, surfaces } = {
      core: this.#core,
      commits: this.#commits,
      deadlines: this.#deadlines,
      surfaces: this.#surfaces,
    };
    const isStaged = (askId: string): boolean => store.dirty && this.#announcer.isTouched(askId);
    const attended = (askId: string, cause: string): void => this.#announcer.tell(core, askId, cause, store.dirty);
    const warn = (text: string): void => this.#warn(text);
    this.#asks = new Asks({ core, commits, runtime, deadlines, surfaces, warn, attended, isStaged });
    core.isAttended = (askId) => this.#asks.isAttended(askId);
    this.journal = new DurableJournal(this.#core, (op, haste) => this.#run(op, haste));
  }

  async start(): Promise<void> {
    const { latestSeq } = this.#core.book;
    await this.#commits.run(fold(this.#core, this.#store));
    const more = await this.#commits.run(foldTickets(this.#core, latestSeq));
    for (const { askId, expiresAt } of this.#core.book.deadlines()) this.#deadlines.set(askId, expiresAt);
    this.#announcer.forget();
    this.#tabs.send({ type: 'OPENED' });
    // The doors are no row: they are open from now on, whatever becomes of the next commit.
    this.#tabs.commit();
    // The first ask does not wait for the live actor.
    this.#enlivening = this.#runtime.after(TIMES.idle, () => this.#tabs.actor, 'quiet');
    // From here on the doors are open; what the host's callbacks must be told of follows.
    this.#redo();
    if (more) this.#foldMore(latestSeq);
  }

  /** Ends what a start has begun that failed. */
  giveUp(): void {
    this.#commits.stop();
    this.#deadlines.stop();
    this.#redoing?.();
    this.#enlivening?.();
    this.#tabs.stop();
    this.#store.close();
  }

  #foldMore(upTo: number): void {
    this.#runtime.soon(() => {
      if (this.#tabs.doors !== 'open') return;
      this.#commits.run(foldTickets(this.#core, upTo)).then(
        (more) => (more ? this.#foldMore(upTo) : undefined),
        // Nothing was folded: a full disk, for example. It is tried again in a while.
        () => this.#runtime.after(TIMES.idle, () => this.#foldMore(upTo), 'quiet'),
      );
    });
  }

  /** A question whose end could not be committed is still open, and ends a little later. */
  #expire(askId: string): void {
    this.#run(expire(this.#core, askId)).catch(() => {
      if (this.#tabs.doors === 'open') this.#deadlines.set(askId, this.#runtime.now() + TIMES.idle);
    });
  }

  /** What was staged has been forgotten: nobody is told of it, and offers whose end was in it count as unknown. */
  #recant(): void {
    this.#announcer.forget();
    try {
      foldOffers(this.#core, this.#store, this.#core.effects());
    } catch {
      // Their rows are still in the outbox, so the next failure or the next start comes back to them.
      this.#store.rollback();
    }
    // Recalls whose result was in it are made again. Not at once: the disk is no less full in this tick.
    this.#redoing ??= this.#runtime.after(TIMES.idle, () => this.#redo(), 'quiet');
  }

  #redo(): void {
    this.#redoing = undefined;
    if (this.#tabs.doors !== 'open') return;
    this.#commits.run(redo(this.#core, this.#store)).catch((error: unknown) => this.#warn(String(error)));
  }

  #run<T>(op: Op<T>, haste?: 'grant' | 'prove'): Promise<T> {
    if (this.#tabs.doors !== 'open') return Promise.reject(new ReadbackError('closed', 'The coordinator is closed.'));
    return this.#commits.run(op, haste);
  }

  /** Reads what is committed: a read waits for the commit of what it would otherwise see too early. */
  #read<T>(read: () => T): Promise<T> {
    return this.#run(reading(read));
  }

  #warn(text: string): void {
    try {
      this.#logger.warn(`readback: ${text}`);
    } catch {
      // A log that cannot be written must not keep anybody from being told.
    }
  }

  get waiting(): number {
    return this.#asks.waiters.size;
  }

  async ask(question: Question, options: AskOptions): Promise<Outcome> {
    this.#assertOpen();
    return this.#asks.ask(question, options);
  }

  async awaitAnswer(askId: string, options?: AwaitOptions): Promise<Outcome> {
    this.#assertOpen();
    return this.#asks.awaitAnswer(idOf(askId), options);
  }

  #assertOpen(): void {
    if (this.#tabs.doors !== 'open') throw new ReadbackError('closed', 'The coordinator is closed.');
  }

  async answer(askId: string, reply: Reply, author: Author): Promise<Verdict> {
    const by = readAuthor(author);
    return this.#run(submit(this.#core, idOf(askId), reply, by, this.#asks.waiters.has(askId)));
  }

  async withdraw(askId: string, reason: string, author: Author): Promise<Verdict> {
    const by = readAuthor(author);
    const why = readReason(reason);
    return this.#run(endAsk(this.#core, idOf(askId), { type: 'WITHDRAW', why }, by));
  }

  async ack(tokens: readonly string[], carrier: string): Promise<readonly { token: string; accepted: boolean }[]> {
    const { book } = this.#core;
    const warned = tokens.map((token) => book.warning(numberIn(token, 'aad')));
    await Promise.all(
      tokens.map((token) =>
        this.#run(
          lazy(() => ack(this.#core, token, { carrier })),
          'prove',
        ),
      ),
    );
    return tokens.map((token, i) => {
      const warning = warned[i];
      if (warning !== undefined) return { token, accepted: warning.at.context.carrier === carrier };
      const row = book.entry(numberIn(token, 'aa'));
      return { token, accepted: row !== undefined && isProven(row) };
    });
  }

  handBack(token: string, carrier: string): Promise<void> {
    return this.#run(lazy(() => release(this.#core, idOf(token), { carrier })));
  }

  async handOver(token: string, attach: Attach, askId?: string): Promise<boolean> {
    this.#assertOpen();
    return this.#asks.handOver(idOf(token), attach, askId);
  }

  park(token: string, why: string): Promise<void> {
    return this.#run(lazy(() => park(this.#core, idOf(token), why)));
  }

  unread(tab: string): ReturnType<Asking['unread']> {
    return this.#read(() => unreadOn(this.#core, tab));
  }

  async list(query: ListQuery = {}): Promise<readonly AskView[]> {
    const { what, tab, limit } = query ?? {};
    const asked = { what, limit: readLimit(limit), tab: tab === undefined ? undefined : readName(tab, 'tab') };
    return this.#read(() => listAsks(this.#core, asked));
  }

  show(askId: string): Promise<AskView | undefined> {
    return this.#read(() => askView(this.#core, idOf(askId)));
  }

  async audit(query: AuditQuery = {}): Promise<readonly AuditRow[]> {
    const { after, askId, limit } = query ?? {};
    const asked = { after, limit: readLimit(limit), askId: askId === undefined ? undefined : idOf(askId) };
    return this.#read(() => this.#store.audit(asked));
  }

  attachSurface(surface: Surface): () => void {
    return this.#surfaces.attach(surface);
  }

  hasSurface(): boolean {
    return this.#surfaces.has();
  }

  subscribe(listener: (change: AskChange) => void): () => void {
    return this.#announcer.subscribe(listener);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#surfaces.close();
    this.#asks.waiters.close();
    // The calls that waited return now; what they still stage is committed with the rest.
    const until = this.#runtime.now() + TIMES.close;
    while (this.#asks.waiters.size > 0 && this.#runtime.now() < until) await this.#soon();
    await this.#soon();
    await this.#soon();
    this.#tabs.send({ type: 'CLOSE' });
    this.#deadlines.stop();
    this.#redoing?.();
    this.#enlivening?.();
    this.#commits.flush();
    this.#commits.stop();
    this.#store.tidy();
    this.#store.close();
    this.#tabs.send({ type: 'CLOSED' });
    this.#tabs.stop();
    this.#announcer.close();
  }

  #soon(): Promise<void> {
    return new Promise((resolve) => this.#runtime.soon(resolve));
  }
}

/** What is no text names nothing on file. */
const idOf = (name: unknown): string => (typeof name === 'string' ? name : '');
