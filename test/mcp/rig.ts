import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { CallToolResult, JSONRPCMessage, Progress } from '@modelcontextprotocol/sdk/types.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, vi } from 'vitest';
import type { Asking, AskView, Reply } from '../../src/api.ts';
import type { McpServerHandle, McpServerOptions } from '../../src/mcp/connection.ts';
import { createMcpServer } from '../../src/mcp/connection.ts';

/** Bounds a wait for something that happens soon, on a machine that may be busy. */
export const PATIENT = { timeout: 10_000, interval: 10 };

const PERSON = { surface: 'page', who: 'window-1' };

/** A result with its data taken apart, so that a test reads like the case it is about. */
export interface Read {
  readonly raw: CallToolResult;
  readonly text: string;
  readonly isError: boolean;
  readonly outcome: string;
  readonly data: Record<string, unknown>;
  readonly askId: string;
  readonly token: string;
  readonly earlier: readonly {
    token: string;
    ask_id: string;
    question: string;
    answer: string;
    late: boolean;
    possible_repeat: boolean;
    reply: Reply;
  }[];
}

export function read(result: CallToolResult): Read {
  const data = result.structuredContent ?? {};
  return {
    raw: result,
    text: result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'),
    isError: result.isError === true,
    outcome: String(data.outcome),
    data,
    askId: String(data.ask_id),
    token: String(data.token),
    earlier: (data.earlier_answers ?? []) as Read['earlier'],
  };
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  readonly onprogress?: (progress: Progress) => void;
}

/** A person, an agent, and one MCP session between them. */
export class Agent {
  readonly client: Client;
  readonly name: string;

  constructor(client: Client, name: string) {
    this.client = client;
    this.name = name;
  }

  async call(name: string, args: Record<string, unknown> = {}, options: CallOptions = {}): Promise<Read> {
    const request = { method: 'tools/call' as const, params: { name, arguments: args } };
    return read(await this.client.request(request, CallToolResultSchema, options));
  }

  ask(question: string, holdMs = 20, options: CallOptions = {}): Promise<Read> {
    return this.call('ask_user', { question, hold_seconds: holdMs / 1000 }, options);
  }

  wait(askId: string, holdMs = 20, options: CallOptions = {}): Promise<Read> {
    return this.call('await_answer', { ask_id: askId, hold_seconds: holdMs / 1000 }, options);
  }
}

export interface Wired {
  readonly agent: Agent;
  readonly server: McpServerHandle;
}

export async function wire(coordinator: Asking, options: Partial<McpServerOptions> = {}): Promise<Wired> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = createMcpServer({ coordinator, holdMs: 40, progressMs: 10, ...options });
  await server.connect(far);
  const client = new Client({ name: 'test-agent', version: '1.0.0' });
  await client.connect(near);
  return { agent: new Agent(client, 'test-agent'), server };
}

/** The other end of a session without a client: every message as it is on the wire. */
export class Bare {
  readonly seen: JSONRPCMessage[] = [];
  readonly #near: InMemoryTransport;
  readonly server: McpServerHandle;

  constructor(near: InMemoryTransport, server: McpServerHandle) {
    this.#near = near;
    this.server = server;
    near.onmessage = (message) => this.seen.push(message as JSONRPCMessage);
  }

  static async open(coordinator: Asking, options: Partial<McpServerOptions> = {}): Promise<Bare> {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const server = createMcpServer({ coordinator, holdMs: 40, progressMs: 10, ...options });
    await server.connect(far);
    const bare = new Bare(near, server);
    await near.start();
    await bare.send({
      jsonrpc: '2.0',
      id: 'init',
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bare', version: '0' } },
    });
    await bare.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await bare.response('init');
    return bare;
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#near.send(message);
  }

  tool(
    id: string | number,
    name: string,
    args: Record<string, unknown>,
    progressToken?: string | number,
  ): Promise<void> {
    const meta = progressToken === undefined ? {} : { _meta: { progressToken } };
    return this.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args, ...meta } });
  }

  cancel(requestId: string | number, reason?: string): Promise<void> {
    return this.send({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId, ...(reason === undefined ? {} : { reason }) },
    });
  }

  responses(id: string | number): JSONRPCMessage[] {
    return this.seen.filter((message) => 'id' in message && message.id === id && !('method' in message));
  }

  async response(id: string | number): Promise<JSONRPCMessage> {
    return vi.waitFor(() => {
      const found = this.responses(id)[0];
      if (found === undefined) throw new Error(`no response ${JSON.stringify(id)} yet`);
      return found;
    }, PATIENT);
  }

  async result(id: string | number): Promise<Read> {
    const message = await this.response(id);
    if (!('result' in message)) throw new Error(JSON.stringify(message));
    return read(message.result as CallToolResult);
  }

  progress(): { progress: number; total: number; at: number }[] {
    return this.seen.flatMap((message, at) =>
      'method' in message && message.method === 'notifications/progress'
        ? [{ ...(message.params as { progress: number; total: number }), at }]
        : [],
    );
  }

  close(): Promise<void> {
    return this.#near.close();
  }
}

/** The open card that shows this question, once it is there. */
export async function card(coordinator: Asking, question: string): Promise<AskView> {
  return vi.waitFor(async () => {
    const found = (await coordinator.list({ what: 'open' })).find((ask) => ask.question === question);
    if (found === undefined) throw new Error(`no card shows ${question}`);
    return found;
  }, PATIENT);
}

/** The person answers the card with this question. */
export async function answer(coordinator: Asking, question: string, reply: Reply): Promise<AskView> {
  const shown = await card(coordinator, question);
  const verdict = await coordinator.answer(shown.askId, reply, PERSON);
  expect(verdict.saved).toBe(true);
  return shown;
}

/** The receipt of the only answer of an ask. */
export async function receipt(coordinator: Asking, askId: string): Promise<string | undefined> {
  return (await coordinator.show(askId))?.answers[0]?.receipt;
}

/** Who has the answer of an ask in hands without having proven to have read it. */
async function hands(coordinator: Asking, askId: string): Promise<readonly string[] | undefined> {
  const tab = (await coordinator.show(askId))?.tab ?? '';
  return (await coordinator.unread(tab)).find((each) => each.askId === askId)?.handedTo;
}

/** The answer of an ask comes to be in somebody's hands. */
export async function handed(coordinator: Asking, askId: string): Promise<void> {
  await vi.waitFor(async () => expect(await hands(coordinator, askId)).toHaveLength(1), PATIENT);
}

/** The answer of an ask comes to be in nobody's hands, and is still owed. */
export async function free(coordinator: Asking, askId: string): Promise<void> {
  await vi.waitFor(async () => expect(await hands(coordinator, askId)).toEqual([]), PATIENT);
}
