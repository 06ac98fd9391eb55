import type { IncomingMessage, ServerResponse } from 'node:http';
import type { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { Asking } from '../api.ts';
import { requireGiven } from '../given.ts';
import { SIZES } from '../limits.ts';
import { watchResponse } from '../responses.ts';
import type { Cancel, Logger, Runtime } from '../runtime.ts';
import { consoleLogger, nodeRuntime } from '../runtime.ts';
import { guarded } from '../wire/contracts/policy.ts';
import { HOLD_HEADER, header, holdOf, isInitialize, Refused, readJson, refuse, requestIds } from './body.ts';
import { MCP_BOUNDS } from './bounds.ts';
import type { NamedBranches } from './branches.ts';
import type { McpClientInfo, McpServerHandle } from './connection.ts';
import { createMcpServer } from './connection.ts';
import type { SessionMemory } from './session.ts';
import { reasonOf } from './wording.ts';

/** Header by which a forwarder names its conversation, so that a restart of the host does not end it. */
export const SESSION_HEADER = 'x-readback-session';

export interface McpHttpOptions {
  readonly coordinator: Asking;
  /** What clients name as their branches (`namedBranches()`). Without it they are passed over. */
  readonly branches?: NamedBranches | undefined;
  readonly holdMs?: number | undefined;
  readonly progressMs?: number | undefined;
  readonly version?: string | undefined;
  /** Sessions at the same time. Beyond it the one that was idle longest ends; with none idle a new one gets 503. */
  readonly maxSessions?: number | undefined;
  /** Milliseconds a forwarder's session outlives its event stream. */
  readonly graceMs?: number | undefined;
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
}

/** The MCP endpoint of a host: many sessions over Streamable HTTP. */
export interface McpHttp {
  /** Answers one HTTP request. The caller has checked its token, Host and Origin. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** The clients that are connected now. */
  sessions(): readonly McpClientInfo[];
  /**
   * Ends every session and settles when everything unread is handed back. Calls that wait return `pending`; those of
   * a forwarder end without a result, because they go on at the next host.
   */
  close(): Promise<void>;
}

/** Milliseconds between two looks at whether the last results have left. */
const PARTING_STEP = 10;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface Session {
  readonly id: string;
  /** The conversation a forwarder named, if one did. */
  readonly named: string | undefined;
  readonly transport: StreamableHTTPServerTransport;
  readonly server: McpServerHandle;
  /** For each request whose response is on its way: whether it left the process. */
  readonly fates: Map<RequestId, Promise<boolean>>;
  /** Requests that came in one POST with others and share its response. */
  readonly batched: Set<RequestId>;
  usedAt: number;
  streams: number;
  grace: Cancel | undefined;
}

/** Makes the MCP endpoint. It listens to nothing by itself: mount `handle` in a server of your own. */
export function createMcpHttp(options: McpHttpOptions): McpHttp {
  requireGiven(options, {
    'coordinator.ask': 'function',
    'coordinator.unread': 'function',
    logger: 'object?',
    runtime: 'object?',
  });
  return new Endpoint(options);
}

class Endpoint implements McpHttp {
  readonly #options: McpHttpOptions;
  readonly #runtime: Runtime;
  readonly #log: Logger;
  readonly #sessions = new Map<string, Session>();
  /** What named conversations left behind when their session ended; a few, because a forwarder comes back soon. */
  readonly #left = new Map<string, SessionMemory>();
  /** The newest opening under each name that is not over yet. */
  readonly #openings = new Map<string, Promise<unknown>>();
  #closed = false;

  constructor(options: McpHttpOptions) {
    this.#options = options;
    this.#runtime = options.runtime ?? nodeRuntime;
    this.#log = guarded(options.logger ?? consoleLogger);
  }

  async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    watchResponse(req, res);
    try {
      if (this.#closed) throw new Refused(503, -32000, 'The host is closing.');
      if (req.method === 'POST') await this.#post(req, res);
      else if (req.method === 'GET') await this.#get(req, res);
      else {
        const session = this.#session(req);
        await session.transport.handleRequest(req, res);
      }
    } catch (error) {
      refuse(res, error instanceof Refused ? error : new Refused(500, -32603, 'The request could not be handled.'));
      if (!(error instanceof Refused)) this.#log.warn(`readback mcp: ${reasonOf(error)}`);
    }
  }

  sessions(): readonly McpClientInfo[] {
    return [...this.#sessions.values()].flatMap((session) => session.server.client() ?? []);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#sessions.values()].map((session) => this.#part(session)));
  }

  async #part(session: Session): Promise<void> {
    if (session.named === undefined) {
      session.server.session.leave();
      const looks = MCP_BOUNDS.parting / PARTING_STEP;
      for (let look = 0; look < looks && session.server.busy(); look += 1) await this.#pause(PARTING_STEP);
    }
    await this.#end(session, false);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#runtime.after(ms, resolve));
  }

  async #post(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await readJson(req);
    const serve = async (session: Session): Promise<void> => {
      session.usedAt = this.#runtime.now();
      watch(session, freeIds(session, body), res);
      await session.transport.handleRequest(req, res, body);
      if (session.transport.sessionId === undefined) await this.#end(session, false);
    };
    if (!isInitialize(body) || req.headers['mcp-session-id']) return serve(this.#session(req));
    const named = header(req, SESSION_HEADER);
    if (named !== undefined && !UUID.test(named)) throw new Refused(400, -32600, `${SESSION_HEADER}: must be a UUID.`);
    await this.#inTurn(named, async () => serve(await this.#open(req, named)));
  }

  /** One opening under a name waits for the one before it: two sessions would share a tab and a carrier. */
  async #inTurn(named: string | undefined, open: () => Promise<void>): Promise<void> {
    if (named === undefined) return open();
    const opened = (this.#openings.get(named) ?? Promise.resolve()).then(open);
    const over = opened.catch(() => undefined);
    this.#openings.set(named, over);
    try {
      await opened;
    } finally {
      if (this.#openings.get(named) === over) this.#openings.delete(named);
    }
  }

  async #get(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const session = this.#session(req);
    session.streams += 1;
    session.grace?.();
    session.grace = undefined;
    res.once('close', () => {
      session.streams -= 1;
      session.usedAt = this.#runtime.now();
      // Only a forwarder is known to keep its stream open as long as it lives, and to come back by name.
      if (session.named === undefined || session.streams > 0 || this.#closed) return;
      session.grace = this.#runtime.after(this.#options.graceMs ?? MCP_BOUNDS.grace, () => {
        if (session.streams === 0) void this.#end(session, false);
      });
    });
    await session.transport.handleRequest(req, res);
  }

  #session(req: IncomingMessage): Session {
    const id = req.headers['mcp-session-id'];
    if (typeof id !== 'string' || id === '')
      throw new Refused(400, -32000, 'The Mcp-Session-Id header is missing; initialize first.');
    const session = this.#sessions.get(id);
    if (session === undefined) throw new Refused(404, -32001, 'The session is not known here; initialize again.');
    return session;
  }

  async #open(req: IncomingMessage, named: string | undefined): Promise<Session> {
    const holdMs = holdOf(header(req, HOLD_HEADER)) ?? this.#options.holdMs;
    const before = named === undefined ? undefined : [...this.#sessions.values()].find((each) => each.named === named);
    const memory = before?.server.session.memory ?? (named === undefined ? undefined : this.#left.get(named));
    if (before !== undefined) await this.#end(before, true);
    const { StreamableHTTPServerTransport: Transport } = await import(
      '@modelcontextprotocol/sdk/server/streamableHttp.js'
    );
    // Nothing is awaited between the last look at the room and the entry in the list.
    while (this.#sessions.size >= (this.#options.maxSessions ?? MCP_BOUNDS.sessions)) await this.#makeRoom();
    if (this.#closed) throw new Refused(503, -32000, 'The host is closing.');
    const id = this.#runtime.id();
    const fates: Session['fates'] = new Map();
    const transport = new Transport({ sessionIdGenerator: () => id, maxRequestBodySize: SIZES.frame });
    const server = createMcpServer({
      coordinator: this.#options.coordinator,
      branches: this.#options.branches,
      sessionId: named ?? id,
      holdMs,
      progressMs: this.#options.progressMs,
      version: this.#options.version,
      runtime: this.#runtime,
      logger: this.#log,
      memory,
      confirm: (request) => fates.get(request),
      free: (request) => free(session, request),
    });
    const session: Session = {
      id,
      named,
      transport,
      server,
      fates,
      batched: new Set(),
      usedAt: this.#runtime.now(),
      streams: 0,
      grace: undefined,
    };
    server.onclose = () => this.#forget(session);
    this.#sessions.set(id, session);
    // The SDK's own class does not satisfy its own interface under exactOptionalPropertyTypes.
    await server.connect(transport as Parameters<McpServerHandle['connect']>[0]);
    return session;
  }

  async #makeRoom(): Promise<void> {
    const idle = [...this.#sessions.values()].filter((session) => session.streams === 0 && !session.server.busy());
    const oldest = idle.sort((a, b) => a.usedAt - b.usedAt)[0];
    if (oldest === undefined)
      throw new Refused(503, -32000, 'Too many sessions are open here; end one and initialize again.');
    await this.#end(oldest, false);
  }

  /** Until everything is handed back it has its name and its place: who comes next waits for that. */
  async #end(session: Session, successor: boolean): Promise<void> {
    session.grace?.();
    try {
      await session.server.close({ successor });
    } catch (error) {
      this.#log.warn(`readback mcp: session ${session.id} did not close cleanly: ${reasonOf(error)}`);
    } finally {
      this.#forget(session);
    }
  }

  #forget(session: Session): void {
    session.grace?.();
    session.grace = undefined;
    if (!this.#sessions.delete(session.id) || session.named === undefined) return;
    this.#left.delete(session.named);
    this.#left.set(session.named, session.server.session.memory);
    for (const oldest of this.#left.keys()) {
      if (this.#left.size <= MCP_BOUNDS.sessions) break;
      this.#left.delete(oldest);
    }
  }
}

/** The ids of the requests in a body. One that a response is still owed for would take that response's way out. */
function freeIds(session: Session, body: unknown): readonly RequestId[] {
  const ids = requestIds(body);
  const taken = ids.find((id, at) => session.fates.has(id) || ids.indexOf(id) !== at);
  if (taken === undefined) return ids;
  throw new Refused(400, -32600, `Request id ${JSON.stringify(taken)} is still in use in this session.`);
}

/** Learns whether the responses of a POST left the process: a transport that took them has only queued them. */
function watch(session: Session, ids: readonly RequestId[], res: ServerResponse): void {
  if (ids.length === 0) return;
  const fate = new Promise<boolean>((resolve) => {
    res.once('finish', () => resolve(true));
    res.once('close', () => resolve(res.writableFinished));
  });
  for (const id of ids) {
    session.fates.set(id, fate);
    if (ids.length > 1) session.batched.add(id);
  }
  void fate.then((out) => {
    if (!out) session.server.gone(ids);
    for (const id of ids) {
      if (session.fates.get(id) !== fate) continue;
      session.fates.delete(id);
      session.batched.delete(id);
    }
  });
}

/** Ends the stream of a request that gets no response, so that its socket is free. */
function free(session: Session, id: RequestId): void {
  const { transport } = session;
  // The others of a batch still need the stream, and it ends only when each of them has a response.
  if (!session.batched.has(id)) {
    transport.closeSSEStream(id);
    session.fates.delete(id);
  }
  // With its stream gone this goes nowhere; it lets the transport forget the request.
  const error = { code: -32000, message: 'The call was cancelled.' };
  transport.send({ jsonrpc: '2.0', id, error }).catch(() => undefined);
}
