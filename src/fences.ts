/**
 * Answers fenced by lineage (seats, R-90 to R-97): whether an answer belongs to the branch of its conversation is asked
 * of the conversation's log before it is handed over, and again whenever the leaf has moved.
 */
import type { FenceNews } from '../machines/seats/fence.ts';
import type { ChartRow } from './api.ts';
import { Branches, type ConversationLogs } from './branches.ts';
import type { Commits } from './commits.ts';
import { FenceBook, type FenceOrder, type FenceRow, type FenceWatch, fenceRow, wordOf } from './fence-book.ts';
import { findings, type Judged } from './findings.ts';
import type { Core } from './journal/core.ts';
import { Done, type Effects, type Lineage, type LineageWord, lazy, type Op } from './journal/operation.ts';
import { isOpen, numberIn, tokenOf } from './journal/rows.ts';
import { preview } from './journal/text.ts';
import { FENCES, TIMES } from './limits.ts';
import type { LineageRefusal } from './requests/approval-types.ts';
import type { Cancel, Runtime } from './runtime.ts';
import type { Store } from './store/store.ts';

export interface FenceParts {
  readonly core: Core;
  readonly store: Store;
  readonly commits: Commits;
  readonly runtime: Runtime;
  readonly logs: ConversationLogs;
  readonly watch: FenceWatch;
  readonly warn: (text: string) => void;
  readonly changed: (askId: string, cause: string) => void;
  readonly isOpenApproval: (id: string, key: string) => boolean;
}

/** No ask begins so. */
const APPROVAL = 'approval:';

export class Fences implements Lineage {
  readonly #parts: FenceParts;
  readonly #book: FenceBook;
  readonly #branches: Branches;
  readonly #running = new Map<string, Promise<void>>();
  readonly #next = new Map<string, { isHint: boolean; done: Promise<void> }>();
  /** Tabs that could not be judged, and are again in a while. */
  readonly #again = new Map<string, Cancel>();
  #isStopped = false;

  constructor(parts: FenceParts) {
    this.#parts = parts;
    this.#book = new FenceBook(parts.store, parts.watch);
    this.#branches = new Branches(parts);
  }

  // ---- what the journal asks and tells

  says(askId: string): LineageWord | undefined {
    const row = this.#book.get(askId);
    return row === undefined ? undefined : wordOf(row);
  }

  rows(): ChartRow[] {
    return this.#book.all().map(fenceRow);
  }

  opened(askId: string, tab: string): void {
    if (!this.#branches.speaksFor(tab)) return;
    this.#makeRoom();
    this.#book.add(askId, tab, false);
  }

  #makeRoom(): void {
    const { limits } = this.#parts.core;
    if (this.#book.size > limits.tickets + limits.entriesTotal)
      this.#book.end(this.#book.all().filter((row) => this.#isOver(row)));
  }

  answered(askId: string, fx: Effects): void {
    const orders = this.#book.step(askId, { type: 'ANSWERED' });
    const row = this.#book.get(askId);
    if (orders === undefined || row === undefined) return;
    this.#perform(row, orders, fx);
    this.#checkSoon(row.at.context.tab);
  }

  handedBack(askId: string): void {
    this.#book.step(askId, { type: 'DELIVERY_FAILED' });
  }

  leafChanged(tab: string): void {
    for (const row of this.#book.on(tab)) this.#book.doubt(row);
    const branch = this.#branches.of(tab);
    if (branch !== undefined) branch.judged = undefined;
  }

  /** Under its new name a tab may have another log. A permission stays under the key that it was asked for. */
  moved(from: string, to: string): void {
    const rows = this.#book.on(from).filter(({ at }) => !at.context.privileged);
    for (const { askId } of rows) this.#book.step(askId, { type: 'MOVE', to });
    if (rows.length > 0) this.#checkSoon(to, false);
  }

  commit(): void {
    this.#book.commit();
  }

  rollback(): void {
    this.#book.rollback();
  }

  // ---- what the host tells

  /** Null: its turn is over, and its question was never written. */
  *questionLogged(askId: string, at: string | null): Op<boolean> {
    const orders = this.#book.step(askId, at === null ? { type: 'TASK_ENDED' } : { type: 'QUESTION_LOGGED', at });
    const row = this.#book.get(askId);
    if (orders === undefined) return row?.at.context.askedAt === at && at !== null;
    const fx = this.#parts.core.effects();
    if (row !== undefined) {
      this.#perform(row, orders, fx);
      this.#checkSoon(row.at.context.tab);
    }
    yield;
    yield* this.#parts.core.perform(fx);
    return true;
  }

  /** A permission is fenced from where it was asked; what was decided is spent only while the log proves it. */
  *approvalLogged(key: string, id: string, at: string): Op<boolean> {
    if (!this.#branches.speaksFor(key) || !this.#parts.isOpenApproval(id, key)) return false;
    const name = APPROVAL + id;
    this.#makeRoom();
    this.#book.add(name, key, true);
    this.#book.step(name, { type: 'QUESTION_LOGGED', at });
    this.#book.step(name, { type: 'ANSWERED' });
    this.#checkSoon(key);
    yield;
    // Whoever says it once more, for want of a reply, is told the same.
    return this.#book.get(name)?.at.context.askedAt === at;
  }

  /** What the log has against spending this permission now. Where there is a log, one that is not in it proves nothing. */
  refusalOf(id: string, key: string): LineageRefusal | undefined {
    const row = this.#book.get(APPROVAL + id);
    if (row === undefined) return this.#branches.speaksFor(key) ? 'unproven' : undefined;
    if (wordOf(row) === 'on') return undefined;
    return row.at.value === 'out_of_view' ? 'ask_again' : wordOf(row) === 'off' ? 'off_branch' : 'unproven';
  }

  answerLogged(token: string, at: string): Op<boolean> {
    const entry = this.#parts.core.book.entry(numberIn(token, 'aa'));
    return new Done(entry !== undefined && this.#book.step(entry.askId, { type: 'DELIVERED', at }) !== undefined);
  }

  // ---- asking the log

  /** Judges what is anchored on this tab for its present leaf. Fulfils, whatever the log does. */
  check(tab: string, isHint = false): Promise<void> {
    if (!this.#book.has(tab)) return Promise.resolve();
    // One that has not begun yet reads what there is to read now as well.
    const next = this.#next.get(tab);
    if (next !== undefined) {
      next.isHint ||= isHint;
      return next.done;
    }
    const mine = { isHint, done: Promise.resolve() };
    mine.done = (this.#running.get(tab) ?? Promise.resolve())
      .then(() => {
        this.#next.delete(tab);
        this.#running.set(tab, mine.done);
        return this.#isStopped ? undefined : this.#judge(tab, mine.isHint);
      })
      .then(() => void this.#again.delete(tab))
      .catch((error: unknown) => this.#checkAgain(tab, error))
      .finally(() => {
        if (this.#running.get(tab) === mine.done) this.#running.delete(tab);
      });
    this.#next.set(tab, mine);
    return mine.done;
  }

  /** A copy may be in a queue where its branch is not, and nobody is told that this failed: it is tried until it is filed. */
  #checkAgain(tab: string, error: unknown): void {
    const { warn, runtime } = this.#parts;
    if (!this.#again.has(tab)) warn(`answers could not be judged by their log (${String(error)})`);
    this.#again.get(tab)?.();
    const check = (): void => void this.check(tab, true);
    if (!this.#isStopped) this.#again.set(tab, runtime.after(TIMES.idle, check, 'quiet'));
  }

  /** Does something once this tab is judged. */
  async judged<T>(tab: string, then: () => Promise<T>): Promise<T> {
    await this.check(tab);
    return then();
  }

  async checkAsks(askIds: readonly string[]): Promise<void> {
    const tabs = new Set(askIds.flatMap((askId) => this.#book.get(askId)?.at.context.tab ?? []));
    for (const tab of tabs) await this.check(tab);
  }

  async checkToken(token: string): Promise<void> {
    const entry = this.#parts.commits.look(() => this.#parts.core.book.entry(numberIn(token, 'aa')));
    if (entry !== undefined) await this.checkAsks([entry.askId]);
  }

  /** The answers of an earlier process: another one may have rewound or compacted meanwhile. */
  start(): void {
    for (const tab of this.#book.tabs) void this.check(tab, true);
  }

  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#again.values()) cancel();
  }

  #checkSoon(tab: string, isHint = true): void {
    const branch = this.#branches.of(tab);
    if (branch !== undefined) branch.judged = undefined;
    this.#parts.runtime.soon(() => void this.check(tab, isHint));
  }

  async #sweep(rows: readonly FenceRow[]): Promise<void> {
    const { commits } = this.#parts;
    const over = commits.look(() => rows.filter((row) => this.#isOver(row)));
    if (over.length > 0) await commits.run(lazy(() => new Done(this.#book.end(over))));
  }

  /** A question that ended without an answer, or whose answer has left the journal, which has said so. */
  #isOver({ askId, at: { context } }: FenceRow): boolean {
    if (context.privileged) return !this.#parts.isOpenApproval(askId.slice(APPROVAL.length), context.tab);
    const { book } = this.#parts.core;
    const ticket = book.anyTicket(askId);
    return book.entriesOf(askId).length === 0 && (ticket === undefined || !isOpen(ticket));
  }

  async #judge(tab: string, isHint: boolean): Promise<void> {
    await this.#sweep(this.#book.on(tab));
    const branch = this.#branches.of(tab);
    let leaf = await this.#branches.leafOf(branch);
    for (let left: number = FENCES.rechecks; ; left -= 1) {
      const rows = this.#unjudged(tab, leaf !== undefined && branch?.judged === leaf);
      if (rows.length === 0) return;
      const judged = await findings(rows, branch, leaf);
      const now = await this.#branches.leafOf(branch);
      // What was read before the host said that it moves is not what it is now.
      const moved = now !== leaf || judged.some(({ row, doubts }) => row.doubts !== doubts);
      if (!moved || left === 0) {
        await this.#parts.commits.run(this.#apply(judged, leaf ?? null, moved, isHint));
        if (branch !== undefined) branch.judged = moved ? undefined : leaf;
        return;
      }
      leaf = now;
    }
  }

  /** The rows of a tab, where any has no finding for the leaf; from then on none has. */
  #unjudged(tab: string, isKnown: boolean): readonly FenceRow[] {
    const rows = this.#book.on(tab).filter(({ at }) => at.context.askedAt !== null);
    if (isKnown) return rows.some(({ at }) => at.value === 'judging') ? rows : [];
    for (const row of rows) this.#book.doubt(row);
    return rows;
  }

  *#apply(judged: readonly Judged[], leaf: string | null, moved: boolean, isHint: boolean): Op<void> {
    const { core, changed } = this.#parts;
    const fx = core.effects();
    const changes: [askId: string, cause: string][] = [];
    for (const { row, askedAt, deliveredAt, asked, delivered } of judged) {
      const { context } = row.at;
      // What was told of it meanwhile asks for a finding of its own.
      if (context.askedAt !== askedAt || context.deliveredAt !== deliveredAt) continue;
      const orders = this.#book.step(row.askId, { type: 'FOUND', asked, delivered, leaf, moved });
      if (orders === undefined || moved) continue;
      this.#perform(row, orders, fx);
      const { told } = row.at.context;
      const isNew = told !== null && told !== context.told;
      if (isNew) {
        this.#note(row, told, context.told);
        changes.push([row.askId, told]);
      }
      if (isNew || isHint) this.#flush(row, fx);
    }
    yield;
    yield* core.perform(fx);
    for (const [askId, cause] of changes) changed(askId, cause);
  }

  /** On record is that it leaves its branch, and what comes after that: that it is there is what everybody expects. */
  #note({ askId, at }: FenceRow, told: FenceNews, before: FenceNews | null): void {
    if (told !== 'off_branch' && before !== 'off_branch') return;
    this.#parts.core.note?.(told, { askId, tab: at.context.tab });
  }

  #flush({ askId, at }: FenceRow, fx: Effects): void {
    if (at.value !== 'deliverable') return;
    const isPending = this.#parts.core.book.entriesOf(askId).some((entry) => entry.at.value.delivery === 'pending');
    if (isPending) fx.addFlush(at.context.tab);
  }

  #perform({ askId, at }: FenceRow, orders: readonly FenceOrder[], fx: Effects): void {
    const { core } = this.#parts;
    for (const order of orders) {
      for (const entry of core.book.entriesOf(askId)) {
        const token = tokenOf(entry.n);
        const { tab } = at.context;
        if (order.type === 'recall' && entry.at.context.channel === 'queue') core.intendRecall(entry, 'fence', fx);
        if (order.type === 'redeliver') {
          const { repeat } = order.params as { repeat: boolean };
          if (core.stepEntry(entry, { type: 'REDELIVER', repeat }, fx))
            core.note?.('owed_again', { askId, token, tab });
        }
        if (order.type === 'reportOnce') {
          core.note?.('undetermined', { askId, token, tab });
          fx.say(
            'warn',
            `the answer to "${preview(entry.question)}" (${token}) is of undetermined standing: the log of tab ${tab.slice(0, 8)} does not prove that its branch asked; it is kept, and given to nobody`,
          );
        }
      }
    }
  }
}
