/** The shape of the database, in numbered steps. A step that has been released is never edited. */

export const MIGRATIONS: readonly string[] = [
  `
CREATE TABLE charts (
  id INTEGER PRIMARY KEY,
  machine TEXT NOT NULL,
  version TEXT NOT NULL,
  hash TEXT NOT NULL
);
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE tabs (
  id INTEGER PRIMARY KEY,
  tab TEXT NOT NULL UNIQUE,
  epoch INTEGER NOT NULL DEFAULT 0,
  gone TEXT,
  occupant TEXT
);
CREATE TABLE asks (
  id INTEGER PRIMARY KEY,
  ask_id TEXT NOT NULL UNIQUE,
  chart INTEGER NOT NULL,
  state TEXT NOT NULL,
  seq INTEGER NOT NULL,
  tab INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  occupant TEXT,
  opened_at INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  question TEXT NOT NULL,
  card TEXT,
  expires_at INTEGER,
  reused INTEGER NOT NULL DEFAULT 0,
  context TEXT
);
CREATE INDEX asks_open ON asks (seq) WHERE state IN ('awaited', 'unattended');
CREATE INDEX asks_unattended ON asks (seq) WHERE state = 'unattended';
CREATE INDEX asks_awaited ON asks (seq) WHERE state = 'awaited';
CREATE INDEX asks_tab ON asks (tab) WHERE state IN ('awaited', 'unattended');
CREATE INDEX asks_reused ON asks (seq) WHERE reused = 1 AND state IN ('awaited', 'unattended');
CREATE INDEX asks_ended ON asks (seq) WHERE state IN ('withdrawn', 'superseded', 'expired', 'evicted');
CREATE INDEX asks_deadline ON asks (expires_at) WHERE expires_at IS NOT NULL AND state IN ('awaited', 'unattended');
CREATE TABLE spent (id INTEGER PRIMARY KEY, ask_id TEXT NOT NULL UNIQUE);
CREATE TABLE entries (
  n INTEGER PRIMARY KEY,
  ask_id TEXT NOT NULL,
  chart INTEGER NOT NULL,
  delivery TEXT NOT NULL,
  label TEXT NOT NULL,
  tab INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  licensed INTEGER NOT NULL,
  fingerprint TEXT,
  question TEXT,
  answer TEXT NOT NULL,
  answered_at INTEGER NOT NULL,
  aged_from INTEGER NOT NULL,
  occupant TEXT,
  provenance TEXT NOT NULL,
  ticket_seq INTEGER NOT NULL,
  surface TEXT,
  reply TEXT,
  context TEXT
);
CREATE INDEX entries_ask ON entries (ask_id);
CREATE INDEX entries_tab ON entries (tab, rank, n);
CREATE INDEX entries_rank ON entries (rank, n);
CREATE INDEX entries_pending ON entries (tab, n) WHERE delivery = 'pending';
CREATE INDEX entries_owed ON entries (tab, occupant) WHERE delivery IN ('pending', 'handed_off');
CREATE INDEX entries_handed ON entries (n) WHERE delivery = 'handed_off';
CREATE INDEX entries_untouched ON entries (n) WHERE delivery = 'none' AND rank = 3;
CREATE INDEX entries_licensed ON entries (tab, fingerprint, n) WHERE licensed = 1;
CREATE TABLE losses (id INTEGER PRIMARY KEY, chart INTEGER NOT NULL, state TEXT NOT NULL, context TEXT NOT NULL);
CREATE TABLE warnings (n INTEGER PRIMARY KEY, chart INTEGER NOT NULL, state TEXT NOT NULL, context TEXT NOT NULL);
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  token TEXT NOT NULL,
  tab TEXT NOT NULL,
  because TEXT NOT NULL
);
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  event TEXT NOT NULL,
  ask INTEGER,
  ask_id TEXT,
  token TEXT,
  tab INTEGER,
  surface TEXT,
  who TEXT,
  digest TEXT,
  detail TEXT
);
`,
  `
CREATE TABLE kept (
  place INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  chart TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (kind, id)
);
`,
];
