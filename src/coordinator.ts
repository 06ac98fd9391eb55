/** The durable shell: step, commit, then speak. Same journal, one implementation; here each promise resolves after its commit. */

import type { TapReader, Watch } from '../machines/shared/tap.ts';
import type {
  AskAllOptions,
  AskChange,
  Asking,
  AskOptions,
  AskView,
  Attach,
  AuditQuery,
  AuditRow,
  Author,
  AwaitOptions,
  BatchOutcome,
  ChartRow,
  IdleAnswer,
  ListQuery,
  Outcome,
  Question,
  Reply,
  RowQuery,
  Surface,
  Verdict,
} from './api.ts';
import type { Approvals } from './approvals.ts';
import { readAuthor, readLimit, readName, readReason, readSurface } from './card.ts';
import type { DurableJournal } from './durable-journal.ts';
import { invalid } from './errors.ts';
import type { Hosting } from './hosting.ts';
import type { Retirement } from './idle.ts';
import { acceptance, ack, park, release } from './journal/delivery.ts';
import { lazy } from './journal/operation.ts';
import { type JournalLimits, SIZES } from './limits.ts';
import { listAsks, unreadOn } from './lists.ts';
import { type CoordinatorOptions, checkOptions } from './options.ts';
import type { ServerRequests } from './requests/api.ts';
import { chartRows } from './rows.ts';
import { Shell } from './shell.ts';
import { endAsk, submit } from './submit.ts';
import type { ToolCalls } from './tools/durable.ts';
import { askView } from './views.ts';

export type { CoordinatorOptions } from './options.ts';

/** Everything that a host does with readback. See `openCoordinator`. */
export interface Coordinator extends Asking {
  /** The journal's own operations, each a promise that resolves after its commit. */
  readonly journal: DurableJournal;
  /** Questions to windows. Open ones survive a restart. Throws `invalid_input` without `contracts`. */
  readonly requests: ServerRequests;
  /** Commands that wait for a person. Throws `invalid_input` without `contracts`. */
  readonly approvals: Approvals;
  /** Client tools whose calls are spent once across reloads and restarts, and ask in the journal (H-01 to H-08). */
  readonly tools: ToolCalls;
  /** Asks for which some call waits now. */
  readonly waiting: number;
  /** The bounds of the journal that are in force. */
  readonly limits: JournalLimits;
  /**
   * The person sent a message into this conversation instead of answering: its open cards end as superseded, and so do
   * the calls that wait for them. Says how many. What was answered before stays answered.
   */
  supersedeAsks(tab: string, author: Author): Promise<number>;
  /** Where the rows on file stand in their charts: the latest, or those that a name finds. For who looks, not for who decides. */
  rows(query?: RowQuery): Promise<readonly ChartRow[]>;
  /**
   * The question of this ask is in the conversation's log, as this entry: the one that contains it, not its parent.
   * Null: its turn is over, and it never was. False: no log speaks for this ask, or it has a place already.
   */
  questionLogged(askId: string, entryId: string | null): Promise<boolean>;
  /** This entry of the log carried the answer to the model. False: no log speaks for it. */
  answerLogged(token: string, entryId: string): Promise<boolean>;
  /**
   * The question of this approval is in the log of the tab that is named as its key. From then on its decision is
   * spent only while the log proves its branch with nothing hidden since; call `leafChanged` before `claim`.
   */
  approvalLogged(key: string, approvalId: string, entryId: string): Promise<boolean>;
  /** The leaf of this tab's log has moved, by whomever. Nothing is delivered until it was read; resolves when it is. */
  leafChanged(tab: string): Promise<void>;
  /** Prepares to end this process for good: nothing that comes in meanwhile is lost. */
  prepareRetirement(): Retirement;
  /**
   * Tells the reader of each step of each chart, after its commit, until the function returned is called (design 4).
   *
   * Never waits for a reader and never lets one change anything. Names, states and rule ids only, never an answer, a
   * question or a secret. Does not promise every step: one that is more than `TAP.behind` behind is told how many it lost.
   */
  tap(reader: TapReader): () => void;
  /** For rows of yours, so that they come in the same stream: `createMirror({ watch })`. */
  readonly watch: Watch;
  /** Lets in work of the host that is in one of its ledgers at once. Throws `retiring`; then nothing may be begun. */
  admit(): void;
  /** Lets in work that takes a while until it is in a ledger, and counts it until the function returned is called. */
  beginAdmission(): () => void;
}

/**
 * Opens a coordinator over a store: fences, folds what the last process left, re-arms deadlines, then opens the doors.
 *
 * Promises that nothing is said before the commit that justifies it, and that what was accepted survives the process.
 * Does not promise exactly-once delivery: after a crash an answer may come again, and then it is labelled.
 * Throws `invalid_input` for bad options, `store_*` errors of the store, and `closed` from every method after `close()`.
 */
export async function openCoordinator(options: CoordinatorOptions): Promise<Coordinator> {
  checkOptions(options);
  // Who gives no contracts asks nothing of windows, and need not load what that takes.
  const hosting = options.contracts === undefined ? undefined : await import('./hosting.ts');
  // Nor need who has no conversation log load what judges by one.
  const fencing = options.conversationLog === undefined ? undefined : await import('./fences.ts');
  const shell = new OpenCoordinator(options, { Hosting: hosting?.Hosting, Fences: fencing?.Fences });
  try {
    await shell.start();
  } catch (error) {
    shell.giveUp();
    throw error;
  }
  return shell;
}

class OpenCoordinator extends Shell implements Coordinator {
  get requests(): ServerRequests {
    return this.#hosted.requests;
  }

  get approvals(): Approvals {
    return this.#hosted.approvals;
  }

  get tools(): ToolCalls {
    return this.calls as ToolCalls;
  }

  get #hosted(): Hosting {
    if (this.hosting !== undefined) return this.hosting;
    throw invalid('contracts', 'are missing; give openCoordinator requestContracts(defaultPack) of readback/contracts');
  }

  async idle(): Promise<IdleAnswer> {
    this.assertOpen();
    return this.idleProof.idle();
  }

  admit(): void {
    this.idleProof.admit();
  }

  beginAdmission(): () => void {
    return this.idleProof.beginAdmission();
  }

  prepareRetirement(): Retirement {
    return this.idleProof.prepare();
  }

  get waiting(): number {
    return this.asks.waiters.size;
  }

  get limits(): JournalLimits {
    return this.core.limits;
  }

  get watch(): Watch {
    return this.steps.settled;
  }

  tap(reader: TapReader): () => void {
    this.assertOpen();
    return this.steps.read(reader);
  }

  async ask(question: Question, options: AskOptions): Promise<Outcome> {
    this.assertOpen();
    if (typeof options !== 'object' || options === null) throw invalid('options', 'are missing; name at least the tab');
    const [entered, onOpen] = this.#entering(options.onOpen);
    return this.asks.ask(question, { ...options, onOpen }).finally(entered);
  }

  /** Who asks is counted as work until the card is on file, and as somebody who waits from then on. */
  #entering<T>(onOpen: ((opened: T) => void) | undefined): [entered: () => void, onOpen: (opened: T) => void] {
    const entered = this.idleProof.beginAdmission();
    return [
      entered,
      (opened) => {
        entered();
        return onOpen?.(opened);
      },
    ];
  }

  async askAll(questions: readonly Question[], options: AskAllOptions): Promise<BatchOutcome> {
    this.assertOpen();
    if (typeof options !== 'object' || options === null) throw invalid('options', 'are missing; name at least the tab');
    const [entered, onOpen] = this.#entering(options.onOpen);
    return this.asks.askAll(questions, { ...options, onOpen }).finally(entered);
  }

  async awaitAll(askIds: readonly string[], options?: AwaitOptions): Promise<BatchOutcome> {
    this.assertOpen();
    return this.asks.awaitAll(askIds, options);
  }

  async awaitAnswer(askId: string, options?: AwaitOptions): Promise<Outcome> {
    this.assertOpen();
    return this.asks.awaitAnswer(idOf(askId), options);
  }

  async answer(askId: string, reply: Reply, author: Author): Promise<Verdict> {
    const by = readAuthor(author);
    return this.run(submit(this.core, idOf(askId), reply, by, this.asks.waiters.has(askId)));
  }

  async withdraw(askId: string, reason: string, author: Author): Promise<Verdict> {
    const by = readAuthor(author);
    const why = readReason(reason);
    return this.run(endAsk(this.core, idOf(askId), { type: 'WITHDRAW', why }, by));
  }

  async supersedeAsks(tab: string, author: Author): Promise<number> {
    const by = readAuthor(author);
    readName(tab, 'tab');
    const open = await this.read(() => listAsks(this.core, { what: 'open', tab, limit: SIZES.listed }));
    const ends = open.map(({ askId }) =>
      this.run(lazy(() => endAsk(this.core, askId, { type: 'SUPERSEDE', why: INSTEAD }, by))),
    );
    return (await Promise.all(ends)).filter(({ verdict }) => verdict === 'superseded').length;
  }

  async ack(
    named: readonly string[],
    carrier: string,
    { vouched }: NonNullable<Parameters<Asking['ack']>[2]> = {},
  ): ReturnType<Asking['ack']> {
    if (!Array.isArray(named)) throw invalid('tokens', 'must be a list');
    const tokens = named.map(idOf);
    const receipt = { carrier, vouched };
    const isAccepted = new Map<string, () => boolean>();
    const hear = (token: string) => {
      if (!isAccepted.has(token)) isAccepted.set(token, acceptance(this.core, token, receipt));
      return ack(this.core, token, receipt);
    };
    await Promise.all(
      tokens.map((token) =>
        this.run(
          lazy(() => hear(token)),
          'prove',
        ),
      ),
    );
    return tokens.map((token) => ({ token, accepted: isAccepted.get(token)?.() === true }));
  }

  async questionLogged(askId: string, entryId: string | null): Promise<boolean> {
    const at = entryId === null ? null : readName(entryId, 'entryId');
    const { fences } = this;
    if (fences === undefined) return false;
    const taken = await this.run(lazy(() => fences.questionLogged(idOf(askId), at)));
    await fences.checkAsks([idOf(askId)]);
    return taken;
  }

  async answerLogged(token: string, entryId: string): Promise<boolean> {
    const at = readName(entryId, 'entryId');
    const { fences } = this;
    return fences === undefined ? false : this.run(lazy(() => fences.answerLogged(idOf(token), at)));
  }

  async approvalLogged(key: string, approvalId: string, entryId: string): Promise<boolean> {
    const at = readName(entryId, 'entryId');
    const { fences } = this;
    if (fences === undefined) return false;
    const taken = await this.run(lazy(() => fences.approvalLogged(idOf(key), idOf(approvalId), at)));
    await fences.check(key);
    return taken;
  }

  async leafChanged(tab: string): Promise<void> {
    readName(tab, 'tab');
    this.assertOpen();
    this.fences?.leafChanged(tab);
    await this.fences?.check(tab, true);
  }

  handBack(token: string, carrier: string): Promise<void> {
    return this.run(lazy(() => release(this.core, idOf(token), { carrier })));
  }

  async handOver(token: string, attach: Attach, askId?: string): Promise<boolean> {
    this.assertOpen();
    if (this.fences !== undefined) await this.fences.checkToken(idOf(token));
    return this.asks.handOver(idOf(token), attach, askId);
  }

  park(token: string, why: string): Promise<void> {
    return this.run(lazy(() => park(this.core, idOf(token), why)));
  }

  unread(tab: string): ReturnType<Asking['unread']> {
    const look = (): ReturnType<Asking['unread']> => this.read(() => unreadOn(this.core, tab));
    return this.fences === undefined ? look() : this.fences.judged(tab, look);
  }

  async list(query: ListQuery = {}): Promise<readonly AskView[]> {
    const { what, tab, limit } = query ?? {};
    const asked = { what, limit: readLimit(limit), tab: tab === undefined ? undefined : readName(tab, 'tab') };
    return this.read(() => listAsks(this.core, asked));
  }

  show(askId: string): Promise<AskView | undefined> {
    return this.read(() => askView(this.core, idOf(askId)));
  }

  async audit(query: AuditQuery = {}): Promise<readonly AuditRow[]> {
    const { after, askId, token, tab, events, limit } = query ?? {};
    const named = {
      askId: askId === undefined ? undefined : idOf(askId),
      token: token === undefined ? undefined : idOf(token),
      tab: tab === undefined ? undefined : readName(tab, 'tab'),
    };
    return this.read(() => this.store.audit({ after, events, limit: readLimit(limit), ...named }));
  }

  async rows(query: RowQuery = {}): Promise<readonly ChartRow[]> {
    const { find, limit } = query ?? {};
    const asked = { limit: readLimit(limit), find: find === undefined ? undefined : idOf(find) };
    return this.read(() => chartRows(this.core, this.store, asked, this.idleProof.doors, this.fences?.rows()));
  }

  attachSurface(surface: Surface): () => void {
    return this.surfaces.attach(readSurface(surface));
  }

  hasSurface(): boolean {
    return this.surfaces.has();
  }

  subscribe(listener: (change: AskChange) => void): () => void {
    return this.announcer.subscribe(listener);
  }
}

const INSTEAD = 'A message was sent instead of an answer.';

/** What is no text names nothing on file. */
const idOf = (name: unknown): string => (typeof name === 'string' ? name : '');
