import type { WebSocket } from 'ws';
import type { Author } from '../api.ts';
import { invalid } from '../errors.ts';
import type { Peer } from '../requests/api.ts';
import { type Cancel, type Logger, nodeRuntime } from '../runtime.ts';
import { RpcRefusal } from '../wire/errors.ts';
import type { JsonObject, RpcFrame } from '../wire/json.ts';
import { frameText } from '../wire/jsonrpc.ts';
import { type SocketPeer, servePeer } from '../wire/websocket.ts';
import { HOST_BOUNDS } from './bounds.ts';
import { Desk, type DeskContext } from './desk.ts';
import type { Surfaces } from './surfaces.ts';

export interface PageContext extends DeskContext {
  readonly surfaces: Surfaces;
  readonly logger: Logger;
  /** One frame that arrived: any JSON value. */
  receive(page: PageSocket, frame: unknown): void;
}

/** One open page: a peer of the registry, and who it is. */
export class PageSocket implements Peer {
  readonly kind = 'websocket';
  readonly #socket: WebSocket;
  readonly #line: SocketPeer;
  readonly #context: PageContext;
  readonly #desk: Desk;
  #window: string | undefined;
  #answers = false;
  #detach: (() => void) | undefined;
  #running = 0;

  /** `left` is called once, when the page is gone. */
  constructor(socket: WebSocket, context: PageContext, left: (page: PageSocket) => void) {
    this.#socket = socket;
    this.#context = context;
    this.#desk = new Desk(context, this);
    this.#line = servePeer(socket, {
      onFrame: (frame) => context.receive(this, frame),
      onGone: () => {
        this.#review();
        left(this);
      },
      bufferedBytes: HOST_BOUNDS.buffered,
      heartbeat: { everyMs: HOST_BOUNDS.ping, deadlineMs: 2 * HOST_BOUNDS.ping },
      logger: context.logger,
    });
  }

  /** The first frame. A socket that does not take it in time is dropped. */
  greet(frame: RpcFrame): void {
    const stop: Cancel = nodeRuntime.after(
      HOST_BOUNDS.firstFrame,
      () => this.#line.drop('did not read its first frame'),
      'quiet',
    );
    this.#socket.once('close', stop);
    this.#socket.send(frameText(frame), () => stop());
  }

  get closed(): boolean {
    return this.#line.closed;
  }

  /** Who answers here; known once the page has named its window. */
  get author(): Author | undefined {
    return this.#window === undefined ? undefined : { surface: 'page', who: this.#window };
  }

  /** Whether it can show cards now: it said that it answers requests, and which window it is. */
  get shows(): boolean {
    return this.#detach !== undefined;
  }

  get answers(): boolean {
    return this.#answers;
  }

  /** What `client.capabilities` says. */
  advertise(on: boolean): void {
    this.#answers = on;
    this.#review();
  }

  /** Names the window behind this socket, for good. */
  name(window: string): void {
    if (this.#window !== undefined && this.#window !== window) {
      throw invalid('params.window', 'is not the window that this socket named before');
    }
    this.#window = window;
    this.#review();
  }

  /** The window, for what only a known one may do. */
  known(): Author {
    const { author } = this;
    if (author !== undefined) return author;
    const data = { code: 'invalid_input', field: 'window', retry: true };
    throw new RpcRefusal('missing_id', 'window: a page names it with desk.resume before it answers or decides', data);
  }

  read(cursor: string | undefined): Promise<JsonObject> {
    return this.#desk.read(cursor);
  }

  send(frame: RpcFrame): boolean {
    return this.#line.send(frame);
  }

  /** Runs what nobody is replied to of, within the bound of what one page may have running. False: it was not run. */
  aside(work: () => Promise<void>): boolean {
    if (this.#running >= HOST_BOUNDS.inFlight) return false;
    this.#running += 1;
    void work().finally(() => {
      this.#running -= 1;
    });
    return true;
  }

  #review(): void {
    const window = this.closed || !this.#answers ? undefined : this.#window;
    if (window === undefined) {
      this.#detach?.();
      this.#detach = undefined;
    } else this.#detach ??= this.#context.surfaces.attach('page', window);
  }
}
