/** Tickets in memory, with an index for every look-up. */
import { isOpen, type TicketRow } from '../journal/rows.ts';
import { Debts } from './debts.ts';
import { Line } from './line.ts';
import type { TicketChange } from './store.ts';

export abstract class MemoryTickets extends Debts {
  /** Open tickets in the order of their newest opening: a reopened one is put at the end. */
  readonly #open = new Map<string, TicketRow>();
  readonly #finished = new Map<string, TicketRow>();
  readonly #opened = new Set<string>();
  readonly #bySeq = new Map<number, TicketRow>();
  readonly #unattended = new Line((seq) => this.#bySeq.has(seq));
  readonly #ticketTabs = new Map<string, TicketRow | Set<TicketRow>>();
  readonly #keepFinished: number;

  /** `keepFinished`: how many tickets stay readable after their card has left every surface. */
  constructor(keepFinished: number) {
    super();
    this.#keepFinished = keepFinished;
  }

  ticket(askId: string): TicketRow | undefined {
    return this.#open.get(askId);
  }

  anyTicket(askId: string): TicketRow | undefined {
    return this.#open.get(askId) ?? this.#finished.get(askId);
  }

  addTicket(row: TicketRow): void {
    if (this.undo !== null) this.#undoAddTicket(row);
    if (this.#keepFinished > 0) this.#finished.delete(row.askId);
    this.#opened.add(row.askId);
    this.#enlist(row);
  }

  #undoAddTicket(row: TicketRow): void {
    const fresh = !this.#opened.has(row.askId);
    const earlier = this.#finished.get(row.askId);
    this.undo?.push(() => {
      this.#delist(row);
      if (fresh) this.#opened.delete(row.askId);
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
    const rows = [...this.#open.values()].sort((a, b) => a.seq - b.seq);
    this.#open.clear();
    for (const row of rows) this.#open.set(row.askId, row);
  }

  #refile(row: TicketRow, change: TicketChange): void {
    const { at = row.at, seq } = change;
    const wasOpen = this.#open.get(row.askId) === row;
    if (wasOpen && seq === undefined && at.value === row.at.value && at.context.openings === row.at.context.openings) {
      row.at = at;
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

  #finish(row: TicketRow): void {
    this.#finished.set(row.askId, row);
    if (this.#finished.size <= this.#keepFinished) return;
    for (const oldest of this.#finished.keys()) {
      this.#finished.delete(oldest);
      return;
    }
  }

  #enlist(row: TicketRow): void {
    this.#open.set(row.askId, row);
    if (row.at.value === 'unattended') {
      this.#bySeq.set(row.seq, row);
      this.#unattended.add(row.seq);
    }
    for (const { tab } of row.at.context.openings) {
      const there = this.#ticketTabs.get(tab);
      if (there === undefined) this.#ticketTabs.set(tab, row);
      else if (there instanceof Set) there.add(row);
      else if (there !== row) this.#ticketTabs.set(tab, new Set([there, row]));
    }
  }

  #delist(row: TicketRow): void {
    this.#open.delete(row.askId);
    if (row.at.value === 'unattended' && this.#bySeq.delete(row.seq)) this.#unattended.leave();
    for (const { tab } of row.at.context.openings) {
      const there = this.#ticketTabs.get(tab);
      if (there === row || (there instanceof Set && there.delete(row) && there.size === 0))
        this.#ticketTabs.delete(tab);
    }
  }

  get openTickets(): number {
    return this.#open.size;
  }

  ticketVictim(except: string): TicketRow | undefined {
    let seq = this.#unattended.first();
    if (seq !== undefined && this.#bySeq.get(seq)?.askId === except) seq = this.#unattended.after(seq);
    if (seq !== undefined) return this.#bySeq.get(seq);
    for (const row of this.#open.values()) if (row.askId !== except) return row;
    return undefined;
  }

  ticketsOn(tab: string): TicketRow[] {
    const there = this.#ticketTabs.get(tab);
    return there === undefined ? [] : there instanceof Set ? [...there] : [there];
  }

  wasOpened(askId: string): boolean {
    return this.#opened.has(askId);
  }

  open(limit: number, tab?: string): TicketRow[] {
    const rows = tab === undefined ? [...this.#open.values()] : this.ticketsOn(tab);
    return rows.sort((a, b) => a.seq - b.seq).slice(0, limit);
  }

  deadlines(): { askId: string; expiresAt: number }[] {
    const found: { askId: string; expiresAt: number }[] = [];
    for (const { askId, card } of this.#open.values()) {
      if (card !== null && card.expiresAt !== null) found.push({ askId, expiresAt: card.expiresAt });
    }
    return found;
  }

  awaitedTickets(seq: number, limit: number): TicketRow[] {
    return [...this.#open.values()].filter((row) => row.at.value === 'awaited' && row.seq <= seq).slice(0, limit);
  }

  protected clearTickets(): void {
    const [open, finished, opened] = [[...this.#open.values()], [...this.#finished], [...this.#opened]];
    this.undo?.push(() => {
      for (const askId of opened) this.#opened.add(askId);
      for (const [askId, row] of finished) this.#finished.set(askId, row);
      for (const row of open) this.#enlist(row);
    });
    for (const row of open) this.#delist(row);
    this.#finished.clear();
    this.#opened.clear();
  }
}
