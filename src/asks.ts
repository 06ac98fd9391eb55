/** One ask from question to outcome: H-01 to H-07 in one call, and waiting for an ask that is on file already. */
import type { AskOptions, AwaitOptions, DroppedNotice, Outcome, Question } from './api.ts';
import { cardFingerprint, readName, readQuestion } from './card.ts';
import type { Commits } from './commits.ts';
import type { Deadlines } from './deadlines.ts';
import { invalid } from './errors.ts';
import { closeAsk, type OpenAsk, openAsk } from './journal/attribution.ts';
import type { Core } from './journal/core.ts';
import { reportDropped } from './journal/debt.ts';
import { handOverHaste, markReturned } from './journal/delivery.ts';
import { heed, lazy, type Op, reading, type TurnAttacher } from './journal/operation.ts';
import { isLiveConversation, mayRepeat, recover } from './journal/queries.ts';
import {
  type AskCard,
  type EntryRow,
  isAmbiguous,
  isOpen,
  isProven,
  isRetired,
  numberIn,
  tokenOf,
} from './journal/rows.ts';
import { ASK_ID_PREFIX } from './journal/text.ts';
import { TIMES } from './limits.ts';
import { endedOutcome, notAsked, notGiven } from './outcomes.ts';
import type { Runtime } from './runtime.ts';
import { endAsk } from './submit.ts';
import type { Surfaces } from './surfaces.ts';
import { replyOf, textOf } from './views.ts';
import { Patience, Waiters } from './waiters.ts';

export interface AskParts {
  readonly core: Core;
  readonly commits: Commits;
  readonly runtime: Runtime;
  readonly deadlines: Deadlines;
  readonly surfaces: Surfaces;
  readonly warn: (text: string) => void;
  /** Told when the first call begins to wait for an ask that its own handler has left, and when the last one ends. */
  readonly attended: (askId: string, cause: 'awaited' | 'unattended') => void;
  /** Whether something of this ask has changed that is not committed yet. */
  readonly isStaged: (askId: string) => boolean;
}

const WRONG = 'must be a number of milliseconds';

function milliseconds(value: number | undefined, field: string): void {
  if (value === undefined || (typeof value === 'number' && value >= 0)) return;
  throw invalid(field, value === null || Number.isNaN(value) ? WRONG : `${WRONG}, not ${String(value).slice(0, 32)}`);
}

export class Asks {
  readonly #parts: AskParts;
  readonly waiters = new Waiters();
  readonly #attending = new Map<string, number>();

  constructor(parts: AskParts) {
    this.#parts = parts;
  }

  async ask(question: Question, options: AskOptions): Promise<Outcome> {
    const { core, commits, runtime, deadlines, surfaces } = this.#parts;
    if (typeof options !== 'object' || options === null) throw invalid('options', 'are missing; name at least the tab');
    const { tab, supersedes } = options;
    readName(tab, 'tab');
    milliseconds(options.timeoutMs, 'timeoutMs');
    milliseconds(options.expiresInMs, 'expiresInMs');
    const lasts = options.expiresInMs ?? Number.POSITIVE_INFINITY;
    const expiresAt = Number.isFinite(lasts) ? runtime.now() + lasts : null;
    const { text, card } = readQuestion(question, options.from, expiresAt);
    const askId = ASK_ID_PREFIX + runtime.id();
    const isShown = options.signal?.aborted !== true && (await surfaces.ready(options.signal));
    if (options.signal?.aborted === true) return notAsked(askId, 'aborted');
    if (this.waiters.isClosing) return notAsked(askId, 'closing');
    if (!isShown) return notAsked(askId, 'unseen');
    const fingerprint = cardFingerprint(text, card);
    await this.#open(askId, supersedes, { tabId: tab, fingerprint, question: text }, card);
    if (expiresAt !== null) deadlines.set(askId, expiresAt);
    try {
      this.#tellOpen(askId, options.onOpen);
      return await this.#settle(askId, options.attach, { ...options, recoverFor: { tab, fingerprint } });
    } finally {
      const close = (): Op<unknown> => closeAsk(core, askId);
      this.#insist(() => commits.run(lazy(close), 'prove'));
    }
  }

  /** In one commit: a card must not go because another came that is not on file. */
  async #open(askId: string, supersedes: string | undefined, ask: OpenAsk, card: AskCard): Promise<void> {
    const { core, commits } = this.#parts;
    try {
      await Promise.all([
        supersedes === undefined ? undefined : this.#supersede(supersedes, ask.tabId),
        commits.run(lazy(() => openAsk(core, askId, ask, card))),
      ]);
    } catch (error) {
      // The asker is told that nothing was changed. Should the card be on file all the same, nobody must answer it.
      const why = 'It could not be saved when it was asked.';
      this.#insist(() => commits.run(endAsk(core, askId, { type: 'WITHDRAW', why })));
      throw error;
    }
  }

  #tellOpen(askId: string, onOpen: AskOptions['onOpen']): void {
    const failed = (error: unknown): void =>
      this.#parts.warn(`what was to be told that ask ${askId.slice(0, 12)} is open has failed (${String(error)})`);
    try {
      heed(onOpen?.(askId), failed);
    } catch (error) {
      failed(error);
    }
  }

  async awaitAnswer(askId: string, options: AwaitOptions = {}): Promise<Outcome> {
    milliseconds(options.timeoutMs, 'timeoutMs');
    return this.#settle(askId, options.attach, options);
  }

  isAttended(askId: string): boolean {
    return this.#attending.has(askId);
  }

  #attend(askId: string, by: 1 | -1): void {
    const before = this.#attending.get(askId) ?? 0;
    if (before + by === 0) this.#attending.delete(askId);
    else this.#attending.set(askId, before + by);
    if (before === 0 || before + by === 0) this.#parts.attended(askId, by === 1 ? 'awaited' : 'unattended');
  }

  async #supersede(askId: string, tab: string): Promise<void> {
    const { core, commits } = this.#parts;
    const old = commits.look(() => core.openTicket(readName(askId, 'supersedes')));
    // Only an ask of the same tab: one conversation cannot take the cards of another away.
    if (old?.at.context.openings.every((opening) => opening.tab === tab) === true) {
      await commits.run(endAsk(core, askId, { type: 'SUPERSEDE', why: 'It was asked again in another way.' }));
    }
  }

  /** Waits until the ask has an outcome or the caller's time is over. */
  async #settle(
    askId: string,
    attach: TurnAttacher | undefined,
    options: AwaitOptions & { recoverFor?: { tab: string; fingerprint: string } },
  ): Promise<Outcome> {
    const patience = new Patience(this.#parts.runtime, options.timeoutMs ?? TIMES.hold);
    // The handler of an ask is known from its ticket; a call that waits later is not.
    let attends = false;
    try {
      for (;;) {
        const outcome = await this.#outcomeNow(askId, attach);
        if (outcome !== undefined) return outcome;
        if (!attends && options.recoverFor === undefined) {
          this.#attend(askId, 1);
          attends = true;
        }
        const wake = await this.waiters.wait(askId, patience, options.signal);
        if (wake === 'changed') continue;
        if (wake === 'aborted') {
          return {
            outcome: 'cancelled',
            askId,
            reason: 'This call was cancelled. The question stays open; withdraw it if it is no longer wanted.',
          };
        }
        // The answer may have come in the very moment in which the time was over (A3).
        const last = await this.#outcomeNow(askId, attach);
        return last ?? (await this.#late(askId, attach, wake === 'closing' ? undefined : options.recoverFor));
      }
    } finally {
      patience.end();
      if (attends) this.#attend(askId, -1);
    }
  }

  /**
   * Resolves when nothing of this ask is staged any more: what is not committed may not be told (design 4). If it
   * could not be committed it has not happened, and whoever did it is told.
   */
  async #committed(askId: string): Promise<void> {
    while (this.#parts.isStaged(askId)) await this.#parts.commits.run(nothing()).catch(() => undefined);
  }

  /** The outcome that is certain already, or undefined while a person may still answer. */
  async #outcomeNow(askId: string, attach: TurnAttacher | undefined): Promise<Outcome | undefined> {
    const { core, commits } = this.#parts;
    await this.#committed(askId);
    const [entries, ticket, isLive] = commits.look(() => [
      core.book.entriesOf(askId),
      core.book.anyTicket(askId),
      isLiveConversation(core, askId),
    ]);
    const [entry] = entries;
    if (entry !== undefined) return this.#handOut(askId, entry, entries.length > 1, attach);
    if (ticket === undefined) return { outcome: 'unknown', askId, reason: 'There is no ask with this id.' };
    return isOpen(ticket) && isLive ? undefined : endedOutcome(askId, ticket);
  }

  async #handOut(askId: string, row: EntryRow, several: boolean, attach: TurnAttacher | undefined): Promise<Outcome> {
    if (several || isAmbiguous(row)) return notGiven(askId, 'ambiguous');
    if (isRetired(row) || row.provenance === 'unknown') return notGiven(askId, 'replaced');
    return this.#answered(askId, row, row.askId === askId, attach);
  }

  async #answered(askId: string, row: EntryRow, own: boolean, attach: TurnAttacher | undefined): Promise<Outcome> {
    const { core } = this.#parts;
    const reply = replyOf(row);
    const base = {
      askId,
      text: textOf(row, core.book.anyTicket(row.askId)),
      token: tokenOf(row.n),
      question: row.question ?? '',
      answeredAt: row.answeredAt,
      possibleRepeat: mayRepeat(core, row),
      readBack: isProven(row),
    };
    if (!(await this.handOver(base.token, attach, askId, !own))) return notGiven(askId, 'occupant');
    const dropped = await this.#dropped(row.at.context.key, askId, attach);
    if (reply.declined === true && own) return { outcome: 'declined', ...base, ...dropped };
    if (own) return { outcome: 'answered', reply, ...base, ...dropped };
    return { outcome: 'recovered', reply, fromAskId: row.askId, ...base, ...dropped };
  }

  /** Gives an answer out; resolves when it may leave the process. False when it must not be shown. */
  async handOver(
    token: string,
    attach: TurnAttacher | undefined,
    askId: string | undefined,
    replay = false,
  ): Promise<boolean> {
    const { core, commits } = this.#parts;
    const row = core.book.entry(numberIn(token, 'aa'));
    if (row === undefined || !core.reaches(row, core.peekOccupant(row.at.context.key))) return false;
    const haste = handOverHaste(row);
    const once = askedOnce(attach ?? core.attacher ?? (askId === undefined ? undefined : () => askId));
    const commit = (): Promise<void> =>
      commits.run(
        lazy(() => markReturned(core, token, { replay, askId, attach: once })),
        haste,
      );
    if (haste === 'grant') await commit();
    else {
      core.given.add(row.n);
      this.#insist(() => {
        const committed = commit();
        committed.then(
          () => core.given.delete(row.n),
          () => undefined,
        );
        return committed;
      });
    }
    // The host's attacher may have called back and ended the conversation.
    return !isRetired(row);
  }

  /** The time is over: an equal question of this conversation that was answered before, else pending (H-05, H-06). */
  async #late(
    askId: string,
    attach: TurnAttacher | undefined,
    asked: { tab: string; fingerprint: string } | undefined,
  ): Promise<Outcome> {
    const { core, commits } = this.#parts;
    const openedAt = commits.look(() => core.book.anyTicket(askId))?.openedAt ?? 0;
    if (asked === undefined) return { outcome: 'pending', askId, openedAt, others: [], withheld: 0 };
    const found = await commits.run(reading(() => recover(core, asked.tab, asked.fingerprint, askId)));
    if (found.status === 'recovered') {
      const row = core.book.entry(numberIn(found.entry.token, 'aa'));
      if (row !== undefined) return this.#answered(askId, row, row.askId === askId, attach);
    }
    const others = found.status === 'unattributed' ? found.others : [];
    const shown = others.filter((entry) => !entry.returned || entry.fingerprint === asked.fingerprint);
    return {
      outcome: 'pending',
      askId,
      openedAt,
      others: shown.map(({ question, answer, answeredAt }) => ({ question, answer, answeredAt })),
      withheld: found.status === 'unattributed' ? found.withheld : 0,
      ...(await this.#dropped(asked.tab, askId, attach)),
    };
  }

  /** The debt footnote, for a result of a live conversation and for no other (H-07). */
  async #dropped(tab: string, askId: string, attach: TurnAttacher | undefined): Promise<{ dropped?: DroppedNotice }> {
    const { core, commits } = this.#parts;
    if (core.book.lossCount === 0 || !isLiveConversation(core, askId)) return {};
    const count = await commits.run(reportDropped(core, tab, { askId, attach }), 'prove');
    return count > 0 ? { dropped: { count } } : {};
  }

  /**
   * Commits what only proves, in the background: again at once when it fails, so that a receipt which is sent again
   * finds what it proves, and then every now and then. The order of two of these is kept: an answer that was given
   * out is returned before its ask is closed, else it would come again without its label.
   */
  #insist(prove: () => Promise<unknown>, tries = 1): void {
    prove().catch((error: unknown) => {
      if (this.waiters.isClosing) return;
      if (tries === 1) {
        this.#parts.warn(`what was only to be proved could not be committed yet (${String(error)})`);
        this.#insist(prove, 2);
        return;
      }
      const again = (): void => (this.waiters.isClosing ? undefined : this.#insist(prove, tries + 1));
      this.#parts.runtime.after(TIMES.idle, again, 'quiet');
    });
  }
}

/** An attacher that is asked once, however often the hand-over must be tried. */
function askedOnce(attach: TurnAttacher | undefined): TurnAttacher | undefined {
  if (attach === undefined) return undefined;
  let said: { readonly carrier: ReturnType<TurnAttacher> } | undefined;
  return (...asked) => {
    said ??= { carrier: attach(...asked) };
    return said.carrier;
  };
}

/** Waits for the commit of what is staged. */
function* nothing(): Op<void> {
  yield* [];
}

/** Ends an ask when its deadline has passed. */
export const expire = (core: Core, askId: string): Op<unknown> => endAsk(core, askId, { type: 'DEADLINE' });
