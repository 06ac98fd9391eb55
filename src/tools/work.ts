/** Performs what the chart of a call orders: readers, questions, executions, statuses, reports. */
import type { CallEvent } from '../../machines/tools/call-facts.ts';
import { isPoisoned } from '../../machines/tools/compare.ts';
import { CANCELLED, errorText, execute, failure, type Hooks, responseOf } from './execute.ts';
import type { Notices } from './notices.ts';
import { ABORTED, Deferred, ReaderFeed } from './reader.ts';
import type { Call } from './record.ts';
import { Statuses } from './statuses.ts';
import type {
  NoticeKind,
  ToolContext,
  ToolLimits,
  ToolResponseView,
  ToolResultCommand,
  ToolSpec,
  ToolTrackerOptions,
} from './types.ts';

const POISONED = 'Invalid arguments: they hold a key that would alter the prototype of an object';

/** What the work needs of the tracker. */
export interface Desk {
  readonly options: ToolTrackerOptions;
  readonly limits: ToolLimits;
  readonly notices: Notices;
  /** The machinery is well: work may start. */
  mayStart(): boolean;
  /** A defect of the tracker itself. */
  fail(error: unknown): void;
}

export class Work {
  readonly #desk: Desk;
  readonly statuses: Statuses;
  readonly running = new Set<Call>();
  readonly parked = new Set<Call>();
  #queue: Call[] = [];
  #controller = new AbortController();
  #isPumping = false;

  constructor(desk: Desk) {
    this.#desk = desk;
    this.statuses = new Statuses((map) => this.#tell('', () => desk.options.onStatuses?.(map)));
  }

  send(call: Call, event: CallEvent): void {
    for (const order of call.step(event)) this.#orders[order]?.(call);
  }

  /** Takes the signal away from what runs; later executions get a fresh one. */
  abortSignal(): void {
    const old = this.#controller;
    this.#controller = new AbortController();
    old.abort(new Error(ABORTED));
  }

  /** Aborts what runs; resolves when all of it has ended. */
  abort(): Promise<void> {
    const ends = [...this.running].map((call) => new Promise<void>((resolve) => call.leavers.push(resolve)));
    this.abortSignal();
    for (const call of new Set([...this.running, ...this.parked])) this.send(call, { type: 'ABORT' });
    return Promise.all(ends).then(() => undefined);
  }

  /** Of the old boundary nothing is left to start. */
  forgetQueue(): void {
    this.#queue = [];
  }

  toolOf({ id, name }: Call): ToolSpec | undefined {
    try {
      const tool: unknown = this.#desk.options.tools(name);
      // What a record gives for `__proto__` is no tool.
      return typeof tool === 'object' && tool !== Object.prototype
        ? ((tool ?? undefined) as ToolSpec | undefined)
        : undefined;
    } catch (error) {
      this.#notice('tools-threw', id, { error });
      return undefined;
    }
  }

  /** A tool that cannot be looked at has none of its functions. */
  #has(name: 'execute' | 'streamCall', tool: ToolSpec | undefined, { id }: Call): boolean {
    try {
      return typeof tool?.[name] === 'function';
    } catch (error) {
      this.#notice('tools-threw', id, { error });
      return false;
    }
  }

  readonly #orders: Readonly<Record<string, (call: Call) => void>> = {
    append: (call) => {
      const piece = (call.seenText ?? '').slice(call.streamed.length);
      call.streamed = call.seenText ?? '';
      call.feed?.feed(piece);
    },
    remember: (call) => {
      call.streamed = call.seenText ?? '';
    },
    sign: (call) => {
      call.streamed = call.seenText ?? '';
      call.meter = undefined;
    },
    noticeDiverged: (call) => this.#notice('diverged', call.id, {}),
    noticeChanged: (call) => this.#notice('changed', call.id, { previous: call.streamed, next: call.seenText }),
    noticeEmpty: (call) => this.#notice('empty-arguments', call.id, {}),
    noticeSize: (call) => this.#notice('too-long', call.id, { limit: this.#desk.limits.textLength }),
    noticeOwner: (call) => this.#warnOwner(call),
    startCallback: (call) => this.#soon(() => this.#startCallback(call)),
    schedule: (call) => {
      this.#queue.push(call);
      this.#pumpSoon();
    },
    run: (call) => this.#run(call),
    refuse: (call) => {
      call.outcome = failure(POISONED);
    },
    signal: (call) => this.#grace(() => this.#end(call, failure(CANCELLED))),
    publish: (call) => this.statuses.update(call),
    park: (call) => {
      call.question = call.asking;
      call.asking = undefined;
      this.parked.add(call);
      // Whoever waits for a person holds no place.
      this.#pumpSoon();
    },
    supersede: (call) => call.question?.answer.reject(new Error('Superseded by a newer question of the same call')),
    refuseQuestion: (call) => {
      call.asking?.answer.reject(new Error(ABORTED));
      call.asking = undefined;
    },
    // Whoever resumes holds the question; here it only leaves the call.
    resolveQuestion: (call) => this.#unpark(call),
    rejectQuestion: (call) => this.#unpark(call)?.answer.reject(new Error(ABORTED)),
    giveResult: (call) => this.#give(call, responseOf(call.raw)),
    giveOutcome: (call) => {
      if (call.outcome !== undefined) this.#give(call, call.outcome);
    },
    closeArguments: (call) => {
      call.feed?.close();
      call.meter = undefined;
    },
    report: (call) => this.#report(call),
    leave: (call) => {
      this.running.delete(call);
      for (const leave of call.leavers.splice(0)) leave();
      this.#pumpSoon();
    },
    release: (call) => {
      call.feed?.drop();
      call.feed = undefined;
      call.meter = undefined;
    },
  };

  #notice(kind: NoticeKind, id: string, detail: Readonly<Record<string, unknown>>): void {
    this.#desk.notices.once(kind, id, { toolCallId: id, ...detail });
  }

  #soon(job: () => void): void {
    queueMicrotask(() => {
      try {
        job();
      } catch (error) {
        this.#desk.fail(error);
      }
    });
  }

  /** An executor has two microtasks to end by itself; what it settles in them is heard before the third. */
  #grace(job: () => void): void {
    this.#soon(() => this.#soon(() => this.#soon(job)));
  }

  #warnOwner(call: Call): void {
    const isAnswered = (call.raw as { result?: unknown }).result !== undefined;
    if (call.context.withheld !== 'provider' || isAnswered) return;
    if (this.#has('execute', this.toolOf(call), call)) this.#notice('provider-owned', call.id, { name: call.name });
  }

  #give(call: Call, response: ToolResponseView): void {
    if (!call.called) call.given = response;
    call.feed?.settle(response);
  }

  #unpark(call: Call): Call['question'] {
    const { question } = call;
    call.question = undefined;
    this.parked.delete(call);
    return question;
  }

  #startCallback(call: Call): void {
    const { given } = call;
    call.called = true;
    call.given = undefined;
    if (call.phase === 'retired' || !this.#desk.mayStart()) return;
    const tool = this.toolOf(call);
    if (!this.#has('streamCall', tool, call)) return;
    const feed = new ReaderFeed();
    call.feed = feed;
    feed.feed(call.streamed);
    if (given !== undefined) feed.settle(given);
    if (call.context.closed) feed.close();
    const noted = (error: unknown): void => this.#notice('callback-threw', call.id, { error });
    try {
      const returned: unknown = tool?.streamCall?.(feed.reader, this.#contextOf(call, 'callback'));
      Promise.resolve(returned).then(undefined, noted);
    } catch (error) {
      noted(error);
    }
  }

  #contextOf(call: Call, by: 'callback' | 'executor'): ToolContext {
    return {
      toolCallId: call.id,
      abortSignal: this.#controller.signal,
      human: (payload) => this.#ask(call, by, payload),
    };
  }

  #ask(call: Call, by: 'callback' | 'executor', payload: unknown): Promise<unknown> {
    const answer = new Deferred<unknown>();
    if (call.question === undefined && this.parked.size >= this.#desk.limits.questions) {
      this.#notice('questions-full', call.id, { limit: this.#desk.limits.questions });
      answer.reject(new Error('Too many questions are parked'));
      return answer.promise;
    }
    call.asking = { payload, answer };
    this.send(call, { type: 'HUMAN', by });
    return answer.promise;
  }

  #pumpSoon(): void {
    if (this.#isPumping || this.#queue.length === 0) return;
    this.#isPumping = true;
    this.#soon(() => {
      this.#isPumping = false;
      this.#pump();
    });
  }

  #pump(): void {
    const queue = this.#queue;
    // What an executor hands over while it starts has a gap of its own before it.
    const { length } = queue;
    let taken = 0;
    for (; taken < length; taken += 1) {
      const call = queue[taken] as Call;
      if (!this.#desk.mayStart()) return;
      if (call.phase !== 'handedOver') continue;
      if (!this.#hasPlace()) break;
      this.#start(call);
      if (queue !== this.#queue) return;
    }
    queue.splice(0, taken);
  }

  #hasPlace(): boolean {
    let busy = 0;
    for (const { question } of this.running) if (question === undefined) busy += 1;
    return busy < this.#desk.limits.executors;
  }

  #start(call: Call): void {
    const tool = call.context.withheld === null ? this.toolOf(call) : undefined;
    call.tool = tool;
    call.input = tool === undefined ? undefined : (JSON.parse(call.streamed) as unknown);
    this.send(call, {
      type: 'START',
      executes: this.#has('execute', tool, call),
      poisoned: isPoisoned(call.input),
    });
  }

  #run(call: Call): void {
    const { tool, input } = call;
    call.tool = undefined;
    call.input = undefined;
    if (tool === undefined) return;
    const context = this.#contextOf(call, 'executor');
    call.signal = context.abortSignal;
    this.running.add(call);
    const hooks: Hooks = {
      mayBegin: () => {
        const { withheld, answered } = call.context;
        return call.isRunning && withheld === null && !answered && !context.abortSignal.aborted;
      },
      begin: () => {
        call.begun = true;
        // The executor's synchronous part comes first, so that a question it asks at once is what shows.
        this.#soon(() => this.statuses.update(call));
      },
      notice: (error) => this.#notice('model-output-threw', call.id, { error }),
      end: (outcome) => this.#end(call, outcome ?? failure(CANCELLED)),
    };
    execute(tool, input, context, hooks);
  }

  #end(call: Call, outcome: ToolResponseView): void {
    if (!call.isRunning) return;
    call.outcome = outcome;
    this.send(call, { type: 'END' });
    call.outcome = undefined;
  }

  #report(call: Call): void {
    const { id, name, outcome } = call;
    if (outcome === undefined) return;
    const command: ToolResultCommand = { type: 'add-tool-result', toolCallId: id, toolName: name, ...outcome };
    this.#tell(id, () => this.#desk.options.onResult(command));
  }

  /** A callback of the host: what it throws, now or later, is noted. */
  #tell(id: string, call: () => unknown): void {
    const noted = (error: unknown): void =>
      this.#desk.notices.once('handler-threw', id, {
        ...(id === '' ? {} : { toolCallId: id }),
        message: errorText(error),
      });
    try {
      const returned = call();
      if (typeof returned === 'object' && returned !== null) Promise.resolve(returned).then(undefined, noted);
    } catch (error) {
      noted(error);
    }
  }
}
