import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Asking } from '../api.ts';
import { SIZES } from '../limits.ts';
import type { Peer, ServerRequests } from '../requests/api.ts';
import { type Logger, nodeRuntime } from '../runtime.ts';
import { type EventChecks, eventChecks } from '../wire/contracts/events.ts';
import type { ContractPolicy } from '../wire/contracts/policy.ts';
import { createDispatcher, type Dispatcher } from '../wire/dispatch.ts';
import type { JsonObject, RpcFrame } from '../wire/json.ts';
import { eventFrame } from '../wire/jsonrpc.ts';
import { AskCards, type Board } from './ask-cards.ts';
import { HOST_BOUNDS } from './bounds.ts';
import { hostPack } from './contracts.ts';
import type { Feed } from './feed.ts';
import { asRefusal, type MethodsContext, PageMethods } from './page-methods.ts';
import { type PageContext, PageSocket } from './page-socket.ts';
import { wireError } from './reply.ts';
import type { Surfaces } from './surfaces.ts';

export interface PagesOptions {
  readonly coordinator: Asking;
  readonly requests?: ServerRequests | undefined;
  readonly approvals?: MethodsContext['approvals'];
  readonly policy?: ContractPolicy | undefined;
  /** Whose ids are good: a page that meets another epoch drops its cards. */
  readonly epoch: string;
  readonly feed: Feed;
  readonly surfaces: Surfaces;
  readonly logger: Logger;
}

/** All open page sockets, behind one dispatcher. */
export class Pages {
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: SIZES.frame, perMessageDeflate: false });
  readonly #open = new Set<PageSocket>();
  readonly #options: PagesOptions;
  readonly #context: PageContext;
  readonly #dispatcher: Dispatcher;
  readonly #events: EventChecks;
  readonly #unread: () => void;

  constructor(options: PagesOptions) {
    const { coordinator, requests, approvals, surfaces, logger, policy = 'production' } = options;
    this.#options = options;
    this.#events = eventChecks(hostPack, policy, logger);
    const cards = new AskCards(coordinator, this.#board());
    const methods = new PageMethods({ coordinator, cards, requests, approvals, logger });
    this.#dispatcher = createDispatcher({
      ...{ pack: hostPack, handlers: methods.handlers(), logger, policy, asRefusal, inFlight: HOST_BOUNDS.inFlight },
      requests: {
        resolveResponse: (frame, peer) => peer !== undefined && methods.resolveResponse(frame, peer),
        heard: (peer) => requests?.heard(peer),
      },
    });
    const receive = (page: PageSocket, frame: unknown): void => {
      this.#dispatcher.receive(page, frame).catch((error: unknown) => this.#violated(error));
    };
    this.#context = { coordinator, cards, requests, surfaces, logger, receive };
    this.#unread = options.feed.read((item) => cards.change(item));
  }

  /** How many open pages can show cards. */
  get showing(): number {
    return [...this.#open].filter((page) => page.shows).length;
  }

  get full(): boolean {
    return this.#open.size >= HOST_BOUNDS.pages;
  }

  /** Takes over a socket that the guard let in. */
  accept(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(req, socket, head, (ws) => {
      let forget: (() => void) | undefined;
      const page = new PageSocket(ws, this.#context, () => {
        this.#open.delete(page);
        forget?.();
      });
      this.#open.add(page);
      // Whether it answers requests is not known yet; until then it counts as one that may.
      try {
        forget = this.#options.requests?.attach(page, '*');
      } catch (error) {
        wireError(error, this.#options.logger);
        ws.close(1011, 'The host failed.');
        return;
      }
      const payload = { epoch: this.#options.epoch, now: nodeRuntime.now(), heartbeat_ms: HOST_BOUNDS.ping };
      this.#check('gateway.ready', payload);
      page.greet(eventFrame('gateway.ready', '', payload));
    });
  }

  /** Says goodbye to every page, and cuts those that have not gone in time. */
  async close(): Promise<void> {
    this.#unread();
    const left = [...this.#server.clients];
    const gone = left.map((ws) => new Promise<void>((resolve) => ws.once('close', () => resolve())));
    for (const ws of left) ws.close(1001, 'The host is closing.');
    const cancel = nodeRuntime.after(HOST_BOUNDS.close, () => {
      for (const ws of left) ws.terminate();
    });
    await Promise.all(gone);
    cancel();
    this.#server.close();
  }

  #board(): Board {
    const write = (frame: RpcFrame, wanted: (page: PageSocket) => boolean): void => {
      for (const page of this.#open) if (wanted(page)) page.send(frame);
    };
    return {
      tell: (frame: RpcFrame, except?: Peer) => write(frame, (page) => page !== except),
      ask: (frame: RpcFrame) => write(frame, (page) => page.answers),
      check: (type, payload) => this.#check(type, payload),
    };
  }

  /** What is told must be told all the same, so that even a strict host only says what is wrong. */
  #check(type: string, payload: JsonObject): void {
    try {
      this.#events.check(type, payload);
    } catch (error) {
      this.#violated(error);
    }
  }

  #violated(error: unknown): void {
    this.#options.logger.error(
      `readback host: ${error instanceof Error ? error.name : 'error'}: what was sent is wrong`,
    );
  }
}
