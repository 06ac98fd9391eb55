/** Client tools across reloads: what a call did is spent once, and what a person was asked is an ask in the journal. */
import { isObject } from '../../machines/tools/compare.ts';
import { invalid } from '../errors.ts';
import { requireGiven } from '../given.ts';
import { CALL_LIMITS, type CallLimits } from '../limits.ts';
import { attempt } from './attempt.ts';
import { type BookParts, CallBook, type CallLedger, type Run } from './call-book.ts';
import { type CallAsks, type Card, Questions } from './call-questions.ts';
import { type CallRow, isSpent } from './call-row.ts';
import { errorText, failure, isResponse, responseOf, toolResponse } from './execute.ts';
import type { ToolContext, ToolResponseView, ToolSpec } from './types.ts';

export { CALL_LIMITS, type CallLimits } from '../limits.ts';
export type { CallLedger } from './call-book.ts';
export { type CallAsks, NoAnswer } from './call-questions.ts';

/** What the host says of a call whose process ended between claim and outcome. */
export type UnknownDecision = { readonly again: true } | { readonly result: unknown; readonly isError?: boolean };

export interface UnknownCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** A person was being asked when it ended. What its executor did before, or beside that, only the host can know. */
  readonly waited: boolean;
  /** Ids of what a person was asked for it. */
  readonly asks: readonly string[];
}

/** What belongs to the tracker of one conversation. */
export interface DurableOptions {
  readonly tools: (name: string) => ToolSpec | undefined;
  /** Names the boundary across processes: the conversation, and a count that the host raises with each reset. */
  readonly boundary: string;
  /** The tracker's `resume`. */
  readonly resume: (toolCallId: string, payload: unknown) => boolean;
  /** The card for what a tool asks. Undefined: not for the journal, the host answers it by `resume`. */
  readonly question?: ((payload: unknown, toolCallId: string) => Card | undefined) | undefined;
  /** Default: an error result that says so. Nothing reruns by itself. */
  readonly onUnknown?: ((call: UnknownCall) => UnknownDecision | Promise<UnknownDecision>) | undefined;
}

/** Calls of client tools that are spent once across reloads. */
export interface ToolCalls {
  /**
   * Tools for a tracker whose calls survive a reload: a call that is on file gives its outcome and does not run again.
   *
   * A call that was under way when its process ended is unknown, and `onUnknown` decides. Identity is boundary and call
   * id, never a resemblance. `human()` resolves with a person's answer and nothing else; it rejects with `NoAnswer` where
   * the question ended without one. Not promised: "once" beyond `CALL_LIMITS.kept` other calls. Throws `invalid_input`
   * (rules H-01 to H-08).
   */
  durable(options: DurableOptions): (name: string) => ToolSpec | undefined;
  /** Ids of calls whose executors run now and wait for nobody. */
  readonly running: readonly string[];
  /** Ids of calls whose executors wait for a person. */
  readonly asking: readonly string[];
}

export interface ToolCallsOptions {
  readonly ledger: CallLedger;
  /** Where questions are asked. Without it the host answers them all by `resume`. */
  readonly asks?: CallAsks | undefined;
  readonly limits?: Partial<CallLimits> | undefined;
  /** Called before a call is let in; what it throws is the outcome of that call, and nothing of it runs. */
  readonly admit?: (() => void) | undefined;
  /** Told what is lost or cannot be kept. Default: the console. */
  readonly warn?: ((text: string) => void) | undefined;
  /** Told what a call has heard, once that is on file: the state it was in, undefined at its birth, and the event if any. */
  readonly told?: BookParts['told'];
}

export const UNKNOWN = 'It is not known whether this call ran: its process ended before the outcome was on file';
export const UNKEPT = 'This call ran, and does not run again; its outcome is no longer on file';

/**
 * Calls over a ledger; `coordinator.tools` are those over the coordinator's own.
 *
 * Reads the ledger once, and marks what the last process left under way. One ledger belongs to one of these at a time.
 * Throws what the ledger throws, and `store_unreadable` for a row that is no call.
 */
export function createToolCalls(options: ToolCallsOptions): ToolCalls {
  requireGiven(options, {
    'ledger.rows': 'function',
    asks: 'object?',
    limits: 'object?',
    admit: 'function?',
    warn: 'function?',
    told: 'function?',
  });
  const { ledger, asks, limits, admit = () => undefined, told } = options;
  // Whoever is told something has no say in what becomes of a call.
  const warn = (text: string): void =>
    attempt(
      () => (options.warn ?? toConsole)(text),
      () => undefined,
    );
  const book = new CallBook({ ledger, limits: { ...CALL_LIMITS, ...limits }, admit, warn, told });
  return {
    durable: (own) => new Conversation(book, asks, warn, read(own)).tools,
    get running() {
      return book.running(false);
    },
    get asking() {
      return book.running(true);
    },
  };
}

function toConsole(text: string): void {
  // biome-ignore lint/suspicious/noConsole: where a loss is said when the host names no other place
  console.warn(`readback tools: ${text}`);
}

function read(options: DurableOptions): DurableOptions {
  const { tools, boundary, resume } = options;
  if (typeof tools !== 'function') throw invalid('tools', 'is no function; give the one that finds a tool by its name');
  if (typeof resume !== 'function') throw invalid('resume', "is no function; give the tracker's resume");
  if (typeof boundary !== 'string' || boundary === '' || boundary.length > CALL_LIMITS.name)
    throw invalid('boundary', `must be text of 1 to ${CALL_LIMITS.name} characters that names the conversation`);
  return options;
}

class Conversation {
  readonly #book: CallBook;
  readonly #options: DurableOptions;
  readonly #questions: Questions;

  constructor(book: CallBook, asks: CallAsks | undefined, warn: (text: string) => void, options: DurableOptions) {
    this.#book = book;
    this.#options = options;
    this.#questions = new Questions({ book, asks, warn, options });
  }

  readonly tools = (name: string): ToolSpec | undefined => {
    const tool = this.#options.tools(name);
    if (!isObject(tool)) return undefined;
    // The tool itself may be frozen, and its own functions see it as `this`.
    const { execute, onInvalid, streamCall, toModelOutput, parameters } = tool;
    const own: { -readonly [Name in keyof ToolSpec]: ToolSpec[Name] } = { parameters };
    if (typeof execute === 'function')
      own.execute = (args, context) => this.#enter(name, context, (asking) => execute.call(tool, args, asking));
    // What stands in for the executor is spent with the call as well.
    if (typeof onInvalid === 'function')
      own.onInvalid = (input, context, issues) =>
        this.#enter(name, context, (asking) => onInvalid.call(tool, input, asking, issues));
    if (typeof streamCall === 'function')
      own.streamCall = (reader, context) =>
        streamCall.call(tool, reader, this.#questions.context(name, context, 'callback'));
    if (typeof toModelOutput === 'function') own.toModelOutput = (success) => toModelOutput.call(tool, success);
    return own;
  };

  async #enter(toolName: string, context: ToolContext, run: (context: ToolContext) => unknown): Promise<unknown> {
    const { boundary } = this.#options;
    const me = this.#book.enter(boundary, context.toolCallId, toolName);
    try {
      // An earlier execution of this process that has not ended is no better known than one of an earlier process.
      this.#book.settle(me.id, { type: 'RESTART' });
      return await this.#execute(me, toolName, context, run);
    } finally {
      this.#book.leave(me);
    }
  }

  async #execute(
    me: Run,
    toolName: string,
    context: ToolContext,
    run: (context: ToolContext) => unknown,
  ): Promise<unknown> {
    const book = this.#book;
    const { toolCallId } = context;
    const known = book.get(me.id) ?? book.fresh(this.#options.boundary, toolCallId, toolName);
    if (isSpent(known)) return given(known);
    const isUnknown = known.state === 'unknown' || known.state === 'adjourned';
    if (isUnknown) {
      const outcome = await this.#decide(known, toolName);
      // The tracker may have let the call go while the host was thinking, or another execution may have it now.
      if (context.abortSignal.aborted || !book.isCurrent(me)) return toolResponse(failure(UNKNOWN));
      if (outcome !== undefined) {
        this.#settle(me, { type: 'GIVEN' }, outcome);
        return toolResponse(outcome);
      }
    }
    // Its callback may have asked a person while the host was thinking.
    book.claim(me.id, { ...(book.get(me.id) ?? known), toolName }, isUnknown ? { type: 'AGAIN' } : { type: 'CLAIM' });
    return this.#run(me, toolName, context, run);
  }

  async #run(
    me: Run,
    toolName: string,
    context: ToolContext,
    run: (context: ToolContext) => unknown,
  ): Promise<unknown> {
    try {
      const output = await run(this.#questions.context(toolName, context, 'executor', me));
      this.#settle(me, { type: 'DONE' }, responseOf(isResponse(output) ? output : { result: output }));
      return output;
    } catch (error) {
      // What was cut off half way may have had its effect: that is not known, rather than failed.
      if (context.abortSignal.aborted) this.#settle(me, { type: 'RESTART' });
      else this.#settle(me, { type: 'FAILED' }, failure(errorText(error)));
      throw error;
    }
  }

  /** What came of the call, as the host knows it; undefined where it is to run again. */
  async #decide(row: CallRow, toolName: string): Promise<ToolResponseView | undefined> {
    const { toolCallId, state, asks } = row;
    const call = { toolCallId, toolName, waited: state === 'adjourned', asks: asks.map(({ askId }) => askId) };
    const options = this.#options;
    const decision: unknown = options.onUnknown === undefined ? failure(UNKNOWN) : await options.onUnknown(call);
    if (isObject(decision)) {
      if (decision['again'] === true) return undefined;
      if (decision['again'] === undefined && 'result' in decision) return responseOf(decision);
    }
    throw invalid('onUnknown', 'must say { again: true }, or { result } with what came of the call');
  }

  /** Of an execution whose call another one has taken over nothing is heard. */
  #settle(me: Run, event: Parameters<CallBook['settle']>[1], outcome?: ToolResponseView): void {
    if (!this.#book.isCurrent(me)) return;
    this.#book.settle(me.id, event, outcome);
    this.#questions.end(me);
  }
}

/** The outcome of a call that is spent. */
function given({ outcome }: CallRow): unknown {
  return toolResponse(outcome === undefined ? failure(UNKEPT) : (JSON.parse(outcome) as ToolResponseView));
}
