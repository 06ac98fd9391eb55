import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult, Implementation, Progress } from '@modelcontextprotocol/sdk/types.js';
import type { Logger, Runtime } from '../runtime.ts';
import { MCP_BOUNDS } from './bounds.ts';
import type { ToolName } from './tools.ts';
import { reasonOf } from './wording.ts';

/** Marks a call on its way to the host, so that the end of its stream can be told from its result. */
const CALL_META = 'readback/call';
/** The host decides how long a call holds; this is only the longest delay a timer can have. */
const NO_TIMEOUT_MS = 2_147_483_647;

/** Where the host listens. */
export interface HostAddress {
  readonly url: string;
  readonly token: string;
}

export interface RemoteOptions {
  readonly connect: () => Promise<HostAddress>;
  /** Headers that name the conversation. */
  readonly headers: Readonly<Record<string, string>>;
  /** Who the client is, for the host to show. */
  readonly client: () => Implementation;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

export interface Forwarded {
  readonly params: { readonly name: ToolName; readonly arguments?: Record<string, unknown> | undefined };
  readonly signal: AbortSignal;
  readonly onprogress: ((progress: Progress) => void) | undefined;
}

/** The connection to the host broke under a call. */
export class LinkLost extends Error {
  /** True when the host cannot have run the call. */
  readonly unsent: boolean;

  constructor(message: string, unsent: boolean) {
    super(message);
    this.unsent = unsent;
  }
}

/** The host does not take a call of this size; it has not read it. */
export class TooLarge extends Error {}

interface Link {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  dropped: boolean;
}

/** One session on the host, made at the first call and again after the host was restarted. */
export class Remote {
  readonly #options: RemoteOptions;
  readonly #running = new Map<string, (lost: LinkLost) => void>();
  #link: Promise<Link> | undefined;
  #closed = false;

  constructor(options: RemoteOptions) {
    this.#options = options;
  }

  /** Runs a call on the host. Rejects with `LinkLost` when the connection broke, else as the host did. */
  async call(forwarded: Forwarded): Promise<CallToolResult> {
    const link = await this.#connected();
    const mark = this.#options.runtime.id();
    const broken = new AbortController();
    this.#running.set(mark, (lost) => broken.abort(lost));
    try {
      const { CallToolResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
      const { name, arguments: args } = forwarded.params;
      const params = { name, ...(args === undefined ? {} : { arguments: args }), _meta: { [CALL_META]: mark } };
      const result = await link.client.request({ method: 'tools/call', params }, CallToolResultSchema, {
        signal: AbortSignal.any([forwarded.signal, broken.signal]),
        timeout: NO_TIMEOUT_MS,
        ...(forwarded.onprogress === undefined ? {} : { onprogress: forwarded.onprogress }),
      });
      return result;
    } catch (error) {
      if (forwarded.signal.aborted) throw error;
      if ((error as { code?: unknown }).code === 413) throw new TooLarge(reasonOf(error));
      const lost = broken.signal.aborted ? (broken.signal.reason as LinkLost) : lossIn(error, link);
      if (lost === undefined) throw error;
      this.#drop(link);
      throw lost;
    } finally {
      this.#running.delete(mark);
    }
  }

  /** Tells the host that results with these tokens were not written to the client. */
  async notWritten(tokens: readonly string[]): Promise<void> {
    if (tokens.length === 0 || this.#link === undefined) return;
    try {
      const { transport } = await this.#link;
      await transport.send({
        jsonrpc: '2.0',
        method: 'notifications/readback/not_written',
        params: { tokens: [...tokens] },
      });
    } catch (error) {
      this.#options.logger.warn(`readback mcp: the host was not told of unread answers: ${reasonOf(error)}`);
    }
  }

  /** Ends the session on the host, so that what was not read is handed back there at once. */
  async close(): Promise<void> {
    this.#closed = true;
    const link = this.#link;
    if (link === undefined) return;
    await Promise.race([
      link.then((open) => this.#leave(open)).catch(() => undefined),
      new Promise<void>((resolve) => this.#options.runtime.after(MCP_BOUNDS.farewell, resolve)),
    ]);
  }

  async #leave(link: Link): Promise<void> {
    if (!link.dropped) await link.transport.terminateSession().catch(() => undefined);
    this.#drop(link);
  }

  #connected(): Promise<Link> {
    if (this.#closed) return Promise.reject(new LinkLost('This process is ending.', true));
    if (this.#link === undefined) {
      const link = this.#open();
      this.#link = link;
      link.catch(() => {
        if (this.#link === link) this.#link = undefined;
      });
    }
    return this.#link;
  }

  async #open(): Promise<Link> {
    try {
      const [{ Client }, { StreamableHTTPClientTransport: Transport }, { url, token }] = await Promise.all([
        import('@modelcontextprotocol/sdk/client/index.js'),
        import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
        this.#options.connect(),
      ]);
      const endpoint = new URL(url);
      if (endpoint.pathname === '/') endpoint.pathname = '/mcp';
      const transport = new Transport(endpoint, {
        requestInit: { headers: { authorization: `Bearer ${token}`, ...this.#options.headers } },
        fetch: (input, init) => this.#fetch(input, init),
      });
      const client = new Client(this.#options.client(), { capabilities: {} });
      const link: Link = { client, transport, dropped: false };
      // The SDK's own class does not satisfy its own interface under exactOptionalPropertyTypes.
      await client.connect(transport as Parameters<Client['connect']>[0]);
      client.onclose = () => this.#drop(link);
      if (this.#closed) await this.#leave(link);
      return link;
    } catch (error) {
      throw new LinkLost(`The readback host cannot be reached: ${reasonOf(error)}`, true);
    }
  }

  #drop(link: Link): void {
    if (link.dropped) return;
    link.dropped = true;
    this.#link = undefined;
    link.client.close().catch(() => undefined);
  }

  /** Watches the stream that carries a result: the SDK waits on when such a stream breaks. */
  async #fetch(input: string | URL, init?: RequestInit): Promise<Response> {
    const response = await fetch(input, init);
    const mark = typeof init?.body === 'string' ? markOf(init.body) : undefined;
    if (mark === undefined || !response.ok || response.body === null) return response;
    const watched = response.body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>());
    const [forSdk, forUs] = watched.tee();
    void this.#drain(forUs, mark);
    return new Response(forSdk, { status: response.status, headers: response.headers });
  }

  async #drain(stream: ReadableStream<Uint8Array>, mark: string): Promise<void> {
    const reader = stream.getReader();
    try {
      while (!(await reader.read()).done);
    } catch {
      // How the stream ended does not matter: without a result the call is lost either way.
    }
    this.#options.runtime.after(MCP_BOUNDS.settle, () => {
      this.#running.get(mark)?.(
        new LinkLost('The connection to the readback host broke while the call was held.', false),
      );
    });
  }
}

function markOf(body: string): string | undefined {
  if (!body.includes(CALL_META)) return undefined;
  const message = JSON.parse(body) as { params?: { _meta?: Record<string, unknown> } };
  const mark = message.params?._meta?.[CALL_META];
  return typeof mark === 'string' ? mark : undefined;
}

/** What of a failed request means that the connection is gone; undefined for an answer of the host. */
function lossIn(error: unknown, link: Link): LinkLost | undefined {
  if (error instanceof LinkLost) return error;
  const code = (error as { code?: unknown }).code;
  const name = (error as { constructor?: { name?: string } }).constructor?.name;
  if (link.dropped) return new LinkLost(reasonOf(error), false);
  if (name === 'StreamableHTTPError') return new LinkLost(reasonOf(error), typeof code === 'number' && code >= 400);
  if (error instanceof TypeError) {
    const cause = (error.cause as { code?: unknown } | undefined)?.code;
    return new LinkLost(reasonOf(error), cause === 'ECONNREFUSED');
  }
  return undefined;
}
