/** The idle proof: reads every ledger, takes nothing on trust, and closes the doors for a retirement. */

import {
  decides,
  idleVerdict,
  type Probe,
  type ProbeState,
  probeState,
  type Reading,
  shortCircuits,
  takeReading,
  unreadable,
} from '../machines/idle.ts';
import { type RetirementEvent, retirementMachine } from '../machines/retirement.ts';
import { heed } from '../machines/shared/heed.ts';
import { compile, start, step } from '../machines/shared/step.ts';
import type { Watch } from '../machines/shared/tap.ts';
import type { IdleAnswer, IdleDetail } from './api.ts';
import { invalid, ReadbackError } from './errors.ts';
import { requireGiven } from './given.ts';
import { consoleLogger, type Logger, nodeRuntime, type Runtime } from './runtime.ts';

/** Bounds of the idle proof, with their units, and what hitting one does. */
export const IDLE_BOUNDS = Object.freeze({
  /** Milliseconds that one ledger may take. Beyond it the ledger is unreadable. */
  read: 1_000,
  /** Owner ids in one answer; the rest is only counted. */
  owners: 16,
  /** UTF-16 units of one owner id in an answer; a longer one is cut. */
  owner: 128,
});

/** How much a ledger holds now, and whose it is. */
export interface LedgerReading {
  /** A whole number; 0: empty. */
  readonly count: number;
  /** Ids of sessions, jobs or asks, never more than `count`. */
  readonly owners?: readonly string[] | undefined;
}

/** One count that must be zero before this process may go. Reading it changes nothing. */
export interface IdleLedger {
  /** Unique; it is named in answers and in the log. */
  readonly name: string;
  /** `turn`: work that runs or is about to. `input`: a person is being asked. */
  readonly probe: 'turn' | 'input';
  /** Whatever this throws, rejects with, or says beside a count, is "unreadable", which is never idle. */
  read(): LedgerReading | number | Promise<LedgerReading | number>;
  /** False: its owner ids stay out of the answer. */
  readonly detail?: boolean | undefined;
}

export interface IdleOptions {
  /** In the order in which they are read, those of `turn` first. A probe without any ledger proves nothing. */
  readonly ledgers: readonly IdleLedger[];
  readonly logger?: Logger | undefined;
  readonly runtime?: Runtime | undefined;
  /** Milliseconds that one ledger may take. Default `IDLE_BOUNDS.read`. */
  readonly readMs?: number | undefined;
  /** Where the steps of its doors are told: the `watch` of a coordinator. */
  readonly watch?: Watch | undefined;
}

/** A retirement that was prepared. It can be committed once. */
export interface Retirement {
  /**
   * Closes the doors, reads every ledger again, and says whether this process may go.
   *
   * True: nothing ran, nobody was asked, nobody came in since `prepare()`, and nobody will: the doors stay closed.
   * False: not so, and they are open. Never rejects; called again it says the same.
   */
  commit(): Promise<boolean>;
  /** Gives the retirement up: `commit()` says false, and doors that it closed are open again, also after a true. */
  cancel(): void;
}

const chart = compile(retirementMachine);

/** The ledger that this file keeps itself: who was let in and is not on file yet. */
const ADMISSIONS = 'admissions';

/** A log is read by people: one line of the process is enough to go and look, and every answer names its ledger. */
let isTold = false;

interface Probed {
  readonly state: ProbeState;
  readonly detail: IdleDetail | undefined;
}

/** Makes the proof over these ledgers. Throws `invalid_input` where one of them is none. */
export function createIdle(options: IdleOptions): IdleProof {
  requireGiven(options, { ledgers: 'object' });
  return new IdleProof(options);
}

/** See `createIdle`. */
export class IdleProof {
  readonly #ledgers: Readonly<Record<Probe, readonly IdleLedger[]>>;
  readonly #logger: Logger;
  readonly #runtime: Runtime;
  readonly #readMs: number;
  readonly #watch: Watch | undefined;
  #at = start(chart, undefined).snapshot;
  #entering = 0;
  #retirements = 0;

  constructor(options: IdleOptions) {
    const { ledgers, logger = consoleLogger, runtime = nodeRuntime, readMs = IDLE_BOUNDS.read, watch } = options;
    checkLedgers(ledgers);
    if (!(readMs > 0)) throw invalid('readMs', 'must be a number of milliseconds above zero');
    this.#ledgers = {
      turn: ledgers.filter(({ probe }) => probe === 'turn'),
      input: ledgers.filter(({ probe }) => probe === 'input'),
    };
    this.#logger = logger;
    this.#runtime = runtime;
    this.#readMs = readMs;
    this.#watch = watch;
  }

  /** `frozen`: a retirement is being committed. `retired`: one was; this process may be ended at any moment. */
  get doors(): 'open' | 'frozen' | 'retired' {
    return this.#at.value;
  }

  /**
   * Reads the ledgers now and says whether this process is idle. Never cached, never rejects, changes nothing.
   *
   * `true` is a snapshot, not a permission to end the process: for that, see `prepare`.
   */
  async idle(): Promise<IdleAnswer> {
    const since = this.#admitted;
    const answer = await this.#prove();
    // A ledger may have been read before somebody came in and another one after; together they prove nothing.
    return answer.idle === true && this.#admitted !== since ? admitting(this.#admitted - since) : answer;
  }

  /**
   * Lets in something that is in its ledger before anything else runs: call it first. Throws `retiring` while the
   * doors are closed; then nothing may be opened.
   */
  admit(): void {
    if (this.#move({ type: 'ADMIT' })) return;
    throw new ReadbackError('retiring', 'This process is retiring and lets nothing new in.');
  }

  /**
   * Lets in something that takes a while until it is in its ledger, and counts it meanwhile.
   *
   * Call what it returns when it is there, or has failed. Throws `retiring` as `admit` does.
   */
  beginAdmission(): () => void {
    this.admit();
    this.#entering += 1;
    let isOver = false;
    return () => {
      if (!isOver) this.#entering -= 1;
      isOver = true;
    };
  }

  /** Notes that from now on nobody may come in; closes nothing yet. */
  prepare(): Retirement {
    this.#retirements += 1;
    const by = this.#retirements;
    const since = this.#admitted;
    let isCancelled = false;
    let said: Promise<boolean> | undefined;
    return {
      commit: () => {
        said ??= isCancelled ? Promise.resolve(false) : this.#commit(by, since);
        return said;
      },
      cancel: () => {
        isCancelled = true;
        this.#move({ type: 'CANCEL', by });
      },
    };
  }

  async #commit(by: number, since: number): Promise<boolean> {
    if (!this.#move({ type: 'FREEZE', by, since })) return false;
    const { idle } = await this.#prove();
    // A refused step means that it was cancelled meanwhile: the doors are no longer ours.
    const isHeld = this.#move({ type: idle === true ? 'PROVEN' : 'REFUTED', by });
    return idle === true && isHeld;
  }

  get #admitted(): number {
    return this.#at.context.admitted;
  }

  /** False: it is refused, and nothing has changed. */
  #move(event: RetirementEvent): boolean {
    const stepped = step(chart, this.#at, event);
    // Whoever is let in has a row of its own, whose steps are told.
    const isTold = event.type !== 'ADMIT' || stepped.ignored;
    if (isTold) this.#watch?.tell?.(chart.id, chart.id, this.#at, event, stepped);
    this.#at = stepped.snapshot;
    return !stepped.ignored;
  }

  async #prove(): Promise<IdleAnswer> {
    if (this.#entering > 0) return admitting(this.#entering);
    const turn = await this.#probe('turn');
    if (shortCircuits(turn.state)) return answerOf(turn.state, 'unreadable', turn.detail);
    const input = await this.#probe('input');
    return answerOf(turn.state, input.state, input.detail);
  }

  async #probe(probe: Probe): Promise<Probed> {
    const readings: Reading[] = [];
    for (const ledger of this.#ledgers[probe]) {
      const reading = await this.#read(ledger);
      readings.push(reading);
      if (decides(reading)) return { state: probeState(readings), detail: detailOf(ledger, reading) };
    }
    if (readings.length === 0) this.#tell(`there is no ${probe} ledger`);
    return { state: probeState(readings), detail: undefined };
  }

  async #read(ledger: IdleLedger): Promise<Reading> {
    const reading = await this.#listen(ledger);
    if (reading.kind === 'unreadable') {
      this.#tell(`the ${ledger.probe} ledger "${ledger.name}" cannot be read: ${reading.why}`);
    }
    return reading;
  }

  async #listen(ledger: IdleLedger): Promise<Reading> {
    const begun = this.#runtime.now();
    try {
      const said: unknown = ledger.read();
      const reading = isThenable(said) ? await this.#inTime(said) : takeReading(said);
      return this.#runtime.now() - begun > this.#readMs ? this.#slow() : reading;
    } catch (error) {
      return unreadable(`it failed (${wordsOf(error)})`);
    }
  }

  /** What a promise comes to, unless it takes too long; what it says after that is not heard, nor is its failure. */
  async #inTime(said: PromiseLike<unknown>): Promise<Reading> {
    let cancel: () => void = () => undefined;
    const late = new Promise<Reading>((resolve) => {
      cancel = this.#runtime.after(this.#readMs, () => resolve(this.#slow()));
    });
    try {
      return await Promise.race([late, Promise.resolve(said).then(takeReading)]);
    } finally {
      cancel();
    }
  }

  #slow(): Reading {
    return unreadable(`it took longer than ${this.#readMs} ms`);
  }

  #tell(what: string): void {
    if (isTold) return;
    try {
      const said = this.#logger.warn(
        `readback: idle proof: ${what}. Until that is mended this process is never taken for idle. This is said once.`,
      );
      heed(said, () => undefined);
      isTold = true;
    } catch {
      // A log that cannot be written must not make a proof of what is none; the next reading tries again.
    }
  }
}

/** Being let in is work that runs (RQ-R142). */
function admitting(count: number): IdleAnswer {
  return answerOf('busy', 'unreadable', { ledger: ADMISSIONS, count });
}

function answerOf(turn: ProbeState, input: ProbeState, detail: IdleDetail | undefined): IdleAnswer {
  const verdict = idleVerdict(turn, input);
  return verdict.idle === true || detail === undefined ? verdict : { ...verdict, detail };
}

function detailOf(ledger: IdleLedger, reading: Reading): IdleDetail {
  if (reading.kind === 'unreadable') return { ledger: ledger.name };
  const { count, owners } = reading;
  if (ledger.detail === false || owners.length === 0) return { ledger: ledger.name, count };
  const named = owners.slice(0, IDLE_BOUNDS.owners).map((owner) => owner.slice(0, IDLE_BOUNDS.owner));
  return { ledger: ledger.name, count, owners: named };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** Some words for whatever was thrown, even where it refuses to be turned into text. */
function wordsOf(error: unknown): string {
  try {
    return String(error).slice(0, 200);
  } catch {
    return 'with something that cannot be told';
  }
}

function checkLedgers(ledgers: readonly IdleLedger[]): void {
  if (!Array.isArray(ledgers)) throw invalid('ledgers', 'is no list');
  const names = new Set([ADMISSIONS]);
  for (const [at, one] of (ledgers as readonly (Partial<IdleLedger> | null | undefined)[]).entries()) {
    const field = `ledgers[${at}]`;
    const { name, probe, read } = one ?? {};
    if (typeof name !== 'string' || name === '') throw invalid(`${field}.name`, 'is missing');
    if (names.has(name)) throw invalid(`${field}.name`, `"${name}" is the name of another ledger`);
    if (probe !== 'turn' && probe !== 'input') throw invalid(`${field}.probe`, 'is neither "turn" nor "input"');
    if (typeof read !== 'function') throw invalid(`${field}.read`, 'is no function');
    names.add(name);
  }
}
