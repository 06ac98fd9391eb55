/** A host for the tests of the channel: the real registry and dispatcher behind linked lines, with numbered events. */
import type { OpenRequest, Peer, ServerRequests, ServerRequestsOptions } from '../../src/requests/api.ts';
import { createServerRequests } from '../../src/requests.ts';
import { timersOf } from '../../src/testing/channel/hand.ts';
import { HandRuntime } from '../../src/testing/hand-runtime.ts';
import { Channel } from '../../src/wire/channel.ts';
import type { ChannelOptions } from '../../src/wire/channel-options.ts';
import { defaultPack } from '../../src/wire/contracts/default-pack.ts';
import { requestContracts } from '../../src/wire/contracts/request-contracts.ts';
import type { JsonObject } from '../../src/wire/json.ts';
import { isJsonObject } from '../../src/wire/jsonrpc.ts';
import { type Line, type Linked, type LinkedOptions, linked } from '../../src/wire/linked.ts';

export const silent = { debug() {}, info() {}, warn() {}, error() {} };

export interface GatewayOptions {
  readonly registry?: Partial<ServerRequestsOptions>;
  readonly greeting?: () => JsonObject;
  readonly greets?: boolean;
  /** Sessions that a connection shows from its first moment. Default: none before it resumes one. */
  readonly attaches?: '*' | readonly string[];
  readonly handlers?: Readonly<Record<string, (params: JsonObject, peer: Peer) => JsonObject>>;
}

const openJson = (open: readonly OpenRequest[]): JsonObject[] =>
  open.map(({ id, method, params }) => ({ id, method, params }));

/** Server side. Frames of a client are handled as they are flushed; replies wait on the line. */
export class Gateway {
  readonly runtime = new HandRuntime();
  readonly requests: ServerRequests;
  readonly wire: Linked;
  /** Everything that arrived, per line. */
  readonly heard: { readonly line: number; readonly frame: JsonObject }[] = [];
  readonly #options: GatewayOptions;

  constructor(options: GatewayOptions = {}) {
    this.#options = options;
    this.requests = createServerRequests({
      contracts: requestContracts(defaultPack),
      runtime: this.runtime,
      logger: silent,
      ...options.registry,
    });
    const link: LinkedOptions = {
      accept: ({ peer }) => {
        this.requests.attach(peer, options.attaches ?? []);
        return () => this.requests.forget(peer);
      },
      onFrame: (frame, line) => this.#receive(frame, line),
      ...(options.greeting === undefined ? {} : { greeting: options.greeting }),
      ...(options.greets === undefined ? {} : { greets: options.greets }),
    };
    this.wire = linked(link);
  }

  get line(): Line {
    return this.wire.line;
  }

  /** A server that is asked what it was asked for by `send`: settled values by id, as they come. */
  ask(sid: string, params: JsonObject = { question: 'the one?', choices: null, multi_select: false }, qids?: string[]) {
    return this.requests.send('clarify', sid, params, { timeoutMs: null, ...(qids === undefined ? {} : { qids }) });
  }

  lines(): readonly Line[] {
    return this.wire.lines;
  }

  /** Frames that arrived and name this id. */
  heardOf(id: string): JsonObject[] {
    return this.heard.map(({ frame }) => frame).filter((frame) => JSON.stringify(frame).includes(JSON.stringify(id)));
  }

  #receive(frame: JsonObject, line: Line): void {
    this.heard.push({ line: line.number, frame });
    const { id, method } = frame;
    const params = isJsonObject(frame['params']) ? frame['params'] : {};
    if (typeof method !== 'string') {
      this.requests.resolveResponse(frame, line.peer);
      return;
    }
    try {
      const result = this.#call(method, params, line.peer);
      line.peer.send({ jsonrpc: '2.0', id: id as number, result });
    } catch (error) {
      const { code = -32000, message } = error as { code?: number; message: string };
      line.peer.send({ jsonrpc: '2.0', id: id as number, error: { code, message } });
    }
  }

  #call(method: string, params: JsonObject, peer: Peer): JsonObject {
    const own = this.#options.handlers?.[method];
    if (own !== undefined) return own(params, peer);
    const sid = String(params['session_id'] ?? '');
    switch (method) {
      case 'client.capabilities':
        return { server_requests: this.requests.advertise(peer, params['server_requests'] === true) };
      case 'ping':
        return {};
      case 'request.answer': {
        const taken = this.requests.answer(String(params['id']), params['result'] as JsonObject, peer);
        return { status: taken ? 'ok' : 'expired' };
      }
      case 'clarify.lock': {
        const { request_id: id, question_id: qid, answer } = params;
        const remaining = this.requests.lockAnswer(String(id), String(qid), answer, peer);
        return remaining === null ? { status: 'expired' } : { status: 'ok', remaining };
      }
      case 'session.resume':
      case 'session.activate':
        this.requests.attach(peer, [sid]);
        return { session_id: sid, open_requests: openJson(this.requests.replayTo(peer, sid)) };
      case 'session.events.since':
        this.requests.attach(peer, [sid]);
        return { events: [], open_requests: openJson(this.requests.replayTo(peer, sid)) };
      default:
        throw Object.assign(new Error('unknown method'), { code: -32601 });
    }
  }
}

/** A window of the client on that host. */
export function windowOn(gateway: Gateway, options: Partial<ChannelOptions> = {}): Channel {
  return new Channel({
    connect: (handlers) => gateway.wire.connect(handlers),
    timers: timersOf(gateway.runtime),
    heartbeat: false,
    ...options,
  });
}
