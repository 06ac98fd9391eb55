/** The entry `readback/mcp`: what a host mounts, and what a stdio process runs. */
import { type NamedBranches, namedBranches } from './branches.ts';
import type { McpClientInfo, McpServerHandle, McpServerOptions } from './connection.ts';
import { createMcpServer } from './connection.ts';
import type { McpHttp, McpHttpOptions } from './http.ts';
import { createMcpHttp } from './http.ts';
import type { McpStdio, McpStdioOptions } from './stdio.ts';
import { serveMcpStdio } from './stdio.ts';

export type {
  McpClientInfo,
  McpHttp,
  McpHttpOptions,
  McpServerHandle,
  McpServerOptions,
  McpStdio,
  McpStdioOptions,
  NamedBranches,
};
export { createMcpHttp, createMcpServer, namedBranches, serveMcpStdio };
