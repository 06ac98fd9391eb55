/** Durable calls over a file and a journal in the hand of a test; both outlive a process, which is made anew. */
import type { AwaitOptions, Question } from '../../src/api.ts';
import type { CallLimits } from '../../src/limits.ts';
import type { Outcome } from '../../src/outcome.ts';
import type { RowChange } from '../../src/requests/api.ts';
import { macrotask } from '../../src/testing/tools/rig.ts';
import {
  type CallAsks,
  createToolCalls,
  type DurableOptions,
  type ToolCalls,
  type ToolCallsOptions,
  type UnknownCall,
} from '../../src/tools/durable.ts';
import type { ToolContext, ToolSpec } from '../../src/tools/types.ts';
import type { JsonObject } from '../../src/wire/json.ts';

export const BOUNDARY = 'chat-1#0';
export const idOf = (id = 't', boundary = BOUNDARY): string => JSON.stringify([boundary, id]);

/** Rows that outlive a process. */
export class File {
  readonly rows = new Map<string, JsonObject>();
  /** What the audit was told of each change: `call_claimed t x`. */
  readonly notes: string[] = [];
  isRefusing = false;
  /** Called with each commit before it is made. */
  watch: (changes: readonly RowChange[]) => void = () => undefined;
  readonly ledger = {
    commit: (changes: readonly RowChange[]): void => {
      this.watch(changes);
      if (this.isRefusing) throw new Error('disk full');
      for (const { id, row, note } of changes) {
        if (row === undefined) this.rows.delete(id);
        else this.rows.set(id, structuredClone(row));
        this.notes.push(`${note?.event} ${(JSON.parse(id) as string[])[1]} ${note?.detail}`);
      }
    },
    rows: (): JsonObject[] => structuredClone([...this.rows.values()]),
  };

  row(id = 't'): JsonObject | undefined {
    return this.rows.get(idOf(id));
  }
  state(id = 't'): unknown {
    return this.row(id)?.['state'];
  }
  /** Puts a row there as an earlier process has left it. */
  keep(row: Partial<Record<string, unknown>> = {}): this {
    const full = { boundary: BOUNDARY, toolCallId: 't', toolName: 'x', state: 'done', asks: [], ...row };
    this.rows.set(idOf(String(full.toolCallId)), full as JsonObject);
    return this;
  }
}

type Settle = { readonly resolve: (outcome: Outcome) => void; readonly reject: (error: unknown) => void };
type PutOptions = Parameters<CallAsks['put']>[2];

/** Where questions are asked. Ids are `a1`, `a2` …, and the token of an answer to `a1` is `token a1`. */
export class Journal implements CallAsks {
  /** What it was called with, in that order: `put a1`, `ack a1`. */
  readonly log: string[] = [];
  readonly options = new Map<string, PutOptions>();
  readonly #waiting = new Map<string, Settle[]>();
  /** Called with each question as it is put. */
  watch: (askId: string) => void = () => undefined;
  #last = 0;

  newId(): string {
    this.#last += 1;
    return `a${this.#last}`;
  }
  digest({ question }: Question): string {
    return `digest of ${question}`;
  }
  put(askId: string, _question: Question, options: PutOptions): Promise<Outcome> {
    this.watch(askId);
    this.options.set(askId, options);
    return this.#wait('put', askId, options);
  }
  wait(askId: string, options: AwaitOptions): Promise<Outcome> {
    return this.#wait('wait', askId, options);
  }
  ack(token: string, carrier: string): void {
    this.#note('ack', token, carrier);
  }
  release(token: string, carrier: string): void {
    this.#note('release', token, carrier);
  }
  withdraw(askId: string): void {
    this.log.push(`withdraw ${askId}`);
  }
  #note(what: string, token: string, carrier: string): void {
    this.log.push(token === `token ${carrier}` ? `${what} ${carrier}` : `${what} ${token} of ${carrier}`);
  }
  #wait(what: string, askId: string, { signal }: AwaitOptions): Promise<Outcome> {
    this.log.push(`${what} ${askId}`);
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => resolve(outcomeOf(askId, 'cancelled', '')));
      this.#waiting.set(askId, [...(this.#waiting.get(askId) ?? []), { resolve, reject }]);
    });
  }

  /** Says how an ask has ended, to all who wait for it, in the order in which they came. */
  async end(askId: string, outcome: Outcome['outcome'] | Error, text = 'yes'): Promise<void> {
    const waiting = this.#waiting.get(askId) ?? [];
    this.#waiting.delete(askId);
    for (const { resolve, reject } of waiting)
      outcome instanceof Error ? reject(outcome) : resolve(outcomeOf(askId, outcome, text));
    await macrotask();
  }
  answer(askId: string, text?: string): Promise<void> {
    return this.end(askId, 'answered', text);
  }
}

function outcomeOf(askId: string, outcome: Outcome['outcome'], text: string): Outcome {
  if (outcome === 'answered' || outcome === 'declined')
    return { askId, outcome, text, token: `token ${askId}` } as never;
  return { askId, outcome, reason: `it is ${outcome}` } as never;
}

/** One execution of a call, or of its argument callback. */
export interface Execution {
  readonly context: ToolContext;
  readonly abort: () => void;
  /** What it gave or threw; undefined while it is under way. */
  said?: { readonly value: unknown } | { readonly error: Error };
}

export interface WorldOptions extends Partial<DurableOptions>, Pick<ToolCallsOptions, 'admit' | 'told' | 'warn'> {
  readonly tool?: ToolSpec;
  readonly limits?: Partial<CallLimits>;
  /** `null`: the host answers everything by `resume`. */
  readonly asks?: CallAsks | null;
}

/** One process over that file and that journal, and the host in it: it parks what a tool asks, one question of each call. */
export class World {
  readonly file: File;
  readonly journal: Journal;
  readonly calls: ToolCalls;
  readonly tools: (name: string) => ToolSpec | undefined;
  readonly warned: string[] = [];
  /** Calls of which the host was asked what became of them. */
  readonly unknown: UnknownCall[] = [];
  /** What the host was told of answers: `t`, and what was brought. */
  readonly resumed: [string, unknown][] = [];
  readonly #execute: NonNullable<ToolSpec['execute']>;
  readonly #parked = new Map<string, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();

  constructor(
    file: File,
    journal: Journal,
    execute: NonNullable<ToolSpec['execute']>,
    more: WorldOptions = {},
    calls?: ToolCalls,
  ) {
    const { tool, limits, asks = journal, admit, told, warn, ...options } = more;
    this.file = file;
    this.journal = journal;
    this.#execute = execute;
    this.calls =
      calls ??
      createToolCalls({
        ledger: file.ledger,
        asks: asks ?? undefined,
        limits,
        ...{ admit, told },
        warn: warn ?? ((text) => void this.warned.push(text)),
      });
    this.tools = this.calls.durable({
      tools: () => tool ?? { execute },
      boundary: BOUNDARY,
      resume: (id, payload) => this.resume(id, payload),
      question: (payload) => ({ question: { question: String(payload) }, options: { tab: 'tab' } }),
      onUnknown: (call) => {
        this.unknown.push(call);
        return { again: true };
      },
      ...options,
    });
  }

  /** The same conversation shown anew in this process, beside the view that there is. */
  view(): World {
    return new World(this.file, this.journal, this.#execute, {}, this.calls);
  }

  /** The host's `resume`: whether anything waited for it. */
  resume(id: string, payload: unknown): boolean {
    this.resumed.push([id, payload]);
    return this.#unpark(id, ({ resolve }) => resolve(payload));
  }
  /** The host ends a question without an answer of anybody. */
  refuse(id: string, why: string): boolean {
    return this.#unpark(id, ({ reject }) => reject(new Error(why)));
  }
  #unpark(id: string, end: (parked: { resolve: (value: unknown) => void; reject: (error: Error) => void }) => void) {
    const parked = this.#parked.get(id);
    this.#parked.delete(id);
    if (parked !== undefined) end(parked);
    return parked !== undefined;
  }

  isParked(id = 't'): boolean {
    return this.#parked.has(id);
  }

  /** A new execution of a call; `part` is what of the tool begins. */
  begin(id = 't', name = 'x', part: 'execute' | 'streamCall' | 'onInvalid' = 'execute'): Execution {
    const controller = new AbortController();
    const context: ToolContext = {
      toolCallId: id,
      abortSignal: controller.signal,
      human: () => {
        this.refuse(id, 'Superseded by a newer question');
        return new Promise((resolve, reject) => this.#parked.set(id, { resolve, reject }));
      },
    };
    const abort = (): void => {
      controller.abort();
      this.refuse(id, 'Tool execution aborted');
    };
    const execution: Execution = { context, abort };
    const run = this.tools(name)?.[part] as (args: unknown, context: ToolContext, issues: unknown) => unknown;
    void Promise.resolve(run({}, context, [])).then(
      (value) => {
        execution.said = { value };
      },
      (error: Error) => {
        execution.said = { error };
      },
    );
    return execution;
  }

  /** The same, until nothing moves any more. */
  async run(...args: Parameters<World['begin']>): Promise<Execution> {
    const execution = this.begin(...args);
    await macrotask();
    return execution;
  }
}

/** A promise in the hand of a test. */
export class Held<T = void> {
  resolve!: (value: T) => void;
  readonly promise = new Promise<T>((resolve) => {
    this.resolve = resolve;
  });
}

export const never = (): Promise<never> => new Promise(() => undefined);
