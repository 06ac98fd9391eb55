/** `readback mcp`: MCP on stdin and stdout, joined to the one host of this user. Loads neither host nor store. */

import { parseArgs } from 'node:util';
import { nodeRuntime } from '../runtime.ts';
import { ensureHost } from './ensure.ts';
import { stateFolder } from './home.ts';
import type { Global, Io } from './io.ts';
import { logTo } from './log-to.ts';
import { hold } from './parse.ts';
import { EXIT, usage } from './problem.ts';
import { packageVersion } from './version.ts';

export interface McpFlags extends Global {
  readonly hold?: string | undefined;
}

/** Long enough for the first exchange with the client to have the processor to itself, in milliseconds. */
const WARM_MS = 400;

/** The short way in: no argument parser but Node's own. */
export async function mcpFromArgs(io: Io, argv: readonly string[]): Promise<number> {
  const options = { home: { type: 'string' }, hold: { type: 'string' } } as const;
  let flags: McpFlags;
  try {
    flags = parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw usage('arguments', (error as Error).message, 'see: readback mcp --help');
  }
  return mcp(io, flags);
}

/** Serves one client until its stdin ends. stdout belongs to the protocol; whatever there is to say goes to stderr. */
export async function mcp(io: Io, flags: McpFlags): Promise<number> {
  const holdMs = flags.hold === undefined ? undefined : hold(flags.hold);
  const folder = stateFolder(flags.home, io.env);
  const { serveMcpStdio } = await import('../mcp/stdio.ts');
  const interrupted = io.interrupted();
  const connect = () => ensureHost({ folder, entry: io.entry, signal: interrupted });
  const server = await serveMcpStdio({ connect, holdMs, version: packageVersion(), logger: logTo(io) });
  // The host is started while the client still reads the list of tools, so that the first ask need not wait for it.
  const cold = nodeRuntime.after(WARM_MS, () => void connect().catch(() => undefined));
  interrupted.addEventListener('abort', () => void server.close(), { once: true });
  await server.closed;
  cold();
  // A pending read of stdin would hold the process after a signal.
  process.stdin.destroy();
  return EXIT.ok;
}
