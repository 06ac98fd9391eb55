/** What is certain of an ask now, and giving its answer out: nothing leaves the process that is not on file. */
import type { DroppedNotice, Outcome } from './api.ts';
import { together } from './batches.ts';
import type { Commits } from './commits.ts';
import type { Fences } from './fences.ts';
import type { Core } from './journal/core.ts';
import { reportDropped } from './journal/debt.ts';
import { handOverHaste, markReturned } from './journal/delivery.ts';
import type { GivenOut, Op, TurnAttacher } from './journal/operation.ts';
import { type Entry, isLiveConversation, mayRepeat, recover } from './journal/queries.ts';
import {
  type EntryRow,
  isAmbiguous,
  isOpen,
  isProven,
  isRetired,
  numberIn,
  type TicketRow,
  tokenOf,
} from './journal/rows.ts';
import { TIMES } from './limits.ts';
import { endedOutcome, notGiven, unheardOf } from './outcomes.ts';
import type { Runtime } from './runtime.ts';
import { replyOf, textOf } from './views.ts';
import type { Waiters } from './waiters.ts';

export interface GivingParts {
  readonly core: Core;
  readonly commits: Commits;
  readonly runtime: Runtime;
  readonly waiters: Waiters;
  readonly warn: (text: string) => void;
  /** Whether something of this ask has changed that is not committed yet. */
  readonly isStaged: (askId: string) => boolean;
  readonly fences?: Pick<Fences, 'checkAsks' | 'check'> | undefined;
}

/** How an ask stands that no person can answer any more. */
export interface Standing {
  readonly entries: readonly EntryRow[];
  readonly ticket: TicketRow | undefined;
}

/** The question as it was asked, by which an equal one that was answered earlier is found (H-05). */
export interface Asked {
  readonly tab: string;
  readonly fingerprint: string;
}

/** What a call has to tell: of one ask, or of several that it waited for together. */
export interface Settled {
  readonly outcomes: readonly Outcome[];
  readonly dropped?: DroppedNotice | undefined;
}

/** An answer that is about to be handed over, and the ask that it is given for. */
interface Hand {
  readonly row: EntryRow;
  readonly askId: string | undefined;
  readonly replay: boolean;
}

/** How a hand-over is put on file. */
interface Return {
  readonly n: number;
  readonly given: GivenOut;
  readonly file: () => Op<unknown>;
}

/** What is told once its answer, if it has one, is handed over. */
interface Ready {
  readonly outcome: Outcome;
  /** The tab whose losses are told along with it, where they may be (H-07). */
  readonly tab?: string | undefined;
  /** Of that tab, when it was read. */
  readonly epoch?: number | undefined;
  readonly hand?: Hand;
}

/** Its conversation has ended since. */
const isGone = (hand: Hand | undefined): boolean => hand !== undefined && isRetired(hand.row);

export class Giving {
  readonly #parts: GivingParts;

  constructor(parts: GivingParts) {
    this.#parts = parts;
  }

  /**
   * How these asks stand, undefined for each that a person may still answer. What is not committed may not be told
   * (design 4): if it could not be committed it has not happened, and whoever did it is told. `tab`: whose other answers
   * are looked at next.
   */
  async stand(askIds: readonly string[], tab?: string): Promise<readonly (Standing | undefined)[]> {
    const { commits, isStaged, fences } = this.#parts;
    // Judged last, so that nothing is handed over in a later tick than that in which its branch was read.
    if (fences !== undefined) {
      while (askIds.some(isStaged)) await commits.run(nothing()).catch(() => undefined);
      await fences.checkAsks(askIds);
      if (tab !== undefined) await fences.check(tab);
    }
    while (askIds.some(isStaged)) await commits.run(nothing()).catch(() => undefined);
    return commits.look(() => askIds.map((askId) => this.#stand(askId)));
  }

  #stand(askId: string): Standing | undefined {
    const { core } = this.#parts;
    const entries = core.book.entriesOf(askId);
    const ticket = core.book.anyTicket(askId);
    // An answer whose branch is not proven may be proven yet, while somebody waits.
    if (entries.length === 1 && core.gate.isWithheld(entries[0] as EntryRow)) return undefined;
    const may = entries.length === 0 && ticket !== undefined && isOpen(ticket) && isLiveConversation(core, askId);
    return may ? undefined : { entries, ticket };
  }

  /**
   * The outcomes of these asks. All of them are read, and then every answer is handed over in this very tick and in one
   * commit, so that a call that fails has given nothing out. `asked`: the time is over, and what an equal question of
   * this conversation was answered before counts (H-05).
   */
  async giveOut(
    askIds: readonly string[],
    standings: readonly (Standing | undefined)[],
    attach: TurnAttacher | undefined,
    asked?: readonly Asked[],
  ): Promise<Settled> {
    const { commits } = this.#parts;
    // How these asks stand is committed; what is told of others may not be.
    const isCertain = asked === undefined || !commits.isStaging || !standings.includes(undefined);
    const ready = commits.look(() => this.#ready(askIds, standings, asked));
    const hands = ready.flatMap(({ hand }) => hand ?? []);
    await this.#handOverAll(hands, attach, isCertain);
    const told = ready.find(({ tab, hand }) => tab !== undefined && !isGone(hand));
    const dropped = told?.tab === undefined ? undefined : await this.#dropped(told.tab, told.outcome.askId, attach);
    // A repeat does not overtake the first telling, which has a longer way to its caller where that has put the question.
    if (ready.some(({ outcome }) => 'possibleRepeat' in outcome && outcome.possibleRepeat)) await this.#nextTick();
    // Last: the conversation may have ended while any of this was waited for.
    return { outcomes: ready.map((one) => this.#inTime(one)), dropped: isGone(told?.hand) ? undefined : dropped };
  }

  /** What may be told now of what was to be told. */
  #inTime({ outcome, hand, epoch, tab }: Ready): Outcome {
    const { core, commits } = this.#parts;
    const { askId } = outcome;
    if (isGone(hand)) return notGiven(askId, 'occupant');
    if (outcome.outcome !== 'pending' || tab === undefined || core.tabs.epoch(tab) === epoch) return outcome;
    try {
      // A log that speaks for the question may know better than the epoch.
      const ticket = commits.look(() => (isLiveConversation(core, askId) ? undefined : core.book.anyTicket(askId)));
      return ticket === undefined ? outcome : endedOutcome(askId, ticket);
    } catch {
      // What is handed over with it is given out already; nothing is quoted to a conversation that may be another.
      return { ...outcome, others: [] };
    }
  }

  #nextTick(): Promise<void> {
    return new Promise((resolve) => this.#parts.runtime.soon(resolve));
  }

  #ready(
    askIds: readonly string[],
    standings: readonly (Standing | undefined)[],
    asked: readonly Asked[] | undefined,
  ): Ready[] {
    const ready = askIds.map((askId, i) => {
      const standing = standings[i];
      return standing === undefined ? this.#recovered(askId, asked?.[i]) : this.#ended(askId, standing);
    });
    // What is pending does not quote what stands beside it in the same result.
    const beside = new Set(ready.flatMap((one) => (one?.hand === undefined ? [] : tokenOf(one.hand.row.n))));
    return ready.map((one, i) => one ?? this.#pending(askIds[i] ?? '', asked?.[i], beside));
  }

  /** The outcome of an ask that nobody can answer any more. */
  #ended(askId: string, { entries, ticket }: Standing): Ready {
    const { core } = this.#parts;
    const [row] = entries;
    if (row === undefined) return { outcome: ticket === undefined ? unheardOf(askId) : endedOutcome(askId, ticket) };
    if (entries.length > 1 || isAmbiguous(row)) return { outcome: notGiven(askId, 'ambiguous') };
    if (isRetired(row) || row.provenance === 'unknown' || core.gate.says(row.askId) === 'off')
      return { outcome: notGiven(askId, 'replaced') };
    return this.#answered(askId, row);
  }

  #answered(askId: string, row: EntryRow): Ready {
    const { core } = this.#parts;
    if (!core.reaches(row, core.peekOccupant(row.at.context.key))) return { outcome: notGiven(askId, 'occupant') };
    const own = row.askId === askId;
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
    const rest = { tab: row.at.context.key, hand: { row, askId, replay: !own } };
    const from = own ? {} : { fromAskId: row.askId };
    // A refusal is told as one, whenever it was given: whoever reads the text of an answer must not take it for one.
    if (reply.declined === true) return { outcome: { outcome: 'declined', ...from, ...base }, ...rest };
    if (own) return { outcome: { outcome: 'answered', reply, ...base }, ...rest };
    return { outcome: { outcome: 'recovered', reply, fromAskId: row.askId, ...base }, ...rest };
  }

  /** An equal question of this conversation that was answered before (H-05). */
  #recovered(askId: string, asked: Asked | undefined): Ready | undefined {
    const { core } = this.#parts;
    const found = asked && recover(core, asked.tab, asked.fingerprint, askId);
    if (found?.status !== 'recovered') return undefined;
    const row = core.book.entry(numberIn(found.entry.token, 'aa'));
    return row && this.#answered(askId, row);
  }

  /** The time is over, and it may still be answered (H-06). */
  #pending(askId: string, asked: Asked | undefined, beside: ReadonlySet<string>): Ready {
    const { core } = this.#parts;
    const openedAt = core.book.anyTicket(askId)?.openedAt ?? 0;
    const held = core.book.entriesOf(askId).some((row) => core.gate.isWithheld(row)) ? HELD : {};
    const found = asked && recover(core, asked.tab, asked.fingerprint, askId);
    const isShown = ({ token, returned, fingerprint }: Entry): boolean =>
      fingerprint === asked?.fingerprint || !(returned || beside.has(token));
    const { others, withheld } = found?.status === 'unattributed' ? found : { others: [], withheld: 0 };
    const outcome = {
      ...({ outcome: 'pending', askId, openedAt, withheld, ...held } as const),
      others: others.filter(isShown).map(({ question, answer, answeredAt }) => ({ question, answer, answeredAt })),
    };
    return asked === undefined ? { outcome } : { outcome, tab: asked.tab, epoch: core.tabs.epoch(asked.tab) };
  }

  /** Gives an answer out; resolves when it may leave the process. False when it must not be shown. */
  async handOver(token: string, attach: TurnAttacher | undefined, askId: string | undefined): Promise<boolean> {
    const { core, commits } = this.#parts;
    const row = commits.look(() => core.book.entry(numberIn(token, 'aa')));
    if (row === undefined || !core.reaches(row, core.peekOccupant(row.at.context.key))) return false;
    await this.#handOverAll([{ row, askId, replay: false }], attach, true);
    return !isRetired(row);
  }

  /** All of them in one commit. It need not be waited for where each is labelled as a repeat after any crash. */
  async #handOverAll(hands: readonly Hand[], attach: TurnAttacher | undefined, isCertain: boolean): Promise<void> {
    const { core, commits } = this.#parts;
    const returns = hands.map(({ row: { n }, askId, replay }): Return => {
      const given: GivenOut = { carrier: undefined, isTakenBack: false };
      const once = askedOnce(attach ?? core.attacher ?? (askId === undefined ? undefined : () => askId), given);
      return { n, given, file: () => markReturned(core, tokenOf(n), { replay, askId, attach: once }) };
    });
    const filing = (): Op<void> => together(returns.flatMap(({ given, file }) => (given.isTakenBack ? [] : [file])));
    const hastes = hands.map(({ row }) => handOverHaste(row));
    if (!isCertain || hastes.includes('grant')) return filed(commits, filing());
    if (hands.length === 0) return;
    for (const { n, given } of returns) core.given.set(n, given);
    this.insist(() => {
      const committed = commits.run(filing(), 'prove');
      const ended = (): void => {
        for (const { n, given } of returns) if (core.given.get(n) === given) core.given.delete(n);
      };
      committed.then(ended, () => undefined);
      return committed;
    });
  }

  /** The debt footnote, for a result of a live conversation and for no other (H-07). */
  async #dropped(tab: string, askId: string, attach: TurnAttacher | undefined): Promise<DroppedNotice | undefined> {
    const { core, commits } = this.#parts;
    try {
      if (!commits.look(() => core.book.lossCount > 0 && isLiveConversation(core, askId))) return undefined;
      const count = await commits.run(reportDropped(core, tab, { askId, attach }), 'prove');
      return count > 0 ? { count } : undefined;
    } catch (error) {
      // What was given out with it is worth more, and what was lost is still owed.
      this.#parts.warn(`losses of tab ${tab.slice(0, 8)} could not be told (${String(error)})`);
      return undefined;
    }
  }

  /**
   * Commits what only proves, in the background: again at once when it fails, so that a receipt which is sent again
   * finds what it proves, and then every now and then. The order of two of these is kept: an answer that was given
   * out is returned before its ask is closed, else it would come again without its label.
   */
  insist(prove: () => Promise<unknown>, tries = 1): void {
    prove().catch((error: unknown) => {
      if (this.#parts.waiters.isClosing) return;
      if (tries === 1) {
        this.#parts.warn(`what was only to be proved could not be committed yet (${String(error)})`);
        this.insist(prove, 2);
        return;
      }
      const again = (): void => (this.#parts.waiters.isClosing ? undefined : this.insist(prove, tries + 1));
      this.#parts.runtime.after(TIMES.idle, again, 'quiet');
    });
  }
}

const HELD = {
  held: 'It was answered. Whether that belongs to the present branch of the conversation is not proven yet.',
};

/** An attacher that is asked once, however often the hand-over must be tried. */
function askedOnce(attach: TurnAttacher | undefined, given: GivenOut): TurnAttacher | undefined {
  if (attach === undefined) return undefined;
  let said: { readonly carrier: ReturnType<TurnAttacher> } | undefined;
  return (...asked) => {
    if (said === undefined) {
      said = { carrier: attach(...asked) };
      given.carrier = said.carrier;
    }
    return said.carrier;
  };
}

/** Runs an operation that counts as done once what it decides is on file, whatever becomes of what it does after that. */
async function filed(commits: Commits, op: Op<unknown>): Promise<void> {
  let isFiled = false;
  const deciding = function* (): Op<void> {
    if (op.next().done === true) return;
    yield;
    isFiled = true;
    yield* op as Op<void>;
  };
  try {
    await commits.run(deciding());
  } catch (error) {
    if (!isFiled) throw error;
  }
}

/** Waits for the commit of what is staged. */
function* nothing(): Op<void> {
  yield* [];
}
