/**
 * Sequences of calls as plain data: what a conversation shows a tool tracker, what hosts, tools and people do, and
 * what comes out of it after each. Time is no part of it: a tracker has no clock, only a gap before each start.
 */
import type { ToolContext, ToolReader, ToolSpec } from '../../tools/types.ts';
import { type Execution, message, part, Rig, type ToolsSubject } from './rig.ts';

/** Who answers a call of that tool; `none` is no tool at all. */
export const TOOLS = ['unknown', 'client', 'provider', 'none'] as const;
export type WalkedTool = (typeof TOOLS)[number];
/** Small, so that a text is too long and a call has to wait for a place. */
export const WALK_LIMITS = { textLength: 16, executors: 2 } as const;

/** One tool call as a snapshot shows it. */
export interface ShownCall {
  readonly id: string;
  readonly tool: WalkedTool;
  /** The text of its arguments so far. */
  readonly text: string;
  /** The provider has answered it. */
  readonly result: boolean;
  /** An approval of the provider's is on it. */
  readonly gated: boolean;
}

/** One thing that happens. `hurried`: the next one comes before anything else has its turn. */
export type ToolStep = { readonly hurried: boolean } & (
  | { readonly do: 'push'; readonly calls: readonly ShownCall[]; readonly open: boolean; readonly loading: boolean }
  /** The very snapshot of before. */
  | { readonly do: 'again' }
  /** No list of messages. */
  | { readonly do: 'junk' }
  /** A list that cannot be read. */
  | { readonly do: 'broken'; readonly loading: boolean }
  | { readonly do: 'abort'; readonly discard: boolean }
  | { readonly do: 'reset' }
  | { readonly do: 'resume' | 'adopt'; readonly id: string }
  /** Its tool asks a person, now or when it hears that it is aborted. */
  | { readonly do: 'ask'; readonly id: string; readonly by: 'callback' | 'executor'; readonly aborted: boolean }
  /** Its executor returns, or throws. */
  | { readonly do: 'end'; readonly id: string; readonly well: boolean }
);

/** What comes out of a tracker between two looks at it. */
export interface ToolSight {
  /** Calls of the host, in order: `call a`, `run a`, `status a=executing`, `result a`. */
  readonly calls: readonly string[];
  /** What became of promises and signals: `args a 1`, `response a theirs`, `question a yes`, `signal a`, `abort`. */
  readonly heard: readonly string[];
  /** Results that were reported, and arguments that an executor started with. */
  readonly results: readonly string[];
  readonly started: readonly string[];
  readonly notices: readonly string[];
  /** Statuses that show now. */
  readonly statuses: readonly string[];
  /** What `resume` or `adopt` returned. */
  readonly returned?: boolean;
}

const ABORTED = 'Tool execution aborted';
const THEIRS = 'theirs';
const FAILED = 'it failed';
/** Words that the contract leaves open are not compared. */
const wordOf = (error: unknown): string => ((error as Error | null)?.message === ABORTED ? 'aborted' : 'rejected');
const UNREADABLE = new Proxy([], {
  get: () => {
    throw new Error('the list broke');
  },
});

/** A tracker with tools that wait for the walk, and all that comes out of it. */
export class ToolWorld {
  readonly rig: Rig;
  readonly #callbacks = new Map<string, ToolContext>();
  #heard: string[] = [];
  #last: Parameters<Rig['tracker']['push']>[0] = { messages: [], isRunning: false };
  #seen = { calls: 0, results: 0, started: 0, notices: 0 };

  constructor(subject: ToolsSubject) {
    const tool: ToolSpec = {
      streamCall: (reader, context) => this.#read(reader, context),
      execute: (args: unknown, context: ToolContext) => {
        context.abortSignal.addEventListener('abort', () => this.#hear('signal', context.toolCallId));
        return this.rig.execute(args, context, 'hang');
      },
    };
    this.rig = new Rig(
      {
        limits: WALK_LIMITS,
        owner: ({ name }) => (name === 'client' || name === 'provider' ? name : 'unknown'),
        tools: (name) => (name === 'none' ? undefined : tool),
      },
      subject,
    );
  }

  #hear(...words: readonly unknown[]): void {
    this.#heard.push(words.join(' '));
  }

  #read(reader: ToolReader, context: ToolContext): void {
    const { toolCallId: id } = context;
    this.rig.log.push(`call ${id}`);
    this.#callbacks.set(id, context);
    const hear = (what: string, value: Promise<unknown>): void =>
      void value.then(
        (one) => this.#hear(what, id, one ?? '-'),
        (error) => this.#hear(what, id, wordOf(error)),
      );
    hear('args', reader.args.get('v'));
    const told = reader.response.get();
    hear(
      'response',
      told.then(({ result, isError }) => (isError && result !== FAILED ? 'error' : result)),
    );
  }

  /** One step; what it returns. */
  perform(step: ToolStep): boolean | undefined {
    const { tracker } = this.rig;
    switch (step.do) {
      case 'push':
        return this.#push(step.calls.map(shownPart), step.open, step.loading);
      case 'again':
        return void tracker.push(this.#last);
      case 'junk':
        return void tracker.push({ messages: 'none', isRunning: false } as never);
      case 'broken':
        return void tracker.push({ messages: UNREADABLE, isRunning: true, isLoading: step.loading });
      case 'abort':
        return void tracker.abort({ discardPending: step.discard }).then(() => this.#hear('abort'));
      case 'reset':
        return void tracker.reset();
      case 'resume':
        return tracker.resume(step.id, 'yes');
      case 'adopt':
        return tracker.adopt(step.id);
      case 'ask':
        return void this.#ask(step.id, step.by, step.aborted);
      default: {
        const execution = this.#execution(step.id);
        if (step.well) execution?.resolve('done');
        else execution?.reject(new Error(FAILED));
        return undefined;
      }
    }
  }

  #push(parts: readonly object[], isRunning: boolean, isLoading: boolean): undefined {
    this.#last = { messages: parts.length === 0 ? [] : [message(...parts)], isRunning, isLoading };
    this.rig.tracker.push(this.#last);
  }

  /** The newest of that id. */
  #execution(id: string): Execution | undefined {
    return this.rig.started.findLast((one) => one.id === id);
  }

  #ask(id: string, by: 'callback' | 'executor', whenAborted: boolean): void {
    const asker = by === 'callback' ? this.#callbacks.get(id) : this.#execution(id);
    if (asker === undefined) return;
    const ask = (): void =>
      void asker.human('?').then(
        (answer) => this.#hear('question', id, answer),
        (error) => this.#hear('question', id, wordOf(error)),
      );
    if (!whenAborted) ask();
    else ('signal' in asker ? asker.signal : asker.abortSignal).addEventListener('abort', ask);
  }

  /** What came out since the last look. */
  look(returned: boolean | undefined): ToolSight {
    const { log, results, started, notices, tracker } = this.rig;
    const { calls, ...from } = this.#seen;
    const sight = {
      calls: log.slice(calls),
      heard: this.#heard.sort(),
      results: results.slice(from.results).map(({ toolCallId, result, isError }) => {
        const isOwn = result === 'done' || result === FAILED;
        return `${toolCallId} ${isOwn ? result : isError ? 'error' : 'other'}`;
      }),
      started: started.slice(from.started).map(({ id, args }) => `${id} ${JSON.stringify(args)}`),
      notices: notices.slice(from.notices).map(([kind, { toolCallId }]) => [kind, toolCallId].join(' ').trim()),
      statuses: [...tracker.statuses()].map(([id, { type }]) => `${id} ${type}`).sort(),
      ...(returned === undefined ? {} : { returned }),
    };
    this.#heard = [];
    this.#seen = { calls: log.length, results: results.length, started: started.length, notices: notices.length };
    return sight;
  }
}

function shownPart({ id, tool, text, result, gated }: ShownCall): object {
  const fate = { ...(result && { result: THEIRS }), ...(gated && { approval: null }) };
  return part(text, { id, name: tool, ...fate });
}

/**
 * What follows the steps of a path, each list before a pause: the run closes on every call as it was last shown,
 * without its fate, and on a new one; all are adopted; what runs returns. Much is decided in silence, and shows here.
 */
export function afterwards(steps: readonly ToolStep[]): readonly (readonly ToolStep[])[] {
  const shown = steps.flatMap((step) => (step.do === 'push' ? step.calls : []));
  const last = new Map(shown.map((call) => [call.id, { ...call, result: false, gated: false }]));
  const ids = [...last.keys()];
  // Of a window of history the new one is a part, and then it does not run.
  const fresh: ShownCall = { id: 'z', tool: 'unknown', text: '{}', result: false, gated: false };
  const rest = { hurried: false } as const;
  return [
    [{ do: 'push', calls: [...last.values(), fresh], open: false, loading: false, ...rest }],
    ids.map((id) => ({ do: 'adopt', id, ...rest })),
    [...ids, fresh.id].map((id) => ({ do: 'end', id, well: true, ...rest })),
  ];
}
