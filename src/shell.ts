/** What an open coordinator stands on: its parts, how they start, and how they end. */
import type { Tab } from '../machines/coordinator.ts';
import { attempt } from '../machines/shared/heed.ts';
import { Announcer } from './announcer.ts';
import { Asks, expire } from './asks.ts';
import { callLedgers, openCallTools } from './call-tools.ts';
import { type CommitHooks, Commits } from './commits.ts';
import { Deadlines } from './deadlines.ts';
import { DurableJournal } from './durable-journal.ts';
import { ReadbackError } from './errors.ts';
import type { Fences } from './fences.ts';
import type { Hosting } from './hosting.ts';
import { createIdle, type IdleLedger, type IdleProof, type LedgerReading } from './idle.ts';
import { Core } from './journal/core.ts';
import { type Op, reading } from './journal/operation.ts';
import { Tabs } from './journal/tabs.ts';
import { DURABLE_LIMITS, SIZES, TIMES } from './limits.ts';
import { listAsks } from './lists.ts';
import type { CoordinatorOptions } from './options.ts';
import { fold, foldTickets } from './recover.ts';
import { Recovery } from './recovery.ts';
import { type Cancel, consoleLogger, type Logger, nodeRuntime, type Runtime } from './runtime.ts';
import type { Store } from './store/store.ts';
import { Surfaces } from './surfaces.ts';
import { Tap } from './tap.ts';
import type { ToolCalls } from './tools/durable.ts';
import { type WaitEvent, WaitNotes } from './wait-notes.ts';

/** What is loaded only where it is wanted. */
interface Loaded {
  readonly Hosting: typeof import('./hosting.ts').Hosting | undefined;
  readonly Fences: typeof import('./fences.ts').Fences | undefined;
}

export abstract class Shell {
  readonly journal: DurableJournal;
  protected readonly store: Store;
  protected readonly core: Core;
  readonly #tabs: Tabs;
  protected readonly commits: Commits;
  readonly #deadlines: Deadlines;
  protected readonly surfaces: Surfaces;
  protected readonly asks: Asks;
  readonly #runtime: Runtime;
  readonly #logger: Logger;
  protected readonly announcer = new Announcer((text) => this.#warn(text));
  protected readonly idleProof: IdleProof;
  protected readonly hosting: Hosting | undefined;
  protected readonly steps: Tap;
  protected calls: ToolCalls | undefined;
  readonly #callLimits: CoordinatorOptions['callLimits'];
  protected readonly fences: Fences | undefined;
  #closed: Promise<void> | undefined;
  #enlivening: Cancel | undefined;
  readonly #recovery: Recovery;
  readonly #waits: WaitNotes;

  constructor(options: CoordinatorOptions, { Hosting, Fences }: Loaded) {
    const { store } = options;
    const runtime = options.runtime ?? nodeRuntime;
    const logger = options.logger ?? consoleLogger;
    this.store = store;
    this.#runtime = runtime;
    this.#logger = logger;
    const warn = (text: string): void => this.#warn(text);
    this.steps = new Tap({ runtime, warn, isStaging: () => store.dirty });
    if (options.inspect !== undefined) this.steps.read(options.inspect, 'inspect');
    this.#callLimits = options.callLimits;
    const tabs = Object.fromEntries(store.tabs().map(({ tab, ...facts }) => [tab, facts]));
    const save = (tab: string, facts: Tab | undefined): void =>
      store.saveTab(tab, facts === undefined ? undefined : { tab, ...facts });
    this.#tabs = new Tabs('opening', tabs, save, this.steps.staged);
    this.core = new Core({
      book: store.book,
      tabs: this.#tabs,
      limits: { ...DURABLE_LIMITS, ...options.limits },
      clock: runtime,
      logger,
      watch: this.steps.staged,
      durable: {
        note: (row) => {
          store.note(row);
          this.announcer.touch(this.core, row);
        },
        intend: (row) => store.intend(row),
        done: (id) => store.done(id),
      },
    });
    this.core.flusher = options.flusher;
    this.core.revoker = options.revoker;
    this.core.attacher = options.attacher;
    this.core.resolver = options.resolver;
    this.commits = new Commits(store, this.#tabs, runtime, this.#hooks());
    this.#deadlines = new Deadlines(runtime, (askId) => this.#expire(askId));
    this.surfaces = new Surfaces(runtime, options.openSurface, options.expectSurface);
    if (options.alwaysVisible === true) this.surfaces.attach({ kind: 'host', id: 'host' });
    const { core, commits, deadlines, surfaces } = {
      core: this.core,
      commits: this.commits,
      deadlines: this.#deadlines,
      surfaces: this.surfaces,
    };
    const isStaged = (askId: string): boolean => store.dirty && this.announcer.isTouched(askId);
    const waits = new WaitNotes(runtime, (askId, event) => this.#noteWait(askId, event));
    this.#waits = waits;
    const attended = (askId: string, cause: WaitEvent): void => {
      this.announcer.tell(core, askId, cause, store.dirty);
      waits.changed(askId, cause);
    };
    this.#recovery = new Recovery({ core, store, tabs: this.#tabs, commits, runtime, warn });
    this.fences = Fences && this.#fence(Fences, options);
    core.gate.lineage = this.fences;
    const { fences } = this;
    this.asks = new Asks({ core, commits, runtime, deadlines, surfaces, warn, attended, isStaged, fences });
    core.isAttended = (askId) => this.asks.isAttended(askId);
    this.journal = new DurableJournal(this.core, (op, haste) => this.run(op, haste), fences);
    const ledgers = [...(options.ledgers ?? []), ...this.#ledgers()];
    this.idleProof = createIdle({ ledgers, logger, runtime, watch: this.steps.settled });
    const lineage = fences && ((approvalId: string, key: string) => fences.refusalOf(approvalId, key));
    const shared = { store, core, commits, runtime, logger, options, lineage };
    this.hosting = Hosting && new Hosting({ ...shared, idle: this.idleProof, watch: this.steps.settled });
    const { hosting } = this;
    if (hosting !== undefined) this.announcer.subscribe(({ ask }) => hosting.askChanged(ask));
  }

  #hooks(): CommitHooks {
    return {
      sealed: () => {
        this.fences?.commit();
        this.announcer.seal();
        this.steps.seal();
      },
      told: () => this.announcer.publish(this.core, (askId) => this.asks.waiters.wake(askId)),
      abandoned: () => {
        this.fences?.rollback();
        this.announcer.forget();
        this.steps.forget();
        this.#recovery.recant();
      },
    };
  }

  #fence(Made: NonNullable<Loaded['Fences']>, { conversationLog: logs }: CoordinatorOptions): Fences | undefined {
    const { core, store, commits, steps: watch } = this;
    const changed = (askId: string, cause: string): void => {
      this.asks.waiters.wake(askId);
      this.announcer.tell(core, askId, cause, store.dirty);
    };
    const warn = (text: string): void => this.#warn(text);
    const isOpenApproval = (id: string, key: string): boolean => this.hosting?.isOpenApproval(id, key) === true;
    const runtime = this.#runtime;
    return logs && new Made({ core, store, commits, runtime, logs, watch, warn, changed, isOpenApproval });
  }

  /** What the coordinator itself knows of being busy; what runs in the host only the host can say. */
  #ledgers(): IdleLedger[] {
    const hosting = (): Hosting | undefined => this.hosting;
    return [
      { name: 'commits', probe: 'turn', read: () => this.commits.pending },
      { name: 'asks', probe: 'input', read: () => this.commits.look(() => this.#openAsks()) },
      { name: 'requests', probe: 'input', read: () => hosting()?.requests.openRequestCount() ?? 0 },
      { name: 'approvals', probe: 'input', read: () => hosting()?.approvals.count() ?? 0 },
      ...callLedgers(() => this.calls),
    ];
  }

  /** Open cards, whether or not a call waits for them: somebody may be about to answer (RQ-I29). */
  #openAsks(): LedgerReading {
    const owners = listAsks(this.core, { what: 'open', limit: SIZES.listed }).map(({ askId }) => askId);
    return { count: owners.length, owners };
  }

  async start(): Promise<void> {
    const { latestSeq } = this.core.book;
    await this.commits.run(fold(this.core, this.store));
    const more = await this.commits.run(foldTickets(this.core, latestSeq));
    for (const { askId, expiresAt } of this.core.book.deadlines()) this.#deadlines.set(askId, expiresAt);
    this.announcer.forget();
    this.hosting?.start();
    this.calls = this.#openCalls();
    this.#tabs.send({ type: 'OPENED' });
    // The doors are no row: they are open from now on, whatever becomes of the next commit.
    this.#tabs.commit();
    // The first ask does not wait for the live actor.
    this.#enlivening = this.#runtime.after(TIMES.idle, () => this.#tabs.actor, 'quiet');
    // From here on the doors are open; what the host's callbacks must be told of follows.
    this.#recovery.redo();
    this.fences?.start();
    if (more) this.#recovery.foldMore(latestSeq);
  }

  #openCalls(): ToolCalls {
    return openCallTools({
      store: this.store,
      core: this.core,
      commits: this.commits,
      runtime: this.#runtime,
      asks: this.asks,
      idle: this.idleProof,
      limits: this.#callLimits,
      watch: this.steps.settled,
      warn: (text) => this.#warn(text),
      run: (op, haste) => this.run(op, haste),
      assertOpen: () => this.assertOpen(),
    });
  }

  /** Ends what a start has begun that failed. */
  giveUp(): void {
    this.commits.stop();
    this.#deadlines.stop();
    this.hosting?.stop();
    this.#recovery.stop();
    this.#enlivening?.();
    this.#tabs.stop();
    this.steps.close();
    this.store.close();
  }

  /** A question whose end could not be committed is still open, and ends a little later. */
  #expire(askId: string): void {
    this.run(expire(this.core, askId)).catch(() => {
      if (this.#tabs.doors === 'open') this.#deadlines.set(askId, this.#runtime.now() + TIMES.idle);
    });
  }

  /** A row of the audit and nothing else: who listens has been told at once, and one that is lost costs nothing. */
  #noteWait(askId: string, event: WaitEvent): void {
    const note = (): void => {
      if (this.core.openTicket(askId) !== undefined) this.store.note({ at: this.#runtime.now(), event, askId });
    };
    this.run(reading(note), 'prove').catch(() => undefined);
  }

  protected assertOpen(): void {
    if (this.#tabs.doors !== 'open') throw new ReadbackError('closed', 'The coordinator is closed.');
  }

  protected run<T>(op: Op<T>, haste?: 'grant' | 'prove'): Promise<T> {
    if (this.#tabs.doors !== 'open') return Promise.reject(new ReadbackError('closed', 'The coordinator is closed.'));
    return this.commits.run(op, haste);
  }

  /** Reads what is committed: a read waits for the commit of what it would otherwise see too early. */
  protected read<T>(read: () => T): Promise<T> {
    return this.run(reading(read));
  }

  #warn(text: string): void {
    // A log that cannot be written must not keep anybody from being told.
    attempt(
      () => this.#logger.warn(`readback: ${text}`),
      () => undefined,
    );
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.surfaces.close();
    this.hosting?.stop();
    this.asks.waiters.close();
    // The calls that waited return now; what they still stage is committed with the rest.
    const until = this.#runtime.now() + TIMES.close;
    while (this.asks.waiters.size > 0 && this.#runtime.now() < until) await this.#soon();
    await this.#soon();
    await this.#soon();
    this.#tabs.send({ type: 'CLOSE' });
    this.fences?.stop();
    this.#deadlines.stop();
    this.#waits.stop();
    this.#recovery.stop();
    this.#enlivening?.();
    // What goes on after its commit has to be committed again: a copy that was taken, or recalled.
    do this.commits.flush();
    while (this.commits.pending > 0 && this.#runtime.now() < until);
    this.commits.stop();
    this.commits.tidy();
    this.store.close();
    this.#tabs.send({ type: 'CLOSED' });
    this.#tabs.stop();
    this.steps.close();
    this.announcer.close();
  }

  #soon(): Promise<void> {
    return new Promise((resolve) => this.#runtime.soon(resolve));
  }
}
