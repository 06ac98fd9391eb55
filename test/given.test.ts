import { expect, it } from 'vitest';
import { createApprovals } from '../src/approvals.ts';
import { createCardDesk, createChannel } from '../src/channel.ts';
import { createDispatcher, requestContracts } from '../src/contracts.ts';
import { startHost } from '../src/host/index.ts';
import { createIdle, createJournal, openCoordinator } from '../src/index.ts';
import { createMcpHttp, createMcpServer } from '../src/mcp/server.ts';
import { createMirror, createServerRequests } from '../src/requests.ts';
import { openSqliteStore } from '../src/store/sqlite.ts';
import { createToolCalls } from '../src/tools/durable.ts';
import { createToolTracker } from '../src/tools.ts';

type Opener = (options: never) => unknown;

/** What each is given, and the field that is named. */
const BAD: readonly [Opener, unknown, string][] = [
  [openCoordinator, {}, 'store'],
  [openCoordinator, { store: 5 }, 'store'],
  [openSqliteStore, {}, 'path'],
  [createJournal, { logger: 5 }, 'logger'],
  [createJournal, { clock: 'now' }, 'clock'],
  [createJournal, { limits: null }, 'limits'],
  [createIdle, {}, 'ledgers'],
  [createServerRequests, {}, 'contracts.request'],
  [createServerRequests, { contracts: { request: () => undefined } }, 'contracts.requestNames'],
  [createServerRequests, { contracts: { request: () => undefined, requestNames: [] }, mayAccess: true }, 'mayAccess'],
  [createMirror, {}, 'requests.answerable'],
  [createMirror, { requests: { answerable: () => true } }, 'requests.tell'],
  [createApprovals, { requests: 'none' }, 'requests'],
  [createApprovals, { admit: {} }, 'admit'],
  [requestContracts, {}, 'pack.requests'],
  [createDispatcher, {}, 'pack.methods'],
  [createDispatcher, { pack: { methods: new Map() }, handlers: {} }, 'logger'],
  [createToolCalls, {}, 'ledger.rows'],
  [createMcpServer, {}, 'coordinator.ask'],
  [createMcpHttp, { coordinator: Promise.resolve() }, 'coordinator.ask'],
  [startHost, {}, 'coordinator'],
  [createChannel, {}, 'connect'],
  [createChannel, { connect: 'ws://here' }, 'connect'],
  [createChannel, { connect: () => undefined, onGap: 1 }, 'onGap'],
  [createCardDesk, {}, 'channel.onRequest'],
  [createCardDesk, { channel: { onRequest: () => undefined } }, 'kinds'],
  [createToolTracker, undefined, 'tools'],
  [createToolTracker, {}, 'tools'],
  [createToolTracker, { tools: () => undefined }, 'onResult'],
  [createToolTracker, { tools: () => undefined, onResult: () => undefined, notice: 'console' }, 'notice'],
  [createToolTracker, { tools: () => undefined, onResult: () => undefined, owner: null }, 'owner'],
];

const NAMELESS: readonly Opener[] = [
  ...[createJournal, createServerRequests, createMirror, createApprovals, createDispatcher, createToolCalls],
  ...[createMcpServer, createMcpHttp, createChannel, createCardDesk, createIdle],
];

async function refusalOf(open: Opener, options: unknown): Promise<{ field?: string; message: string; name: string }> {
  try {
    await open(options as never);
  } catch (error) {
    return error as Error;
  }
  throw new Error(`${open.name} took it`);
}

it.each(BAD.map(([open, options, field]) => [open.name, field, open, options] as const))(
  '%s names the option that is missing or of another type: %s',
  async (_name, field, open, options) => {
    const { name, message } = await refusalOf(open, options);
    expect(['ReadbackError', 'TypeError']).toContain(name);
    expect(message).toMatch(new RegExp(`^${field.replace('.', '\\.')}: .{8,}`));
    if (name === 'ReadbackError') expect(message).toContain('Nothing was changed. Correct the named field');
  },
);

it.each(NAMELESS.map((open) => [open.name, open] as const))('%s refuses what are no options', async (_name, open) => {
  for (const options of [null, 5, 'text']) {
    expect((await refusalOf(open, options)).message).toMatch(/^options: must be an object/);
  }
});
