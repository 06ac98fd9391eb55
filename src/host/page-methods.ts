/** The methods of the page socket, and what bare response frames do. */
import type { Asking, Reply, Verdict } from '../api.ts';
import { ReadbackError } from '../errors.ts';
import type { Peer, ServerRequests } from '../requests/api.ts';
import type { Approvals } from '../requests/approval-types.ts';
import { type Logger, nodeRuntime } from '../runtime.ts';
import type { Handler } from '../wire/dispatch.ts';
import { RpcRefusal } from '../wire/errors.ts';
import type { JsonObject, JsonValue } from '../wire/json.ts';
import { isJsonObject } from '../wire/jsonrpc.ts';
import { type AskCards, asJson } from './ask-cards.ts';
import { HOST_BOUNDS } from './bounds.ts';
import { hostPack } from './contracts.ts';
import { firstThatFit, fitted, fittedVerdict } from './fit.ts';
import { PageSocket } from './page-socket.ts';
import { pageParams, parse, replySchema } from './schemas.ts';

export interface MethodsContext {
  readonly coordinator: Asking;
  readonly cards: AskCards;
  readonly requests?: ServerRequests | undefined;
  readonly approvals?: Pick<Approvals, 'pending' | 'received' | 'respond'> | undefined;
  readonly logger: Logger;
}

function pageOf(peer: Peer): PageSocket {
  if (peer instanceof PageSocket) return peer;
  throw new TypeError('the page socket serves pages only');
}

/** What a page is told of an error of ours; undefined: a crash. */
export function asRefusal(error: unknown): RpcRefusal | undefined {
  if (!(error instanceof ReadbackError)) return undefined;
  const { code, field, retry, message } = error;
  const data = field === undefined ? { code, retry } : { code, field, retry };
  if (code === 'invalid_input') return new RpcRefusal('invalid_params', message, data);
  return new RpcRefusal(code === 'retiring' ? 'retiring' : 'server_crashed', message, data);
}

const unfit = (field: string, why: string): RpcRefusal =>
  new RpcRefusal('bad_answer', `${field}: ${why}. Nothing was changed.`, {
    code: 'invalid_input',
    field,
    retry: false,
  });

function text(params: JsonObject, field: string, missing: 'bad_answer' | 'missing_id'): string {
  const value = params[field];
  if (typeof value === 'string' && value !== '') return value;
  const data = { code: 'invalid_input', field: `params.${field}`, retry: false };
  throw new RpcRefusal(missing, `params.${field}: is missing. Nothing was changed.`, data);
}

const optionalText = (params: JsonObject, field: string): string | undefined =>
  params[field] === undefined ? undefined : text(params, field, 'bad_answer');

/** Where the answer stands: in the params of a request, or in a bare response frame. */
type Place = 'params.result' | 'result';

/** Where in the result a verdict finds fault; it may speak of the reply as a whole. */
function pathInResult(place: Place, field: string | undefined): string {
  const path = (field ?? 'reply').replace(/\[(\d+)\]/g, '.$1');
  return path === 'reply' ? place : `${place}.${path}`;
}

const refusal = (name: 'missing_id' | 'server_crashed', what: string, code: string): RpcRefusal =>
  new RpcRefusal(name, `${what} The answer was not taken; give it again.`, { code, retry: true });
const UNNAMED = refusal('missing_id', 'window: a page names it with desk.resume before it answers.', 'invalid_input');
const BUSY = refusal('server_crashed', 'This page answers more at once than is taken in.', 'busy');
const CRASHED = new RpcRefusal('server_crashed', 'The host failed. Look at the card before you answer it again.', {
  code: 'internal',
  retry: false,
});

const isId = (id: unknown): id is string => typeof id === 'string' && id.length <= HOST_BOUNDS.id;

function isTaken({ verdict, saved }: Verdict): boolean {
  return saved || verdict === 'accepted' || verdict === 'duplicate' || verdict === 'late_accepted';
}

/** A reply in the right form. Throws 4002 with the field, and never with the value. */
function readReply(result: JsonObject, place: Place): Reply {
  try {
    return parse(replySchema, result, place);
  } catch (error) {
    if (!(error instanceof ReadbackError) || error.field === undefined) throw error;
    const { code, field, retry, message } = error;
    throw new RpcRefusal('bad_answer', message, { code, field, retry });
  }
}

export class PageMethods {
  readonly #context: MethodsContext;

  constructor(context: MethodsContext) {
    this.#context = context;
  }

  handlers(): Record<string, Handler> {
    const { coordinator } = this.#context;
    return {
      'client.capabilities': (params, { peer }) => this.#advertise(pageOf(peer), params['server_requests'] === true),
      'desk.resume': (params, { peer }) => this.#resume(pageOf(peer), params),
      'request.answer': (params, { peer }) => this.#answer(pageOf(peer), params),
      'clarify.lock': (params, { peer }) => this.#lock(pageOf(peer), params),
      'ask.show': async (params) => {
        text(params, 'ask_id', 'missing_id');
        const ask = await coordinator.show(parse(pageParams.show, params, 'params').ask_id);
        return { ask: ask === undefined ? null : asJson(fitted(ask)) };
      },
      'ask.withdraw': async (params, { peer }) => {
        text(params, 'ask_id', 'missing_id');
        const { ask_id: askId, reason } = parse(pageParams.withdraw, params, 'params');
        return asJson(fittedVerdict(await coordinator.withdraw(askId, reason, pageOf(peer).known())));
      },
      ping: () => ({ now: nodeRuntime.now() }),
      ...this.#approvalHandlers(),
    };
  }

  #advertise(page: PageSocket, on: boolean): JsonObject {
    const asked = this.#context.requests?.advertise(page, on) ?? hostPack.requests.keys();
    page.advertise(on);
    return { server_requests: [...new Set([...asked, 'ask'])].sort() };
  }

  #resume(page: PageSocket, params: JsonObject): Promise<JsonObject> {
    text(params, 'window', 'missing_id');
    const { window, cursor } = parse(pageParams.resume, params, 'params');
    page.name(window);
    return page.read(cursor);
  }

  async #answer(page: PageSocket, params: JsonObject): Promise<JsonObject> {
    const { cards, requests } = this.#context;
    const id = text(params, 'id', 'bad_answer');
    const { result } = params;
    if (!isJsonObject(result)) throw unfit('params.result', 'is not an object');
    page.known();
    const askId = cards.known(id);
    if (askId !== undefined) return this.#answerAsk(page, askId, result);
    // Within the same turn: what the registry takes is settled before the next frame is read.
    if (requests?.answer(id, result, page) === true) return { status: 'ok' };
    const late = await cards.find(id);
    return late === undefined ? { status: 'expired' } : this.#answerAsk(page, late, result);
  }

  async #answerAsk(page: PageSocket, askId: string, result: JsonObject): Promise<JsonObject> {
    const verdict = await this.#judge(page, askId, result, 'params.result');
    return { status: isTaken(verdict) ? 'ok' : 'expired', verdict: asJson(fittedVerdict(verdict)) };
  }

  /** Throws 4002 for what does not fit the card, which stays open. */
  async #judge(page: PageSocket, askId: string, result: JsonObject, place: Place): Promise<Verdict> {
    const verdict = await this.#context.cards.answer(askId, readReply(result, place), page);
    if (verdict.verdict !== 'invalid') return verdict;
    const field = pathInResult(place, verdict.field);
    throw new RpcRefusal('bad_answer', verdict.message, { code: 'invalid_input', field, retry: false });
  }

  #lock(page: PageSocket, params: JsonObject): JsonObject {
    const id = text(params, 'request_id', 'bad_answer');
    const qid = text(params, 'question_id', 'bad_answer');
    page.known();
    const remaining = this.#context.requests?.lockAnswer(id, qid, params['answer'], page) ?? null;
    return remaining === null ? { status: 'expired' } : { status: 'ok', remaining };
  }

  #approvalHandlers(): Record<string, Handler> {
    const { approvals } = this.#context;
    if (approvals === undefined) return {};
    return {
      'approval.pending': (params) => ({
        // The others are listed once these are decided; each of them is a card of its own as well.
        approvals: firstThatFit(
          approvals.pending(text(params, 'session_id', 'missing_id')).map(asJson),
          HOST_BOUNDS.cards,
        ),
      }),
      'approval.received': (params) => {
        const key = text(params, 'session_id', 'missing_id');
        return { acknowledged: approvals.received(key, text(params, 'request_id', 'missing_id')) };
      },
      'approval.respond': (params, { peer }) => {
        const author = pageOf(peer).known();
        const all: JsonValue | undefined = params['all'];
        if (all !== undefined && typeof all !== 'boolean') throw unfit('params.all', 'is neither true nor false');
        const said = {
          sid: text(params, 'session_id', 'missing_id'),
          request_id: params['request_id'] === undefined ? undefined : text(params, 'request_id', 'missing_id'),
          choice: optionalText(params, 'choice'),
          digest: optionalText(params, 'digest'),
          reason: params['reason'] === '' ? undefined : optionalText(params, 'reason'),
        };
        return asJson(approvals.respond({ ...said, all }, author));
      },
    };
  }

  // ---- response frames: nobody is replied to

  /** True: it is for one of ours. Neither the answer nor what an error says of it goes into a line. */
  resolveResponse(frame: JsonObject, peer: Peer): boolean {
    const { cards, requests, logger } = this.#context;
    const page = pageOf(peer);
    const { id, error } = frame;
    const isError = error !== undefined && error !== null;
    if (!isError && page.author === undefined) {
      logger.debug('readback host: an answer of a page that has not named its window was dropped');
      if (isId(id)) cards.refuse(page, id, UNNAMED);
      return true;
    }
    const askId = typeof id === 'string' ? cards.known(id) : undefined;
    if (askId === undefined && requests?.resolveResponse(frame, peer) === true) return true;
    if (!isId(id) || (askId === undefined && cards.isLoaded)) return false;
    // A page that cannot show a card decides nothing: another one may, or a terminal.
    if (!isError) this.#takeLater(page, id, frame['result']);
    return true;
  }

  #takeLater(page: PageSocket, id: string, result: JsonValue | undefined): void {
    const { cards, logger } = this.#context;
    const tell = (why: RpcRefusal | undefined): void => (why === undefined ? undefined : cards.refuse(page, id, why));
    if (page.aside(async () => tell(await this.#take(page, id, isJsonObject(result) ? result : {})))) return;
    logger.warn('readback host: a page answers more at once than it may; one answer was dropped');
    tell(BUSY);
  }

  /** What the page must be told, where its answer was not taken and its card does not end. */
  async #take(page: PageSocket, id: string, result: JsonObject): Promise<RpcRefusal | undefined> {
    const { cards, logger } = this.#context;
    try {
      const askId = await cards.find(id);
      if (askId === undefined) return undefined;
      const verdict = await this.#judge(page, askId, result, 'result');
      logger.debug(`readback host: an answer without a reply was ${verdict.verdict}`);
      if (isTaken(verdict) || (verdict.ask?.state ?? 'open') !== 'open') return undefined;
      return new RpcRefusal('bad_answer', verdict.message, { code: verdict.verdict, retry: false });
    } catch (error) {
      const refused = error instanceof RpcRefusal ? error : asRefusal(error);
      const why = error instanceof ReadbackError ? error.code : (refused?.code ?? 'a crash');
      logger.warn(`readback host: an answer without a reply was not taken: ${why}`);
      return refused ?? CRASHED;
    }
  }
}
