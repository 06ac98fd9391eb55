/** The reference store: everything in memory. It keeps nothing across a restart. */
import type { AuditQuery, AuditRow } from '../api.ts';
import { KEEP } from '../limits.ts';
import { MemoryEntries } from './memory-entries.ts';
import type { AuditNote, Book, KeptRow, OutboxRow, Store, TabRow } from './store.ts';

export class MemoryBook extends MemoryEntries implements Book {
  #number = 0;
  #seq = 0;

  constructor(keepFinished = 0) {
    super(keepFinished);
  }

  get latestSeq(): number {
    return this.#seq;
  }

  nextNumber(): number {
    this.#number += 1;
    return this.#number;
  }

  nextSeq(): number {
    this.#seq += 1;
    return this.#seq;
  }

  clear(): void {
    this.clearEntries();
    this.clearTickets();
    this.clearDebts();
  }
}

interface Placed {
  readonly place: number;
  readonly row: KeptRow;
}

function keptRows(undoable: (undo: () => void) => void): Pick<Store, 'keep' | 'kept'> {
  const kinds = new Map<string, Map<string, Placed>>();
  let places = 0;
  return {
    keep(kind, id, row) {
      const rows = kinds.get(kind) ?? new Map<string, Placed>();
      kinds.set(kind, rows);
      const before = rows.get(id);
      if (row === undefined) rows.delete(id);
      else {
        places += 1;
        rows.set(id, { place: before?.place ?? places, row: { id, chart: row.chart, body: row.body } });
      }
      undoable(() => void (before === undefined ? rows.delete(id) : rows.set(id, before)));
    },
    kept: (kind) =>
      [...(kinds.get(kind)?.values() ?? [])].sort((one, other) => one.place - other.place).map(({ row }) => row),
  };
}

/** Keeps all rows in memory. Nothing survives the process: use it for tests and for hosts without a disk. */
export function memoryStore(): Store {
  const book = new MemoryBook(KEEP.finishedAsks);
  const tabs = new Map<string, TabRow>();
  const outbox = new Map<number, OutboxRow>();
  const audit: AuditRow[] = [];
  let outboxIds = 0;
  let auditIds = 0;
  book.undo = [];
  const undoable = (undo: () => void): void => void book.undo?.push(undo);
  return {
    kind: 'memory',
    book,
    get dirty() {
      return (book.undo?.length ?? 0) > 0;
    },
    commit() {
      book.undo = [];
    },
    rollback() {
      const undo = book.undo ?? [];
      book.undo = null;
      for (const step of undo.reverse()) step();
      book.undo = [];
    },
    note(row: AuditNote) {
      audit.push({ ...row, id: ++auditIds });
      undoable(() => void audit.pop());
      if (audit.length > 2 * KEEP.auditRows) audit.splice(0, audit.length - KEEP.auditRows);
    },
    audit({ after, askId, token, tab, events, limit = 100 }: AuditQuery) {
      const rows = audit.filter(
        (row) =>
          row.id > (after ?? 0) &&
          (askId === undefined || row.askId === askId) &&
          (token === undefined || row.token === token) &&
          (tab === undefined || row.tab === tab) &&
          (events === undefined || events.includes(row.event)),
      );
      return after === undefined ? rows.slice(Math.max(rows.length - limit, 0)) : rows.slice(0, limit);
    },
    intend(row) {
      outboxIds += 1;
      const id = outboxIds;
      outbox.set(id, { ...row, id });
      undoable(() => void outbox.delete(id));
      return id;
    },
    done(id) {
      const row = outbox.get(id);
      outbox.delete(id);
      if (row !== undefined) undoable(() => void outbox.set(id, row));
    },
    outbox: () => [...outbox.values()],
    tabs: () => [...tabs.values()],
    saveTab(tab, row) {
      const before = tabs.get(tab);
      if (row === undefined) tabs.delete(tab);
      else tabs.set(tab, row);
      undoable(() => void (before === undefined ? tabs.delete(tab) : tabs.set(tab, before)));
    },
    ...keptRows(undoable),
    tidy: () => undefined,
    close: () => undefined,
  };
}
