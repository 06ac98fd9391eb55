/**
 * One stream of steps for whoever looks on. Steps wait in one short ring, each reader has a place in it, and nobody
 * ever waits for a reader: one that falls behind by more than the ring loses the oldest, and is told how many.
 */
import { attempt } from '../machines/shared/heed.ts';
import {
  TAP_FACTS,
  type TapFact,
  type TapReader,
  type TapStep,
  type TapValue,
  type Tell,
  type ToldStep,
  type Watch,
} from '../machines/shared/tap.ts';

export type { TapFact, TapReader, TapStep, TapValue, Watch } from '../machines/shared/tap.ts';

import { invalid } from './errors.ts';
import { TAP } from './limits.ts';
import type { Runtime } from './runtime.ts';

interface Told {
  readonly machine: string;
  readonly id: string;
  readonly before: unknown;
  readonly event: Parameters<Tell>[3];
  readonly step: ToldStep;
  at: number;
}

interface Reading {
  readonly reader: TapReader;
  /** The number of the step that it is told next. */
  next: number;
  isBusy: boolean;
  isOver: boolean;
}

export interface TapParts {
  readonly runtime: Pick<Runtime, 'now' | 'soon'>;
  readonly warn: (text: string) => void;
  /** Whether something is staged that no commit has made yet. */
  readonly isStaging: () => boolean;
}

export class Tap {
  /** For rows that change with a commit of the store: shown after it, and never when it is given up. */
  readonly staged: Watch = { tell: undefined };
  /** For rows that are published only once they are committed, or need no commit. */
  readonly settled: Watch = { tell: undefined };
  readonly #parts: TapParts;
  readonly #readings = new Set<Reading>();
  /** The newest steps, each at its number modulo the bound; those that everybody has read are let go. */
  #ring: (Told | undefined)[] = [];
  /** The oldest step that is kept. */
  #oldest = 1;
  /** Steps that were published; the last of them has this number. */
  #count = 0;
  #waiting: Told[] = [];
  /** The clock, when it was last read. */
  #now = 0;
  #isDue = false;
  #isClosed = false;

  constructor(parts: TapParts) {
    this.#parts = parts;
  }

  /** Tells the reader of every step from now on, until the function returned is called. */
  read(reader: TapReader, field = 'reader'): () => void {
    if (typeof reader !== 'function') throw invalid(field, 'must be a function of a step');
    if (this.#isClosed) return () => undefined;
    const reading: Reading = { reader, next: this.#count + 1, isBusy: false, isOver: false };
    this.#readings.add(reading);
    this.staged.tell ??= (machine, id, before, event, step) => this.#stage(told(machine, id, before, event, step));
    this.settled.tell ??= (machine, id, before, event, step) => {
      // One reading of the clock serves all that is told in a tick: reading it costs more than all else here.
      if (!this.#isDue) this.#now = this.#parts.runtime.now();
      this.#publish(told(machine, id, before, event, step));
    };
    return () => this.#leave(reading);
  }

  #leave(reading: Reading): void {
    reading.isOver = true;
    this.#readings.delete(reading);
    if (this.#readings.size > 0) return;
    this.#hush();
    this.#ring = [];
    this.#oldest = this.#count + 1;
    this.#waiting = [];
  }

  #hush(): void {
    this.staged.tell = undefined;
    this.settled.tell = undefined;
  }

  #stage(step: Told): void {
    this.#waiting.push(step);
    if (this.#waiting.length > 1) return;
    // A step that changes nothing on file gets no commit of its own.
    this.#parts.runtime.soon(() => {
      if (!this.#parts.isStaging()) this.seal();
    });
  }

  /** What was staged is committed. */
  seal(): void {
    if (this.#waiting.length === 0) return;
    const steps = this.#waiting;
    this.#waiting = [];
    this.#now = this.#parts.runtime.now();
    for (let i = 0; i < steps.length; i += 1) this.#publish(steps[i] as Told);
  }

  /** What was staged has not happened. */
  forget(): void {
    this.#waiting = [];
  }

  #publish(step: Told): void {
    step.at = this.#now;
    this.#count += 1;
    this.#ring[this.#count % TAP.behind] = step;
    this.#later();
  }

  #later(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#parts.runtime.soon(() => {
      this.#isDue = false;
      for (const reading of [...this.#readings]) this.#feed(reading);
      this.#letGo();
    });
  }

  /** Steps that lie about after they were read would cost the collector more than all the rest costs. */
  #letGo(): void {
    let wanted = this.#count + 1;
    for (const { next } of this.#readings) wanted = Math.min(wanted, next);
    const from = Math.max(this.#oldest, this.#count - TAP.behind + 1);
    for (let seq = from; seq < wanted; seq += 1) this.#ring[seq % TAP.behind] = undefined;
    this.#oldest = Math.max(from, wanted);
  }

  /** So many steps at once at the most, so that a heap of them does not hold up everything else. */
  #feed(reading: Reading): void {
    for (let n = 0; reading.next <= this.#count && !reading.isBusy && !reading.isOver; n += 1) {
      if (n === TAP.atOnce) {
        this.#later();
        return;
      }
      const oldest = Math.max(this.#count - TAP.behind + 1, reading.next);
      const dropped = oldest - reading.next;
      reading.next = oldest + 1;
      this.#tell(reading, shownOf(this.#ring[oldest % TAP.behind] as Told, oldest), dropped);
    }
  }

  #tell(reading: Reading, step: TapStep, dropped: number): void {
    try {
      const answer = reading.reader(step, dropped);
      if (!isPromise(answer)) return;
      reading.isBusy = true;
      answer.then(
        () => {
          reading.isBusy = false;
          if (!reading.isOver) this.#later();
        },
        (error: unknown) => this.#expel(reading, error),
      );
    } catch (error) {
      this.#expel(reading, error);
    }
  }

  #expel(reading: Reading, error: unknown): void {
    if (reading.isOver) return;
    this.#leave(reading);
    const warn = (): void => this.#parts.warn(`a reader of steps failed and is told nothing more (${String(error)})`);
    // What cannot even be shown, or logged, is this reader's affair and no other's.
    attempt(warn, () => undefined);
  }

  /** Nothing more comes; what is there is still read. */
  close(): void {
    this.seal();
    this.#hush();
    this.#isClosed = true;
  }
}

function told(
  machine: string,
  id: string,
  before: Parameters<Tell>[2],
  event: Told['event'],
  step: Told['step'],
): Told {
  return { machine, id, before: before?.value ?? null, event, step, at: 0 };
}

const isPromise = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof answer === 'object' && answer !== null && 'then' in answer && typeof answer.then === 'function';

/** Made anew for each reader, so that none can change what another is shown; freezing one would cost more. */
function shownOf({ machine, id, before, event, step, at }: Told, seq: number): TapStep {
  const { snapshot, effects, rules, ignored } = step;
  return {
    seq,
    at,
    machine,
    id,
    event: factsOf(machine, event),
    before: before as TapValue | null,
    after: snapshot.value as TapValue,
    effects: effects.length === 0 ? NOTHING : effects.map(({ type }) => type),
    rules,
    ignored,
    done: snapshot.done,
  };
}

const NOTHING: readonly never[] = Object.freeze([]);

const FACTS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(TAP_FACTS).map(([machine, names]) => [machine, new Set(names)]),
);

/** Only what is listed: a fact that somebody adds to an event is not shown until somebody has thought about it. */
function factsOf(machine: string, event: Told['event']): TapStep['event'] {
  const facts: { type: string; [fact: string]: TapFact } = { type: event.type };
  const listed = FACTS.get(machine);
  // An event has few facts and a list has many: this way round it is asked of the few.
  for (const name in event) {
    if (listed?.has(name) !== true) continue;
    const fact = factOf(event[name]);
    if (fact !== undefined) facts[name] = fact;
  }
  return facts;
}

function factOf(fact: unknown): TapFact | undefined {
  if (typeof fact === 'string') return cut(fact);
  if (typeof fact === 'number' || typeof fact === 'boolean' || fact === null) return fact;
  if (!Array.isArray(fact)) return undefined;
  const listed = fact.slice(0, TAP.list).filter((one) => typeof one === 'string' || typeof one === 'number');
  return listed.map((one) => (typeof one === 'string' ? cut(one) : one));
}

const cut = (text: string): string => (text.length <= TAP.fact ? text : `${text.slice(0, TAP.fact - 1)}…`);
