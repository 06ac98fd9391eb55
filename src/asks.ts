/** Asks from question to outcome: H-01 to H-07 in one call, alone or together, and waiting for asks that are on file already. */
import { heed } from '../machines/shared/heed.ts';
import type { AskAllOptions, AskOptions, AwaitOptions, BatchOutcome, Outcome, Question } from './api.ts';
import {
  milliseconds,
  type NewAsk,
  openCards,
  readAlone,
  readBatch,
  readList,
  together,
  wrongToReplace,
} from './batches.ts';
import { readName } from './card.ts';
import type { Commits } from './commits.ts';
import type { Deadlines } from './deadlines.ts';
import { invalid } from './errors.ts';
import type { Fences } from './fences.ts';
import { type Asked, Giving, type Settled } from './giving.ts';
import { closeAsk } from './journal/attribution.ts';
import type { Core } from './journal/core.ts';
import { Done, type Op, type TurnAttacher } from './journal/operation.ts';
import { TIMES } from './limits.ts';
import { batchWord, cutShort, notAsked } from './outcomes.ts';
import type { Runtime } from './runtime.ts';
import { endAsk } from './submit.ts';
import type { Surfaces } from './surfaces.ts';
import type { WaitEvent } from './wait-notes.ts';
import { Patience, Waiters, type Wake } from './waiters.ts';

export interface AskParts {
  readonly core: Core;
  readonly commits: Commits;
  readonly runtime: Runtime;
  readonly deadlines: Deadlines;
  readonly surfaces: Surfaces;
  readonly warn: (text: string) => void;
  /** Told when the first call begins to wait for an ask that its own handler has left, and when the last one ends. */
  readonly attended: (askId: string, cause: WaitEvent) => void;
  /** Whether something of this ask has changed that is not committed yet. */
  readonly isStaged: (askId: string) => boolean;
  readonly fences?: Fences | undefined;
}

type Opened = (askIds: readonly string[]) => unknown;

export class Asks {
  readonly #parts: AskParts;
  readonly waiters = new Waiters();
  readonly #giving: Giving;
  readonly #attending = new Map<string, number>();

  constructor(parts: AskParts) {
    this.#parts = parts;
    this.#giving = new Giving({ ...parts, waiters: this.waiters });
  }

  /** `askId`: named beforehand by whoever must know it before the ask is on file; never used before. */
  async ask(question: Question, options: AskOptions, askId?: string): Promise<Outcome> {
    const card = readAlone(question, options, this.#parts.runtime, askId);
    const { supersedes, onOpen } = options;
    const old = supersedes === undefined ? [] : [readName(supersedes, 'supersedes')];
    // Whoever names ids beforehand may have named one that was never put.
    if (askId === undefined) this.#check(old, () => 'supersedes', options.tab);
    return alone(await this.#put([card], options, old, () => onOpen?.(card.askId)));
  }

  async askAll(questions: readonly Question[], options: AskAllOptions): Promise<BatchOutcome> {
    const cards = readBatch(questions, options, this.#parts.runtime);
    const { supersedes = [], onOpen } = options;
    if (!Array.isArray(supersedes)) throw invalid('supersedes', 'must be a list of ask ids');
    const field = (i: number): string => `supersedes[${i}]`;
    const old = supersedes.map((askId, i) => readName(askId, field(i)));
    this.#check(old, field, options.tab);
    return batch(await this.#put(cards, options, old, onOpen));
  }

  #check(supersedes: readonly string[], field: (at: number) => string, tab: string): void {
    const { core, commits } = this.#parts;
    if (this.waiters.isClosing) return;
    supersedes.forEach((askId, i) => {
      const wrong = commits.look(() => wrongToReplace(core, askId, tab));
      if (wrong !== undefined) throw invalid(field(i), wrong);
    });
  }

  async awaitAnswer(askId: string, options: AwaitOptions = {}): Promise<Outcome> {
    milliseconds(options.timeoutMs, 'timeoutMs');
    return alone(await this.#settle([askId], options));
  }

  async awaitAll(askIds: readonly string[], options: AwaitOptions = {}): Promise<BatchOutcome> {
    milliseconds(options.timeoutMs, 'timeoutMs');
    const ids = readList(askIds, 'askIds').map((askId, i) => readName(askId, `askIds[${i}]`));
    const twice = ids.findIndex((askId, i) => ids.indexOf(askId) < i);
    if (twice >= 0) throw invalid(`askIds[${twice}]`, 'is named twice');
    return batch(await this.#settle(ids, options));
  }

  async #put(
    cards: readonly NewAsk[],
    options: AwaitOptions & Pick<AskOptions, 'tab' | 'askedAt'>,
    supersedes: readonly string[],
    onOpen: Opened | undefined,
  ): Promise<Settled> {
    const { core, commits, deadlines, surfaces } = this.#parts;
    const askIds = cards.map(({ askId }) => askId);
    const askedAt = options.askedAt === undefined ? undefined : readName(options.askedAt, 'askedAt');
    const epoch = core.tabs.epoch(options.tab);
    const isShown = options.signal?.aborted !== true && (await surfaces.ready(options.signal));
    const none = (why: Parameters<typeof notAsked>[1]): Settled => ({
      outcomes: askIds.map((id) => notAsked(id, why)),
    });
    if (options.signal?.aborted === true) return none('aborted');
    if (this.waiters.isClosing) return none('closing');
    if (!isShown) return none('unseen');
    // Opened now, it would be a question of a conversation that never asked it.
    if (core.tabs.epoch(options.tab) !== epoch) return none('replaced');
    await this.#open(cards, supersedes, askedAt);
    for (const { askId, card } of cards) if (card.expiresAt !== null) deadlines.set(askId, card.expiresAt);
    try {
      this.#tellOpen(askIds, onOpen);
      const asked = cards.map(({ ask }) => ({ tab: ask.tabId, fingerprint: ask.fingerprint }));
      const settled = await this.#settle(askIds, options, asked);
      for (const outcome of settled.outcomes) if ('fromAskId' in outcome) this.#takeOff(outcome);
      return settled;
    } finally {
      const close = (): Op<unknown> => together(askIds.map((askId) => () => closeAsk(core, askId)));
      this.#giving.insist(() => commits.run(close(), 'prove'));
    }
  }

  /** The reply to an equal question was given for this one: nobody is asked what was answered before. */
  #takeOff({ askId, fromAskId }: { readonly askId: string; readonly fromAskId?: string | undefined }): void {
    const { core, commits } = this.#parts;
    const why = `the same question had a reply before (${fromAskId}), and the agent was given that one`;
    this.#giving.insist(() => commits.run(endAsk(core, askId, { type: 'WITHDRAW', why })));
  }

  /** The entry that asks is known already, so it is on file with the cards. */
  *#placed(opening: Op<void>, cards: readonly NewAsk[], askedAt: string): Op<void> {
    const { fences } = this.#parts;
    const place = (askId: string) => (): Op<unknown> => fences?.questionLogged(askId, askedAt) ?? together([]);
    yield* together([() => opening, ...cards.map(({ askId }) => place(askId))]);
  }

  async #open(cards: readonly NewAsk[], supersedes: readonly string[], askedAt: string | undefined): Promise<void> {
    const { core, commits } = this.#parts;
    try {
      const opening = openCards(core, cards, supersedes);
      await commits.run(askedAt === undefined ? opening : this.#placed(opening, cards, askedAt));
    } catch (error) {
      // The asker is told that nothing was changed. Should the cards be on file all the same, nobody must answer them.
      const why = 'It could not be saved when it was asked.';
      const end =
        ({ askId }: NewAsk) =>
        (): Op<unknown> =>
          endAsk(core, askId, { type: 'WITHDRAW', why });
      this.#giving.insist(() => commits.run(together(cards.map(end))));
      throw error;
    }
  }

  #tellOpen(askIds: readonly string[], onOpen: Opened | undefined): void {
    const failed = (error: unknown): void =>
      this.#parts.warn(`what was to be told that ask ${askIds[0]?.slice(0, 12)} is open has failed (${String(error)})`);
    try {
      heed(onOpen?.(askIds), failed);
    } catch (error) {
      failed(error);
    }
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

  /**
   * Waits until each ask has an outcome or the caller's time is over. Until then nothing is handed over: what was
   * answered early waits with the rest, and a call that is cut short has given nothing out.
   */
  async #settle(askIds: readonly string[], options: AwaitOptions, asked?: readonly Asked[]): Promise<Settled> {
    const { attach, signal } = options;
    const patience = new Patience(this.#parts.runtime, options.timeoutMs ?? TIMES.hold);
    // The handler of an ask is known from its ticket; a call that waits later is not.
    let attended: readonly string[] | undefined = asked === undefined ? undefined : [];
    try {
      for (let wake: Wake = 'changed'; ; ) {
        // The answer may have come in the very moment in which the time was over (A3).
        const standings = await this.#giving.stand(askIds, wake === 'timeout' ? asked?.[0]?.tab : undefined);
        const open = askIds.filter((_, i) => standings[i] === undefined);
        if (signal?.aborted === true) return { outcomes: askIds.map(cutShort) };
        const isOver = wake === 'timeout' || wake === 'closing';
        if (open.length === 0 || isOver) {
          return await this.#giving.giveOut(askIds, standings, attach, wake === 'closing' ? undefined : asked);
        }
        attended ??= this.#attendAll(open);
        wake = await this.waiters.wait(open, patience, signal);
      }
    } finally {
      patience.end();
      for (const askId of attended ?? []) this.#attend(askId, -1);
    }
  }

  #attendAll(askIds: readonly string[]): readonly string[] {
    for (const askId of askIds) this.#attend(askId, 1);
    return askIds;
  }

  /** Commits what nobody waits for, and tries until it is on file. */
  insist(prove: () => Promise<unknown>): void {
    this.#giving.insist(prove);
  }

  handOver(token: string, attach: TurnAttacher | undefined, askId: string | undefined): Promise<boolean> {
    return this.#giving.handOver(token, attach, askId);
  }
}

function alone({ outcomes, dropped }: Settled): Outcome {
  const [outcome] = outcomes as [Outcome];
  return dropped === undefined ? outcome : { ...outcome, dropped };
}

const batch = ({ outcomes, dropped }: Settled): BatchOutcome => ({
  outcome: batchWord(outcomes),
  outcomes,
  ...(dropped === undefined ? {} : { dropped }),
});

/** Ends an ask when its deadline has passed. A card that its id was opened anew for may have none. */
export const expire = (core: Core, askId: string): Op<unknown> =>
  core.book.anyTicket(askId)?.card?.expiresAt == null ? new Done(false) : endAsk(core, askId, { type: 'DEADLINE' });
