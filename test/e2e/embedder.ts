/**
 * A host as an embedder builds one: a coordinator over SQLite that asks its windows, and the page. Its test calls its
 * operations by name, and ends it in every way.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../../src/approvals.ts';
import { defaultPack, requestContracts } from '../../src/contracts.ts';
import { openCoordinator } from '../../src/coordinator.ts';
import { startHost } from '../../src/host/index.ts';
import type { Claim } from '../../src/requests/approval-types.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { faultyStore } from '../../src/testing/index.ts';

/** Calls an operation: `requests.send` and its arguments. */
export interface Order {
  readonly n: number;
  readonly path: string;
  readonly args: readonly unknown[];
}

export type Report =
  | { readonly port: number }
  | { readonly n: number; readonly value?: unknown }
  | { readonly n: number; readonly error: string; readonly code?: unknown };

/** What is tried to be run, and where the process is to die over it. */
export interface Work {
  readonly sid: string;
  readonly approvalId: string;
  readonly command: string;
  readonly dieAt?: 'claimed' | 'run' | undefined;
}

const [folder = '', port = '0', token = '', panelDir = '', graceMs = '2000'] = process.argv.slice(2);

/** Everything that is said at all, so that a test can look for what must not be in it. */
const logger = Object.fromEntries(
  ['debug', 'info', 'warn', 'error'].map((level) => [
    level,
    (...args: unknown[]) => appendFileSync(join(folder, 'log'), `${level} ${JSON.stringify(args)}\n`),
  ]),
) as Record<'debug' | 'info' | 'warn' | 'error', (...args: unknown[]) => void>;

const store = faultyStore(openSqliteStore(join(folder, 'answers.db')));
const contracts = requestContracts(defaultPack);
const coordinator = await openCoordinator({
  ...{ store, logger, contracts, expectSurface: port !== '0' },
  requests: { graceMs: Number(graceMs), policy: 'strict' },
});
const { requests, approvals } = coordinator;
const shown = { coordinator, requests, approvals };
const host = await startHost({ ...shown, port: Number(port), token, panelDir, logger, policy: 'strict' });

/** Ends this process as a power failure would: not one further instruction of it is run. */
function die(): never {
  process.kill(process.pid, 'SIGKILL');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  throw new Error('it is dead');
}

const own = {
  /** Dies around the given commit from now on, counted from 1. */
  dieAround(when: 'before' | 'after', nth = 1): void {
    let commits = 0;
    store.watch = ({ kind, done }) => {
      if (kind !== 'commit') return;
      if (!done) commits += 1;
      if (commits === nth && done === (when === 'after')) die();
    };
  },

  /** Runs a command if a person allows exactly it: what a worker does, at each start of its process. */
  async work({ sid, approvalId, command, dieAt }: Work): Promise<{ verdict: unknown; claim: Claim | undefined }> {
    const digest = digestOf({ method: 'shell', args: { command } });
    const verdict = await approvals.request(sid, { sid, approvalId, command, digest, tool: 'shell', timeoutMs: null });
    if (!verdict.resolved || verdict.choice === null || verdict.choice === 'deny') return { verdict, claim: undefined };
    const claim = approvals.claim(approvalId, digest, { surface: 'library', who: 'worker' });
    if (!claim.ok) return { verdict, claim };
    if (dieAt === 'claimed') die();
    appendFileSync(join(folder, 'ran'), `${command}\n`);
    if (dieAt === 'run') die();
    approvals.done(approvalId);
    return { verdict, claim };
  },

  async close(): Promise<void> {
    await host.close();
    await coordinator.close();
  },
};

const targets: Readonly<Record<string, object>> = { coordinator, requests, approvals, own };

async function obey({ n, path, args }: Order): Promise<Report> {
  const [target = '', name = ''] = path.split('.');
  try {
    const operation: unknown = Reflect.get(targets[target] ?? {}, name);
    if (typeof operation !== 'function') throw new Error(`there is no ${path}`);
    return { n, value: await Reflect.apply(operation, targets[target], args) };
  } catch (error) {
    const { message, code } = error as { message: string; code?: unknown };
    return { n, error: message, code };
  }
}

const report = (what: Report): void => void process.send?.(what);
process.on('message', (order) => void obey(order as Order).then(report));
process.on('disconnect', () => process.exit(1));
report({ port: host.port });
