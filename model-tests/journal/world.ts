/**
 * One journal, the host around it, and the truth about every answer: on which card it was given, who sat there, whether
 * that conversation is still the one on the tab, and what became of every loss.
 */
import { createJournal } from '../../src/journal.ts';
import type { JournalLimits } from '../../src/limits.ts';
import { wire } from './callbacks.ts';
import { newStats, newStep, type Outlet, type Stat, type Step } from './facts.ts';
import { type Card, type Copy, type Entry, type Given, type Journal, newSlot, numberOf, type Slot } from './host.ts';
import { LossBook } from './losses.ts';
import type { Cmd, Config, Hook } from './sequence.ts';

export const LOW_LIMITS: JournalLimits = {
  tickets: 4,
  entriesPerTab: 3,
  entriesTotal: 5,
  recoverForMs: 600_000,
  carriedReleases: 2,
};

/** A `record` call that is running. */
interface Recording {
  readonly id: string;
  readonly text: string;
  readonly card: Card | undefined;
  /** The largest token number that had been seen when it began. */
  readonly floor: number;
  token: string | undefined;
}

interface Frame {
  readonly name: string;
  /** Tokens that go with their tab, wherever a callback moves them meanwhile. */
  readonly going: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

export class World {
  readonly config: Config;
  readonly limits: JournalLimits;
  readonly journal: Journal;
  readonly slots: Slot[] = [newSlot(0, 'tab-0', 'x'), newSlot(1, 'tab-1', 'y'), newSlot(2, 'tab-2', undefined)];
  readonly cards: Card[] = [];
  /** Cards whose handler still waits. */
  readonly handlers: Card[] = [];
  readonly ids: string[] = [];
  readonly openings = new Map<string, number>();
  /** Ids that lost their ticket while a handler waited: nobody can know of that handler any more. */
  readonly unwatched = new Set<string>();
  readonly given = new Map<string, Given>();
  /** The token that each `record` call led to, in order of the calls. */
  readonly records: string[] = [];
  readonly texts = new Map<string, Set<string>>();
  readonly created = new Map<string, number>();
  readonly tokens: string[] = [];
  readonly carriers: string[] = [];
  /** Carriers that the attacher ever returned, by entry token. */
  readonly attached = new Map<string, Set<string>>();
  readonly handed = new Set<string>();
  /** Queue copies that have had no receipt, hand-back or recall. */
  readonly out = new Map<string, Copy>();
  /** Tokens whose queue copy was handed back by mistake while the agent kept it. */
  readonly misused = new Set<string>();
  readonly book = new LossBook();
  readonly stats = newStats();
  readonly where = new Map<string, Slot>();
  readonly recording: Recording[] = [];
  readonly frames: Frame[] = [];
  readonly evidence = new Set<string>();
  /** The host's side of everything the journal said to it, for comparing runs. */
  readonly trace: unknown[] = [];
  views = new Map<string, Entry>();
  step: Step = newStep(undefined);
  now = 1_700_000_000_000;
  /** The largest reading the journal was given. */
  highWater = 0;
  /** Callback and log calls so far. */
  calls = 0;
  /** Above 0 while the test itself asks: nothing is counted and nothing throws. */
  quiet = 0;
  fresh = 0;
  /** The largest number of an entry token so far. */
  highest = 0;
  /** A sequence whose clock commands are not carried out (I-31). */
  frozenClock = false;
  runNested: (cmd: Cmd) => void = () => {};
  #nestTaken = false;

  constructor(config: Config, limits: Partial<JournalLimits> = {}) {
    this.config = config;
    this.limits = { ...LOW_LIMITS, ...limits };
    const log = (level: 'debug' | 'info' | 'warn' | 'error') => (first: unknown, second?: unknown) =>
      this.log(level, String(typeof first === 'string' ? first : second));
    this.journal = createJournal({
      limits: this.limits,
      clock: { now: () => this.readClock() },
      logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    });
    wire(this);
  }

  begin(cmd: Cmd | undefined): Step {
    this.step = newStep(cmd);
    this.#nestTaken = false;
    return this.step;
  }

  quietly<T>(look: () => T): T {
    this.quiet += 1;
    try {
      return look();
    } finally {
      this.quiet -= 1;
    }
  }

  /** Counts one callback or log call; throws if it is one of those that shall. */
  tick(who: string): void {
    if (this.quiet > 0) return;
    this.calls += 1;
    if (!this.config.fail.includes(this.calls)) return;
    this.stats.threw += 1;
    this.step.threw.add(who);
    throw new Error(`planted in ${who}`);
  }

  /** Lets the step's nested commands run, once, at the callback they name. */
  nest(hook: Hook): void {
    const nest = this.step.cmd?.nest;
    if (this.quiet > 0 || nest === undefined || nest.at !== hook || this.#nestTaken) return;
    this.#nestTaken = true;
    this.step.nested = true;
    this.stats.nested += 1;
    for (const cmd of nest.cmds) this.runNested(cmd);
  }

  /** One call into the journal. An exception is written down, with whether a rule lets it out. */
  guarded<T>(
    name: string,
    excuse: Hook | readonly Hook[] | undefined,
    call: () => T,
    forgets?: Slot,
  ): { value: T } | undefined {
    this.frames.push({ name, going: forgets === undefined ? NONE : this.tokensOn(forgets) });
    try {
      return { value: call() };
    } catch (error) {
      const allowed = [excuse ?? []].flat().some((hook) => this.step.threw.has(hook));
      this.step.thrown.push({ from: name, message: String(error), allowed });
      return undefined;
    } finally {
      this.observe();
      this.frames.pop();
    }
  }

  private tokensOn(slot: Slot): ReadonlySet<string> {
    return new Set([...this.where].filter(([, where]) => where === slot).map(([token]) => token));
  }

  /** Compares what is on file with what was there before. */
  observe(): void {
    this.quietly(() => {
      const found = new Map<string, Entry>();
      for (const slot of this.slots) {
        for (const entry of this.journal.entriesFor(slot.name)) {
          found.set(entry.token, entry);
          this.where.set(entry.token, slot);
        }
      }
      const before = this.views;
      this.views = found;
      for (const [token, prev] of before) if (!found.has(token)) this.removed(prev);
      for (const [token, cur] of found) {
        const prev = before.get(token);
        if (prev === undefined) this.born(cur);
        else this.changed(prev, cur);
      }
      this.lookForLostTickets();
    });
  }

  waiting(id: string): number {
    return this.unwatched.has(id) ? 0 : this.handlers.filter((card) => card.id === id).length;
  }

  slot(name: string): Slot | undefined {
    return this.slots.find((slot) => slot.name === name);
  }

  outlet(via: Outlet['via'], entry: Entry, slot: Slot): void {
    const given = this.given.get(entry.token);
    this.step.outlets.push({
      via,
      entry,
      slot,
      given,
      cardLive: given?.card?.live === true,
      onCardTab: given?.card?.slot === slot,
      occupant: slot.occupant,
    });
  }

  /** Loss numbers that may be told on a tab now; two if the resolver's throwing leaves open who sits there. */
  tellable(slot: Slot): number[] {
    const known = this.book.reportable(slot, slot.occupant).length;
    if (!this.step.threw.has('resolver')) return [known];
    return [known, this.book.reportable(slot, undefined).length];
  }

  private readClock(): number {
    this.highWater = Math.max(this.highWater, this.now);
    return this.now;
  }

  private log(level: 'debug' | 'info' | 'warn' | 'error', text: string): void {
    const line = { level, text, during: this.frames.at(-1)?.name, written: true };
    this.step.lines.push(line);
    try {
      this.nest('logger');
      this.tick('logger');
    } catch (error) {
      line.written = false;
      throw error;
    }
  }

  /** A handler whose ticket the bound took, as only an opening does, is known to nobody any more. */
  private lookForLostTickets(): void {
    for (const { id } of this.handlers) {
      if (this.journal.ticketFor(id) !== undefined) continue;
      if (this.frames.some((frame) => frame.name === 'openAsk')) this.unwatched.add(id);
    }
  }

  private born(entry: Entry): void {
    const made = this.recording.findLast((one) => one.id === entry.askId && one.text === entry.answer);
    if (made !== undefined && made.token === undefined) made.token = entry.token;
    this.meet(entry, made);
  }

  /** The first sight of an entry. */
  meet(entry: Entry, made: Recording | undefined): void {
    this.tokens.push(entry.token);
    const number = numberOf(entry.token);
    if (made !== undefined && number <= made.floor) this.step.disorder.push(`${entry.token} after ${made.floor}`);
    this.highest = Math.max(this.highest, number);
    this.created.set(entry.askId, (this.created.get(entry.askId) ?? 0) + 1);
    const earlier = [...this.given.values()].find((one) => one.id === entry.askId);
    const arrivals = earlier?.arrivals ?? new Set<string | undefined>();
    arrivals.add(this.slot(entry.key)?.occupant);
    if (this.step.threw.has('resolver')) arrivals.add(undefined);
    this.given.set(entry.token, {
      token: entry.token,
      id: entry.askId,
      card: made?.card,
      text: entry.answer,
      arrivals,
      at: this.highWater,
    });
    this.step.born.push({ entry, waiting: this.waiting(entry.askId) });
    if (entry.retired) this.stats.bornRetired += 1;
    if (entry.provenance === 'unknown') this.stats.bornUnknown += 1;
  }

  private changed(prev: Entry, cur: Entry): void {
    if (prev === cur) return;
    if (!prev.acked && cur.acked) this.stats.acked += 1;
    if (!prev.ambiguousId && cur.ambiguousId) this.stats.ambiguous += 1;
    this.step.changes.push({
      prev,
      cur,
      waiting: this.waiting(cur.askId),
      proved: this.evidence.has(cur.token),
      handed: this.handed.has(cur.token),
      renamed: this.frames.some((frame) => frame.name === 'moveKey'),
    });
  }

  removed(entry: Entry): void {
    const slot = this.where.get(entry.token) ?? this.slot(entry.key);
    const forgotten = this.frames.some(({ going }) => going.has(entry.token));
    this.step.removed.push({ entry, forgotten });
    this.book.undisplay(entry.token);
    if (forgotten) this.stats.forgotten += 1;
    else if (entry.acked) this.stats.evictedAcked += 1;
    else if (entry.retired) this.stats.evictedRetired += 1;
    else if (slot !== undefined) {
      const loss = this.book.note(entry.token, slot, entry.incarnation, entry.rides);
      this.stats.evictedLive += 1;
      if (entry.incarnation === undefined || !slot.gone.has(entry.incarnation)) return;
      this.book.end([loss], 'surfaced');
      this.stats.goneLoss += 1;
    }
  }

  /** Whether a receipt from this carrier is one for the queue copy that is out. */
  isCopyReceipt(token: string, carrier: string | undefined): boolean {
    const copy = this.out.get(token);
    return copy !== undefined && (copy.carrier === undefined || copy.carrier === carrier);
  }

  count(name: Stat, more: number): void {
    this.stats[name] += more;
  }
}
