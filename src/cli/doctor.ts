/** `readback doctor`: is everything here that an answer needs on its way? One line a check, with a remedy. */

import { TIMES } from '../limits.ts';
import { type Client, connect, type Health } from './client.ts';
import { databaseChecks, folderCheck, nodeCheck } from './doctor-local.ts';
import { stateFolder } from './home.ts';
import { type Global, type Io, json, paint } from './io.ts';
import { EXIT, Problem } from './problem.ts';
import { progress } from './progress.ts';
import { cells, line, pad, span } from './text.ts';
import { packageVersion } from './version.ts';

export type DoctorFlags = Global;

export interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  readonly remedy?: string | undefined;
}

/** Exit code 0 when nothing failed (a warning is no failure), else 1. */
export async function doctor(io: Io, flags: DoctorFlags): Promise<number> {
  const checks: Check[] = [];
  const say = async (found: readonly Check[]): Promise<void> => {
    checks.push(...found);
    if (flags.json !== true) for (const check of found) await io.out(`${lines(io, check).join('\n')}\n`);
  };
  const folder = stateFolder(flags.home, io.env);
  await say([nodeCheck(process.versions.node), folderCheck(folder)]);
  const { client, health, checks: about } = await hostChecks(folder);
  await say(about);
  await say(await progress(io, 'checking the database', () => databaseChecks(folder, health?.pid)));
  if (client !== undefined && health !== undefined)
    await say([...(await pageChecks(client, health)), ...clientChecks(health)]);
  await say([await progress(io, 'trying one ask', tripCheck)]);
  const failed = checks.filter((check) => check.status === 'fail').length;
  const warned = checks.filter((check) => check.status === 'warn').length;
  if (flags.json === true) await json(io, { ok: failed === 0, version: packageVersion(), folder, checks });
  else
    await io.out(
      `\n${failed === 0 ? 'Nothing is broken' : `${failed} failed`}${warned === 0 ? '.' : `; ${warned} to look at.`}\n`,
    );
  return failed === 0 ? EXIT.ok : EXIT.error;
}

function lines(io: Io, { name, status, detail, remedy }: Check): string[] {
  const ink = paint(io);
  const style = status === 'ok' ? 'green' : status === 'warn' ? 'yellow' : 'red';
  const first = `${ink(style, pad(status, 4))}  ${pad(name, Math.max(12, cells(name)))}  ${line(detail)}`;
  return remedy === undefined ? [first] : [first, `      ${' '.repeat(12)}  ${ink('dim', `→ ${remedy}`)}`];
}

async function hostChecks(folder: string): Promise<{ client?: Client; health?: Health; checks: Check[] }> {
  const name = 'host';
  try {
    const client = connect(folder);
    const health = await client.health();
    const same = health.version === packageVersion();
    const detail = `pid ${health.pid}, version ${health.version}, ${health.open} open`;
    const check: Check = same
      ? { name, status: 'ok', detail }
      : {
          name,
          status: 'warn',
          detail: `${detail}; this is ${packageVersion()}`,
          remedy: 'start it anew: readback stop, then readback serve',
        };
    return { client, health, checks: [check] };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // No host is the normal state of a machine that nobody asks from; one that is there and mute is not.
    const status = error.code === 'no_host' ? 'warn' : 'fail';
    return { checks: [{ name, status, detail: error.message, remedy: error.remedy }] };
  }
}

async function pageChecks(client: Client, health: Health): Promise<Check[]> {
  const name = 'page';
  const [page, script] = await Promise.all([client.status('/'), client.status('/panel.js')]);
  if (page !== 200 || script !== 200) {
    const detail = `GET / gives ${page}, GET /panel.js gives ${script}`;
    return [
      {
        name,
        status: 'fail',
        detail,
        remedy: 'the page was not built or is damaged: install readback again, or npm run build',
      },
    ];
  }
  if (health.pages > 0) return [{ name, status: 'ok', detail: `reachable; ${health.pages} open` }];
  // The link is a secret, and what a doctor says is often pasted elsewhere.
  const remedy =
    'open it, or every ask ends as undeliverable; "readback serve" says that this host runs, with the link';
  return [{ name, status: 'warn', detail: 'reachable, but no page is open', remedy }];
}

function clientChecks(health: Health): Check[] {
  const name = 'client';
  if (health.clients.length === 0) {
    return [
      {
        name,
        status: 'warn',
        detail: 'no agent is connected',
        remedy: 'add readback to your MCP client (how: readback mcp --help), then look again',
      },
    ];
  }
  return health.clients.map((client) => {
    const who = `${client.name} ${client.version ?? ''}`.trim();
    const limit = client.limitMs;
    if (limit === undefined)
      return { name, status: 'ok', detail: `${who}: has never given up a call; its time limit is not known yet` };
    if (limit > TIMES.hold)
      return { name, status: 'ok', detail: `${who}: gave up a call after ${span(limit)}; asks are held shorter` };
    const hold = limit > 10_000 ? `${Math.floor(limit / 1_000) - 5}s` : `${Math.max(1, Math.floor(limit / 2))}ms`;
    const remedy = `nothing is lost, but calls die: raise its tool timeout, or run: readback serve --hold ${hold}`;
    return {
      name,
      status: 'warn',
      detail: `${who}: gives up a call after ${limit < 10_000 ? `${limit} ms` : span(limit)}, sooner than we answer`,
      remedy,
    };
  });
}

/** One ask from question to receipt, on a store in memory that nobody else sees. */
async function tripCheck(): Promise<Check> {
  const name = 'round trip';
  const begun = performance.now();
  try {
    const { scratchTrip } = await import('./doctor-trip.ts');
    const receipt = await scratchTrip();
    const detail = `asked, answered, ${receipt.replace('_', ' ')} in ${Math.round(performance.now() - begun)} ms (scratch store)`;
    if (receipt === 'read_back') return { name, status: 'ok', detail };
    return { name, status: 'fail', detail, remedy: 'this build is broken: install readback again' };
  } catch (error) {
    return {
      name,
      status: 'fail',
      detail: (error as Error).message,
      remedy: 'this build is broken: install readback again',
    };
  }
}
