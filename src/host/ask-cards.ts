/**
 * Agents' questions as server requests of the pages. The journal decides what becomes of an answer; here is only said
 * which card it is for, and which pages are told of its end.
 */
import type { Asking, AskView, CardState, Reply, Verdict } from '../api.ts';
import { SIZES } from '../limits.ts';
import type { CancelReason, OpenRequest, Peer } from '../requests/api.ts';
import type { RpcRefusal } from '../wire/errors.ts';
import type { JsonObject, RpcFrame } from '../wire/json.ts';
import { eventFrame, requestFrame } from '../wire/jsonrpc.ts';
import { AskIds } from './ask-ids.ts';
import { HOST_BOUNDS } from './bounds.ts';
import { ASK } from './contracts.ts';
import type { FeedItem } from './feed.ts';
import { fitted } from './fit.ts';

/** What the pages are told through. */
export interface Board {
  /** Writes to every page but one. */
  tell(frame: RpcFrame, except?: Peer): void;
  /** Writes to every page that said it answers requests. */
  ask(frame: RpcFrame): void;
  /** Called with each event before it is written. */
  check(type: string, payload: JsonObject): void;
}

interface Card {
  readonly askId: string;
  readonly id: string;
  readonly sid: string;
  isShown: boolean;
  isOver: boolean;
  /** Answers of pages that have no verdict yet. */
  answering: number;
  /** The page whose answer was accepted. */
  winner: Peer | undefined;
  /** Answered, and it is not known yet whether by a page. */
  isUndecided: boolean;
}

/** Any value of ours that is JSON already. */
export const asJson = (value: object): JsonObject => value as JsonObject;

export class AskCards {
  readonly #coordinator: Asking;
  readonly #board: Board;
  readonly #ids: AskIds;
  readonly #cards = new Map<string, Card>();
  /** Closed cards, the one that closed first in front. */
  readonly #closed = new Set<string>();
  #loaded: Promise<void> | undefined;
  #isLoaded = false;

  constructor(coordinator: Asking, board: Board, ids: AskIds = new AskIds()) {
    this.#coordinator = coordinator;
    this.#board = board;
    this.#ids = ids;
  }

  /** The open request of an ask, as a snapshot shows it. */
  requestOf(ask: AskView): OpenRequest {
    const { id, sid } = this.#know(ask);
    return { id, method: ASK, params: { session_id: sid, ask: asJson(fitted(ask)) } };
  }

  idOf(ask: AskView): string {
    return this.#know(ask).id;
  }

  /** The ask behind a request id, as far as it is known without reading what is on file. */
  known(id: string): string | undefined {
    return this.#ids.ask(id);
  }

  /** The ask behind a request id; undefined: it is none, or closed long ago. */
  async find(id: string): Promise<string | undefined> {
    if (!this.#isLoaded) await this.#load();
    return this.#ids.ask(id);
  }

  /** Whether `find` may know more than `known`. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** One page's answer. */
  async answer(askId: string, reply: Reply, page: Peer): Promise<Verdict> {
    const card = this.#cards.get(askId);
    if (card !== undefined) card.answering += 1;
    try {
      const verdict = await this.#coordinator.answer(askId, reply, page.author ?? { surface: 'page' });
      if (verdict.verdict === 'accepted' || verdict.verdict === 'late_accepted') this.#won(card, page);
      return verdict;
    } finally {
      if (card !== undefined) {
        card.answering -= 1;
        if (card.isUndecided) this.#endAnswered(card);
      }
    }
  }

  /** Tells a page that its bare answer was not taken, and why: no reply can say so. */
  refuse(page: Peer, id: string, { code, message, data }: RpcRefusal): void {
    const askId = this.#ids.ask(id);
    const card = askId === undefined ? undefined : this.#cards.get(askId);
    const payload = { id, error: { code, message, ...(data === undefined ? {} : { data: asJson(data) }) } };
    this.#board.check('request.refused', payload);
    page.send(eventFrame('request.refused', card?.sid ?? '', payload));
  }

  #won(card: Card | undefined, page: Peer): void {
    // Told already that it is over: whose answer it was makes no difference any more.
    if (card !== undefined && (!card.isOver || card.isUndecided)) card.winner ??= page;
  }

  /** A change that was committed: a new card, news of one, or its end. */
  change({ ask, cause, now }: FeedItem): void {
    const isOpen = ask.state === 'open';
    // Opened anew after its end: another card, under another id.
    if (isOpen && this.#cards.get(ask.askId)?.isOver === true) this.#forget(ask.askId);
    const card = this.#know(ask);
    if (isOpen && (!card.isShown || cause === 'opened')) {
      card.isShown = true;
      const { id, method, params } = this.requestOf(ask);
      this.#board.ask(requestFrame(id, method, params));
      return;
    }
    this.#tell('ask.changed', card.sid, asJson({ ask: fitted(ask), cause, now }));
    if (isOpen || card.isOver) return;
    this.#close(card);
    if (ask.state === 'answered') this.#endAnswered(card);
    else this.#tell('request.cancel', card.sid, { id: card.id, method: ASK, reason: REASONS[ask.state] });
  }

  /** Who answered is said by the verdict, which may come before the change or after it. */
  #endAnswered(card: Card): void {
    const { id, sid, winner } = card;
    card.isUndecided = winner === undefined && card.answering > 0;
    if (card.isUndecided) return;
    card.winner = undefined;
    if (winner === undefined) this.#tell('request.cancel', sid, { id, method: ASK, reason: 'resolved' });
    else this.#tell('request.settled', sid, { id, method: ASK, by: 'response' }, winner);
  }

  #tell(type: string, sid: string, payload: JsonObject, except?: Peer): void {
    this.#board.check(type, payload);
    this.#board.tell(eventFrame(type, sid, payload), except);
  }

  #know({ askId, tab, reopened, openedAt }: AskView): Card {
    const known = this.#cards.get(askId);
    if (known !== undefined) return known;
    // Pages refuse what comes under an id that has ended, also after a restart of the host.
    const opening = reopened === true ? `${askId}@${openedAt}` : askId;
    const flags = { isShown: false, isOver: false, isUndecided: false };
    const card: Card = { askId, id: this.#ids.of(askId, opening), sid: tab, answering: 0, winner: undefined, ...flags };
    this.#cards.set(askId, card);
    return card;
  }

  #close(card: Card): void {
    card.isOver = true;
    this.#closed.add(card.askId);
    for (const askId of this.#closed) {
      if (this.#closed.size <= HOST_BOUNDS.closedCards) return;
      this.#forget(askId);
    }
  }

  #forget(askId: string): void {
    this.#closed.delete(askId);
    this.#cards.delete(askId);
    this.#ids.forget(askId);
  }

  /** Takes note of what was on file before this host looked. Whatever comes after it is heard as a change. */
  #load(): Promise<void> {
    this.#loaded ??= this.#read().catch((error: unknown) => {
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  async #read(): Promise<void> {
    const [open, recent] = await Promise.all([
      this.#coordinator.list({ what: 'open', limit: SIZES.listed }),
      this.#coordinator.list({ what: 'recent', limit: HOST_BOUNDS.closedCards }),
    ]);
    for (const ask of [...open, ...[...recent].reverse()]) {
      const card = this.#know(ask);
      card.isShown = true;
      if (ask.state !== 'open' && !card.isOver) this.#close(card);
    }
    this.#isLoaded = true;
  }
}

/** Why a card that nobody answered is taken away. */
const REASONS: Readonly<Record<CardState, CancelReason>> = {
  open: 'session_closed',
  answered: 'resolved',
  expired: 'timeout',
  withdrawn: 'session_closed',
  superseded: 'session_closed',
  retired: 'session_closed',
  lost: 'session_closed',
};
