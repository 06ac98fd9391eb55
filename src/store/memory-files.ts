/** The files of the memory store: one for each ask id, and one for each tab. */
import type { EntryRow, TicketRow } from '../journal/rows.ts';
import { Line, type Member } from './line.ts';

/** Lines that an entry is on, as bits: its class among the victims of a bound is one of the first four. */
export const CLASSES = 15;
export const PENDING = 16;
export const OWED = 32;
export const LICENSED = 64;
export const ON_FILE = 128;

/** An entry on file: its row, the ask and the tab it lies with, and the lines it is on. */
export interface Filed extends Member {
  readonly row: EntryRow;
  readonly file: AskFile;
  readonly tab: TabFile;
}

/** Everything on file of one tab. */
export class TabFile {
  readonly key: string;
  readonly entries = new Line<Filed>(ON_FILE);
  readonly pending = new Line<Filed>(PENDING);
  readonly classes: readonly Line<Filed>[] = classLines();
  /**
   * Licensed entries by fingerprint: nearly always one, which then needs no list. Made when they are first asked for,
   * since most answers are given while their handler waits, and nobody ever asks for them here.
   */
  #prints: Map<string, Filed | Line<Filed>> | undefined;
  /** Open tickets with an opening here: nearly always one. */
  tickets: TicketRow | Set<TicketRow> | undefined;

  constructor(key: string) {
    this.key = key;
  }

  get empty(): boolean {
    return this.entries.size === 0 && this.tickets === undefined;
  }

  addTicket(row: TicketRow): void {
    const there = this.tickets;
    if (there === undefined) this.tickets = row;
    else if (there instanceof Set) there.add(row);
    else if (there !== row) this.tickets = new Set([there, row]);
  }

  dropTicket(row: TicketRow): void {
    const there = this.tickets;
    if (there === row || (there instanceof Set && there.delete(row) && there.size === 0)) this.tickets = undefined;
  }

  allTickets(): TicketRow[] {
    const there = this.tickets;
    return there === undefined ? [] : there instanceof Set ? [...there] : [there];
  }

  license(filed: Filed): void {
    if (this.#prints !== undefined) enter(this.#prints, filed);
  }

  unlicense(filed: Filed): void {
    const print = filed.row.fingerprint as string;
    const there = this.#prints?.get(print);
    if (there instanceof Line) {
      there.leave();
      if (there.size > 0) return;
    }
    this.#prints?.delete(print);
  }

  licensed(print: string): Filed[] {
    const there = this.#byPrint().get(print);
    return there === undefined ? [] : there instanceof Line ? there.all() : [there];
  }

  #byPrint(): Map<string, Filed | Line<Filed>> {
    if (this.#prints === undefined) {
      this.#prints = new Map();
      for (const filed of this.entries.all()) if ((filed.on & LICENSED) !== 0) enter(this.#prints, filed);
    }
    return this.#prints;
  }
}

function enter(prints: Map<string, Filed | Line<Filed>>, filed: Filed): void {
  const print = filed.row.fingerprint as string;
  const there = prints.get(print);
  if (there === undefined) prints.set(print, filed);
  else if (there instanceof Line) there.add(filed);
  else {
    const line = new Line<Filed>(LICENSED);
    line.add(there);
    line.add(filed);
    prints.set(print, line);
  }
}

export const classLines = (): readonly Line<Filed>[] => [0, 1, 2, 3].map((rank) => new Line<Filed>(1 << rank));

const NONE: readonly never[] = [];

/** An open card that nobody waits for. */
export interface Unattended extends Member {
  readonly row: TicketRow;
}

/** Everything on file of one ask id. Those with an open ticket hang together in the order of their newest opening. */
export class AskFile {
  /** It was opened in this process, whatever became of it. */
  opened: boolean;
  ticket: TicketRow | undefined = undefined;
  unattended: Unattended | undefined = undefined;
  entries: readonly EntryRow[] = NONE;
  older: AskFile | undefined = undefined;
  newer: AskFile | undefined = undefined;

  constructor(opened: boolean) {
    this.opened = opened;
  }
}

/** All ids that were opened and of which nothing else is left share one file: they are only remembered. */
const SPENT = new AskFile(true);

/** The files of all ask ids. Operations ask of one id several times in a row, so the last look-up is kept. */
export class AskFiles {
  readonly #files = new Map<string, AskFile>();
  #lastId: string | undefined;
  #last: AskFile | undefined;

  get(askId: string): AskFile | undefined {
    if (askId === this.#lastId) return this.#last;
    this.#lastId = askId;
    this.#last = this.#files.get(askId);
    return this.#last;
  }

  /** A file that can be written to. */
  own(askId: string): AskFile {
    const there = this.get(askId);
    if (there !== undefined && there !== SPENT) return there;
    const made = new AskFile(there === SPENT);
    this.#put(askId, made);
    return made;
  }

  /** Call it when something was taken out of a file: one with nothing left in it goes. */
  tidy(askId: string, file: AskFile): void {
    if (file.ticket !== undefined || file.entries.length > 0) return;
    if (file.opened) this.#files.set(askId, SPENT);
    else this.#files.delete(askId);
    // What goes by a bound is seldom the ask that the operation is about.
    if (askId === this.#lastId) this.#last = file.opened ? SPENT : undefined;
  }

  /** Forgets that ids were opened; gives a way back. */
  forgetOpened(): () => void {
    const opened = [...this.#files].filter(([, file]) => file.opened).map(([askId]) => askId);
    for (const askId of opened) this.#setOpened(askId, false);
    return () => {
      for (const askId of opened) this.#setOpened(askId, true);
    };
  }

  #setOpened(askId: string, opened: boolean): void {
    const file = this.own(askId);
    file.opened = opened;
    this.tidy(askId, file);
  }

  #put(askId: string, file: AskFile): void {
    this.#files.set(askId, file);
    this.#lastId = askId;
    this.#last = file;
  }
}

/** The files with an open ticket, oldest opening first. Adding and taking out cost the same however many there are. */
export class OpenAsks {
  first: AskFile | undefined;
  #last: AskFile | undefined;
  size = 0;

  add(file: AskFile): void {
    this.size += 1;
    file.older = this.#last;
    if (this.#last === undefined) this.first = file;
    else this.#last.newer = file;
    this.#last = file;
  }

  drop(file: AskFile): void {
    this.size -= 1;
    if (file.older === undefined) this.first = file.newer;
    else file.older.newer = file.newer;
    if (file.newer === undefined) this.#last = file.older;
    else file.newer.older = file.older;
    file.older = undefined;
    file.newer = undefined;
  }

  all(): AskFile[] {
    const all: AskFile[] = [];
    for (let file = this.first; file !== undefined; file = file.newer) all.push(file);
    return all;
  }
}
