import type { RawData, WebSocket } from 'ws';
import type { Asking } from '../api.ts';
import { invalid, ReadbackError } from '../errors.ts';
import { SIZES } from '../limits.ts';
import { type Cancel, type Logger, nodeRuntime } from '../runtime.ts';
import { Backlog } from './backlog.ts';
import { HOST_BOUNDS } from './bounds.ts';
import type { Feed, FeedItem } from './feed.ts';
import { wireError } from './reply.ts';
import { pageParams, parse, requestSchema } from './schemas.ts';
import type { Surfaces } from './surfaces.ts';

type Id = string | number | null;

/** JSON-RPC 2.0 error numbers. */
const RPC = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  server: -32000,
} as const;

export interface PageContext {
  readonly coordinator: Asking;
  readonly feed: Feed;
  readonly surfaces: Surfaces;
  readonly logger: Logger;
}

/** One open page: what it is told, what it asks for, and who it says it is. */
export class PageSocket {
  readonly #socket: WebSocket;
  readonly #context: PageContext;
  readonly #unread: () => void;
  /** Changes that arrived before the first frame had left; the latest of each card. Null once it has. */
  #held: Map<string, FeedItem> | null = new Map();
  /** The open cards that did not fit in the first frame. */
  #backlog: Backlog | undefined;
  #window: string | undefined;
  #detach: (() => void) | undefined;
  #running = 0;
  #alive = true;
  #stopWaiting: Cancel = () => undefined;

  constructor(socket: WebSocket, context: PageContext) {
    this.#socket = socket;
    this.#context = context;
    this.#unread = context.feed.read((item) => this.#change(item));
    socket.on('message', (data, binary) => void this.#receive(data, binary));
    socket.on('pong', () => {
      this.#alive = true;
    });
    socket.on('close', () => this.#gone());
    // A broken frame or a reset is followed by `close`; without a listener it would end the process.
    socket.on('error', () => socket.terminate());
    void this.#greet();
  }

  /** True once the page said hello: it can show cards. */
  get shows(): boolean {
    return this.#window !== undefined;
  }

  /** Drops the socket if it never answered the last ping, otherwise pings again. */
  ping(): void {
    if (!this.#alive) {
      this.#socket.terminate();
      return;
    }
    this.#alive = false;
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
  }

  async #greet(): Promise<void> {
    const { coordinator, logger } = this.#context;
    try {
      const [open, recent] = await Promise.all([
        coordinator.list({ what: 'open', limit: HOST_BOUNDS.openCards }),
        coordinator.list({ what: 'recent', limit: HOST_BOUNDS.history }),
      ]);
      const openTotal = await this.#count(open.length);
      this.#stopWaiting = nodeRuntime.after(
        HOST_BOUNDS.firstFrame,
        () => this.#drop('did not read its first frame'),
        'quiet',
      );
      this.#socket.send(notification('asks', JSON.stringify({ open, openTotal, recent, now: nodeRuntime.now() })), () =>
        this.#flush(),
      );
    } catch (error) {
      wireError(error, logger);
      this.#socket.close(1011, 'The asks cannot be read now.');
    }
  }

  /** Until the first frame has left, a long list could make an honest reader look like one that never reads. */
  #flush(): void {
    this.#stopWaiting();
    const held = this.#held;
    this.#held = null;
    for (const item of held?.values() ?? []) this.#tell(item);
  }

  /** How many cards are open, those that are not told yet included. */
  async #count(told: number): Promise<number> {
    if (told < HOST_BOUNDS.openCards) return told;
    const all = await this.#context.coordinator.list({ what: 'open', limit: SIZES.listed });
    if (all.length <= told) return told;
    this.#backlog = new Backlog(
      all.map((ask) => ask.askId),
      told,
    );
    return all.length;
  }

  #tell({ askId, open, json }: FeedItem): void {
    this.#send(notification('ask', json));
    const before = this.#backlog?.size ?? 0;
    if (before === 0) return;
    const next = this.#backlog?.heard(askId, open);
    if (next !== undefined) void this.#follow(next);
    const count = this.#backlog?.size ?? 0;
    if (count < before) this.#send(notification('more', JSON.stringify({ count, now: nodeRuntime.now() })));
  }

  /** Tells of a card that had to wait for its turn. */
  async #follow(askId: string): Promise<void> {
    try {
      const ask = await this.#context.coordinator.show(askId);
      const now = nodeRuntime.now();
      if (ask !== undefined) this.#send(notification('ask', JSON.stringify({ ask, cause: 'next', now })));
    } catch (error) {
      wireError(error, this.#context.logger);
      this.#socket.close(1011, 'The asks cannot be read now.');
    }
  }

  #change(item: FeedItem): void {
    if (this.#held !== null) {
      // Put last, so that the order of the latest changes is kept.
      this.#held.delete(item.askId);
      this.#held.set(item.askId, item);
      return;
    }
    this.#tell(item);
  }

  async #receive(data: RawData, binary: boolean): Promise<void> {
    let frame: unknown;
    try {
      if (binary) throw new Error('binary');
      frame = JSON.parse(String(data));
    } catch {
      this.#fail(null, RPC.parse, 'The frame is no JSON text. Send one JSON-RPC 2.0 request in each text frame.');
      return;
    }
    const request = requestSchema.safeParse(frame);
    if (!request.success) {
      const field = request.error.issues[0]?.path.join('.') || 'frame';
      this.#fail(
        idOf(frame),
        RPC.request,
        `${field}: this is no JSON-RPC 2.0 request with an id. Nothing was changed.`,
        {
          code: 'invalid_request',
          field,
          retry: false,
        },
      );
      return;
    }
    const { id, method, params } = request.data;
    if (this.#running >= HOST_BOUNDS.inFlight) {
      this.#fail(id, RPC.server, 'Too many requests of this page are running. Wait for a reply, then send it again.', {
        code: 'busy',
        retry: true,
      });
      return;
    }
    this.#running += 1;
    try {
      const result = await this.#call(method, params);
      if (result === undefined)
        this.#fail(id, RPC.method, 'method: there is no method of this name. Nothing was changed.');
      else this.#send(JSON.stringify({ jsonrpc: '2.0', id, result }));
    } catch (error) {
      this.#reject(id, error);
    } finally {
      this.#running -= 1;
    }
  }

  async #call(method: string, params: unknown): Promise<unknown> {
    const { coordinator } = this.#context;
    switch (method) {
      case 'hello':
        return this.#hello(parse(pageParams.hello, params, 'params').window);
      case 'answer': {
        const { askId, reply } = parse(pageParams.answer, params, 'params');
        return await coordinator.answer(askId, reply, { surface: 'page', who: this.#known() });
      }
      case 'withdraw': {
        const { askId, reason } = parse(pageParams.withdraw, params, 'params');
        return await coordinator.withdraw(askId, reason, { surface: 'page', who: this.#known() });
      }
      case 'show':
        return { ask: (await coordinator.show(parse(pageParams.show, params, 'params').askId)) ?? null };
      default:
        return undefined;
    }
  }

  #hello(window: string): { window: string; now: number } {
    if (this.#window !== undefined && this.#window !== window) {
      throw invalid('params.window', 'is not the window that this socket named before');
    }
    if (this.#window === undefined && this.#socket.readyState === this.#socket.OPEN) {
      this.#window = window;
      this.#detach = this.#context.surfaces.attach('page', window);
    }
    return { window, now: nodeRuntime.now() };
  }

  #known(): string {
    if (this.#window === undefined) throw invalid('method', 'a page says hello before it answers or withdraws');
    return this.#window;
  }

  #reject(id: Id, error: unknown): void {
    const { code, message, field, retry } = wireError(error, this.#context.logger);
    const number = error instanceof ReadbackError ? (code === 'invalid_input' ? RPC.params : RPC.server) : RPC.internal;
    this.#fail(id, number, message, { code, retry, ...(field === undefined ? {} : { field }) });
  }

  #fail(id: Id, code: number, message: string, data?: { code: string; field?: string; retry: boolean }): void {
    this.#send(
      JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } }),
    );
  }

  #send(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > HOST_BOUNDS.buffered) this.#drop('does not read what it is sent');
    else this.#socket.send(text);
  }

  #drop(why: string): void {
    this.#context.logger.warn(`readback host: a page ${why}; its socket was dropped`);
    this.#socket.terminate();
  }

  #gone(): void {
    this.#stopWaiting();
    this.#unread();
    this.#held = new Map();
    this.#detach?.();
    this.#detach = undefined;
    this.#window = undefined;
  }
}

function notification(method: string, params: string): string {
  return `{"jsonrpc":"2.0","method":"${method}","params":${params}}`;
}

function idOf(frame: unknown): Id {
  if (typeof frame !== 'object' || frame === null || !('id' in frame)) return null;
  return typeof frame.id === 'string' || typeof frame.id === 'number' ? frame.id : null;
}
