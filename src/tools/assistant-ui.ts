/**
 * `readback/tools/assistant-ui`: the tracker under the surface that hosts of that family already call.
 *
 * A thin adapter: it renames, and decides nothing.
 */
import { Tracker } from './tracker.ts';
import type {
  CallOwner,
  CallView,
  NoticeDetail,
  NoticeKind,
  ToolResultCommand,
  ToolSpec,
  ToolStatus,
} from './types.ts';

export type ToolExecutionStatus =
  | { readonly type: 'executing' }
  | { readonly type: 'interrupt'; readonly payload: { readonly type: 'human'; readonly payload: unknown } };

/** A tool as hosts of that family hold it. */
export interface AssistantTool extends Omit<ToolSpec, 'onInvalid'> {
  experimental_onSchemaValidationError?(args: unknown, context: never): unknown;
}

export interface TrackerCallbacks {
  readonly onResult: (command: ToolResultCommand) => unknown;
  readonly onStatusesChange: (statuses: ReadonlyMap<string, ToolExecutionStatus>) => unknown;
}

export interface TrackerSnapshot {
  readonly messages: readonly unknown[];
  readonly isRunning: boolean;
  readonly isLoading?: boolean;
}

type Tools = Readonly<Record<string, unknown>> | undefined;

const shown = (status: ToolStatus): ToolExecutionStatus =>
  status.type === 'executing' ? status : { type: 'interrupt', payload: { type: 'human', payload: status.payload } };

function specOf(held: unknown): ToolSpec | undefined {
  if (typeof held !== 'object' || held === null) return undefined;
  const tool = held as AssistantTool;
  const { experimental_onSchemaValidationError: onInvalid } = tool;
  // The tool's own functions keep the tool as their `this`.
  return typeof onInvalid === 'function'
    ? Object.assign(Object.create(tool) as ToolSpec, { onInvalid: onInvalid.bind(tool) })
    : (tool as ToolSpec);
}

const ownerOf = (given: unknown): CallOwner => (given === true ? 'client' : given === false ? 'provider' : 'unknown');

const WARNINGS: Partial<Record<NoticeKind, (detail: NoticeDetail) => readonly [string, object]>> = {
  diverged: ({ toolCallId }) => ['argsText regressed mid-stream; nothing starts again', { toolCallId }],
  changed: ({ previous, next }) => ['argsText changed after first completion', { previous, next }],
};

function notice(kind: NoticeKind, detail: NoticeDetail): void {
  const [text, more] = WARNINGS[kind]?.(detail) ?? [kind, detail];
  // biome-ignore lint/suspicious/noConsole: hosts of this family read warnings there
  console.warn(`[ToolInvocationTracker] ${text}`, more);
}

/**
 * A drop-in for the tracker of that name: the same calls, the rules of `machines/tools/SPEC.md`.
 *
 * `isClientToolCall` says true for a call of the client's, false for one of the provider's, anything else for unknown.
 */
export class ToolInvocationTracker {
  readonly #tracker: Tracker;

  constructor(
    getTools: () => Tools,
    callbacks: TrackerCallbacks,
    isClientToolCall?: (call: never) => boolean | undefined,
  ) {
    this.#tracker = new Tracker({
      tools: (name) => {
        const tools = getTools();
        return tools !== undefined && tools !== null && Object.hasOwn(tools, name) ? specOf(tools[name]) : undefined;
      },
      owner: isClientToolCall && ((call: CallView) => ownerOf(isClientToolCall((call.part ?? call) as never))),
      onResult: (command) => callbacks.onResult(command),
      onStatuses: (map) =>
        callbacks.onStatusesChange(new Map([...map].map(([id, status]) => [id, shown(status)] as const))),
      notice,
    });
  }

  setState(snapshot: TrackerSnapshot): void {
    this.#tracker.push(snapshot);
  }
  reset(): void {
    this.#tracker.reset();
  }
  abort(options?: { readonly discardPending?: boolean }): Promise<void> {
    return this.#tracker.abort(options);
  }
  resume(toolCallId: string, payload: unknown): boolean {
    return this.#tracker.resume(toolCallId, payload);
  }
  getStatuses(): ReadonlyMap<string, ToolExecutionStatus> {
    return new Map([...this.#tracker.statuses()].map(([id, status]) => [id, shown(status)] as const));
  }

  /** @internal Hosts of that family test their restart through this name. */
  set _pipelineDead(isDead: boolean) {
    if (isDead) this.#tracker.fail(new Error('the pipeline was declared dead'));
  }
}
