/** Tickets on SQLite: read when they are asked for, kept while they are in use, written just before the commit. */
import { assert } from '../../machines/shared/assert.ts';
import { ENDED, isOpen, type TicketRow } from '../journal/rows.ts';
import { type AskColumns, packTicket, unpackTicket } from './codec.ts';
import { CACHED_ROWS, SqliteRows } from './sqlite-rows.ts';
import type { TicketChange } from './store.ts';

const OPEN = "state IN ('awaited', 'unattended')";
const ASK = 'SELECT a.*, t.tab AS key FROM asks a JOIN tabs t ON t.id = a.tab';
const ONE = `${ASK} WHERE a.ask_id = ?`;

const INSERT = `INSERT INTO asks
  (ask_id, chart, state, seq, tab, epoch, occupant, opened_at, fingerprint, question, card, expires_at, reused, context)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const UPDATE = `UPDATE asks SET chart = ?, state = ?, seq = ?, tab = ?, epoch = ?, occupant = ?, opened_at = ?,
  fingerprint = ?, question = ?, card = ?, expires_at = ?, reused = ?, context = ? WHERE ask_id = ?`;
const STEP = 'UPDATE asks SET chart = ?, state = ?, context = ? WHERE ask_id = ?';

export abstract class SqliteTickets extends SqliteRows {
  readonly #tickets = new Map<string, TicketRow>();
  readonly #dirty = new Set<TicketRow>();
  readonly #fresh = new Set<TicketRow>();
  /** Changed in more than their state. Naming fewer columns spares their indexes, and with them pages of each commit. */
  readonly #whole = new Set<TicketRow>();
  #open = 0;

  protected get dirtyTickets(): number {
    return this.#dirty.size;
  }

  protected countTickets(): void {
    this.#open = Number(this.sql(`SELECT COUNT(*) FROM asks WHERE ${OPEN}`).pluck().get());
  }

  protected forgetTickets(): void {
    this.#tickets.clear();
    this.#dirty.clear();
    this.#fresh.clear();
    this.#whole.clear();
  }

  /** Forgets the least recently used; nothing is dirty when it is called. */
  protected shrinkTickets(): void {
    for (const askId of this.#tickets.keys()) {
      if (this.#tickets.size <= CACHED_ROWS) return;
      this.#tickets.delete(askId);
    }
  }

  protected flushTickets(): void {
    for (const row of this.#dirty) this.#write(row);
    this.#dirty.clear();
    this.#fresh.clear();
    this.#whole.clear();
  }

  #write(row: TicketRow): void {
    const { openings } = row.at.context;
    const c = packTicket(row, this.tabId(openings[openings.length - 1]?.tab ?? ''), this.charts.ticket);
    if (this.#fresh.has(row)) this.#insert(row, c);
    else if (this.#whole.has(row)) {
      const place = [c.chart, c.state, c.seq, c.tab, c.epoch, c.occupant, c.opened_at];
      const card = [c.fingerprint, c.question, c.card, c.expires_at, c.reused, c.context];
      this.sql(UPDATE).run(...place, ...card, c.ask_id);
    } else this.sql(STEP).run(c.chart, c.state, c.context, c.ask_id);
  }

  // One by one: spreading lists costs more than the statement.
  // biome-ignore format: one line for each list of the statement
  #insert(row: TicketRow, c: AskColumns): void {
    const { lastInsertRowid } = this.sql(INSERT).run(
      c.ask_id, c.chart, c.state, c.seq, c.tab, c.epoch, c.occupant,
      c.opened_at, c.fingerprint, c.question, c.card, c.expires_at, c.reused, c.context,
    );
    this.nameAsk(row.askId, Number(lastInsertRowid));
  }

  #adoptTicket(columns: unknown): TicketRow {
    const read = columns as AskColumns & { key: string };
    const kept = this.#tickets.get(read.ask_id);
    if (kept !== undefined) return kept;
    const row = unpackTicket(read, read.key);
    this.#tickets.set(row.askId, row);
    return row;
  }

  #adoptTickets(rows: unknown[]): TicketRow[] {
    return rows.map((columns) => this.#adoptTicket(columns));
  }

  ticket(askId: string): TicketRow | undefined {
    const row = this.anyTicket(askId);
    return row !== undefined && isOpen(row) ? row : undefined;
  }

  anyTicket(askId: string): TicketRow | undefined {
    const kept = this.#tickets.get(askId);
    if (kept !== undefined) {
      this.#tickets.delete(askId);
      this.#tickets.set(askId, kept);
      return kept;
    }
    const columns = this.sql(ONE).get(askId);
    return columns === undefined ? undefined : this.#adoptTicket(columns);
  }

  addTicket(row: TicketRow): void {
    // An id whose card is finished keeps its row, and its number, for the new opening.
    if (this.askNumber(row.askId) === null) this.#fresh.add(row);
    else if (this.sql('SELECT 1 FROM asks WHERE ask_id = ?').get(row.askId) === undefined) this.#fresh.add(row);
    this.#tickets.set(row.askId, row);
    this.#whole.add(row);
    this.#dirty.add(row);
    this.#open += 1;
  }

  setTicket(row: TicketRow, change: TicketChange): void {
    assert(this.#tickets.get(row.askId) === row, 'a ticket that is stepped is the one on file');
    const before = isOpen(row);
    const stays = change.seq === undefined && change.prints === undefined && change.openedAt === undefined;
    if (!stays || change.at?.context.openings !== row.at.context.openings) this.#whole.add(row);
    Object.assign(row, change);
    if (isOpen(row) !== before) this.#open += before ? -1 : 1;
    this.#dirty.add(row);
  }

  get openTickets(): number {
    return this.#open;
  }

  ticketVictim(except: string): TicketRow | undefined {
    for (const which of ["state = 'unattended'", OPEN]) {
      const columns = this.query(`${ASK} WHERE a.${which} AND a.ask_id <> ? ORDER BY a.seq LIMIT 1`).get(except);
      if (columns !== undefined) return this.#adoptTicket(columns);
    }
    return undefined;
  }

  ticketsOn(tab: string): TicketRow[] {
    const here = this.#adoptTickets(this.query(`${ASK} WHERE a.tab = ? AND a.${OPEN}`).all(this.findTab(tab)));
    const reused = this.#adoptTickets(this.query(`${ASK} WHERE a.reused = 1 AND a.${OPEN}`).all());
    const opened = reused.filter((row) => row.at.context.openings.some((opening) => opening.tab === tab));
    return [...new Set([...here, ...opened])];
  }

  wasOpened(askId: string): boolean {
    return this.#tickets.has(askId) || this.askNumber(askId) !== null;
  }

  open(limit: number, tab?: string): TicketRow[] {
    const here = tab === undefined ? '' : 'AND a.tab = ?';
    const params = tab === undefined ? [limit] : [this.findTab(tab), limit];
    return this.#adoptTickets(this.query(`${ASK} WHERE a.${OPEN} ${here} ORDER BY a.seq LIMIT ?`).all(...params));
  }

  ended(limit: number): TicketRow[] {
    const states = ENDED.map((state) => `'${state}'`).join(', ');
    const rows = this.query(`${ASK} WHERE a.state IN (${states}) ORDER BY a.seq DESC LIMIT ?`);
    return this.#adoptTickets(rows.all(limit));
  }

  deadlines(): { askId: string; expiresAt: number }[] {
    const rows = this.query(
      `SELECT ask_id AS askId, expires_at AS expiresAt FROM asks WHERE expires_at IS NOT NULL AND ${OPEN}`,
    );
    return rows.all() as { askId: string; expiresAt: number }[];
  }

  awaitedTickets(seq: number, limit: number): TicketRow[] {
    const rows = this.query(`${ASK} WHERE a.state = 'awaited' AND a.seq <= ? ORDER BY a.seq LIMIT ?`);
    return this.#adoptTickets(rows.all(seq, limit));
  }
}
