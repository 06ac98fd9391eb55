/** What is certain of an ask now, and giving its answer out: nothing leaves the process that is not on file. */
import type { DroppedNotice, Outcome } from './api.ts';
import type { Commits } from './commits.ts';
import type { Fences } from './fences.ts';
import type { Core } from './journal/core.ts';
import { reportDropped } from './journal/debt.ts';
import { handOverHaste, markReturned } from './journal/delivery.ts';
import { lazy, type Op, reading, type TurnAttacher } from './journal/operation.ts';
import { isLiveConversation, mayRepeat, type Recovery, recover } from './journal/queries.ts';
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

export interface Given {
  readonly outcome: Outcome;
  /** The tab whose losses are told along with it, where they may be (H-07). */
  readonly tab?: string;
}

export class Giving {
  readonly #parts: GivingParts;

  constructor(parts: GivingParts) {
    this.#parts = parts;
  }

  /**
   * How these asks stand, undefined for each that a person may still answer. What is not committed may not be told
   * (design 4): if it could not be committed it has not happened, and whoever did it is told.
   */
  async stand(askIds: readonly string[]): Promise<readonly (Standing | undefined)[]> {
    const { commits, isStaged, fences } = this.#parts;
    // Judged last, so that nothing is handed over in a later tick than that in which its branch was read.
    if (fences !== undefined) {
      while (askIds.some(isStaged)) await commits.run(nothing()).catch(() => undefined);
      await fences.checkAsks(askIds);
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

  /** The outcome of an ask that nobody can answer any more. An answer is handed over in this very tick, or not at all. */
  async give(askId: string, { entries, ticket }: Standing, attach: TurnAttacher | undefined): Promise<Given> {
    const { core } = this.#parts;
    const [row] = entries;
    if (row === undefined) return { outcome: ticket === undefined ? unheardOf(askId) : endedOutcome(askId, ticket) };
    if (entries.length > 1 || isAmbiguous(row)) return { outcome: notGiven(askId, 'ambiguous') };
    if (isRetired(row) || row.provenance === 'unknown' || core.gate.says(row.askId) === 'off')
      return { outcome: notGiven(askId, 'replaced') };
    return this.#answered(askId, row, attach);
  }

  async #answered(askId: string, row: EntryRow, attach: TurnAttacher | undefined): Promise<Given> {
    const { core } = this.#parts;
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
    if (!(await this.handOver(base.token, attach, askId, !own))) return { outcome: notGiven(askId, 'occupant') };
    const tab = row.at.context.key;
    const from = own ? {} : { fromAskId: row.askId };
    // A refusal is told as one, whenever it was given: whoever reads the text of an answer must not take it for one.
    if (reply.declined === true) return { outcome: { outcome: 'declined', ...from, ...base }, tab };
    if (own) return { outcome: { outcome: 'answered', reply, ...base }, tab };
    return { outcome: { outcome: 'recovered', reply, fromAskId: row.askId, ...base }, tab };
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
      this.insist(() => {
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

  /** An equal question of this conversation that was answered before (H-05). */
  async recovered(
    askId: string,
    attach: TurnAttacher | undefined,
    asked: Asked | undefined,
  ): Promise<Given | undefined> {
    const found = asked && (await this.#recover(askId, asked));
    if (found?.status !== 'recovered') return undefined;
    const row = this.#parts.core.book.entry(numberIn(found.entry.token, 'aa'));
    return row && this.#answered(askId, row, attach);
  }

  #recover(askId: string, { tab, fingerprint }: Asked): Promise<Recovery> {
    const { core, commits } = this.#parts;
    return commits.run(reading(() => recover(core, tab, fingerprint, askId)));
  }

  /** The time is over: an equal question of this conversation that was answered before, else pending (H-05, H-06). */
  async late(askId: string, attach: TurnAttacher | undefined, asked: Asked | undefined): Promise<Given> {
    const { core, commits, fences } = this.#parts;
    const openedAt = commits.look(() => core.book.anyTicket(askId))?.openedAt ?? 0;
    const held = commits.look(() => core.book.entriesOf(askId).some((row) => core.gate.isWithheld(row))) ? HELD : {};
    if (asked === undefined)
      return { outcome: { outcome: 'pending', askId, openedAt, others: [], withheld: 0, ...held } };
    if (fences !== undefined) await fences.check(asked.tab);
    const found = await this.#recover(askId, asked);
    if (found.status === 'recovered') {
      const row = core.book.entry(numberIn(found.entry.token, 'aa'));
      if (row !== undefined) return this.#answered(askId, row, attach);
    }
    const others = found.status === 'unattributed' ? found.others : [];
    const shown = others.filter((entry) => !entry.returned || entry.fingerprint === asked.fingerprint);
    const outcome = {
      outcome: 'pending',
      askId,
      openedAt,
      others: shown.map(({ question, answer, answeredAt }) => ({ question, answer, answeredAt })),
      withheld: found.status === 'unattributed' ? found.withheld : 0,
      ...held,
    } as const;
    return { outcome, tab: asked.tab };
  }

  /** The debt footnote, for a result of a live conversation and for no other (H-07). */
  async dropped(tab: string, askId: string, attach: TurnAttacher | undefined): Promise<DroppedNotice | undefined> {
    const { core, commits } = this.#parts;
    if (core.book.lossCount === 0 || !isLiveConversation(core, askId)) return undefined;
    try {
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
