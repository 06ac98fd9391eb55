/** Tickets in memory, with an index for every look-up. */
import type { Opening } from '../../machines/journal/ticket.ts';
import { ENDED, isOpen, type TicketRow } from '../journal/rows.ts';
import { Debts } from './debts.ts';
import { Line } from './line.ts';
import { AskFiles, OpenAsks, TabFile, type Unattended } from './memory-files.ts';
import type { TicketChange } from './store.ts';

export abstract class MemoryTickets extends Debts {
  protected readonly asks = new AskFiles();
  protected readonly tabs = new Map<string, TabFile>();
  readonly #open = new OpenAsks();
  readonly #finished = new Map<string, TicketRow>();
  readonly #unattended = new Line<Unattended>(1);
  readonly #keepFinished: number;

  /** `keepFinished`: how many tickets stay readable after their card has left every surface. */
  constructor(keepFinished: number) {
    super();
    this.#keepFinished = keepFinished;
  }

  protected tabFile(key: string): TabFile {
    let file = this.tabs.get(key);
    if (file === undefined) {
      file = new TabFile(key);
      this.tabs.set(key, file);
    }
    return file;
  }

  ticket(askId: string): TicketRow | undefined {
    return this.asks.get(askId)?.ticket;
  }

  anyTicket(askId: string): TicketRow | undefined {
    return this.ticket(askId) ?? this.#finished.get(askId);
  }

  addTicket(row: TicketRow): void {
    if (this.undo !== null) this.#undoAddTicket(row);
    if (this.#keepFinished > 0) this.#finished.delete(row.askId);
    this.#enlist(row);
  }

  #undoAddTicket(row: TicketRow): void {
    const fresh = !this.wasOpened(row.askId);
    const earlier = this.#finished.get(row.askId);
    this.undo?.push(() => {
      if (fresh) this.asks.own(row.askId).opened = false;
      this.#delist(row);
      if (earlier !== undefined) this.#finished.set(row.askId, earlier);
    });
  }

  setTicket(row: TicketRow, change: TicketChange): void {
    if (this.undo !== null) this.#undoSetTicket(row);
    this.#refile(row, change);
  }

  #undoSetTicket(row: TicketRow): void {
    const { at, prints, openedAt, seq } = row;
    this.undo?.push(() => {
      this.#refile(row, { at, prints, openedAt, seq });
      this.#sort();
    });
  }

  /** A ticket that a rollback has put back stands at the end of the open ones, and not where it was. */
  #sort(): void {
    const rows = this.#openRows().sort((a, b) => a.seq - b.seq);
    for (const row of rows) this.#open.drop(this.asks.own(row.askId));
    for (const row of rows) this.#open.add(this.asks.own(row.askId));
  }

  #openRows(): TicketRow[] {
    return this.#open.all().flatMap((file) => file.ticket ?? []);
  }

  #refile(row: TicketRow, change: TicketChange): void {
    const { at = row.at, seq } = change;
    const wasOpen = this.ticket(row.askId) === row;
    if (wasOpen && seq === undefined && at.value === row.at.value) {
      this.#rename(row, at);
      return;
    }
    if (wasOpen) this.#delist(row);
    row.at = at;
    if (seq !== undefined) {
      row.seq = seq;
      row.openedAt = change.openedAt ?? row.openedAt;
    }
    if (change.prints !== undefined) row.prints = change.prints;
    if (isOpen(row)) {
      this.#finished.delete(row.askId);
      this.#enlist(row);
    } else if (this.#keepFinished > 0) this.#finish(row);
  }

  /** A ticket whose tab has a new name keeps its age among the open ones. */
  #rename(row: TicketRow, at: TicketRow['at']): void {
    const renamed = at.context.openings !== row.at.context.openings;
    if (renamed) this.#leaveTabs(row);
    row.at = at;
    if (renamed) this.#enterTabs(row);
  }

  #finish(row: TicketRow): void {
    this.#finished.set(row.askId, row);
    if (this.#finished.size <= this.#keepFinished) return;
    for (const oldest of this.#finished.keys()) {
      this.#finished.delete(oldest);
      return;
    }
  }

  #enlist(row: TicketRow): void {
    const file = this.asks.own(row.askId);
    file.opened = true;
    file.ticket = row;
    this.#open.add(file);
    if (row.at.value === 'unattended') {
      file.unattended = { n: row.seq, on: 1, row };
      this.#unattended.add(file.unattended);
    }
    this.#enterTabs(row);
  }

  #enterTabs(row: TicketRow): void {
    const { openings } = row.at.context;
    for (let i = 0; i < openings.length; i += 1) this.tabFile((openings[i] as Opening).tab).addTicket(row);
  }

  #leaveTabs(row: TicketRow): void {
    const { openings } = row.at.context;
    for (let i = 0; i < openings.length; i += 1) {
      const { tab } = openings[i] as Opening;
      const there = this.tabs.get(tab);
      there?.dropTicket(row);
      if (there?.empty) this.tabs.delete(tab);
    }
  }

  #delist(row: TicketRow): void {
    const file = this.asks.own(row.askId);
    file.ticket = undefined;
    this.#open.drop(file);
    if (file.unattended !== undefined) {
      file.unattended.on = 0;
      file.unattended = undefined;
      this.#unattended.leave();
    }
    this.#leaveTabs(row);
    this.asks.tidy(row.askId, file);
  }

  get openTickets(): number {
    return this.#open.size;
  }

  ticketVictim(except: string): TicketRow | undefined {
    let nobody = this.#unattended.first();
    if (nobody?.row.askId === except) nobody = this.#unattended.after(nobody.n);
    if (nobody !== undefined) return nobody.row;
    const { first } = this.#open;
    return first?.ticket?.askId === except ? first.newer?.ticket : first?.ticket;
  }

  ticketsOn(tab: string): TicketRow[] {
    return this.tabs.get(tab)?.allTickets() ?? [];
  }

  wasOpened(askId: string): boolean {
    return this.asks.get(askId)?.opened === true;
  }

  open(limit: number, tab?: string): TicketRow[] {
    const rows = tab === undefined ? this.#openRows() : this.ticketsOn(tab);
    return rows.sort((a, b) => a.seq - b.seq).slice(0, limit);
  }

  ended(limit: number): TicketRow[] {
    const rows = [...this.#finished.values()].filter((row) => ENDED.includes(row.at.value));
    return rows.sort((a, b) => b.seq - a.seq).slice(0, limit);
  }

  deadlines(): { askId: string; expiresAt: number }[] {
    const found: { askId: string; expiresAt: number }[] = [];
    for (const { askId, card } of this.#openRows()) {
      if (card !== null && card.expiresAt !== null) found.push({ askId, expiresAt: card.expiresAt });
    }
    return found;
  }

  awaitedTickets(seq: number, limit: number): TicketRow[] {
    return this.#openRows()
      .filter((row) => row.at.value === 'awaited' && row.seq <= seq)
      .slice(0, limit);
  }

  protected clearTickets(): void {
    const [open, finished] = [this.#openRows(), [...this.#finished]];
    for (const row of open) this.#delist(row);
    const remember = this.asks.forgetOpened();
    this.#finished.clear();
    this.undo?.push(() => {
      remember();
      for (const [askId, row] of finished) this.#finished.set(askId, row);
      for (const row of open) this.#enlist(row);
    });
  }
}
