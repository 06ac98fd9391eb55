import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { attempt } from '../../machines/shared/heed.ts';
import type { Asking } from '../api.ts';
import { invalid } from '../errors.ts';
import { SIZES } from '../limits.ts';
import type { ServerRequests } from '../requests/api.ts';
import { watchResponse } from '../responses.ts';
import { type Logger, nodeRuntime } from '../runtime.ts';
import { type ContractPolicy, guarded } from '../wire/contracts/policy.ts';
import { findPanel, LOCKED, pageAsset } from './assets.ts';
import { HOST_BOUNDS } from './bounds.ts';
import { Events } from './events.ts';
import { Feed } from './feed.ts';
import { type Admitted, checkedToken, Guard, newToken, type Refusal, secureHeaders } from './guard.ts';
import { serveWithoutOffer, wantsWebSocket } from './offers.ts';
import type { MethodsContext } from './page-methods.ts';
import { Pages } from './pages.ts';
import { sendJson, wireError } from './reply.ts';
import { apiRoutes } from './routes.ts';
import { Surfaces } from './surfaces.ts';

export { type SocketPeer, servePeer } from '../wire/websocket.ts';
export { hostPack } from './contracts.ts';

/** A handler under a path of its own, for example /mcp. The host checks token, Host and Origin before it. */
export interface Mount {
  readonly path: string;
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Ends what it holds open; called once, when the host closes. */
  close?(): void;
}

/** An agent's client, as `readback doctor` lists it. */
export interface ClientInfo {
  readonly name: string;
  readonly version?: string | undefined;
  /** Its measured time limit for a tool call, in milliseconds. */
  readonly limitMs?: number | undefined;
}

export interface HostOptions {
  readonly coordinator: Asking;
  /** Shown on every page beside the asks. Take `coordinator.requests`, or a registry of your own. */
  readonly requests?: ServerRequests | undefined;
  /** With it pages may list, acknowledge and decide approvals. */
  readonly approvals?: MethodsContext['approvals'];
  /** What a message of this host that violates its contract does. Default `production`: a log line. */
  readonly policy?: ContractPolicy | undefined;
  /** Default: any free port. */
  readonly port?: number | undefined;
  /** Default: 32 fresh random bytes. 16 to 256 characters of A-Z a-z 0-9 _ - */
  readonly token?: string | undefined;
  readonly mounts?: readonly Mount[] | undefined;
  /** Folder of the built page. Default: the one of this package. */
  readonly panelDir?: string | undefined;
  readonly logger?: Logger | undefined;
  /** Who is connected, for /api/health. */
  readonly clients?: (() => readonly ClientInfo[]) | undefined;
  /** What /api/health says of this process. */
  readonly about?: { readonly version: string; readonly store: string } | undefined;
  /** Called after POST /api/stop was answered. The host does not close itself. */
  readonly onStop?: (() => void) | undefined;
}

export interface Host {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  /** The page's address with its secret token. Whoever has it may answer: print it, never log it. */
  readonly link: string;
  readonly token: string;
  readonly port: number;
  /** Ends all calls, streams and sockets in bounded time. Questions stay; the coordinator is left open. */
  close(): Promise<void>;
}

const SILENT: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Serves the page, its socket, the JSON routes and the mounts on 127.0.0.1, to holders of one secret token.
 *
 * Resolves when it listens. Rejects when the port is taken or an option is wrong.
 */
export async function startHost(options: HostOptions): Promise<Host> {
  if (typeof options?.coordinator?.subscribe !== 'function') {
    throw invalid('coordinator', 'must be one that openCoordinator() has resolved to; await it first');
  }
  const token = options.token === undefined ? newToken() : checkedToken(options.token);
  const server = createServer();
  const port = await listen(server, options.port ?? 0);
  const running = made(server, () => new RunningHost(server, port, token, options));
  const url = `http://127.0.0.1:${port}`;
  return { url, link: `${url}/?token=${token}`, token, port, close: () => running.close() };
}

/** Whoever gets no host has nothing to close: what listens already is ended here. */
function made(server: Server, make: () => RunningHost): RunningHost {
  try {
    return make();
  } catch (error) {
    server.close();
    throw error;
  }
}

class RunningHost {
  readonly #server: Server;
  readonly #options: HostOptions;
  readonly #logger: Logger;
  readonly #token: string;
  readonly #guard: Guard;
  readonly #feed: Feed;
  readonly #pages: Pages;
  readonly #events: Events;
  readonly #closing = new AbortController();
  readonly #startedAt = nodeRuntime.now();
  readonly #panel: string | undefined;
  readonly #api: (req: IncomingMessage, res: ServerResponse) => Promise<void>;
  #closed: Promise<void> | undefined;

  constructor(server: Server, port: number, token: string, options: HostOptions) {
    const { coordinator } = options;
    this.#server = server;
    this.#options = options;
    this.#logger = guarded(options.logger ?? SILENT);
    this.#token = token;
    this.#guard = new Guard(token, port);
    this.#panel = options.panelDir ?? findPanel();
    this.#feed = new Feed(coordinator);
    const surfaces = new Surfaces(coordinator);
    const { requests, approvals, policy } = options;
    const shared = { coordinator, feed: this.#feed, surfaces, logger: this.#logger, epoch: epochOf(token) };
    this.#pages = new Pages({ ...shared, requests, approvals, policy });
    this.#events = new Events(this.#feed, surfaces, this.#logger);
    const app = apiRoutes({
      coordinator,
      logger: this.#logger,
      closing: this.#closing.signal,
      health: () => this.#health(),
      stop: () => this.#own('onStop', () => options.onStop?.()),
    });
    this.#api = getRequestListener(app.fetch, { overrideGlobalObjects: false });
    server.on('request', (req, res) => void this.#request(req, res));
    server.on('upgrade', (req, socket, head) => this.#upgrade(req, socket, head));
    server.on('clientError', (_error, socket) => socket.destroy());
    // One connection that could not be accepted is none of the others' business.
    server.on('error', (error) => this.#logger.error(`readback host: the listener failed: ${error.message}`));
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#closing.abort();
    this.#events.close();
    for (const mount of this.#options.mounts ?? []) this.#own(`the end of ${mount.path}`, () => mount.close?.());
    this.#server.closeIdleConnections();
    const cancel = nodeRuntime.after(HOST_BOUNDS.close, () => this.#server.closeAllConnections());
    await Promise.all([this.#pages.close(), ended]);
    cancel();
    this.#feed.close();
  }

  /** Calls what the embedder gave; what it throws, now or later, is a line. */
  #own(what: string, call: () => unknown): void {
    attempt(call, (error) => this.#logger.error(`readback host: ${what} failed: ${String(error)}`));
  }

  async #request(req: IncomingMessage, res: ServerResponse): Promise<void> {
    watchResponse(req, res);
    try {
      const admitted = this.#guard.check(req);
      secureHeaders(res, 'status' in admitted ? undefined : req.headers.host);
      if ('status' in admitted) this.#refuse(req, res, admitted);
      else if (this.#closing.signal.aborted)
        sendJson(res, 503, { error: { code: 'closed', message: 'The host is closing.' } });
      else await this.#route(req, res, admitted);
    } catch (error) {
      const { status, ...rest } = wireError(error, this.#logger);
      // Of a reply that had begun nobody would ever say the end.
      if (res.headersSent && !res.writableEnded) res.destroy();
      else sendJson(res, status, { error: rest });
    }
  }

  async #route(req: IncomingMessage, res: ServerResponse, { path, query }: Admitted): Promise<void> {
    this.#logger.debug(`readback host: ${req.method} ${path}`);
    if (Number(req.headers['content-length'] ?? 0) > SIZES.frame) {
      const message = `body: is larger than ${SIZES.frame} bytes. Nothing was changed. Send less.`;
      this.#refuse(req, res, { status: 413, code: 'too_large', message });
      return;
    }
    const mount = this.#options.mounts?.find((one) => path === one.path || path.startsWith(`${one.path}/`));
    if (mount !== undefined) {
      await mount.handle(req, res);
    } else if (path === '/api/events' && req.method === 'GET') {
      this.#events.open(req, res, query);
    } else if (path === '/ws') {
      res.setHeader('upgrade', 'websocket');
      sendJson(res, 426, { error: { code: 'upgrade_required', message: 'This path wants a WebSocket.' } });
    } else if (req.method !== 'GET' || !this.#page(res, path)) {
      await this.#api(req, res);
    }
  }

  #page(res: ServerResponse, path: string): boolean {
    const asset = pageAsset(this.#panel, path, this.#token);
    if (asset === undefined) return false;
    const file = typeof asset === 'string' ? { type: 'text/plain; charset=utf-8', body: asset } : asset;
    res.writeHead(typeof asset === 'string' ? 503 : 200, { 'content-type': file.type });
    res.end(file.body);
    return true;
  }

  #refuse(req: IncomingMessage, res: ServerResponse, { status, code, message }: Refusal): void {
    this.#logger.debug(`readback host: refused with ${status} ${code}`);
    // The body of a stranger is not read; without this the socket would wait for its end.
    if (req.headers['content-length'] !== undefined || req.headers['transfer-encoding'] !== undefined) {
      res.setHeader('connection', 'close');
    }
    if (status === 401 && wantsPage(req)) {
      res.writeHead(status, { 'content-type': 'text/html; charset=utf-8' });
      res.end(LOCKED);
    } else sendJson(res, status, { error: { code, message, retry: false } });
  }

  #upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (!wantsWebSocket(req)) {
      serveWithoutOffer(this.#server, req, head);
      return;
    }
    socket.on('error', () => socket.destroy());
    const admitted = this.#guard.check(req);
    if ('status' in admitted) hangUp(socket, admitted.status, admitted.code, admitted.message);
    else if (admitted.path !== '/ws') hangUp(socket, 404, 'not_found', 'There is no WebSocket at this path.');
    else if (this.#closing.signal.aborted || this.#pages.full) {
      hangUp(socket, 503, 'busy', 'The host is closing, or too many pages are open. Try again later.');
    } else this.#pages.accept(req, socket, head);
  }

  async #health(): Promise<unknown> {
    const { coordinator, about } = this.#options;
    const open = await coordinator.list({ what: 'open', limit: HOST_BOUNDS.list });
    return {
      ok: true,
      pid: process.pid,
      version: about?.version ?? '0',
      pages: this.#pages.showing,
      open: open.length,
      store: about?.store ?? 'unknown',
      startedAt: this.#startedAt,
      clients: this.#clients(),
    };
  }

  /** A host that cannot name them is healthy all the same. */
  #clients(): readonly ClientInfo[] {
    let named: unknown;
    this.#own('clients', () => {
      named = this.#options.clients?.() ?? [];
      if (!Array.isArray(named)) this.#logger.error('readback host: clients gave no list');
      return named;
    });
    return Array.isArray(named) ? named : [];
  }
}

/**
 * Ids of what is open are the same after a restart, so that a page keeps its cards, and an answer that is on its way.
 * A host with another token is another host, and no page of this one can reach it.
 */
function epochOf(token: string): string {
  return createHash('sha256').update(`epoch of ${token}`).digest('hex').slice(0, 32);
}

/** True for a person's browser that opens the page itself, not for a script and not for a part of the page. */
function wantsPage({ method, url, headers }: IncomingMessage): boolean {
  return method === 'GET' && /^\/(?:inspect)?(?:\?|$)/.test(url ?? '') && (headers.accept ?? '').includes('text/html');
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = `Port ${port} is taken. Choose another with --port, or end the program that uses it.`;
      reject(error.code === 'EADDRINUSE' ? new Error(taken, { cause: error }) : error);
    });
    server.listen({ host: '127.0.0.1', port }, () => resolve((server.address() as AddressInfo).port));
  });
}

function hangUp(socket: Duplex, status: number, code: string, message: string): void {
  const body = JSON.stringify({ error: { code, message, retry: status === 503 } });
  const head = [
    `HTTP/1.1 ${status} ${code}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
