import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { SIZES } from '../limits.ts';
import { type Cancel, nodeRuntime } from '../runtime.ts';
import { HOST_BOUNDS } from './bounds.ts';
import { every } from './every.ts';
import { type PageContext, PageSocket } from './page-socket.ts';

/** All open page sockets. */
export class Pages {
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: SIZES.frame, perMessageDeflate: false });
  readonly #open = new Set<PageSocket>();
  readonly #context: PageContext;
  readonly #stopPings: Cancel;

  constructor(context: PageContext) {
    this.#context = context;
    this.#stopPings = every(HOST_BOUNDS.ping, () => {
      for (const page of this.#open) page.ping();
    });
  }

  /** How many open pages said hello. */
  get showing(): number {
    return [...this.#open].filter((page) => page.shows).length;
  }

  get full(): boolean {
    return this.#open.size >= HOST_BOUNDS.pages;
  }

  /** Takes over a socket that the guard let in. */
  accept(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(req, socket, head, (ws) => {
      const page = new PageSocket(ws, this.#context);
      this.#open.add(page);
      ws.on('close', () => this.#open.delete(page));
    });
  }

  /** Says goodbye to every page, and cuts those that have not gone in time. */
  async close(): Promise<void> {
    this.#stopPings();
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
}
