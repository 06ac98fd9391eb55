/** From process start: the library to its first ask on SQLite, and `readback mcp` to its answer to `initialize`. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { paired, type Ratio } from './measure.ts';

const DIST = fileURLToPath(new URL('../', import.meta.url));

const FIRST_ASK = `
import { openCoordinator } from '${DIST}index.js';
import { openSqliteStore } from '${DIST}store/sqlite.js';
const coordinator = await openCoordinator({ store: openSqliteStore(process.argv[2]), alwaysVisible: true });
coordinator.ask({ question: 'Which one?' }, { tab: 'tab', timeoutMs: 60000, onOpen: () => process.exit(0) });
`;

/** What any MCP server on stdio with a database pays. */
const BARE_SERVER = `
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import Database from 'better-sqlite3';
const db = new Database(process.argv[2]);
db.pragma('journal_mode = WAL');
const server = new Server({ name: 'bare', version: '1' }, { capabilities: { tools: {} } });
await server.connect(new StdioServerTransport());
`;

const INITIALIZE = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
})}\n`;

function wholeProcess(args: readonly string[]): number {
  const from = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 30_000 });
  const took = performance.now() - from;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return took;
}

/** Milliseconds from the start of a stdio server to its answer to `initialize`. */
function initialize(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const from = performance.now();
    const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    child.on('error', reject);
    child.stdout.once('data', () => {
      const took = performance.now() - from;
      child.once('exit', () => resolve(took));
      child.kill('SIGKILL');
    });
    child.stdin.write(INITIALIZE);
  });
}

export async function startupBench(): Promise<Ratio[]> {
  if (!existsSync(join(DIST, 'index.js'))) throw new Error('build first: npm run build:js');
  const folder = mkdtempSync(join(tmpdir(), 'readback-startup-'));
  // Beside dist/, so that the package's own dependencies are found.
  const script = join(DIST, 'bench-first-ask.mjs');
  const bare = join(DIST, 'bench-bare.mjs');
  writeFileSync(script, FIRST_ASK);
  writeFileSync(bare, BARE_SERVER);
  let databases = 0;
  const fresh = (): string => join(folder, `${databases++}.db`);
  const env = { ...process.env, READBACK_HOME: folder };
  try {
    return [
      await paired(
        'start: library on SQLite to the first ask accepted / node -e 0',
        1.8,
        [() => wholeProcess([script, fresh()]), () => wholeProcess(['-e', '0'])],
        { pairs: 15, unit: 'ms' },
      ),
      await paired(
        'start: readback mcp to initialize / a bare SDK server with better-sqlite3',
        1.3,
        [() => initialize([join(DIST, 'cli/main.js'), 'mcp'], env), () => initialize([bare, fresh()], process.env)],
        { pairs: 15, unit: 'ms' },
      ),
    ];
  } finally {
    spawnSync(process.execPath, [join(DIST, 'cli/main.js'), 'stop'], { env, timeout: 10_000 });
    for (const path of [script, bare]) rmSync(path, { force: true });
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
