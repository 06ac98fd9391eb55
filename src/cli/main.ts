#!/usr/bin/env node
/** The program. Each command is loaded when it is called; `mcp` is started without even the argument parser. */

import { fileURLToPath } from 'node:url';
import { nodeRuntime } from '../runtime.ts';
import { processIo } from './io.ts';

/** How long a command that has failed may take to end, in milliseconds. */
const LINGER_MS = 2_000;

const argv = process.argv.slice(2);
const io = processIo(fileURLToPath(import.meta.url));

/** An agent's client waits for `initialize`, so its plain call takes the shortest way. */
const plainMcp =
  argv[0] === 'mcp' && !argv.some((word) => ['-h', '--help', '-V', '--version', '--json'].includes(word));

try {
  process.exitCode = plainMcp
    ? await (await import('./mcp.ts')).mcpFromArgs(io, argv.slice(1))
    : await (await import('./program.ts')).run(io, argv);
} catch (error) {
  const { report } = await import('./report.ts');
  process.exitCode = report(io, error, false);
}

// What went wrong has been said; nothing that it left open may keep the process. A process that is done ends before.
if (process.exitCode !== 0) nodeRuntime.after(LINGER_MS, () => process.exit(), 'quiet');
