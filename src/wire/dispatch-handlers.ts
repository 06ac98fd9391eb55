/** Handlers that any host of server requests mounts as they are. */
import type { OpenRequest, Peer, ServerRequests } from '../requests/api.ts';
import type { Handler } from './dispatch.ts';
import { RpcRefusal } from './errors.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { isJsonObject } from './jsonrpc.ts';

/** Questions that another process waits for and this one only shows. Asked about ids that the registry does not hold. */
export interface RequestRelay {
  /** Whether the owner took it; undefined: not a question of the relay. Rejects with 5019 where no verdict came. */
  answer(id: string, result: JsonObject, peer: Peer): Promise<boolean> | boolean | undefined;
  /** Questions still missing, null: expired; undefined: not a question of the relay. Rejects as the owner did. */
  lock(
    id: string,
    qid: string,
    answer: JsonValue | undefined,
    peer: Peer,
  ): Promise<string[] | null> | string[] | null | undefined;
  openRequests(sid: string, peer: Peer): readonly OpenRequest[];
}

const filled = (value: unknown): value is string => typeof value === 'string' && value !== '';

function asJson(request: OpenRequest): JsonObject {
  const { id, method, params } = request;
  return request.owner_quorum === true ? { id, method, params, owner_quorum: true } : { id, method, params };
}

/** `client.capabilities`, `clarify.lock` and `request.answer`. */
export function requestHandlers(requests: ServerRequests, relay?: RequestRelay): Record<string, Handler> {
  return {
    'client.capabilities': (params, { peer }) => ({
      server_requests: requests.advertise(peer, params['server_requests'] === true),
    }),
    'clarify.lock': async (params, { peer }) => {
      const { request_id: id, question_id: qid, answer } = params;
      if (!filled(id)) throw new RpcRefusal('bad_answer', 'request_id is missing');
      if (!filled(qid)) throw new RpcRefusal('bad_answer', 'question_id is missing');
      const remaining =
        requests.lockAnswer(id, qid, answer, peer) ?? (await relay?.lock(id, qid, answer, peer)) ?? null;
      return remaining === null ? { status: 'expired' } : { status: 'ok', remaining };
    },
    'request.answer': async (params, { peer }) => {
      const { id, result } = params;
      if (!filled(id)) throw new RpcRefusal('bad_answer', 'id is missing');
      if (!isJsonObject(result)) throw new RpcRefusal('bad_answer', 'result is not an object');
      const taken = requests.answer(id, result, peer) || (await relay?.answer(id, result, peer)) === true;
      return { status: taken ? 'ok' : 'expired' };
    },
  };
}

/**
 * Adds `open_requests` to what a handler of `session.resume`, `session.activate` or `session.events.since` returns:
 * own ones, then those of the relay. They are read last, so that none is older than the reply.
 * `handler` refuses a peer that may not see the session: nothing else here does.
 */
export function withOpenRequests(requests: ServerRequests, handler: Handler, relay?: RequestRelay): Handler {
  return async (params, call) => {
    const sid = params['session_id'];
    if (typeof sid !== 'string') throw new RpcRefusal('missing_id', 'session_id is missing');
    const result = await handler(params, call);
    const open = [...requests.replayTo(call.peer, sid), ...(relay?.openRequests(sid, call.peer) ?? [])];
    return { ...result, open_requests: open.map(asJson) };
  };
}
