import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Logger, nodeRuntime } from '../runtime.ts';
import { HOST_BOUNDS } from './bounds.ts';
import { every } from './every.ts';
import type { Feed } from './feed.ts';
import { sendJson } from './reply.ts';
import { parse, queries } from './schemas.ts';
import type { Surfaces } from './surfaces.ts';

/** Streams of changes as server-sent events, for a terminal that follows. */
export class Events {
  readonly #feed: Feed;
  readonly #surfaces: Surfaces;
  readonly #logger: Logger;
  readonly #open = new Set<ServerResponse>();

  constructor(feed: Feed, surfaces: Surfaces, logger: Logger) {
    this.#feed = feed;
    this.#surfaces = surfaces;
    this.#logger = logger;
  }

  /** Holds `res` open and writes each change to it. With `surface=terminal` it counts as something that shows cards. */
  open(req: IncomingMessage, res: ServerResponse, query: Readonly<Record<string, string>>): void {
    const { surface } = parse(queries.events, query, 'query');
    if (this.#open.size >= HOST_BOUNDS.streams) {
      sendJson(res, 503, { error: { code: 'busy', message: 'Too many streams are open. Close one, then try again.' } });
      return;
    }
    // Before the first word: whoever cannot be attached is told so, instead of a stream that nobody ends.
    const detach = surface === undefined ? undefined : this.#surfaces.attach(surface, randomUUID());
    res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    this.#write(res, `event: ready\ndata: ${JSON.stringify({ now: nodeRuntime.now() })}\n\n`);
    const unread = this.#feed.read(({ json }) => this.#write(res, `event: ask\ndata: ${json}\n\n`));
    const stop = every(HOST_BOUNDS.ping, () => this.#write(res, ': still here\n\n'));
    this.#open.add(res);
    res.on('error', () => res.destroy());
    res.on('close', () => {
      stop();
      unread();
      detach?.();
      this.#open.delete(res);
    });
    req.resume();
  }

  close(): void {
    for (const res of this.#open) res.end();
  }

  #write(res: ServerResponse, text: string): void {
    if (res.destroyed || res.writableEnded) return;
    if (res.writableLength > HOST_BOUNDS.buffered) {
      this.#logger.warn('readback host: a stream does not read what it is sent; it was dropped');
      res.destroy();
      return;
    }
    res.write(text);
  }
}
