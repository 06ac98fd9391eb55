import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { CallToolResult, Progress } from '@modelcontextprotocol/sdk/types.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import { TIMES } from '../limits.ts';
import type { Logger, Runtime } from '../runtime.ts';
import { consoleLogger, nodeRuntime } from '../runtime.ts';
import { guarded } from '../wire/contracts/policy.ts';
import type { Call } from './gate.ts';
import { Gate } from './gate.ts';
import { isOversize, wordMisshapen, wordOversize } from './oversize.ts';
import type { Forwarded, HostAddress } from './remote.ts';
import { LinkLost, Remote, TooLarge } from './remote.ts';
import { frame } from './result.ts';
import { isToolName, listTools, noTool } from './tools.ts';
import { INSTRUCTIONS, reasonOf, wordFailure } from './wording.ts';

export interface McpStdioOptions {
  /** Finds the host, or starts one. Called at the first tool call, and again after the host went away. */
  readonly connect: () => Promise<HostAddress>;
  /** How long calls of this client hold, in milliseconds. Default: what the host says. */
  readonly holdMs?: number | undefined;
  readonly version?: string | undefined;
  /** Names the conversation. Default: a fresh UUID. */
  readonly sessionId?: string | undefined;
  readonly stdin?: Readable | undefined;
  readonly stdout?: Writable | undefined;
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
}

export interface McpStdio {
  /** Settles when the client has gone and the host knows it. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Reads the tokens that a result carries. */
function tokensOf(result: CallToolResult): string[] {
  const data = (result.structuredContent ?? {}) as {
    dropped_token?: unknown;
    questions?: unknown;
    earlier_answers?: unknown;
  };
  const all = [result.structuredContent, data.questions, data.earlier_answers].flat() as Carried[];
  // What is proven to be read is in nobody's hands: there is nothing to hand back.
  const tokens = all.map((each) => (each === undefined || each.read_back === true ? undefined : each.token));
  return [...tokens, data.dropped_token].filter((token) => typeof token === 'string');
}

type Carried = { readonly token?: unknown; readonly read_back?: unknown } | undefined;

/** Serves one MCP client over stdio, answering what it can by itself and forwarding calls to the host. */
export async function serveMcpStdio(options: McpStdioOptions): Promise<McpStdio> {
  const process_ = new StdioProcess(options);
  await process_.start();
  return process_;
}

class StdioProcess implements McpStdio {
  readonly closed: Promise<void>;
  readonly #server: Server;
  readonly #remote: Remote;
  readonly #gate: Gate;
  readonly #runtime: Runtime;
  readonly #log: Logger;
  readonly #stdin: Readable;
  readonly #stdout: Writable;
  readonly #holdMs: number;
  /** Asks that a call has taken up again after a break; a twin of that call must find its own. */
  readonly #resumed = new Set<string>();
  #settle: () => void = () => undefined;
  #closing: Promise<void> | undefined;

  constructor(options: McpStdioOptions) {
    this.#runtime = options.runtime ?? nodeRuntime;
    this.#holdMs = options.holdMs ?? TIMES.hold;
    this.#log = guarded(options.logger ?? consoleLogger);
    this.#stdin = options.stdin ?? process.stdin;
    this.#stdout = options.stdout ?? process.stdout;
    this.closed = new Promise((resolve) => {
      this.#settle = resolve;
    });
    const version = options.version ?? '0.1.0';
    this.#server = new Server(
      { name: 'readback', title: 'readback', version },
      { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
    );
    this.#remote = new Remote({
      connect: options.connect,
      headers: {
        'x-readback-session': options.sessionId ?? this.#runtime.id(),
        ...(options.holdMs === undefined ? {} : { 'x-readback-hold': String(Math.round(options.holdMs)) }),
      },
      client: () => this.#server.getClientVersion() ?? { name: 'an agent', version: '0' },
      runtime: this.#runtime,
      logger: this.#log,
    });
    const transport = new StdioServerTransport(this.#stdin, this.#stdout);
    const owner = {
      written: () => undefined,
      lost: (call: Call) => void this.#remote.notWritten(call.tokens.splice(0)),
    };
    this.#gate = new Gate(transport, owner, { now: () => this.#runtime.now() });
  }

  async start(): Promise<void> {
    this.#server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listTools() }));
    this.#server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
      const { name, arguments: args, _meta: meta } = request.params;
      if (!isToolName(name)) throw new McpError(ErrorCode.InvalidParams, noTool(name));
      const call = this.#gate.call(extra.requestId);
      if (call === undefined) throw new McpError(ErrorCode.ConnectionClosed, 'The call was cancelled.');
      const progressToken = meta?.progressToken;
      const onprogress =
        progressToken === undefined
          ? undefined
          : rising((progress) => {
              if (call.loss !== undefined) return;
              const params = { ...progress, progressToken };
              // A report that cannot be sent costs nothing; the result tells its own fate.
              extra.sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
            });
      if (call.misshapen !== undefined) return frame(wordMisshapen(name, call.misshapen));
      if (isOversize(args)) return frame(wordOversize(name, args));
      return this.#forward(call, { params: { name, arguments: args }, signal: call.signal, onprogress });
    });
    this.#server.onerror = (error) => this.#log.info(`readback mcp: ${error.message}`);
    this.#server.onclose = () => void this.close();
    this.#stdin.once('end', () => void this.close());
    this.#stdin.once('close', () => void this.close());
    // A client that went away breaks the pipe; that ends this process in order and is no crash.
    this.#stdout.on('error', () => void this.close());
    await this.#server.connect(this.#gate);
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      await this.#server.close();
      await this.#remote.close();
      this.#settle();
    })();
    return this.#closing;
  }

  async #forward(call: Call, forwarded: Forwarded): Promise<CallToolResult> {
    const startedAt = this.#runtime.now();
    let next = forwarded;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const result = await this.#remote.call(next);
        call.tokens.push(...tokensOf(result));
        // The client gave up while the host was writing: the host has to know that nobody reads this.
        if (call.loss !== undefined) await this.#remote.notWritten(call.tokens.splice(0));
        return result;
      } catch (error) {
        const final = finalResult(error, call, next, attempt);
        if (final !== undefined) return final;
        try {
          if (!(error as LinkLost).unsent && next.params.name === 'ask_user') next = await this.#again(next, startedAt);
        } catch (second) {
          return failed(second);
        }
      }
    }
  }

  /** A broken ask_user may be on file: then it is awaited, and asking twice would show a second card. */
  async #again(forwarded: Forwarded, startedAt: number): Promise<Forwarded> {
    const args = forwarded.params.arguments ?? {};
    const wanted = args.questions === undefined ? [args] : (args.questions as { question?: unknown }[]);
    const asks: ListedAsk[] = [];
    for (const what of ['open', 'recent']) {
      const params = { name: 'list_asks' as const, arguments: { what, limit: 100 } };
      const result = await this.#remote.call({ params, signal: forwarded.signal, onprogress: undefined });
      // Answers that ride on this listing are seen by nobody.
      await this.#remote.notWritten(tokensOf(result));
      asks.push(...(((result.structuredContent ?? {}) as { asks?: ListedAsk[] }).asks ?? []));
      const fresh = asks.filter((ask) => Date.parse(ask.opened_at) >= startedAt && !this.#resumed.has(ask.ask_id));
      const found = putTogether(
        fresh,
        wanted.map(({ question }) => question),
      );
      if (found === undefined) continue;
      for (const askId of found) this.#resumed.add(askId);
      const { ack, hold_seconds: seconds } = args;
      const spent = (this.#runtime.now() - startedAt) / 1_000;
      const rest = {
        ...(args.questions === undefined ? { ask_id: found[0] } : { ask_ids: found }),
        ...(ack === undefined ? {} : { ack }),
        hold_seconds: Math.max(0, (typeof seconds === 'number' ? seconds : this.#holdMs / 1_000) - spent),
      };
      return { ...forwarded, params: { name: 'await_answer', arguments: rest } };
    }
    return forwarded;
  }
}

interface ListedAsk {
  readonly ask_id: string;
  readonly question: string;
  readonly opened_at: string;
  readonly batch?: { readonly id: string; readonly index: number; readonly of: number };
}

/** The ids of these questions, in their order, where they stand in the list just as they were put: in one batch, or alone. */
function putTogether(asks: readonly ListedAsk[], questions: readonly unknown[]): string[] | undefined {
  const of = questions.length;
  for (const { batch: first } of asks) {
    if ((first?.of ?? 1) !== of) continue;
    const found = questions.map((question, at) =>
      asks.find(
        (ask) => ask.question === question && (of === 1 ? ask.batch === undefined : isAt(ask, first?.id, at + 1)),
      ),
    );
    if (found.every((ask) => ask !== undefined)) return found.map((ask) => ask.ask_id);
  }
  return undefined;
}

const isAt = ({ batch }: ListedAsk, id: string | undefined, index: number): boolean =>
  batch !== undefined && batch.id === id && batch.index === index;

/** What a failed attempt ends with; undefined when it is worth another. Throws what only the protocol can answer. */
function finalResult(error: unknown, call: Call, { params }: Forwarded, attempt: number): CallToolResult | undefined {
  if (call.loss !== undefined) throw error;
  if (error instanceof TooLarge) return frame(wordOversize(params.name, params.arguments));
  if (!(error instanceof LinkLost)) throw error;
  return attempt > 0 ? failed(error) : undefined;
}

/** Keeps progress rising when a second host starts to count again. */
function rising(report: (progress: Progress) => void): (progress: Progress) => void {
  let last = -1;
  return (progress) => {
    last = Math.max(last + 1, progress.progress);
    const total = progress.total === undefined ? {} : { total: Math.max(progress.total, last + 1) };
    report({ ...progress, progress: last, ...total });
  };
}

function failed(error: unknown): CallToolResult {
  const worded = wordFailure(
    `${reasonOf(error)} Nobody was asked anything new; call again, or list_asks to see what is open.`,
    true,
  );
  return frame(worded);
}
