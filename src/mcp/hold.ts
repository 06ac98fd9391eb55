/** Holding a call for a person: how long, what is reported meanwhile, and what its result carries when it ends. */
import type { Asking, Attach, BatchOutcome, Outcome } from '../api.ts';
import type { Runtime } from '../runtime.ts';
import { joinSignals } from '../signals.ts';
import { wordBatch } from './batch-wording.ts';
import { every } from './every.ts';
import type { Call } from './gate.ts';
import type { Patience } from './patience.ts';
import type { Rides } from './rides.ts';
import type { Hold, Worded } from './wording.ts';
import { wordOutcome } from './wording.ts';

/** Reports that a call is alive; `progress` rises with every report of one call. */
export type Report = (progress: number, total: number, message: string) => void;

export interface HoldParts {
  readonly asking: Asking;
  readonly holdMs: number;
  readonly progressMs: number;
  readonly runtime: Runtime;
  readonly patience: Patience;
  readonly rides: Rides;
}

/** What a held call gives to the coordinator. */
export interface Wait {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly attach: Attach;
  readonly opened: (...askIds: readonly string[]) => void;
}

/** One call that shall be held. */
export interface Held {
  readonly call: Call;
  readonly seconds: number | undefined;
  readonly report: Report | undefined;
}

export class Holds {
  readonly #parts: HoldParts;
  readonly #leaving = new AbortController();

  constructor(parts: HoldParts) {
    this.#parts = parts;
  }

  /** Ends every wait: the calls tell how their asks stand now. */
  leave(): void {
    this.#leaving.abort();
  }

  /** Holds for one question. */
  alone(held: Held, start: (wait: Wait) => Promise<Outcome>): Promise<Worded> {
    const { asking, runtime } = this.#parts;
    return this.#hold(held, start, async (wait, first, holdOf) => {
      const cut = first.outcome === 'cancelled' && this.#isCut(held.call);
      const outcome = cut ? await asking.awaitAnswer(first.askId, { ...wait, timeoutMs: 0, signal: undefined }) : first;
      const losses = this.#carry(held.call, [outcome]);
      const own = 'token' in outcome && this.#parts.rides.proven(outcome.token);
      return wordOutcome(this.#labelled(outcome), { ...holdOf(), losses, own }, runtime.now());
    });
  }

  /** Holds for several questions; `questionsOf` gives the text of each, by its id and its place. */
  together(
    held: Held,
    start: (wait: Wait) => Promise<BatchOutcome>,
    questionOf: (askId: string, at: number) => string | null | Promise<string | null>,
  ): Promise<Worded> {
    const { asking, runtime, rides } = this.#parts;
    return this.#hold(held, start, async (wait, first, holdOf) => {
      const { call } = held;
      const cut = first.outcomes.some(({ outcome }) => outcome === 'cancelled') && this.#isCut(call);
      const batch = cut ? await asking.awaitAll(call.holding, { ...wait, timeoutMs: 0, signal: undefined }) : first;
      const losses = this.#carry(call, batch.outcomes);
      const questions = await Promise.all(batch.outcomes.map(({ askId }, at) => questionOf(askId, at)));
      const outcomes = batch.outcomes.map((outcome) => this.#labelled(outcome));
      const hold = { ...holdOf(), losses, isOwn: (token: string) => rides.proven(token) };
      return wordBatch({ ...batch, outcomes }, questions, hold, runtime.now());
    });
  }

  /** Waits for a person, reporting progress until the outcome is known and never after it. */
  async #hold<T>(
    { call, seconds, report }: Held,
    start: (wait: Wait) => Promise<T>,
    word: (wait: Wait, outcome: T, holdOf: () => Hold) => Promise<Worded>,
  ): Promise<Worded> {
    const { holdMs, progressMs, runtime, patience, rides } = this.#parts;
    const { ms: timeoutMs, shortened } = patience.hold(seconds === undefined ? holdMs : seconds * 1_000);
    const startedAt = runtime.now();
    let last = -1;
    const tell = (message: string) => {
      if (call.loss !== undefined) return;
      // The wall clock may be set back; progress may not.
      last = Math.max(last + 1, Math.round((runtime.now() - startedAt) / 1_000));
      report?.(last, Math.max(last + 1, Math.ceil(timeoutMs / 1_000)), message);
    };
    const stop = every(runtime, progressMs, () => tell('Waiting for the person to answer.'));
    const opened = (...askIds: readonly string[]) => {
      call.holding = askIds;
      const what = askIds.length === 1 ? 'The question is' : 'The questions are';
      tell(`${what} on file as ${askIds.join(', ')}.`);
    };
    const { signal, release } = joinSignals(call.signal, this.#leaving.signal);
    const wait = { timeoutMs, signal, attach: this.#attach(call), opened };
    const holdOf = (): Hold => ({
      waitedMs: Math.max(0, runtime.now() - startedAt),
      limitMs: shortened ? patience.limitMs : undefined,
    });
    let isGiven = false;
    try {
      const worded = await word(wait, await start(wait), holdOf);
      isGiven = true;
      return worded;
    } finally {
      for (const token of call.attached) rides.attached(token, isGiven);
      stop();
      release();
    }
  }

  /**
   * A host that closes has ended the wait and not the question: whoever asked is told that it is still open. Without an
   * id on file there is nothing to wait for later.
   */
  #isCut(call: Call): boolean {
    return this.#leaving.signal.aborted && call.loss === undefined && call.holding.length > 0;
  }

  /** Puts what was handed over on the result of this call. Gives the token of the losses that it tells of. */
  #carry(call: Call, outcomes: readonly Outcome[]): string | undefined {
    const { rides } = this.#parts;
    const answered = outcomes.filter((outcome) => 'token' in outcome);
    // What is proven to be read needs no second receipt, so nothing would follow from losing this result.
    for (const outcome of answered) if (!outcome.readBack) rides.carry(call, outcome);
    // What else was attached names the losses that this result tells of; it needs a receipt of its own.
    const losses = call.attached.find((token) => !answered.some((outcome) => outcome.token === token));
    if (losses !== undefined) rides.carryLosses(call, losses);
    return losses;
  }

  #labelled(outcome: Outcome): Outcome {
    const repeats = 'token' in outcome && this.#parts.rides.mayRepeat(outcome.token);
    return repeats ? { ...outcome, possibleRepeat: true } : outcome;
  }

  #attach(call: Call): Attach {
    return (_tab, token) => {
      const carrier = this.#parts.rides.attach(call, token);
      if (carrier !== null) call.attached.push(token);
      return carrier;
    };
  }
}
