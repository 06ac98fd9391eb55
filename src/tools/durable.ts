/** Client tools across reloads: what a call did is spent once, and what a person was asked is an ask in the journal. */
import { leanStep, type Table } from '../../machines/shared/lean.ts';
import type { SpendEvent } from '../../machines/tools/spend-facts.ts';
import { SPEND_TABLE } from '../../machines/tools/tables.ts';
import type { Asking, AskOptions, Outcome, Question } from '../api.ts';
import type { RowChange } from '../requests/api.ts';
import type { JsonObject, JsonValue } from '../wire/json.ts';
import { errorText, failure, isResponse, responseOf, toolResponse } from './execute.ts';
import type { ToolContext, ToolResponseView, ToolSpec } from './types.ts';

/** Where the rows are kept, synchronously and in one commit each: a part of the coordinator's ledger. */
export interface CallLedger {
  commit(changes: readonly RowChange[]): void;
  rows(kind: 'call'): readonly JsonObject[];
}

/** What the host says of a call whose process ended between claim and outcome. */
export type UnknownDecision = { readonly again: true } | { readonly result: unknown; readonly isError?: boolean };

export interface UnknownCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Ids of what a person was asked for it. */
  readonly asks: readonly string[];
}

export interface DurableOptions {
  readonly tools: (name: string) => ToolSpec | undefined;
  readonly ledger: CallLedger;
  /** Names the boundary across processes: the conversation, and a count that the host raises with each reset. */
  readonly boundary: string;
  /** The tracker's `resume`. */
  readonly resume: (toolCallId: string, payload: unknown) => boolean;
  readonly asking?: Pick<Asking, 'ask' | 'awaitAnswer'> | undefined;
  /** The card for what a tool asks. Undefined: not for the journal, the host answers it by `resume`. */
  readonly question?:
    | ((
        payload: unknown,
        toolCallId: string,
      ) => { readonly question: Question; readonly options: AskOptions } | undefined)
    | undefined;
  /** Default: an error result that says so. Nothing reruns by itself. */
  readonly onUnknown?: ((call: UnknownCall) => UnknownDecision | Promise<UnknownDecision>) | undefined;
}

export const UNKNOWN = 'It is not known whether this call ran: its process ended before the outcome was on file';

/** A question waits as long as its call; a timer holds no more, in milliseconds. */
const PATIENCE = 2_147_483_647;

interface Spent {
  readonly toolName: string;
  readonly state: string;
  readonly asks: readonly string[];
  readonly outcome?: ToolResponseView | undefined;
}

const next = (state: string, event: SpendEvent): string =>
  leanStep(SPEND_TABLE as Table<object, SpendEvent>, { value: { fate: state }, context: {} }, event).place.value[
    'fate'
  ] ?? state;

/**
 * Tools for a tracker whose calls survive a reload: a call that is on file gives its outcome and does not run again.
 *
 * A call that was under way when its process ended is `unknown`, and `onUnknown` decides. Identity is boundary and call
 * id, never a resemblance (rules H-01 to H-04).
 */
export function durableTools(options: DurableOptions): (name: string) => ToolSpec | undefined {
  const book = new Book(options);
  return (name) => {
    const tool = options.tools(name);
    if (typeof tool !== 'object' || tool === null) return undefined;
    const own = Object.create(tool) as ToolSpec;
    if (typeof tool.execute === 'function') {
      own.execute = (args, context) => book.execute(name, context, (asking) => tool.execute?.(args, asking));
    }
    if (typeof tool.streamCall === 'function') {
      own.streamCall = (reader, context) => tool.streamCall?.(reader, book.asking(name, context, 'callback'));
    }
    return own;
  };
}

class Book {
  readonly #options: DurableOptions;
  readonly #rows = new Map<string, Spent>();

  constructor(options: DurableOptions) {
    this.#options = options;
    for (const row of options.ledger.rows('call')) {
      if (row['boundary'] !== options.boundary) continue;
      const id = String(row['toolCallId']);
      this.#rows.set(id, row as unknown as Spent);
      if (row['state'] === 'claimed')
        this.#keep(id, { ...(row as unknown as Spent), state: next('claimed', { type: 'RESTART' }) });
    }
  }

  async execute(toolName: string, context: ToolContext, run: (context: ToolContext) => unknown): Promise<unknown> {
    const { toolCallId } = context;
    // An earlier execution of this process that has not ended is no better known than one of an earlier process.
    if (this.#rows.get(toolCallId)?.state === 'claimed') this.#settle(toolCallId, { type: 'RESTART' });
    const known = this.#rows.get(toolCallId);
    if (known?.outcome !== undefined) return toolResponse(known.outcome);
    if (known?.state === 'unknown') {
      const { asks } = known;
      const decision = await (this.#options.onUnknown?.({ toolCallId, toolName, asks }) ?? failure(UNKNOWN));
      if (!('again' in decision)) return this.#given(toolCallId, known, responseOf(decision));
      // The tracker may have let the call go while the host was thinking.
      if (context.abortSignal.aborted) return failure(UNKNOWN);
    }
    this.#keep(toolCallId, {
      toolName,
      state: known?.state === 'unknown' ? next('unknown', { type: 'AGAIN' }) : 'claimed',
      asks: known?.asks ?? [],
    });
    let output: unknown;
    try {
      output = await run(this.asking(toolName, context, 'executor'));
    } catch (error) {
      // What was cut off half way may have had its effect: that is not known, rather than failed.
      if (context.abortSignal.aborted) this.#settle(toolCallId, { type: 'RESTART' });
      else this.#settle(toolCallId, { type: 'FAILED' }, failure(errorText(error)));
      throw error;
    }
    this.#settle(toolCallId, { type: 'DONE' }, responseOf(isResponse(output) ? output : { result: output }));
    return output;
  }

  /** The context of a tool, whose questions are asks of the journal. */
  asking(toolName: string, context: ToolContext, by: 'callback' | 'executor'): ToolContext {
    let asked = 0;
    return {
      ...context,
      human: (payload) => {
        const answer = context.human(payload);
        const card = this.#options.question?.(payload, context.toolCallId);
        const { asking } = this.#options;
        if (card === undefined || asking === undefined) return answer;
        asked += 1;
        const number = asked;
        let isOpen = true;
        const over = (): void => {
          isOpen = false;
        };
        answer.then(over, over);
        const key = `${by} ${number}`;
        void this.#ask(toolName, context, key, card).then((outcome) => {
          // A newer question of the call, or another boundary, has taken its place.
          const isCurrent = isOpen && asked === number && !context.abortSignal.aborted;
          if (isCurrent && outcome !== undefined) this.#options.resume(context.toolCallId, outcome);
        });
        return answer;
      },
    };
  }

  async #ask(
    toolName: string,
    { toolCallId, abortSignal }: ToolContext,
    key: string,
    card: { readonly question: Question; readonly options: AskOptions },
  ): Promise<Outcome | undefined> {
    const { asking } = this.#options;
    const before = this.#rows.get(toolCallId)?.asks.find((one) => one.startsWith(`${key} `));
    const askId = before?.slice(key.length + 1);
    const keep = (id: string): void => {
      const row = this.#rows.get(toolCallId) ?? { toolName, state: 'asked', asks: [] };
      this.#keep(toolCallId, { ...row, asks: [...row.asks, `${key} ${id}`] });
    };
    const rest = { timeoutMs: PATIENCE, ...card.options, signal: abortSignal };
    return askId === undefined
      ? asking?.ask(card.question, { ...rest, onOpen: keep })
      : asking?.awaitAnswer(askId, rest);
  }

  #given(id: string, row: Spent, outcome: ToolResponseView): unknown {
    this.#keep(id, { ...row, state: next(row.state, { type: 'GIVEN' }), outcome });
    return toolResponse(outcome);
  }

  /** What the ledger refuses here has happened all the same: it is reported, and after a reload it is unknown. */
  #settle(id: string, event: SpendEvent, outcome?: ToolResponseView): void {
    const row = this.#rows.get(id);
    if (row === undefined) return;
    try {
      this.#keep(id, { ...row, state: next(row.state, event), outcome });
    } catch {
      this.#rows.set(id, { ...row, state: 'unknown' });
    }
  }

  /** On file first: what the ledger refuses has not happened. */
  #keep(toolCallId: string, row: Spent): void {
    const { boundary, ledger } = this.#options;
    const { toolName, state, asks, outcome } = row;
    const kept: JsonObject = {
      boundary,
      toolCallId,
      toolName,
      state,
      asks: [...asks],
      ...(outcome === undefined ? {} : { outcome: outcome as unknown as JsonValue }),
    };
    ledger.commit([{ kind: 'call', id: `${boundary} ${toolCallId}`, row: kept, note: { event: `call_${state}` } }]);
    this.#rows.set(toolCallId, row);
  }
}
