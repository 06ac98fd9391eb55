/** One open request in memory, and the row that a store keeps of it. */
import type { RequestContext } from '../../machines/requests/request-facts.ts';
import type { ToldStep } from '../../machines/shared/tap.ts';
import type { Cancel } from '../runtime.ts';
import type { JsonObject } from '../wire/json.ts';
import type { OnResult, Peer, Receipt, RequestContract, RequestRow, RowChange, Settlement } from './api.ts';
import type { RequestChartEvent, RequestOrder, RequestSnapshot } from './charts.ts';

/** Somebody who awaits the promise of `send`. */
export interface Waiter {
  readonly resolve: (settlement: Settlement) => void;
  readonly reject: (reason: unknown) => void;
  readonly signal: AbortSignal | undefined;
  /** Lets go of the signal. */
  release: Cancel;
}

export interface Entry {
  readonly id: string;
  readonly seq: number;
  readonly sid: string;
  readonly method: string;
  /** With `session_id`; frozen throughout, so that frames may share it. */
  readonly params: JsonObject;
  readonly contract: RequestContract;
  readonly key: string | null;
  readonly owner: 'wait' | 'callback';
  readonly expiresAt: number | null;
  at: RequestSnapshot;
  /** In the order of the batch's locks; never replaced in place while a commit may still fail. */
  locked: ReadonlyMap<string, string | null>;
  settlement: Settlement | undefined;
  readonly waiters: Set<Waiter>;
  readonly owners: Set<OnResult>;
  readonly timers: Set<Cancel>;
  /** While its frame is being written: the peers that have not got it yet, and must not hear of it. */
  unwritten: Set<Peer> | undefined;
  /**
   * The bare answer of each client that was refused last, of which it has not been told. Beside the chart, which
   * holds nothing of an answer.
   */
  refused: WeakMap<Peer, Receipt> | undefined;
}

/** What a request is from its first moment on, however it came about. */
export type Born = Pick<
  Entry,
  'id' | 'seq' | 'sid' | 'method' | 'params' | 'contract' | 'key' | 'owner' | 'expiresAt' | 'at'
>;

const NOTHING_LOCKED: ReadonlyMap<string, string | null> = new Map();

/** A request that was just made or just restored: nobody waits for it yet, and nobody has seen it. */
export function newEntry(born: Born, locked = NOTHING_LOCKED): Entry {
  return {
    id: born.id,
    seq: born.seq,
    sid: born.sid,
    method: born.method,
    params: born.params,
    contract: born.contract,
    key: born.key,
    owner: born.owner,
    expiresAt: born.expiresAt,
    at: born.at,
    locked,
    settlement: undefined,
    waiters: new Set(),
    owners: new Set(),
    timers: new Set(),
    unwritten: undefined,
    refused: undefined,
  };
}

/** Ends a request whose write failed. Others that own it under its key, from inside that write, are told. */
export const UNWRITTEN: RequestChartEvent = Object.freeze({ type: 'CANCEL', reason: 'session_closed' });

/** What came with the event that may end a request; charts hold none of it. */
export interface Staged {
  readonly result?: JsonObject | undefined;
  /** Of what the client gave. */
  readonly receipt?: Receipt | undefined;
  readonly message?: string | undefined;
  readonly locked?: ReadonlyMap<string, string | null> | undefined;
}

/** One event for one request, with what came with it. */
export interface Move {
  readonly entry: Entry;
  readonly event: RequestChartEvent;
  readonly staged?: Staged | undefined;
  readonly from?: Peer | undefined;
}

/** What the commit section did with a move. */
export interface Decided {
  readonly entry: Entry;
  readonly stepped: ToldStep;
  readonly at: RequestSnapshot;
  readonly orders: readonly RequestOrder[];
  readonly settlement: Settlement | undefined;
  readonly staged: Staged;
  readonly move: Move;
}

/** The locked answers as plain data, in the order of the batch. */
export function lockedOf(
  { at }: Entry,
  locked: ReadonlyMap<string, string | null>,
): Readonly<Record<string, string | null>> {
  const answers = at.context.qids.flatMap((qid): [string, string | null][] => {
    const answer = locked.get(qid);
    return answer === undefined ? [] : [[qid, answer]];
  });
  return Object.fromEntries(answers);
}

/** What a store keeps of it. Peers belong to this process: a row names none. */
export function rowOf(
  entry: Entry,
  at: RequestSnapshot = entry.at,
  locked: ReadonlyMap<string, string | null> = entry.locked,
): RequestRow {
  const { id, seq, sid, method, params, key, owner, expiresAt } = entry;
  const context: RequestContext = { ...at.context, candidates: [], declines: [] };
  return {
    ...{ id, seq, sid, method, params, owner, expiresAt, key },
    qids: context.qids,
    state: at.value,
    context: context as unknown as JsonObject,
    locked: lockedOf(entry, locked),
  };
}

export const put = (row: RequestRow, note: NonNullable<RowChange['note']>): RowChange => ({
  kind: 'request',
  id: row.id,
  row: row as unknown as JsonObject,
  note,
});

export const remove = (id: string, note?: RowChange['note']): RowChange => ({
  kind: 'request',
  id,
  row: undefined,
  note,
});
