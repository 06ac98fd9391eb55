import type { Asking, Attach, Outcome } from '../api.ts';
import { SIZES, TIMES } from '../limits.ts';
import type { Logger, Runtime } from '../runtime.ts';
import { MCP_BOUNDS } from './bounds.ts';
import { every } from './every.ts';
import type { Call, Loss } from './gate.ts';
import { Patience } from './patience.ts';
import type { SessionResult } from './result.ts';
import { failure, frame, headerNote, notRiding } from './result.ts';
import { RideMemory, Rides } from './rides.ts';
import type { AskUserInput, AwaitAnswerInput, ListAsksInput, WithdrawAskInput } from './schemas.ts';
import type { ToolName } from './tools.ts';
import { parseInput, TOOLS } from './tools.ts';
import type { Worded } from './wording.ts';
import {
  otherData,
  reasonOf,
  rideData,
  wordAcks,
  wordList,
  wordOther,
  wordOutcome,
  wordParked,
  wordRefusals,
  wordRide,
  wordVerdict,
} from './wording.ts';

/** What outlives a reconnect of one conversation: its client's limit, and what it was shown. */
export class SessionMemory {
  readonly patience = new Patience();
  readonly rides = new RideMemory();
}

export interface SessionOptions {
  readonly asking: Asking;
  /** Names the conversation; the tab and the carrier of everything handed to it are `mcp:<id>`. */
  readonly id: string;
  readonly holdMs?: number | undefined;
  /** Milliseconds between two progress notifications. */
  readonly progressMs?: number | undefined;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly memory?: SessionMemory | undefined;
  /** The name of the agent, as its client declared it. */
  readonly from: () => string;
}

/** Reports that a call is alive; `progress` rises with every report of one call. */
export type Report = (progress: number, total: number, message: string) => void;

/** One conversation of one MCP client with one person. */
export class McpSession {
  readonly id: string;
  readonly tab: string;
  readonly memory: SessionMemory;
  readonly #asking: Asking;
  readonly #holdMs: number;
  readonly #progressMs: number;
  readonly #runtime: Runtime;
  readonly #log: Logger;
  readonly #from: () => string;
  readonly #rides: Rides;
  readonly #calls = new Set<Call>();
  readonly #background = new Set<Promise<void>>();
  readonly #leaving = new AbortController();

  constructor(options: SessionOptions) {
    this.id = options.id;
    this.tab = `mcp:${options.id}`;
    this.memory = options.memory ?? new SessionMemory();
    this.#asking = options.asking;
    this.#holdMs = options.holdMs ?? TIMES.hold;
    this.#progressMs = options.progressMs ?? MCP_BOUNDS.progress;
    this.#runtime = options.runtime;
    this.#log = options.logger;
    this.#from = options.from;
    this.#rides = new Rides(options.asking, this.tab, this.tab, this.memory.rides, options.logger);
  }

  /**
   * Runs one tool and gives its result, with whatever rides on it already handed over (committed).
   *
   * Never rejects: what fails on our side is a result that says so.
   */
  async run(call: Call, tool: ToolName, args: unknown, report: Report | undefined): Promise<SessionResult> {
    this.#calls.add(call);
    try {
      const parsed = parseInput<unknown>(TOOLS[tool].input, args);
      if (!parsed.ok) return frame(wordRefusals(tool, parsed.wrong));
      return await this.#run(call, tool, parsed.value, report);
    } catch (error) {
      return frame(failure(tool, error));
    } finally {
      this.#calls.delete(call);
      call.holding = undefined;
      // A hand-over that was committed after the loss; what was committed before is on its way back already.
      if (call.loss !== undefined) await this.#rides.lost(call);
    }
  }

  /** The result of a call was written. */
  written(call: Call): void {
    this.#rides.written(call);
  }

  /** Nobody reads the result of a call. */
  lost(call: Call, loss: Loss): void {
    if (loss.why === 'cancelled' && call.holding !== undefined) {
      this.memory.patience.cancelled(this.#runtime.now() - call.startedAt, loss.reason);
    }
    this.#later(this.#rides.lost(call));
  }

  /** Tokens of a result that a forwarder could not write. */
  notWritten(tokens: readonly string[]): void {
    for (const token of tokens) this.#later(this.#rides.unread(token));
  }

  /** Ends every wait: the calls tell how their asks stand now. */
  leave(): void {
    this.#leaving.abort();
  }

  /**
   * Settles once every hand-back is on file. With a successor the shown answers stay handed over, because
   * the same agent may still prove that it read them.
   */
  async end(successor: boolean): Promise<void> {
    if (!successor) this.#later(this.#rides.end());
    while (this.#background.size > 0) await Promise.all(this.#background);
  }

  async #run(call: Call, tool: ToolName, input: unknown, report: Report | undefined): Promise<SessionResult> {
    const named = (input as { ack?: string[]; tokens?: string[] })[tool === 'ack_answers' ? 'tokens' : 'ack'] ?? [];
    const acks = named.length === 0 ? [] : await this.#acknowledge(named);
    const worded = await this.#perform(call, tool, input, report).catch((error: unknown) => failure(tool, error));
    const body: Worded = acks.length === 0 ? worded : { ...worded, data: { ...worded.data, acks } };
    const texts = [body.text, ...(acks.length === 0 ? [] : [wordAcks(acks)])];
    if (body.isError === true || call.loss !== undefined) return frame(body, texts);
    const { rides, parked } = await this.#rides.collect(call, this.#held(call));
    const now = this.#runtime.now();
    const others = notRiding(body.others ?? [], rides);
    texts.push(
      ...others.map((other) => wordOther(other, now)),
      ...rides.map((ride) => wordRide(ride, now)),
      ...parked.map((each) => wordParked(each.question, each.token)),
    );
    const data = {
      ...body.data,
      ...(others.length === 0 ? {} : { others: others.map(otherData) }),
      ...(rides.length === 0 ? {} : { earlier_answers: rides.map(rideData) }),
      ...(parked.length === 0 ? {} : { parked }),
    };
    return frame({ ...body, data }, texts);
  }

  async #perform(call: Call, tool: ToolName, input: unknown, report: Report | undefined): Promise<Worded> {
    switch (tool) {
      case 'ask_user':
        return this.#askUser(call, input as AskUserInput, report);
      case 'await_answer':
        return this.#awaitAnswer(call, input as AwaitAnswerInput, report);
      case 'list_asks':
        return this.#listAsks(input as ListAsksInput);
      case 'withdraw_ask': {
        const { ask_id, reason } = input as WithdrawAskInput;
        return wordVerdict(await this.#asking.withdraw(ask_id, reason, { surface: 'mcp', who: this.id }));
      }
      case 'ack_answers':
        return { text: '', data: { outcome: 'acknowledged' } };
    }
  }

  async #askUser(call: Call, input: AskUserInput, report: Report | undefined): Promise<Worded> {
    const header = input.header?.slice(0, SIZES.header);
    const question = {
      question: input.question,
      ...(header === undefined ? {} : { header: header.toWellFormed() }),
      ...(input.options === undefined ? {} : { options: input.options }),
      ...(input.multi_select === undefined ? {} : { multiSelect: input.multi_select }),
      ...(input.free_text === undefined ? {} : { freeText: input.free_text }),
    };
    const worded = await this.#hold(call, input.hold_seconds, report, (timeoutMs, opened) =>
      this.#asking.ask(question, {
        tab: this.tab,
        timeoutMs,
        signal: this.#until(call),
        attach: this.#attach(call),
        from: this.#from().slice(0, SIZES.from).toWellFormed(),
        onOpen: opened,
      }),
    );
    const note = headerNote(input.header);
    if (note === undefined) return worded;
    return { ...worded, text: `${worded.text}\n${note}`, data: { ...worded.data, notes: [note] } };
  }

  #awaitAnswer(call: Call, input: AwaitAnswerInput, report: Report | undefined): Promise<Worded> {
    return this.#hold(call, input.hold_seconds, report, (timeoutMs, opened) => {
      opened(input.ask_id);
      return this.#asking.awaitAnswer(input.ask_id, {
        timeoutMs,
        signal: this.#until(call),
        attach: this.#attach(call),
      });
    });
  }

  async #listAsks(input: ListAsksInput): Promise<Worded> {
    const asks = await this.#asking.list({
      what: input.what ?? 'open',
      limit: input.limit ?? 20,
      ...(input.scope === 'all' ? {} : { tab: this.tab }),
    });
    return wordList(asks, this.tab, this.#runtime.now());
  }

  /** Waits for a person, reporting progress until the outcome is known and never after it. */
  async #hold(
    call: Call,
    wantedSeconds: number | undefined,
    report: Report | undefined,
    start: (timeoutMs: number, opened: (askId: string) => void) => Promise<Outcome>,
  ): Promise<Worded> {
    const wanted = wantedSeconds === undefined ? this.#holdMs : wantedSeconds * 1_000;
    const hold = this.memory.patience.hold(wanted);
    const startedAt = this.#runtime.now();
    let last = -1;
    const tell = (message: string) => {
      if (call.loss !== undefined) return;
      // The wall clock may be set back; progress may not.
      last = Math.max(last + 1, Math.round((this.#runtime.now() - startedAt) / 1_000));
      report?.(last, Math.max(last + 1, Math.ceil(hold.ms / 1_000)), message);
    };
    const stop = every(this.#runtime, this.#progressMs, () => tell('Waiting for the person to answer.'));
    try {
      const first = await start(hold.ms, (askId) => {
        call.holding = askId;
        tell(`The question is on file as ${askId}.`);
      });
      const outcome = await this.#standing(call, first);
      // What is proven to be read needs no second receipt, so nothing would follow from losing this result.
      if ('token' in outcome && !outcome.readBack) this.#rides.carry(call, outcome);
      // What else was attached names the losses that this result tells of; it needs a receipt of its own.
      const losses = call.attached.find((token) => !('token' in outcome) || token !== outcome.token);
      if (losses !== undefined) this.#rides.carryLosses(call, losses);
      const limitMs = hold.shortened ? this.memory.patience.limitMs : undefined;
      const now = this.#runtime.now();
      const known =
        'token' in outcome && this.#rides.mayRepeat(outcome.token) ? { ...outcome, possibleRepeat: true } : outcome;
      const own = 'token' in outcome && this.#rides.proven(outcome.token);
      return wordOutcome(known, { waitedMs: Math.max(0, now - startedAt), limitMs, losses, own }, now);
    } finally {
      stop();
    }
  }

  #until(call: Call): AbortSignal {
    return AbortSignal.any([call.signal, this.#leaving.signal]);
  }

  /** A host that closes has ended the wait and not the question: whoever asked is told that it is still open. */
  async #standing(call: Call, outcome: Outcome): Promise<Outcome> {
    const cut = outcome.outcome === 'cancelled' && this.#leaving.signal.aborted && call.loss === undefined;
    // Without an id on file there is nothing to wait for later.
    if (!cut || call.holding === undefined) return outcome;
    return this.#asking.awaitAnswer(outcome.askId, { timeoutMs: 0, attach: this.#attach(call) });
  }

  /** The carrier of a call that is still wanted; null once nobody reads its result (H-14). */
  #attach(call: Call): Attach {
    return (_tab, token) => {
      if (call.loss !== undefined) return null;
      call.attached.push(token);
      return this.tab;
    };
  }

  /** Asks that other running calls of this session wait for: those calls bring the answer themselves. */
  #held(call: Call): ReadonlySet<string> {
    const held = new Set<string>();
    for (const other of this.#calls) if (other !== call && other.holding !== undefined) held.add(other.holding);
    return held;
  }

  async #acknowledge(tokens: readonly string[]): Promise<readonly { token: string; accepted: boolean }[]> {
    const acks = await this.#asking.ack([...new Set(tokens)], this.tab);
    this.#rides.acknowledged(acks.filter((ack) => ack.accepted).map((ack) => ack.token));
    return acks;
  }

  #later(work: Promise<void>): void {
    const settled = work.catch((error: unknown) => this.#log.warn(`readback mcp: ${reasonOf(error)}`));
    this.#background.add(settled);
    void settled.finally(() => this.#background.delete(settled));
  }
}
