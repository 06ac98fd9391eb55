/** Performs what the chart of a call orders: readers, questions, executions, statuses, reports. */
import type { Asker, CallEvent } from '../../machines/tools/call-facts.ts';
import { isObject, isPoisoned } from '../../machines/tools/compare.ts';
import { attempt, heed } from './attempt.ts';
import { ABORTED, errorText, execute, failure, responseOf } from './execute.ts';
import type { Notices } from './notices.ts';
import { Deferred, ReaderFeed } from './reader.ts';
import type { Call } from './record.ts';
import type { Seen } from './snapshot.ts';
import type {
  NoticeDetail,
  NoticeKind,
  ToolContext,
  ToolLimits,
  ToolResponseView,
  ToolSpec,
  ToolStatus,
  ToolStatuses,
  ToolTrackerOptions,
} from './types.ts';

const POISONED = 'Invalid arguments: a key would alter a prototype';

interface Question {
  readonly payload: unknown;
  readonly answer: Deferred<unknown>;
}

/** What a start has to work with, and the outcome where there is one. */
interface Matter {
  readonly tool: ToolSpec;
  readonly input: unknown;
  readonly outcome: ToolResponseView;
}

/** What the work needs of the tracker. */
export interface Desk {
  readonly options: ToolTrackerOptions;
  readonly limits: ToolLimits;
  readonly notices: Notices;
  /** The machinery is well: work may start. */
  mayStart(): boolean;
  /** A defect of the tracker itself. */
  fail(error: unknown): void;
  /** A restored call becomes a live one. */
  promote(call: Call): void;
}

export class Work {
  statuses: ToolStatuses = new Map();
  readonly #desk: Desk;
  readonly #running = new Set<Call>();
  readonly #parked = new Map<Call, Question>();
  #queue: Call[] = [];
  #controller = new AbortController();

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** Tells a call of an event, and performs what it orders with what the event is about. */
  send(call: Call, event: CallEvent, matter?: unknown): void {
    for (const order of call.step(event)) this.#orders[order]?.(call, matter as never);
  }

  /** Aborts what runs; resolves when all of it has ended: its grace is over before the one that is waited for. */
  abort(): Promise<void> {
    const isIdle = this.#running.size === 0;
    this.#abortSignal();
    for (const call of new Set([...this.#running, ...this.#parked.keys()])) this.send(call, { type: 'ABORT' });
    return isIdle ? Promise.resolve() : new Promise((resolve) => this.#grace(resolve));
  }

  /** Of the old boundary nothing starts, runs or shows any more. */
  endAll(calls: Iterable<Call>): void {
    this.#queue = [];
    for (const call of calls) this.send(call, { type: 'RETIRE' });
    this.#abortSignal();
    this.#publish();
  }

  readonly #orders: Readonly<Record<string, (call: Call, matter: never) => void>> = {
    remember: (call) => {
      call.streamed = textOf(call);
    },
    noticeDiverged: (call) => this.#notice('diverged', call),
    noticeChanged: (call) => this.#notice('changed', call, { previous: call.streamed, next: call.seen?.text }),
    noticeEmpty: (call) => this.#notice('empty-arguments', call),
    noticeSize: (call) => this.#notice('too-long', call, { limit: this.#desk.limits.textLength }),
    noticeOwner: (call) => {
      if (call.context.withheld !== 'provider' || call.seen?.hasResult === true) return;
      if (this.#toolWith('execute', call)) this.#notice('provider-owned', call, { name: call.name });
    },
    promote: (call) => this.#desk.promote(call),
    startCallback: (call) => {
      call.feed = new ReaderFeed();
      this.#soon(() => this.#callback(call));
    },
    schedule: (call) => {
      this.#queue.push(call);
      this.#pumpSoon();
    },
    run: (call, matter: Matter) => this.#run(call, matter),
    signal: (call) => this.#grace(() => this.#end(call, failure(ABORTED))),
    publish: () => this.#publish(),
    park: (call, question: Question) => {
      this.#parked.set(call, question);
      // Whoever waits for a person holds no place.
      this.#pumpSoon();
    },
    supersede: (call) => this.#unpark(call)?.answer.reject(new Error('Superseded by a newer question')),
    refuseQuestion: (_, { answer }: Question) => answer.reject(new Error(ABORTED)),
    resolveQuestion: (call, payload: unknown) => this.#unpark(call)?.answer.resolve(payload),
    rejectQuestion: (call) => this.#unpark(call)?.answer.reject(new Error(ABORTED)),
    giveResult: (call) => call.feed?.settle(responseOf(call.seen?.raw)),
    giveOutcome: (call, { outcome }: Matter) => call.feed?.settle(outcome),
    closeArguments: (call) => {
      call.feed?.close();
      this.#dropUnread(call);
    },
    report: ({ id, name }, { outcome }: Matter) =>
      this.#tell(id, () =>
        this.#desk.options.onResult({ type: 'add-tool-result', toolCallId: id, toolName: name, ...outcome }),
      ),
    leave: (call) => {
      this.#running.delete(call);
      this.#pumpSoon();
    },
    release: (call) => {
      call.feed?.drop();
      call.feed = undefined;
    },
  };

  #notice(kind: NoticeKind, { id }: Call, detail?: NoticeDetail): void {
    this.#desk.notices.once(kind, id, detail);
  }

  /** A callback of the host: what it throws, now or later, is noted. */
  #tell(id: string | undefined, call: () => unknown): void {
    void heed(call, (error) => this.#desk.notices.once('handler-threw', id, { message: errorText(error) }));
  }

  #soon(job: () => void): void {
    queueMicrotask(() => attempt(job, (error) => this.#desk.fail(error)));
  }

  /** An executor has two microtasks to end by itself; what it settles in them is heard before the third. */
  #grace(job: () => void): void {
    this.#soon(() => this.#soon(() => this.#soon(job)));
  }

  /** Takes the signal away from what runs; later executions get a fresh one. */
  #abortSignal(): void {
    const old = this.#controller;
    this.#controller = new AbortController();
    old.abort(new Error(ABORTED));
  }

  /** Derived from what is under way, each time, so that no status outlives its reason. */
  #publish(): void {
    const now = new Map<string, { readonly type: ToolStatus['type']; readonly payload?: unknown }>();
    for (const { id, begun } of this.#running) if (begun) now.set(id, { type: 'executing' });
    for (const [{ id }, { payload }] of this.#parked) now.set(id, { type: 'interrupt', payload });
    const before: typeof now = this.statuses as never;
    const isSame = ([id, { type, payload }]: readonly [string, { type: string; payload?: unknown }]): boolean =>
      before.get(id)?.type === type && before.get(id)?.payload === payload;
    if (now.size === before.size && [...now].every(isSame)) return;
    this.statuses = now as never;
    this.#tell(undefined, () => this.#desk.options.onStatuses?.(this.statuses));
  }

  /** The tool of a call, if it has that function; one that cannot be looked at has none. */
  #toolWith(name: 'execute' | 'streamCall', call: Call): ToolSpec | undefined {
    return attempt(
      () => {
        const tool = this.#desk.options.tools(call.name);
        return isObject(tool) && typeof tool[name] === 'function' ? tool : undefined;
      },
      (error) => {
        this.#notice('tools-threw', call, { error });
        return undefined;
      },
    );
  }

  #unpark(call: Call): Question | undefined {
    const question = this.#parked.get(call);
    this.#parked.delete(call);
    return question;
  }

  #callback(call: Call): void {
    if (call.called) return;
    call.called = true;
    void heed(
      () => this.#startCallback(call),
      (error) => this.#notice('callback-threw', call, { error }),
    );
  }

  #startCallback(call: Call): unknown {
    const { feed } = call;
    if (feed === undefined || !this.#desk.mayStart()) return undefined;
    const tool = this.#toolWith('streamCall', call);
    call.unread = tool === undefined;
    this.#dropUnread(call);
    return tool?.streamCall?.(feed.reader, this.#contextOf(call, 'callback'));
  }

  /** Once the arguments are there, the record need not hold what nobody reads. */
  #dropUnread(call: Call): void {
    if (call.unread && call.context.closed) call.feed = undefined;
  }

  #contextOf(call: Call, by: Asker): ToolContext {
    return {
      toolCallId: call.id,
      abortSignal: this.#controller.signal,
      human: (payload) => this.#ask(call, by, payload),
    };
  }

  #ask(call: Call, by: Asker, payload: unknown): Promise<unknown> {
    const answer = new Deferred<unknown>();
    const limit = this.#desk.limits.questions;
    if (!this.#parked.has(call) && this.#parked.size >= limit) {
      this.#notice('questions-full', call, { limit });
      answer.reject(new Error('Too many questions are parked'));
    } else this.send(call, { type: 'HUMAN', by }, { payload, answer });
    return answer.promise;
  }

  #pumpSoon(): void {
    this.#soon(() => this.#pump());
  }

  #pump(): void {
    const queue = this.#queue;
    // What an executor hands over while it starts has a gap of its own before it.
    for (let left = queue.length; left > 0 && this.#desk.mayStart() && this.#hasPlace(); left -= 1) {
      const call = queue.shift();
      if (call?.phase === 'handedOver') this.#start(call);
    }
  }

  #hasPlace(): boolean {
    return [...this.#running].filter(({ context }) => context.asker === null).length < this.#desk.limits.executors;
  }

  #start(call: Call): void {
    // The callback comes first, also where a call before this one has set the work going.
    this.#callback(call);
    const tool = this.#toolWith('execute', call);
    const input: unknown = tool && JSON.parse(call.streamed);
    const start = { type: 'START', executes: tool !== undefined, poisoned: isPoisoned(input) } as const;
    this.send(call, start, { tool, input, outcome: failure(POISONED) });
  }

  #run(call: Call, { tool, input }: Matter): void {
    const context = this.#contextOf(call, 'executor');
    this.#running.add(call);
    void execute(tool, input, context, {
      begin: () => {
        const { withheld, answered } = call.context;
        // The executor's synchronous part comes first, so that a question it asks at once is what shows.
        this.#soon(() => {
          call.begun = true;
          this.#publish();
        });
        return this.#running.has(call) && withheld === null && !answered && !context.abortSignal.aborted;
      },
      notice: (error) => this.#notice('model-output-threw', call, { error }),
      end: (outcome) => this.#end(call, outcome),
    });
  }

  #end(call: Call, outcome: ToolResponseView): void {
    if (this.#running.has(call)) this.send(call, { type: 'END' }, { outcome });
  }
}

/** Nothing is read before something was seen. */
const textOf = ({ seen }: Call): string => (seen as Seen).text;
