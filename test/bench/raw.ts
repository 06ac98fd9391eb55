/** The floor under the coordinator on SQLite: the statements that a cycle needs, on the same tables, as durable. */
import Database from 'better-sqlite3';
import { MIGRATIONS } from '../../src/store/migrations.ts';

export const QUESTION =
  'Which of the two should I use for the next step, given what was said about the other one before?';

let ids = 0;
export const freshId = (): string => `pa-${(ids++).toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;

const places = (count: number): string => Array.from({ length: count }, () => '?').join(', ');

/** A database like the store's, owned alone, and the statements on it. */
function prepared(path: string) {
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
  return {
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
}

/** So many cycles at once, in the two transactions that they share; what they prove goes along with the next ones. */
export function rawCycles(path: string, flight: number): () => void {
  const sql = prepared(path);
  const print = '0123456789abcdef0123456789abcdef';
  let done = 0;
  let before: readonly string[] = [];
  const proveThose = (now: number): void => {
    for (const [i, askId] of before.entries()) {
      const n = done - before.length + i + 1;
      sql.close.run('released', askId);
      sql.prove.run('acked', 0, '{"proven":"receipt","rides":["turn"]}', n);
      for (const event of ['returned', 'closed', 'acked']) sql.note.run(now, event, n, `aa${n}`, 1, 'turn');
    }
  };
  return () => {
    const now = Date.now();
    const asks = Array.from({ length: flight }, freshId);
    for (const askId of asks) {
      sql.isAsked.get(askId);
      sql.isSpent.get(askId);
      sql.isAnswered.all(askId);
    }
    sql.begin.run();
    proveThose(now);
    for (const [i, askId] of asks.entries()) {
      const n = done + i + 1;
      sql.ask.run(askId, 2, 'awaited', n, 1, 0, now, print, QUESTION);
      sql.note.run(now, 'opened', n, null, 1, null);
    }
    sql.commit.run();
    sql.begin.run();
    for (const [i, askId] of asks.entries()) {
      const n = done + i + 1;
      const said = [print, QUESTION, 'The first', now, now, null, 'ticket', n, null, null, null];
      sql.entry.run(n, askId, 1, 'none', 'matched', 1, 3, 1, ...said);
      sql.note.run(now, 'answered', n, `aa${n}`, 1, null);
    }
    sql.commit.run();
    done += flight;
    before = asks;
  };
}
