/** `readback serve`: the one process that owns the database, and everything that is reached through it. */

import { readFileSync, rmSync } from 'node:fs';
import { type Coordinator, type CoordinatorOptions, openCoordinator } from '../coordinator.ts';
import { ReadbackError } from '../errors.ts';
import { type Host, type HostOptions, startHost } from '../host/index.ts';
import { namedBranches } from '../mcp/branches.ts';
import { createMcpHttp, type McpHttp } from '../mcp/http.ts';
import { type Logger, nodeRuntime } from '../runtime.ts';
import { openSqliteStore } from '../store/sqlite.ts';
import { defaultPack } from '../wire/contracts/default-pack.ts';
import { requestContracts } from '../wire/contracts/request-contracts.ts';
import { type Activity, watched } from './activity.ts';
import { type Address, lastAddress, portTaken, rememberAddress, writePrivate } from './address.ts';
import { openBrowser, removeRedirect } from './browser.ts';
import { answering } from './ensure.ts';
import {
  alive,
  databasePath,
  ensureFolder,
  type HostFile,
  hostFilePath,
  pageLink,
  readHostFile,
  stateFolder,
} from './home.ts';
import { inspectMount } from './inspect.ts';
import { type Global, type Io, json, paint } from './io.ts';
import { boundLog } from './log-file.ts';
import { logTo } from './log-to.ts';
import { duration, hold, whole } from './parse.ts';
import { EXIT, Problem, usage } from './problem.ts';
import { age } from './text.ts';
import { packageVersion } from './version.ts';
import { changeTeller } from './view.ts';

export interface ServeFlags extends Global {
  readonly port?: string | undefined;
  readonly hold?: string | undefined;
  readonly open?: boolean | undefined;
  readonly terminal?: boolean | undefined;
  readonly exitWhenIdle?: string | undefined;
}

/** Everything that is closed again, in the order of opening. */
interface Opened {
  readonly coordinator: Coordinator;
  readonly activity: Activity;
  readonly mcp: McpHttp;
  readonly host: Host;
}

/** What `close` may take before the process ends without it, in milliseconds. */
const CLOSE_MS = 5_000;

export async function serve(io: Io, flags: ServeFlags): Promise<number> {
  const port = flags.port === undefined ? undefined : whole('--port', flags.port, 1_024, 65_535);
  const holdMs = flags.hold === undefined ? undefined : hold(flags.hold);
  const idleMs = flags.exitWhenIdle === undefined ? undefined : duration('--exit-when-idle', flags.exitWhenIdle);
  const folder = stateFolder(flags.home, io.env);
  ensureFolder(folder);
  const other = await answering(folder);
  if (other !== undefined) throw owned(io, folder, other);
  const interrupted = io.interrupted();
  const stopped = new AbortController();
  const opened = await openAll(io, folder, { port, holdMs, onStop: () => stopped.abort('stop') });
  let file: HostFile | undefined;
  try {
    file = writeHostFile(folder, opened.host);
    await greet(io, folder, file, flags);
    if (flags.terminal === true) showHere(io, opened, flags);
    if (flags.open === true && !openBrowser(opened.host.link, io.env, folder))
      io.err('readback: no browser could be started here; open the link above yourself\n');
    const why = await untilEnd(io, opened, AbortSignal.any([interrupted, stopped.signal]), idleMs);
    if (flags.json === true) await json(io, { event: 'closing', why });
    else io.err(`readback: closing (${why}); open questions stay on file\n`);
  } finally {
    if (file !== undefined) removeHostFile(folder, file);
    await closeAll(opened);
  }
  return EXIT.ok;
}

async function openAll(
  io: Io,
  folder: string,
  options: { port: number | undefined; holdMs: number | undefined; onStop: () => void },
): Promise<Opened> {
  const logger = logTo(io, () => boundLog(folder, process.stderr.fd));
  const same = sameAddress(folder, options.port);
  const branches = namedBranches();
  const facts = { expectSurface: same !== undefined, conversationLog: branches.log };
  const coordinator = await openDatabase(io, folder, logger, facts);
  try {
    const activity = watched(coordinator);
    const version = packageVersion();
    const mcp = createMcpHttp({ coordinator: activity.asking, branches, holdMs: options.holdMs, version, logger });
    const host = await listen(options.port, same, {
      coordinator: activity.asking,
      requests: coordinator.requests,
      approvals: coordinator.approvals,
      mounts: [{ path: '/mcp', handle: (req, res) => mcp.handle(req, res) }, inspectMount({ coordinator, logger })],
      clients: () => mcp.sessions(),
      about: { version, store: 'sqlite' },
      onStop: options.onStop,
      logger,
    });
    const opened = { coordinator, activity, mcp, host };
    await remember(folder, opened);
    return opened;
  } catch (error) {
    await coordinator.close();
    throw error;
  }
}

async function openDatabase(
  io: Io,
  folder: string,
  logger: Logger,
  { expectSurface, conversationLog }: Pick<CoordinatorOptions, 'expectSurface' | 'conversationLog'>,
): Promise<Coordinator> {
  try {
    // A page of the host before knows this address and is about to come back by itself.
    const contracts = requestContracts(defaultPack);
    const store = openSqliteStore(databasePath(folder));
    return await openCoordinator({ store, logger, expectSurface, contracts, conversationLog });
  } catch (error) {
    if (!(error instanceof ReadbackError) || error.code !== 'store_owned') throw error;
    const listed = readHostFile(folder);
    // A host.json that somebody left behind does not name the owner; the database does.
    throw owned(io, folder, listed !== undefined && alive(listed.pid) ? listed : undefined, error);
  }
}

function owned(io: Io, folder: string, holder: HostFile | undefined, cause?: ReadbackError): Problem {
  const since = holder === undefined || holder.startedAt === 0 ? '' : `, started ${age(holder.startedAt, io.now())}`;
  const who = holder === undefined ? (cause?.message ?? 'another process owns it') : `pid ${holder.pid}${since}`;
  return new Problem({
    code: 'store_owned',
    message: `a host is running already for ${folder}: ${who}`,
    remedy:
      holder === undefined
        ? 'use that one, or end it first'
        : `use it: ${pageLink(holder)}\n  or end it first: readback stop`,
    exit: EXIT.owned,
    cause,
  });
}

/** The address of the last host, unless another port is wanted. */
function sameAddress(folder: string, port: number | undefined): Address | undefined {
  const last = lastAddress(folder);
  return last !== undefined && (port ?? last.port) === last.port ? last : undefined;
}

/** Listens where the last host did, unless another port is wanted or that one is taken. */
async function listen(
  port: number | undefined,
  same: Address | undefined,
  options: Omit<HostOptions, 'port' | 'token'>,
): Promise<Host> {
  const attempt = startHost({ ...options, port: port ?? same?.port, token: same?.token });
  return attempt.catch((error: unknown) => {
    // Whatever is in the way there, nobody has asked for that address.
    if (port === undefined && same !== undefined) return startHost(options);
    if (port === undefined || !portTaken(error)) throw error;
    throw usage('--port', `${port} is taken by another program`, 'choose another, or leave --port out for a free one');
  });
}

/** A host whose address cannot be noted does not stay: it would listen without anybody who ends it. */
async function remember(folder: string, opened: Opened): Promise<void> {
  try {
    rememberAddress(folder, opened.host);
  } catch (cause) {
    await closeAll(opened);
    throw unwritable(folder, cause);
  }
}

function unwritable(folder: string, cause: unknown): Problem {
  return new Problem({
    code: 'unwritable',
    field: '--home',
    message: `the state folder ${folder} cannot be written (${(cause as Error).message})`,
    remedy: 'make room on the disk, or mend what is in the way there; see: readback doctor',
    cause,
  });
}

function writeHostFile(folder: string, { url, token }: Host): HostFile {
  const file = { url, token, pid: process.pid, version: packageVersion(), startedAt: Date.now() };
  try {
    writePrivate(hostFilePath(folder), file);
  } catch (cause) {
    throw unwritable(folder, cause);
  }
  return file;
}

/** Removes the file unless another host has written its own since. */
function removeHostFile(folder: string, own: HostFile): void {
  try {
    if ((JSON.parse(readFileSync(hostFilePath(folder), 'utf8')) as HostFile).token !== own.token) return;
    rmSync(hostFilePath(folder), { force: true });
    removeRedirect(folder);
  } catch {
    // Somebody removed it; that is what was wanted.
  }
}

async function greet(io: Io, folder: string, file: HostFile, flags: ServeFlags): Promise<void> {
  const link = pageLink(file);
  if (flags.json === true) return json(io, { event: 'listening', link, home: folder, ...file });
  const ink = paint(io);
  const shown =
    flags.terminal === true
      ? 'Questions are shown here, and on the page.'
      : 'Keep the page open: without it a question cannot be shown.';
  const rows = [
    `${ink('bold', `readback ${file.version}`)} is running (pid ${file.pid}).`,
    '',
    `  ${ink('dim', 'page')}   ${ink('cyan', link)}`,
    `  ${ink('dim', 'agents')} readback mcp ${ink('dim', `(stdio), or Streamable HTTP at ${file.url}/mcp with the token as bearer`)}`,
    `  ${ink('dim', 'state')}  ${folder}`,
    '',
    ink('dim', `${shown} The link is a secret. Ctrl-C ends; questions stay.`),
  ];
  return io.out(`${rows.join('\n')}\n`);
}

/** This terminal as a surface: each question is printed with the command that answers it. */
function showHere(io: Io, { coordinator, activity }: Opened, flags: ServeFlags): void {
  activity.asking.attachSurface({ kind: 'terminal', id: `serve:${process.pid}` });
  const tell = changeTeller(io);
  coordinator.subscribe(({ ask, cause }) => {
    const text = flags.json === true ? JSON.stringify({ event: 'ask', cause, ask }) : tell(ask)?.join('\n');
    // A terminal that has gone away must not take the host with it.
    if (text !== undefined) io.out(`${text}\n`).catch(() => undefined);
  });
}

/** Resolves with the reason to end, in words. */
async function untilEnd(io: Io, opened: Opened, signal: AbortSignal, idleMs: number | undefined): Promise<string> {
  const { coordinator, activity, mcp } = opened;
  const step = idleMs === undefined ? 3_600_000 : Math.min(1_000, Math.max(20, idleMs / 4));
  while (!signal.aborted) {
    const wanted =
      coordinator.hasSurface() ||
      mcp.sessions().length > 0 ||
      activity.idleFor() < (idleMs ?? Number.POSITIVE_INFINITY);
    if (idleMs !== undefined && !wanted) return 'idle';
    await io.sleep(step, signal);
  }
  return String(signal.reason);
}

/** Ends the calls first, then the conversations, then the database. Bounded: a stuck peer cannot keep the process. */
async function closeAll({ host, mcp, coordinator }: Opened): Promise<void> {
  const cancel = nodeRuntime.after(CLOSE_MS, () => process.exit(EXIT.error));
  // The results of the last calls leave by the host's connections, and what nobody read goes back on file.
  await mcp.close().catch(() => undefined);
  await host.close().catch(() => undefined);
  await coordinator.close();
  cancel();
}
