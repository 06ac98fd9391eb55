/** The public types of the tool tracker. */

/** One tool call as one snapshot shows it. */
export interface CallView {
  readonly id: string;
  readonly name: string;
  /** JSON text of the arguments, as far as it has come. `{}` says: finished, and there are none. */
  readonly argsText: string;
  /** Anything but undefined is a result; null is one. */
  readonly result?: unknown;
  readonly isError?: boolean | undefined;
  readonly artifact?: unknown;
  readonly modelContent?: readonly unknown[] | undefined;
  /** Anything but undefined is a gate of the provider's; null is one. */
  readonly approval?: unknown;
  /** The part that it was read from, for an owner predicate. */
  readonly part?: unknown;
}

export type CallOwner = 'client' | 'provider' | 'unknown';

/** What the reader's `response` resolves with. */
export interface ToolResponseView {
  readonly result: unknown;
  readonly isError: boolean;
  readonly artifact?: unknown;
  readonly modelContent?: readonly unknown[];
}

/** Arguments while they grow. Paths are keys and indices, from the outside in. */
export interface ArgumentsReader {
  /** Resolves with the value once it is complete; with undefined when the arguments close without it. */
  get(...path: readonly (string | number)[]): Promise<unknown>;
  /** The value as it grows: each time it was looked at and had changed. Ends when it is complete. */
  streamValues(...path: readonly (string | number)[]): AsyncIterable<unknown>;
  /** A string, piece by piece. */
  streamText(...path: readonly (string | number)[]): AsyncIterable<string>;
  /** The elements of an array, each when it is complete. */
  forEach(...path: readonly (string | number)[]): AsyncIterable<unknown>;
}

export interface ToolReader {
  readonly args: ArgumentsReader;
  readonly response: {
    /** Resolves with the provider's result or the tool's own; rejects when the boundary ends without either. */
    get(): Promise<ToolResponseView>;
  };
}

export interface ToolContext {
  readonly toolCallId: string;
  readonly abortSignal: AbortSignal;
  /** Asks a person; resolves with what `resume` brings, rejects when nobody will be asked any more. */
  human(payload: unknown): Promise<unknown>;
}

/** A part of Standard Schema 1: what zod, valibot and arktype have in common. */
export interface SchemaLike {
  readonly '~standard': {
    validate(value: unknown): SchemaResult | Promise<SchemaResult>;
  };
}
export type SchemaResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export interface ToolSpec {
  /** With a Standard Schema arguments are validated; anything else is left alone. */
  readonly parameters?: unknown;
  execute?(args: never, context: ToolContext): unknown;
  streamCall?(reader: ToolReader, context: ToolContext): unknown;
  /** Runs in place of `execute` when the schema refuses; what it returns is the result. */
  onInvalid?(args: unknown, context: ToolContext, issues: readonly SchemaIssue[]): unknown;
  /** What the model is to see of a success; its value becomes `modelContent`. */
  toModelOutput?(call: { readonly toolCallId: string; readonly input: unknown; readonly output: unknown }): unknown;
}

export interface ToolResultCommand {
  readonly type: 'add-tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly result: unknown;
  readonly isError: boolean;
  readonly artifact?: unknown;
  readonly modelContent?: readonly unknown[];
}

export type ToolStatus = { readonly type: 'executing' } | { readonly type: 'interrupt'; readonly payload: unknown };
export type ToolStatuses = ReadonlyMap<string, ToolStatus>;

/** What a notice is about. The console is told the kind and the detail, without these sentences: they would weigh. */
export type NoticeKind =
  /** A snapshot was dropped: it has no list of messages. */
  | 'malformed-snapshot'
  /** A tool call was skipped: it has no usable id, no argument text, or cannot be read. */
  | 'malformed-part'
  /** A snapshot could not be read to its end; the next one is read afresh. */
  | 'broke-off'
  /** One snapshot holds an id twice; the name that was seen first counts. */
  | 'duplicate-id'
  /** Argument text regressed mid-stream: the reader keeps what it has, and nothing starts again. */
  | 'diverged'
  /** Argument text changed after it was complete: nothing starts again. */
  | 'changed'
  /** The run closed on a call without arguments; it does not run. */
  | 'empty-arguments'
  /** Argument text is over its bound; the call does not run. */
  | 'too-long'
  /** The provider answers this call, so the tool of its name does not run. */
  | 'provider-owned'
  /** The owner predicate threw; the owner is unknown. */
  | 'owner-threw'
  /** The lookup of a tool threw; there is none. */
  | 'tools-threw'
  /** The argument callback threw. */
  | 'callback-threw'
  /** A callback of the host threw; what it was told is not repeated. */
  | 'handler-threw'
  /** `toModelOutput` threw; the plain result is used. */
  | 'model-output-threw'
  /** Too many questions are parked; one was refused. */
  | 'questions-full'
  /** More ids were seen than are remembered; the oldest would run again if it came back. */
  | 'forgotten'
  /** The tracker failed; the next snapshot restarts it once. */
  | 'failed'
  /** The tracker failed again and starts nothing any more, until it is reset. */
  | 'inert';

export interface NoticeDetail {
  readonly toolCallId?: string;
  readonly [key: string]: unknown;
}

export interface ToolLimits {
  readonly records: number;
  readonly remembered: number;
  readonly withheld: number;
  readonly textLength: number;
  readonly executors: number;
  readonly questions: number;
  readonly notices: number;
}

export interface ToolTrackerOptions {
  /** The tool of that name; asked anew at each use. */
  readonly tools: (name: string) => ToolSpec | undefined;
  /** Who answers a call. `client` is a promise that arguments which parse are final. Default: unknown. */
  readonly owner?: ((call: CallView) => CallOwner) | undefined;
  /** Turns the messages into calls. Default: the walker of common message shapes. */
  readonly project?: ((messages: readonly unknown[]) => Iterable<CallView>) | undefined;
  /** At most once for a call. What it throws is noted and not repeated: store before you return. */
  readonly onResult: (command: ToolResultCommand) => unknown;
  readonly onStatuses?: ((statuses: ToolStatuses) => unknown) | undefined;
  /** What a developer should know; default: the console. */
  readonly notice?: ((kind: NoticeKind, detail: NoticeDetail) => void) | undefined;
  readonly limits?: Partial<ToolLimits> | undefined;
}

export interface ToolSnapshot {
  readonly messages: readonly unknown[];
  /** The provider's run is open, or a call is executing; a parked question must not count. */
  readonly isRunning: boolean;
  /** History is still being loaded. */
  readonly isLoading?: boolean | undefined;
}

export interface ToolTracker {
  /** Feed every change, in order. Never throws. */
  push(snapshot: ToolSnapshot): void;
  /** Cancels what runs; with `discardPending` also what was not started. Resolves when all that ran has ended. */
  abort(options?: { readonly discardPending?: boolean }): Promise<void>;
  /** A new boundary: everything is forgotten, and the next snapshot is history. */
  reset(): void;
  /** Answers a parked question; false when none is parked for that call. */
  resume(toolCallId: string, payload?: unknown): boolean;
  /** Makes an unanswered call of history live; false when there is none of that id. */
  adopt(toolCallId: string): boolean;
  statuses(): ToolStatuses;
}
