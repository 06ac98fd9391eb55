import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Implementation, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Asking } from '../api.ts';
import { requireGiven } from '../given.ts';
import type { Logger, Runtime } from '../runtime.ts';
import { consoleLogger, nodeRuntime } from '../runtime.ts';
import { guarded } from '../wire/contracts/policy.ts';
import type { NamedBranches } from './branches.ts';
import { Gate } from './gate.ts';
import type { Report } from './hold.ts';
import type { SessionMemory } from './session.ts';
import { McpSession } from './session.ts';
import { isToolName, listTools, noTool } from './tools.ts';
import { INSTRUCTIONS } from './wording.ts';

export interface McpServerOptions {
  readonly coordinator: Asking;
  /** Names the conversation, and with it the tab `mcp:<sessionId>`. Default: a fresh UUID. */
  readonly sessionId?: string | undefined;
  /** How long `ask_user` and `await_answer` wait for a person, in milliseconds. Default `TIMES.hold`. */
  readonly holdMs?: number | undefined;
  /** Milliseconds between two progress notifications. Default 5 000. */
  readonly progressMs?: number | undefined;
  /** The version the server gives as its own. */
  readonly version?: string | undefined;
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
  /** What an earlier connection of the same conversation left. */
  readonly memory?: SessionMemory | undefined;
  /** What clients name as their branches; give its `log` to the coordinator. Without it they are passed over. */
  readonly branches?: NamedBranches | undefined;
  /** Resolves once it is known whether a response left the process. Default: when the transport's `send` resolves. */
  readonly confirm?: ((id: RequestId) => Promise<boolean> | undefined) | undefined;
  /** Told that a request will get no response. */
  readonly free?: ((id: RequestId) => void) | undefined;
}

/** A client, as it named itself, and the shortest time after which it was seen to give up a call. */
export interface McpClientInfo {
  readonly name: string;
  readonly version: string;
  readonly limitMs?: number | undefined;
}

/** One MCP server for one client. */
export interface McpServerHandle {
  readonly session: McpSession;
  /** Undefined until the client has introduced itself. */
  client(): McpClientInfo | undefined;
  /** Serves the client on this transport, which belongs to the server from then on. */
  connect(transport: Transport): Promise<void>;
  /** True while a call runs or its response is on the way out. */
  busy(): boolean;
  /** The connections that wait for these responses are gone. */
  gone(ids: readonly RequestId[]): void;
  /** Ends every call, hands back what nobody read, and settles when that is on file. */
  close(options?: { readonly successor?: boolean }): Promise<void>;
  /** Called once after the connection ended and everything was handed back. */
  onclose: (() => void) | undefined;
}

const NotWritten = z.object({
  method: z.literal('notifications/readback/not_written'),
  params: z.looseObject({ tokens: z.array(z.string()).max(256) }),
});

function nameOf(client: Implementation | undefined): string {
  return client?.title ?? client?.name ?? 'an agent';
}

/**
 * Makes the MCP server of one conversation over a coordinator.
 *
 * An answer counts as handed over only once the result that holds it was written; it counts as read only
 * when the agent names its token.
 */
export function createMcpServer(options: McpServerOptions): McpServerHandle {
  requireGiven(options, {
    'coordinator.ask': 'function',
    'coordinator.unread': 'function',
    logger: 'object?',
    runtime: 'object?',
  });
  const runtime = options.runtime ?? nodeRuntime;
  const logger = guarded(options.logger ?? consoleLogger);
  const server = new Server(
    { name: 'readback', title: 'readback', version: options.version ?? '0.1.0' },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  const session = new McpSession({
    asking: options.coordinator,
    id: options.sessionId ?? runtime.id(),
    holdMs: options.holdMs,
    progressMs: options.progressMs,
    runtime,
    logger,
    memory: options.memory,
    branches: options.branches,
    from: () => nameOf(server.getClientVersion()),
  });
  let gate: Gate | undefined;
  let ended: Promise<void> | undefined;
  let successor = false;
  const end = (): Promise<void> => (ended ??= session.end(successor).then(() => handle.onclose?.()));

  answerTools(server, session, () => gate);
  server.setNotificationHandler(NotWritten, ({ params }) => session.notWritten(params.tokens));
  server.onerror = (error) => logger.info(`readback mcp: ${error.message}`);
  server.onclose = () => void end();

  const handle: McpServerHandle = {
    session,
    onclose: undefined,
    client: () => {
      const client = server.getClientVersion();
      if (client === undefined) return undefined;
      const limitMs = session.memory.patience.limitMs;
      return { name: client.name, version: client.version, ...(limitMs === undefined ? {} : { limitMs }) };
    },
    connect: (transport) => {
      gate = new Gate(transport, session, { now: () => runtime.now(), confirm: options.confirm, free: options.free });
      return server.connect(gate);
    },
    busy: () => gate?.busy ?? false,
    gone: (ids) => gate?.gone(ids),
    close: async (how) => {
      successor = how?.successor ?? false;
      await server.close();
      await end();
    },
  };
  return handle;
}

function answerTools(server: Server, session: McpSession, gateOf: () => Gate | undefined): void {
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listTools() }));
  server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
    const { name, arguments: args, _meta: meta } = request.params;
    if (!isToolName(name)) throw new McpError(ErrorCode.InvalidParams, noTool(name));
    const call = gateOf()?.call(extra.requestId);
    // The client cancelled before the handler ran: its call is over and must show nothing to anyone.
    if (call === undefined) throw new McpError(ErrorCode.ConnectionClosed, 'The call was cancelled.');
    const token = meta?.progressToken;
    const report: Report | undefined =
      token === undefined
        ? undefined
        : (progress, total, message) => {
            const params = { progressToken: token, progress, total, message };
            // A progress report that cannot be sent costs nothing; the result tells its own fate.
            extra.sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
          };
    return session.run(call, name, call.misshapen ?? args, report);
  });
}
