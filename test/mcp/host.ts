import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Asking } from '../../src/api.ts';
import type { McpHttp, McpHttpOptions } from '../../src/mcp/http.ts';
import { createMcpHttp } from '../../src/mcp/http.ts';
import { Agent } from './rig.ts';

export const TOKEN = 'test-token';

/** A host reduced to its MCP endpoint: checks the token, then hands the request over. */
export class TestHost {
  readonly mcp: McpHttp;
  readonly url: string;
  readonly #server: Server;

  private constructor(mcp: McpHttp, server: Server) {
    this.mcp = mcp;
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(coordinator: Asking, options: Partial<McpHttpOptions> = {}, port = 0): Promise<TestHost> {
    const mcp = createMcpHttp({ coordinator, holdMs: 40, progressMs: 10, ...options });
    const server = createServer((req: IncomingMessage, res: ServerResponse) => {
      if (req.headers.authorization !== `Bearer ${TOKEN}`) res.writeHead(401).end();
      else void mcp.handle(req, res);
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return new TestHost(mcp, server);
  }

  /** A client of the SDK with a session of its own. */
  async client(
    headers: Record<string, string> = {},
  ): Promise<{ agent: Agent; transport: StreamableHTTPClientTransport }> {
    const transport = new StreamableHTTPClientTransport(new URL(`${this.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${TOKEN}`, ...headers } },
    });
    const client = new Client({ name: 'http-agent', version: '2.0.0' });
    await client.connect(transport as Parameters<Client['connect']>[0]);
    return { agent: new Agent(client, 'http-agent'), transport };
  }

  fetch(body: unknown, headers: Record<string, string> = {}, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.url}/mcp`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      ...init,
    });
  }

  /** Ends at once, as a crash would: nothing is handed back, every socket is cut. */
  async crash(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async stop(): Promise<void> {
    await this.mcp.close();
    await this.crash();
  }
}

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '0' } },
};
