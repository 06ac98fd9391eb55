#!/usr/bin/env node
/** The program. Each command is loaded when it is called; `mcp` is started without even the argument parser. */

import { fileURLToPath } from 'node:url';
import { processIo } from './io.ts';

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
