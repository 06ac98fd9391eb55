/**
 * One process that asks its windows and runs what a person allowed, on a database in a file, and kills itself at one
 * commit. What anybody was told, and what was done outside, it writes down at once.
 */
import { setImmediate, setTimeout } from 'node:timers/promises';
import { defaultPack, requestContracts } from '../../src/contracts.ts';
import { openCoordinator } from '../../src/coordinator.ts';
import type { Peer } from '../../src/requests/api.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { JsonObject } from '../../src/wire/json.ts';
import { asChild } from './child-process.ts';
import { APPROVALS, ASKED, SID } from './requests-day.ts';

export interface Note {
  readonly what: 'shown' | 'locked' | 'taken' | 'ended' | 'refused' | 'acked' | 'decided' | 'effect' | 'over' | 'done';
  /** Of a request; of an approval; a token. */
  readonly id?: string;
  readonly method?: string;
  readonly result?: JsonObject;
}

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const { path, write, mortal } = asChild<Note>();

const contracts = requestContracts(defaultPack);
const c = await openCoordinator({
  store: mortal(openSqliteStore(path)),
  contracts,
  alwaysVisible: true,
  logger: SILENT,
});
const { requests, approvals, journal } = c;

/** Ids of what the window shows now, by method. */
const shown = new Map<string, string>();
const window: Peer = {
  ...{ kind: 'websocket', closed: false, author: { surface: 'page', who: 'w' } },
  send: (frame) => {
    const { method = '', id, params } = frame as { method?: string; id?: string; params?: JsonObject };
    if (method === 'event') {
      const { id: ended } = (params?.['payload'] ?? {}) as { id?: string };
      if (ended !== undefined) write({ what: 'ended', id: ended });
    } else if (id !== undefined) {
      shown.set(method, id);
      write({ what: 'shown', id, method });
    }
    return true;
  },
};
requests.attach(window, '*');
requests.advertise(window, true);

function answer(method: string, result: JsonObject): void {
  const id = shown.get(method) ?? '';
  write({ what: requests.answer(id, result, window) ? 'taken' : 'refused', id, method, result });
}

async function ticketed(): Promise<void> {
  await journal.openAsk('pa-q1', { tabId: SID, fingerprint: 'f1', question: 'pa-q1?' });
  const end = requests.send(...ASKED.ticketed);
  requests.lockAnswer(shown.get('clarify') ?? '', 'q2', 'early', window);
  write({ what: 'locked', id: shown.get('clarify') ?? '' });
  answer('clarify', { answers: { 'pa-q1': 'yes' } });
  await end;
  await c.handOver('aa1', () => 'turn-1');
  const [receipt] = await c.ack(['aa1'], 'turn-1');
  if (receipt?.accepted === true) write({ what: 'acked', id: 'aa1' });
}

async function late(): Promise<void> {
  await requests.send(...ASKED.late);
  answer('vault.code', { value: 'too late' });
}

async function allowed(): Promise<void> {
  const verdict = approvals.request(SID, APPROVALS.card);
  answer('approval', { choice: 'once' });
  const { choice, digest } = await verdict;
  if (choice === 'once') write({ what: 'decided', id: 'card' });
  if (!approvals.claim('card', digest).ok) return;
  write({ what: 'effect', id: 'card' });
  if (approvals.done('card')) write({ what: 'over', id: 'card' });
}

async function denied(): Promise<void> {
  const verdict = approvals.request(SID, APPROVALS.never);
  if (approvals.resolve(SID, 'deny', { requestId: 'never' }) === 1) write({ what: 'decided', id: 'never' });
  const { digest } = await verdict;
  if (approvals.claim('never', digest).ok) write({ what: 'effect', id: 'never' });
}

async function takenBack(): Promise<void> {
  const leaving = new AbortController();
  const [method, sid, params, options] = ASKED.back;
  const end = requests.send(method, sid, params, { ...options, signal: leaving.signal });
  await setImmediate();
  leaving.abort('interrupted');
  await end.catch(() => undefined);
}

await ticketed();
await late();
await allowed();
await denied();
await takenBack();
await setTimeout(0);
await c.close();
write({ what: 'done' });
process.exit(0);
