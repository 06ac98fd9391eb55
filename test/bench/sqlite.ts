/** The coordinator on SQLite: against the raw statements that a cycle needs, alone and with 64 asks in flight. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Coordinator } from '../../src/coordinator.ts';
import { openCoordinator } from '../../src/coordinator.ts';
import { MIGRATIONS } from '../../src/store/migrations.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { median, paired, quantile, type Ratio, timed, timedAsync } from './measure.ts';

export const silent = { debug() {}, info() {}, warn() {}, error() {} };
const LIMITS = { tickets: 1e9, entriesPerTab: 1e9, entriesTotal: 1e9 };
const QUESTION = 'Which of the two should I use for the next step, given what was said about the other one before?';

export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'readback-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const openBench = (path: string): Promise<Coordinator> =>
  openCoordinator({ store: openSqliteStore(path), limits: LIMITS, logger: silent, attacher: () => 'turn' });

let ids = 0;
export const freshId = (): string => `pa-${(ids++).toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;

/** Opened, answered while it is awaited, returned, closed, acked. What only proves is not waited for. */
export async function cycle(coordinator: Coordinator, tab: string): Promise<void> {
  const { journal } = coordinator;
  const askId = freshId();
  await journal.openAsk(askId, { tabId: tab, fingerprint: '0123456789abcdef0123456789abcdef', question: QUESTION });
  const { token } = await journal.record(askId, 'The first', { tabId: tab });
  void journal.markReturned(token, { askId });
  void journal.closeAsk(askId);
  void journal.ack(token, { carrier: 'turn' });
}

/** The statements that such a cycle needs, on the same tables, in two transactions, with the same durability. */
function rawCycle(path: string): () => void {
  const db = new Database(path);
  for (const pragma of [
    'locking_mode = EXCLUSIVE',
    'journal_mode = WAL',
    'synchronous = FULL',
    'wal_autocheckpoint = 0',
  ]) {
    db.pragma(pragma);
  }
  for (const step of MIGRATIONS) db.exec(step);
  db.prepare("INSERT INTO tabs (tab) VALUES ('tab')").run();
  const places = (count: number): string => Array.from({ length: count }, () => '?').join(', ');
  const sql = {
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    isAsked: db.prepare('SELECT id FROM asks WHERE ask_id = ?'),
    isSpent: db.prepare('SELECT id FROM spent WHERE ask_id = ?'),
    isAnswered: db.prepare('SELECT n FROM entries WHERE ask_id = ? ORDER BY n'),
    ask: db.prepare(`INSERT INTO asks (ask_id, chart, state, seq, tab, epoch, opened_at, fingerprint, question)
      VALUES (${places(9)})`),
    entry: db.prepare(`INSERT INTO entries VALUES (${places(19)})`),
    note: db.prepare('INSERT INTO audit (at, event, ask, token, tab, who) VALUES (?, ?, ?, ?, ?, ?)'),
    close: db.prepare('UPDATE asks SET state = ? WHERE ask_id = ?'),
    prove: db.prepare('UPDATE entries SET delivery = ?, rank = ?, context = ? WHERE n = ?'),
  };
  const print = '0123456789abcdef0123456789abcdef';
  let n = 0;
  let last = '';
  return () => {
    n += 1;
    const askId = freshId();
    const now = Date.now();
    sql.isAsked.get(askId);
    sql.isSpent.get(askId);
    sql.isAnswered.all(askId);
    sql.begin.run();
    if (last !== '') {
      sql.close.run('released', last);
      sql.prove.run('acked', 0, '{"proven":"receipt","rides":["turn"]}', n - 1);
      for (const event of ['returned', 'closed', 'acked']) sql.note.run(now, event, n - 1, `aa${n - 1}`, 1, 'turn');
    }
    sql.ask.run(askId, 2, 'awaited', n, 1, 0, now, print, QUESTION);
    sql.note.run(now, 'opened', n, null, 1, null);
    sql.commit.run();
    sql.begin.run();
    const said = [print, QUESTION, 'The first', now, now, null, 'ticket', n, null, null, null];
    sql.entry.run(n, askId, 1, 'none', 'matched', 1, 3, 1, ...said);
    sql.note.run(now, 'answered', n, `aa${n}`, 1, null);
    sql.commit.run();
    last = askId;
  };
}

export const sqliteBench = (): Promise<Ratio[]> =>
  withFolder(async (folder) => {
    const coordinator = await openBench(join(folder, 'ours.db'));
    const raw = rawCycle(join(folder, 'raw.db'));
    const rounds = 300;
    const flight = 64;
    const sequential = (): Promise<number> => timedAsync(rounds, () => cycle(coordinator, 'tab'));
    const together = async (): Promise<number> =>
      (await timedAsync(rounds / 10, () =>
        Promise.all(Array.from({ length: flight }, () => cycle(coordinator, 'tab'))),
      )) / flight;
    const results = [
      await paired('SQLite: cycle / the raw statements that it needs', 1.3, [sequential, () => timed(rounds, raw)]),
      await paired('SQLite: cycle with 64 in flight / cycle alone', 0.12, [together, sequential]),
    ];
    const times: number[] = [];
    for (let i = 0; i < 2_000; i++) times.push(await timedAsync(1, () => cycle(coordinator, 'tab')));
    const p50 = median(times);
    const p99 = quantile(times, 0.99);
    results.push({
      name: 'SQLite: p99 / p50 of 2,000 cycles',
      ratio: p99 / p50,
      pairs: [p99 / p50],
      limit: 4,
      detail: `${p99.toFixed(0)} µs against ${p50.toFixed(0)} µs`,
    });
    await coordinator.close();
    return results;
  });
