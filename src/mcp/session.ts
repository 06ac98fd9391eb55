import type { Asking, Question } from '../api.ts';
import { HandBacks } from '../hand-backs.ts';
import { SIZES, TIMES } from '../limits.ts';
import type { Logger, Runtime } from '../runtime.ts';
import { MCP_BOUNDS } from './bounds.ts';
import type { NamedBranches } from './branches.ts';
import type { Call, Loss } from './gate.ts';
import { Holds, type Report, type Wait } from './hold.ts';
import { wordList } from './listing.ts';
import { Patience } from './patience.ts';
import type { SessionResult } from './result.ts';
import { failure, frame, headerNote, notRiding } from './result.ts';
import { RideMemory, Rides } from './rides.ts';
import type {
  AskUserInput,
  AwaitAnswerInput,
  Branch,
  ListAsksInput,
  OneQuestion,
  WithdrawAskInput,
} from './schemas.ts';
import type { ToolName } from './tools.ts';
import { parseInput, TOOLS } from './tools.ts';
import type { Worded } from './wording.ts';
import {
  otherData,
  reasonOf,
  rideData,
  wordAcks,
  wordOther,
  wordParked,
  wordRefusals,
  wordRide,
  wordVerdict,
} from './wording.ts';

/** What outlives a reconnect of one conversation: its client's limit, and what it was shown. */
export class SessionMemory {
  readonly patience = new Patience();
  readonly rides = new RideMemory();
  /** Answers that were written under an entry of the client's branch, until it names the one that carries them. */
  readonly carried: { readonly under: string; readonly token: string }[] = [];
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
  readonly branches?: NamedBranches | undefined;
  /** The name of the agent, as its client declared it. */
  readonly from: () => string;
}

/** A question as the coordinator takes it. A header that is too long is cut, and a note says so. */
function questionOf({ question, header, options, multi_select, free_text }: OneQuestion): Question {
  return {
    question,
    ...(header === undefined ? {} : { header: header.slice(0, SIZES.header).toWellFormed() }),
    ...(options === undefined ? {} : { options }),
    ...(multi_select === undefined ? {} : { multiSelect: multi_select }),
    ...(free_text === undefined ? {} : { freeText: free_text }),
  };
}

/** One conversation of one MCP client with one person. */
export class McpSession {
  readonly id: string;
  readonly tab: string;
  readonly memory: SessionMemory;
  readonly #asking: Asking;
  readonly #runtime: Runtime;
  readonly #log: Logger;
  readonly #from: () => string;
  readonly #rides: Rides;
  readonly #holds: Holds;
  readonly #branches: NamedBranches | undefined;
  readonly #calls = new Set<Call>();
  readonly #background = new Set<Promise<void>>();

  constructor(options: SessionOptions) {
    this.id = options.id;
    this.tab = `mcp:${options.id}`;
    this.memory = options.memory ?? new SessionMemory();
    this.#asking = options.asking;
    this.#runtime = options.runtime;
    this.#log = options.logger;
    this.#from = options.from;
    this.#branches = options.branches;
    const { asking, runtime, logger } = options;
    const { rides } = this.memory;
    const handBacks = new HandBacks(asking, runtime, logger, rides.handBacks);
    this.#rides = new Rides(asking, this.tab, rides, handBacks, logger);
    this.#holds = new Holds({
      asking: options.asking,
      holdMs: options.holdMs ?? TIMES.hold,
      progressMs: options.progressMs ?? MCP_BOUNDS.progress,
      runtime: options.runtime,
      patience: this.memory.patience,
      rides: this.#rides,
    });
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
      call.holding = [];
      // A hand-over that was committed after the loss; what was committed before is on its way back already.
      if (call.loss !== undefined) await this.#rides.lost(call);
    }
  }

  /** The result of a call was written. */
  written(call: Call): void {
    this.#rides.written(call);
    const { under } = call;
    if (under === undefined) return;
    const { carried } = this.memory;
    for (const token of call.tokens) carried.push({ under, token });
    carried.splice(0, carried.length - MCP_BOUNDS.crossings);
  }

  /** Nobody reads the result of a call. */
  lost(call: Call, loss: Loss): void {
    if (loss.why === 'cancelled' && call.holding.length > 0) {
      this.memory.patience.cancelled(this.#runtime.now() - call.startedAt, loss.reason);
    }
    this.#later(this.#rides.lost(call));
  }

  /** Tokens of a result that a forwarder could not write. */
  notWritten(tokens: readonly string[]): void {
    for (const token of tokens) if (this.#rides.seen(token)) this.#later(this.#rides.unread(token));
  }

  /** Ends every wait: the calls tell how their asks stand now. */
  leave(): void {
    this.#holds.leave();
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
    await this.#follow(call, (input as { branch?: Branch }).branch);
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

  /** The client names its branch: what it holds of ours is in it now, and what was found for another leaf is not. */
  async #follow(call: Call, branch: Branch | undefined): Promise<void> {
    const branches = this.#branches;
    if (branches === undefined || branch === undefined) return;
    call.under = branches.name(this.tab, branch);
    const { carried } = this.memory;
    const due = carried.splice(0);
    try {
      for (let one = due[0]; one !== undefined; one = due[0]) {
        const at = branches.below(this.tab, one.under);
        if (at === undefined) carried.push(one);
        else await this.#asking.answerLogged?.(one.token, at);
        due.shift();
      }
    } finally {
      // What could not be put on file is tried with the next call.
      carried.unshift(...due);
    }
    await this.#asking.leafChanged?.(this.tab);
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
    const held = { call, seconds: input.hold_seconds, report };
    const from = this.#from().slice(0, SIZES.from).toWellFormed();
    const asked = input.questions ?? [input as OneQuestion];
    const options = ({ opened, ...wait }: Wait) => ({ ...wait, tab: this.tab, from, askedAt: call.under, opened });
    const worded =
      input.questions === undefined
        ? await this.#holds.alone(held, (wait) => {
            const { opened, ...rest } = options(wait);
            return this.#asking.ask(questionOf(input as OneQuestion), { ...rest, onOpen: opened });
          })
        : await this.#holds.together(
            held,
            (wait) => {
              const { opened, ...rest } = options(wait);
              return this.#asking.askAll(asked.map(questionOf), { ...rest, onOpen: (askIds) => opened(...askIds) });
            },
            (_askId, at) => asked[at]?.question ?? null,
          );
    const notes = asked.flatMap(({ header }, at) => {
      const note = headerNote(header);
      return note === undefined ? [] : [input.questions === undefined ? note : `questions[${at}]: ${note}`];
    });
    if (notes.length === 0) return worded;
    return { ...worded, text: [worded.text, ...notes].join('\n'), data: { ...worded.data, notes } };
  }

  #awaitAnswer(call: Call, input: AwaitAnswerInput, report: Report | undefined): Promise<Worded> {
    const held = { call, seconds: input.hold_seconds, report };
    const { ask_id: askId = '', ask_ids: askIds } = input;
    if (askIds === undefined) {
      return this.#holds.alone(held, ({ opened, ...wait }) => {
        opened(askId);
        return this.#asking.awaitAnswer(askId, wait);
      });
    }
    return this.#holds.together(
      held,
      ({ opened, ...wait }) => {
        opened(...askIds);
        return this.#asking.awaitAll(askIds, wait);
      },
      async (id) => (await this.#asking.show(id))?.question ?? null,
    );
  }

  async #listAsks(input: ListAsksInput): Promise<Worded> {
    const asks = await this.#asking.list({
      what: input.what ?? 'open',
      limit: input.limit ?? 20,
      ...(input.scope === 'all' ? {} : { tab: this.tab }),
    });
    return wordList(asks, this.tab, this.#runtime.now());
  }

  /** Asks that other running calls of this session wait for: those calls bring the answer themselves. */
  #held(call: Call): ReadonlySet<string> {
    return new Set([...this.#calls].flatMap((other) => (other === call ? [] : other.holding)));
  }

  async #acknowledge(tokens: readonly string[]): Promise<readonly { token: string; accepted: boolean }[]> {
    // A client may name any token: it proves what was given to it here, and nothing that waits in somebody's queue.
    const acks = await this.#asking.ack([...new Set(tokens)], this.tab, { vouched: false });
    this.#rides.acknowledged(acks.filter((ack) => ack.accepted).map((ack) => ack.token));
    return acks;
  }

  #later(work: Promise<void>): void {
    const settled = work.catch((error: unknown) => this.#log.warn(`readback mcp: ${reasonOf(error)}`));
    this.#background.add(settled);
    void settled.finally(() => this.#background.delete(settled));
  }
}
