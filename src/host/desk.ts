/** What a page is told of all that is open when it connects, part by part. */
import type { Asking, AskView } from '../api.ts';
import { SIZES } from '../limits.ts';
import type { OpenRequest, Peer, ServerRequests } from '../requests/api.ts';
import { nodeRuntime } from '../runtime.ts';
import { RpcRefusal } from '../wire/errors.ts';
import type { JsonObject } from '../wire/json.ts';
import { type AskCards, asJson } from './ask-cards.ts';
import { HOST_BOUNDS } from './bounds.ts';
import { fittedList } from './fit.ts';

/** Bytes of one part. */
const ROOM = HOST_BOUNDS.cards;

export interface DeskContext {
  readonly coordinator: Asking;
  readonly cards: AskCards;
  readonly requests?: ServerRequests | undefined;
}

/** One page's reading of the list. */
export class Desk {
  readonly #context: DeskContext;
  readonly #peer: Peer;
  #readings = 0;
  #told = new Set<string>();
  /** The cursor that asks for the next part; whatever else is named is not known. */
  #next: string | undefined;

  constructor(context: DeskContext, peer: Peer) {
    this.#context = context;
    this.#peer = peer;
  }

  /** Without a cursor the list is told from its beginning. What opens meanwhile is told in a later part, or live. */
  async read(cursor: string | undefined): Promise<JsonObject> {
    if (cursor === undefined) {
      this.#readings += 1;
      this.#told = new Set();
    } else if (cursor !== this.#next) {
      const data = { code: 'invalid_input', field: 'params.cursor', retry: false };
      throw new RpcRefusal('bad_argument', 'params.cursor: is not the latest one. Begin again without it.', data);
    }
    this.#next = undefined;
    const { coordinator, cards } = this.#context;
    const [reading, told] = [this.#readings, this.#told];
    const [open, recent] = await Promise.all([
      coordinator.list({ what: 'open', limit: SIZES.listed }),
      cursor === undefined ? coordinator.list({ what: 'recent', limit: HOST_BOUNDS.history }) : undefined,
      cards.find(''),
    ]);
    // Read last, so that none of them is older than the reply.
    const own = this.#context.requests?.replayTo(this.#peer, null) ?? [];
    const history = recent === undefined ? {} : { recent: fittedList(recent, HOST_BOUNDS.cards / 2).map(asJson) };
    const room = ROOM - (recent === undefined ? 0 : Buffer.byteLength(JSON.stringify(history)));
    const { entries, isWhole } = part(this.#untold(own, open, told), told, room);
    const more = isWhole ? undefined : `${reading}.${told.size}`;
    if (reading === this.#readings) this.#next = more;
    const counted = { open_total: own.length + open.length, now: nodeRuntime.now() };
    return { open_requests: entries, ...(more === undefined ? {} : { more }), ...history, ...counted };
  }

  *#untold(own: readonly OpenRequest[], open: readonly AskView[], told: ReadonlySet<string>): Generator<OpenRequest> {
    for (const request of own) if (!told.has(request.id)) yield request;
    const { cards } = this.#context;
    for (const ask of open) if (!told.has(cards.idOf(ask))) yield cards.requestOf(ask);
  }
}

/** Takes from the list what fits in one part, and notes it as told. One that fits nowhere goes in a part of its own. */
function part(
  untold: Iterable<OpenRequest>,
  told: Set<string>,
  room: number,
): { entries: JsonObject[]; isWhole: boolean } {
  const entries: JsonObject[] = [];
  let left = room;
  for (const { id, method, params, owner_quorum } of untold) {
    const entry = owner_quorum === undefined ? { id, method, params } : { id, method, params, owner_quorum };
    left -= Buffer.byteLength(JSON.stringify(entry)) + 1;
    const isShared = entries.length > 0 || room < ROOM;
    if (isShared && (left < 0 || entries.length >= HOST_BOUNDS.openCards)) return { entries, isWhole: false };
    entries.push(entry);
    told.add(id);
  }
  return { entries, isWhole: true };
}
