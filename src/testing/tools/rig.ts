/** A tracker with everything recorded that comes out of it. */

import { nodeRuntime } from '../../runtime.ts';
import type {
  CallOwner,
  CallView,
  NoticeDetail,
  NoticeKind,
  ToolLimits,
  ToolResultCommand,
  ToolSpec,
  ToolStatus,
  ToolStatuses,
  ToolTracker,
  ToolTrackerOptions,
} from '../../tools/types.ts';
import { recorded } from '../recorded.ts';
import { noteStep, subjectOf } from '../rules.ts';

/** A way to make a tracker; whatever has the same methods. */
export interface ToolsSubject {
  create(options: ToolTrackerOptions): ToolTracker;
}

export interface PartOptions {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly result?: unknown;
  readonly isError?: boolean;
  readonly artifact?: unknown;
  readonly approval?: unknown;
  readonly messages?: unknown;
}

/** One tool-call part; `id` is `t` and the tool `x` unless said otherwise. */
export const part = (argsText: unknown, options: PartOptions = {}): Record<string, unknown> => {
  const { id = 't', name = 'x', ...rest } = options;
  return { type: 'tool-call', toolCallId: id, toolName: name, argsText, ...rest };
};

export const message = (...content: unknown[]): Record<string, unknown> => ({ role: 'assistant', content });

export interface Execution {
  readonly id: string;
  readonly args: unknown;
  readonly signal: AbortSignal;
  readonly human: (payload: unknown) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface RigOptions {
  readonly tool?: ToolSpec;
  readonly tools?: (name: string) => ToolSpec | undefined;
  readonly owner?: (call: CallView) => CallOwner;
  readonly limits?: Partial<ToolLimits>;
  readonly project?: (messages: readonly unknown[]) => Iterable<never>;
  readonly onResult?: (command: ToolResultCommand) => unknown;
  readonly onStatuses?: (statuses: ToolStatuses) => unknown;
  /** Default: `done` at once. `hang` leaves it to the test. */
  readonly execute?: 'done' | 'hang';
}

export class Rig {
  readonly started: Execution[] = [];
  readonly results: ToolResultCommand[] = [];
  readonly maps: ToolStatuses[] = [];
  readonly notices: [NoticeKind, NoticeDetail][] = [];
  /** Callbacks in their order: `call t`, `run t`, `status t=executing`, `result t`. */
  readonly log: string[] = [];
  readonly tracker: ToolTracker;

  constructor(options: RigOptions = {}, subject = subjectOf<ToolsSubject>()) {
    const tool = options.tool ?? { execute: (args: unknown, context) => this.execute(args, context, options.execute) };
    const made = subject.create({
      tools: options.tools ?? ((name) => (name === 'x' ? tool : undefined)),
      owner: options.owner,
      project: options.project as never,
      limits: options.limits,
      onResult: (command) => {
        this.#note(`result ${command.toolCallId}`);
        this.results.push(command);
        return options.onResult?.(command);
      },
      onStatuses: (map) => {
        this.maps.push(map);
        const shown = [...map].map(([id, { type }]) => `${id}=${type}`);
        this.#note(`status ${shown.join(' ')}`.trim());
        return options.onStatuses?.(map);
      },
      notice: (kind, detail) => void this.notices.push([kind, detail]),
    });
    this.tracker = recorded(made);
  }

  execute(
    args: unknown,
    { toolCallId, abortSignal, human }: { toolCallId: string; abortSignal: AbortSignal; human: Execution['human'] },
    how: 'done' | 'hang' = 'done',
  ): unknown {
    this.#note(`run ${toolCallId}`);
    return new Promise((resolve, reject) => {
      this.started.push({ id: toolCallId, args, signal: abortSignal, human, resolve, reject });
      if (how === 'done') resolve('done');
    });
  }

  #note(text: string): void {
    noteStep(`  ${text}`);
    this.log.push(text);
  }

  get kinds(): NoticeKind[] {
    return this.notices.map(([kind]) => kind);
  }

  status(id = 't'): ToolStatus['type'] | undefined {
    return this.tracker.statuses().get(id)?.type;
  }

  /** A snapshot of one message that holds these parts. `r`: the run is open, `s`: settled. */
  push(run: 'r' | 's', ...parts: unknown[]): void {
    this.tracker.push({ messages: parts.length === 0 ? [] : [message(...parts)], isRunning: run === 'r' });
  }

  loading(run: 'r' | 's', ...parts: unknown[]): void {
    this.tracker.push({ messages: [message(...parts)], isRunning: run === 'r', isLoading: true });
  }
}

/** A rig whose history is over. */
export const live = (options: RigOptions = {}): Rig => {
  const rig = new Rig(options);
  rig.push('s');
  return rig;
};

export const macrotask = (): Promise<void> => new Promise((resolve) => void nodeRuntime.after(0, resolve));
export const microtasks = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await Promise.resolve();
};
