/**
 * What every operation of the journal shares: the book, the tabs, the host's callbacks, and the order in which an
 * operation acts. Protect first (steps, all staged), then `yield` (the commit, where there is one), then speak
 * (lines, recalls, flushes), each guarded. An operation is a generator; in memory its yields pass at once.
 */
import type { AnswerEvent, RecallCause } from '../../machines/journal/answer-facts.ts';
import type { DebtEvent } from '../../machines/journal/debt.ts';
import type { LossEvent } from '../../machines/journal/loss.ts';
import type { TicketEvent } from '../../machines/journal/ticket.ts';
import { attempt } from '../../machines/shared/heed.ts';
import { step } from '../../machines/shared/step.ts';
import type { Watch } from '../../machines/shared/tap.ts';
import type { JournalLimits } from '../limits.ts';
import type { Clock, Logger } from '../runtime.ts';
import type { AuditNote, Book, TicketChange } from '../store/store.ts';
import { Age } from './age.ts';
import { type AnswerOrder, answerChart, debtChart, lossChart, ticketChart } from './charts.ts';
import { Gate } from './gate.ts';
import { recallLine, sayStep, sayTicket, sayWarningRefused } from './lines.ts';
import {
  Done,
  type Durable,
  Effects,
  type FetchCause,
  type Flusher,
  flushEach,
  type GivenOut,
  hasRecalled,
  type IncarnationResolver,
  type Level,
  nameOccupant,
  type Op,
  type Recall,
  type Revoker,
  type Said,
  type TurnAttacher,
} from './operation.ts';
import {
  type AnswerSnapshot,
  type EntryRow,
  isOpen,
  type LossRow,
  type TicketRow,
  tokenOf,
  type WarningRow,
  warningTokenOf,
} from './rows.ts';
import type { Tabs } from './tabs.ts';

const DONE: Op<undefined> = new Done(undefined);
const PREFIX = 'readback journal: ';

export class Core {
  readonly book: Book;
  readonly tabs: Tabs;
  readonly gate: Gate;
  readonly limits: JournalLimits;
  readonly durable: Durable | undefined;
  /** Stages a row of the audit; undefined without a store, so that a row is not even made. */
  readonly note: ((event: string, row: Omit<AuditNote, 'at' | 'event'>) => void) | undefined;
  /** Where steps are told, while somebody looks on. */
  readonly watch: Watch | undefined;
  readonly delivering = new Set<string>();
  flusher: Flusher | undefined;
  revoker: Revoker | undefined;
  attacher: TurnAttacher | undefined;
  resolver: IncarnationResolver | undefined;
  /** By number, the entries that this process has given out and whose hand-over is not committed yet: they may repeat. */
  readonly given = new Map<number, GivenOut>();
  /** Whether some call waits for an ask although its own handler has finished; the durable shell knows. */
  isAttended: (askId: string) => boolean = () => false;
  readonly age: Age;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #troubles: string[] = [];

  constructor(parts: {
    book: Book;
    tabs: Tabs;
    limits: JournalLimits;
    clock: Clock;
    logger: Logger;
    durable?: Durable;
    watch?: Watch | undefined;
  }) {
    this.book = parts.book;
    this.tabs = parts.tabs;
    this.gate = new Gate(parts.tabs);
    this.limits = parts.limits;
    this.#clock = parts.clock;
    this.#logger = parts.logger;
    this.watch = parts.watch;
    const { durable } = parts;
    this.durable = durable;
    this.note = durable === undefined ? undefined : (event, row) => durable.note({ at: this.now(), event, ...row });
    this.age = new Age(this.#clock, this.book.latestAge);
  }

  // ---- time

  now(): number {
    return this.#clock.now();
  }

  // ---- occupants

  /** The occupant of a tab now, or null if unknown; changes nothing. */
  peekOccupant(tab: string): string | null {
    if (this.resolver === undefined) return null;
    return nameOccupant(this.resolver, tab, (why) => {
      const named = `the occupant of tab ${tab.slice(0, 8)} could not be resolved and counts as unknown`;
      this.#troubles.push(`${named} (${why})`);
    });
  }

  /** The same, noting that an occupant declared gone has been seen again. */
  occupant(tab: string): string | null {
    const occupant = this.peekOccupant(tab);
    if (occupant !== null) {
      const known = this.tabs.tab(tab);
      if (known.gone.includes(occupant) || (known.occupant !== null && known.occupant !== occupant)) {
        this.tabs.send({ type: 'SEEN', tab, occupant });
      }
    }
    return occupant;
  }

  /** Whether an entry may reach a live turn, given the occupant of its tab. */
  reaches(row: EntryRow, occupant: string | null): boolean {
    if (!this.gate.belongs(row)) return false;
    return this.resolver === undefined || (occupant !== null && row.occupant === occupant);
  }

  // ---- speaking

  /** Writes a line and lets a failing logger fail. */
  report(level: Level, text: string): void {
    this.#logger[level](PREFIX + text);
  }

  /** Writes a line; a failing logger changes nothing. */
  say(level: Level, text: string): void {
    // A log that cannot be written must not stop an answer.
    attempt(
      () => this.#logger[level](PREFIX + text),
      () => undefined,
    );
  }

  /** Says what went wrong while reading facts, now that the state is safe. */
  tellTroubles(): void {
    if (this.#troubles.length > 0) for (const trouble of this.#troubles.splice(0)) this.say('warn', trouble);
  }

  effects(): Effects {
    return new Effects();
  }

  // ---- steps: the only places where a row changes

  stepEntry(row: EntryRow, event: AnswerEvent, fx: Effects): boolean {
    const before = row.at;
    const stepped = step(answerChart, before, event);
    this.watch?.tell?.(answerChart.id, tokenOf(row.n), before, event, stepped);
    const { snapshot, effects, ignored } = stepped;
    if (ignored) return false;
    if (snapshot !== before) this.book.setEntry(row, snapshot);
    // Most steps order nothing, and what is not called from here can be compiled into its callers.
    if (effects.length > 0) this.#order(row, before, event, effects, fx);
    return true;
  }

  #order(
    row: EntryRow,
    before: AnswerSnapshot,
    event: AnswerEvent,
    effects: readonly AnswerOrder[],
    fx: Effects,
  ): void {
    // By index: the effects of a plan are frozen, and V8 has no fast way to iterate over a frozen list.
    for (let i = 0; i < effects.length; i += 1) {
      const effect = effects[i] as AnswerOrder;
      switch (effect.type) {
        case 'flushTab':
          fx.addFlush(row.at.context.key);
          break;
        case 'recallCopy':
          this.intendRecall(row, (effect.params as { because: RecallCause }).because, fx);
          break;
        case 'settleShown':
          for (const id of before.context.shown) this.settleLoss(id, { type: 'TELL' }, fx);
          break;
        case 'oweShown':
          for (const id of before.context.shown) this.settleLoss(id, { type: 'OWE' }, fx);
          break;
        case 'noteLoss':
          fx.lost = row;
          break;
        case 'warnForgotten':
          fx.addForgotten(row);
          break;
        case 'warnRefused':
        case 'warnSettled':
        case 'warnUndelivered':
        case 'logDropped':
        case 'logRetired':
          sayStep(effect.type, row, event, fx);
      }
    }
  }

  /** An unread copy is fetched back after the commit; one that cannot be is on its way, as after any hand-over. */
  intendRecall(row: EntryRow, because: FetchCause, fx: Effects): void {
    const token = tokenOf(row.n);
    const outbox = this.durable?.intend({ kind: 'recall', token, tab: row.at.context.key, because }) ?? 0;
    fx.addRecall({ row, because, outbox });
  }

  stepTicket(row: TicketRow, event: TicketEvent, fx: Effects, reopening?: TicketChange): boolean {
    const stepped = step(ticketChart, row.at, event);
    this.watch?.tell?.(ticketChart.id, row.askId, row.at, event, stepped);
    const { snapshot, effects, ignored } = stepped;
    if (ignored) return false;
    this.book.setTicket(row, reopening === undefined ? { at: snapshot } : { ...reopening, at: snapshot });
    if (effects.length > 0) for (const effect of effects) sayTicket(effect.type, row, fx);
    return true;
  }

  /** Steps one loss, and when it has ended takes it off every warning that named it. */
  settleLoss(id: number, event: LossEvent, fx: Effects): boolean {
    const row = this.book.loss(id);
    return row !== undefined && this.stepLoss(row, event, fx);
  }

  stepLoss(row: LossRow, event: LossEvent, fx: Effects): boolean {
    const stepped = step(lossChart, row.at, event);
    this.watch?.tell?.(lossChart.id, `loss${row.id}`, row.at, event, stepped);
    const { snapshot, ignored } = stepped;
    if (ignored) return false;
    if (!snapshot.done) {
      this.book.setLoss(row, snapshot);
      return true;
    }
    this.note?.(`loss_${event.type === 'TELL' ? 'told' : event.type === 'SURFACE' ? 'surfaced' : 'cancelled'}`, {
      token: row.at.context.of,
      tab: row.at.context.tab,
    });
    this.book.dropLoss(row);
    for (const warning of this.book.warnings()) {
      if (warning.at.context.losses.includes(row.id)) this.stepWarning(warning, { type: 'SETTLED', loss: row.id }, fx);
    }
    return true;
  }

  stepWarning(row: WarningRow, event: DebtEvent, fx: Effects): void {
    const { losses, carrier } = row.at.context;
    const stepped = step(debtChart, row.at, event);
    this.watch?.tell?.(debtChart.id, warningTokenOf(row.n), row.at, event, stepped);
    const { snapshot, effects, ignored } = stepped;
    if (ignored) return;
    if (snapshot.done) this.book.dropWarning(row);
    else this.book.setWarning(row, snapshot);
    for (const effect of effects) {
      if (effect.type === 'tellLosses') for (const id of losses) this.settleLoss(id, { type: 'TELL' }, fx);
      else if (event.type === 'RECEIPT') sayWarningRefused(row.n, event.carrier, carrier, fx);
    }
  }

  // ---- performing

  /** Asks the host to pull an unread copy out of its queue; what goes wrong counts as "not recalled". */
  recall(tab: string, token: string): boolean {
    if (this.revoker === undefined) return false;
    return hasRecalled(this.revoker, tab, token, (error) =>
      this.say('warn', `the copy of ${token} could not be recalled (${String(error)})`),
    );
  }

  /** Ends an operation: what it has to say waits for the commit, where there is one. */
  finish<T>(fx: Effects, value: T): Op<T> {
    const flushes = this.flusher !== undefined && fx.flush.length > 0;
    // What may fail with the host's own error belongs to whoever runs the operation, not to whoever began it.
    if (fx.recalls.length > 0 || flushes || (this.durable !== undefined && fx.speaks)) {
      return this.#finishLater(fx, value);
    }
    this.tellTroubles();
    const { lines } = fx;
    for (let i = 0; i < lines.length; i += 1) this.say((lines[i] as Said).level, (lines[i] as Said).text);
    return value === undefined ? (DONE as Op<T>) : new Done(value);
  }

  *#finishLater<T>(fx: Effects, value: T): Op<T> {
    yield;
    yield* this.perform(fx);
    return value;
  }

  /** Lines, then recalls and what follows from them, then flushes. Call it after the commit. */
  *perform(fx: Effects): Op<void> {
    this.tellTroubles();
    for (const { level, text } of fx.lines.splice(0)) this.say(level, text);
    if (fx.recalls.length > 0) {
      for (const recall of fx.recalls.splice(0)) this.#performRecall(recall, fx);
      for (const { level, text } of fx.lines.splice(0)) this.say(level, text);
      yield;
    }
    this.flushAll(fx);
  }

  #performRecall({ row, because, outbox }: Recall, fx: Effects): void {
    const token = tokenOf(row.n);
    const recalled = this.recall(row.at.context.key, token);
    if (outbox !== 0) this.durable?.done(outbox);
    this.recalled(token, because, recalled, fx);
    if (because === 'boundary') this.say('warn', recallLine(row, recalled));
  }

  /** Applies the result of a recall to the entry, or to the loss that is left of it. */
  recalled(token: string, because: FetchCause, recalled: boolean, fx: Effects): void {
    if (!recalled) return;
    const row = this.book.entry(Number(token.slice(2)));
    if (because === 'fence') return this.#handBack(row, fx);
    if (row !== undefined && this.stepEntry(row, { type: 'RECALLED', because }, fx)) {
      this.note?.('recalled', { askId: row.askId, token, tab: row.at.context.key, detail: because });
    }
    const loss = this.book.lossOf(token);
    if (loss !== undefined) this.stepLoss(loss, { type: 'RECALLED' }, fx);
  }

  /** What a fence fetches back is not read and still owed, on the branch that it belongs to. */
  #handBack(row: EntryRow | undefined, fx: Effects): void {
    if (row === undefined) return;
    const { key: tab, copyCarrier: carrier } = row.at.context;
    const event = { type: 'HANDBACK', carried: false, carrier, bound: this.limits.carriedReleases } as const;
    if (!this.stepEntry(row, event, fx)) return;
    this.note?.('handed_back', { askId: row.askId, token: tokenOf(row.n), tab, who: carrier ?? undefined });
  }

  flushAll(fx: Effects): void {
    if (this.flusher === undefined || fx.flush.length === 0) return;
    flushEach(this.flusher, fx.flush.splice(0), (text) => this.say('warn', text));
  }

  openTicket(askId: string): TicketRow | undefined {
    const row = this.book.ticket(askId);
    return row !== undefined && isOpen(row) ? row : undefined;
  }
}
