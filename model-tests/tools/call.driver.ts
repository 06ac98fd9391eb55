/** Walks one way of the chart of a call through the real tracker, and compares after each event what came out of it. */
import { vi } from 'vitest';
import { compile, type SnapshotOf, start, step } from '../../machines/shared/step.ts';
import { callMachine } from '../../machines/tools/call.ts';
import type { CallEvent, Observed } from '../../machines/tools/call-facts.ts';
import { message, microtasks, part } from '../../src/testing/tools/rig.ts';
import { Call } from '../../src/tools/record.ts';
import type { ToolContext, ToolReader } from '../../src/tools/types.ts';
import { Rig } from '../../test/tools/rig.ts';
import type { Coverage } from '../support/cover.ts';
import { same } from '../support/same.ts';
import { Texts } from './call.ways.ts';

const chart = compile(callMachine, (context) => ({ ...context }));
type At = SnapshotOf<typeof chart>;

const ABORTED = 'Tool execution aborted';
const THEIRS = 'theirs';
const BOUND = 64;
/** More than anything of the tracker takes. */
const SETTLED = 12;

interface Sent {
  readonly call: Call;
  readonly event: CallEvent;
  readonly orders: readonly string[];
  readonly place: Call['place'];
}

/** Every event that any call is told, with what it ordered. */
export class Wire {
  readonly sent: Sent[] = [];

  constructor() {
    const { step: original } = Call.prototype;
    const { sent } = this;
    vi.spyOn(Call.prototype, 'step').mockImplementation(function (this: Call, event: CallEvent) {
      const orders = original.call(this, event);
      sent.push({ call: this, event, orders, place: this.place });
      return orders;
    });
  }
}

/** Keeps how a promise ended. */
function watch(promise: Promise<unknown>): { ended: unknown } {
  const note: { ended: unknown } = { ended: undefined };
  const put = (ended: unknown): void => {
    note.ended = ended;
  };
  promise.then(put, (error: Error) => put(error.message));
  return note;
}

const NOTICES: Readonly<Record<string, string>> = {
  noticeDiverged: 'diverged',
  noticeChanged: 'changed',
  noticeEmpty: 'empty-arguments',
  noticeSize: 'too-long',
};

/** What the orders of the chart come to, as the host sees it. */
class Expected {
  callbacks = 0;
  runs = 0;
  reports = 0;
  isOver = false;
  isSignalled = false;
  isPromoted = false;
  response: unknown;
  readonly notices = new Set<string>();
  readonly questions: unknown[] = [];

  take(order: string, outcome: unknown): void {
    const last = this.questions.length - 1;
    if (order in NOTICES) this.notices.add(NOTICES[order] as string);
    else if (order === 'startCallback') this.callbacks += 1;
    else if (order === 'run') this.runs += 1;
    else if (order === 'report') this.reports += 1;
    else if (order === 'signal') this.isSignalled = true;
    else if (order === 'promote') this.isPromoted = true;
    else if (order === 'park') this.questions.push(undefined);
    else if (order === 'refuseQuestion') this.#refuse();
    else if (order === 'supersede') this.questions[last] = 'Superseded by a newer question';
    else if (order === 'resolveQuestion') this.questions[last] = 'resumed';
    else if (order === 'rejectQuestion') this.questions[this.questions.lastIndexOf(undefined)] = ABORTED;
    else if (order === 'giveResult') this.response ??= { result: THEIRS, isError: false };
    else if (order === 'giveOutcome') this.response ??= outcome;
    else if (order === 'release') this.response ??= ABORTED;
    if (order === 'closeArguments' || order === 'release') this.isOver = true;
  }

  /** A refused question leaves the one that is parked where it was. */
  #refuse(): void {
    const parked = this.questions.lastIndexOf(undefined);
    if (parked < 0) this.questions.push(ABORTED);
    else this.questions.splice(parked, 0, ABORTED);
  }
}

export class CallDriver {
  readonly #wire: Wire;
  readonly #coverage: Coverage<typeof callMachine>;
  readonly #events: readonly CallEvent[];
  readonly #texts: Texts;
  readonly #expected = new Expected();
  readonly #rig: Rig;
  readonly #asked: { ended: unknown }[] = [];
  readonly #aborts: { ended: unknown }[] = [];
  #response: { ended: unknown } = { ended: undefined };
  #argument: { ended: unknown } = { ended: undefined };
  #callback: ToolContext | undefined;
  #callbacks = 0;
  #kicks = 0;
  #number = 0;
  #read = 0;
  #call: Call | undefined;
  #at: At = start(chart, undefined).snapshot;
  #pending: Sent[] = [];
  #outcome: unknown;
  /** Events that nothing came of, as the snapshot showed nothing new. */
  unsent = 0;

  constructor(wire: Wire, coverage: Coverage<typeof callMachine>, events: readonly CallEvent[]) {
    this.#wire = wire;
    this.#coverage = coverage;
    this.#events = events;
    this.#texts = new Texts(events);
    const executes = events.every((event) => event.type !== 'START' || event.executes);
    const birth = events.find((event) => event.type === 'BEGIN');
    this.#rig = new Rig({
      limits: { executors: 0, textLength: BOUND },
      owner: ({ id }) => (id === 't' && birth?.type === 'BEGIN' ? birth.owner : 'client'),
      tools: (name) =>
        name === 'x' ? { streamCall: this.#streamCall, ...(executes ? this.#executor : {}) } : undefined,
    });
    if (birth?.type === 'BEGIN' && birth.withheld !== null) this.#withhold();
    else if (birth !== undefined) this.#rig.push('r');
    this.#read = wire.sent.length;
    this.#callbacks = 0;
    this.#rig.notices.length = 0;
  }

  /** Gated, and then dropped by a restart: the record that follows is born withheld. */
  #withhold(): void {
    this.#rig.push('r');
    this.#rig.push('r', part('{', { approval: 1 }));
    this.#rig.tracker.fail(new Error('driver'));
  }

  readonly #executor = {
    execute: (args: unknown, context: ToolContext) => this.#rig.execute(args, context, 'hang'),
  };
  readonly #streamCall = (reader: ToolReader, context: ToolContext): void => {
    // The call of the setting that is retired before its turn has no callback; each other is counted.
    this.#callbacks += 1;
    if (this.#callback !== undefined) return;
    this.#callback = context;
    this.#response = watch(reader.response.get());
    this.#argument = watch(reader.args.get('none').then(() => 'over'));
  };

  async run(): Promise<void> {
    for (const [at, event] of this.#events.entries()) {
      if (this.#pending.length === 0) await this.#perform(event, this.#events[at + 1]);
      this.#match(event);
      if (this.#pending.length === 0 && !this.#isHurried(event, this.#events[at + 1])) this.#compare(event);
    }
    for (const { event } of [...this.#pending]) this.#match(event);
    await microtasks(SETTLED);
    this.#collect();
    for (const { event } of [...this.#pending]) this.#match(event);
    this.#compare(this.#events.at(-1) as CallEvent);
  }

  /** Whether the next event must come before anything else has its turn. */
  #isHurried(event: CallEvent, next: CallEvent | undefined): boolean {
    return event.type === 'ABORT' && next?.type === 'RETIRE';
  }

  async #perform(event: CallEvent, next: CallEvent | undefined): Promise<void> {
    this.#act(event, next);
    if (!this.#isHurried(event, next)) await microtasks(SETTLED);
    this.#collect();
  }

  #collect(): void {
    this.#call ??= this.#rig.record();
    for (const one of this.#wire.sent.slice(this.#read)) if (one.call === this.#call) this.#pending.push(one);
    this.#read = this.#wire.sent.length;
  }

  #act(event: CallEvent, next: CallEvent | undefined): void {
    const { tracker } = this.#rig;
    switch (event.type) {
      case 'RECORD':
        return this.#show(this.#texts.history(), event, true);
      case 'BEGIN':
        return this.#show('', next as CallEvent & Observed);
      case 'OBSERVE':
        return this.#show(this.#call?.streamed ?? '', event);
      case 'ADOPT':
        return same('adopt', 'result', tracker.adopt('t'), true);
      case 'DISCARD':
        return this.#discard(next);
      case 'START':
        return this.#start();
      case 'HUMAN':
        return this.#ask(event.by === 'callback' ? this.#callback : this.#rig.started[0]);
      case 'RESUME':
        same('resume', 'result', tracker.resume('t', 'resumed'), true);
        return same('resume', 'again', tracker.resume('t', 'again'), false);
      case 'ABORT':
        return void this.#aborts.push(watch(tracker.abort().then(() => 'ended')));
      case 'END':
        this.#outcome = { result: 'done', isError: false };
        return this.#rig.started[0]?.resolve('done');
      case 'RETIRE':
        return tracker.reset();
    }
  }

  #show(
    streamed: string,
    seen: (Observed & CallEvent) | Extract<CallEvent, { type: 'RECORD' }>,
    isHistory = false,
  ): void {
    const text = seen.type === 'RECORD' ? streamed : this.#texts.next(streamed, seen, BOUND);
    const fate = {
      ...(seen.hasResult ? { result: THEIRS } : {}),
      ...(seen.gated ? { approval: null } : {}),
    };
    const isRunning = seen.type === 'RECORD' || !seen.runClosed;
    this.#rig.tracker.push({ messages: [message(part(text, fate))], isRunning, isLoading: isHistory });
  }

  #discard(next: CallEvent | undefined): void {
    if (next?.type === 'HUMAN') {
      const { abortSignal } = this.#callback as ToolContext;
      abortSignal.addEventListener('abort', () => this.#ask(this.#callback));
    }
    this.#aborts.push(watch(this.#rig.tracker.abort({ discardPending: true }).then(() => 'ended')));
  }

  /** There is a place, and another call makes the tracker look for one. */
  #start(): void {
    const limits = this.#rig.tracker.limits as { executors: number };
    limits.executors = 1;
    this.#kicks += 1;
    this.#rig.push('r', part('{}', { id: `kick${this.#kicks}`, name: 'none' }));
  }

  #ask(context: { human(payload: unknown): Promise<unknown> } | undefined): void {
    this.#number += 1;
    this.#asked.push(watch((context as ToolContext).human(this.#number)));
  }

  /** The tracker told its call what the way says: the same transitions, the same place, the same orders. */
  #match(event: CallEvent): void {
    const what = JSON.stringify(event);
    const sent = this.#pending.shift();
    const before = this.#at;
    if (sent === undefined) {
      this.unsent += 1;
      const { snapshot } = step(chart, before as never, event);
      return same(what, 'unsent', [snapshot.value, snapshot.context], [before.value, before.context]);
    }
    same(what, 'event', sent.event.type, event.type);
    const wanted = this.#taken(event);
    const taken = this.#taken(sent.event);
    same(what, 'transitions', taken.length === wanted.length && taken.every((one) => wanted.includes(one)), true);
    this.#coverage.step(before, sent.event);
    const { snapshot, effects } = step(chart, before as never, sent.event);
    this.#at = snapshot;
    const orders = effects.map(({ type }) => type);
    same(what, 'place', sent.place, { value: snapshot.value, context: snapshot.context });
    same(what, 'orders', sent.orders, orders);
    if (sent.event.type === 'ABORT' && orders.includes('signal')) {
      this.#outcome = { result: ABORTED, isError: true };
    }
    if (sent.event.type === 'START' && orders.includes('report'))
      this.#outcome = this.#rig.results.map(({ result, isError }) => ({ result, isError }))[0];
    for (const order of orders) this.#expected.take(order, this.#outcome);
    this.#expectOwner(sent, orders);
  }

  #taken(event: CallEvent): readonly unknown[] {
    const { value, context } = this.#at;
    return callMachine.getTransitionData(callMachine.resolveState({ value, context } as never), event);
  }

  #expectOwner({ event }: Sent, orders: readonly string[]): void {
    if (event.type !== 'BEGIN' || event.withheld !== null || !orders.includes('noticeOwner')) return;
    const next = this.#pending[0]?.event;
    const isAnswered = next?.type === 'OBSERVE' && next.hasResult;
    if (!isAnswered && this.#rig.tracker.options.tools('x')?.execute !== undefined) {
      this.#expected.notices.add('provider-owned');
    }
  }

  #compare(event: CallEvent): void {
    const what = JSON.stringify(event);
    const { phase, question } = this.#at.value as unknown as Readonly<Record<string, string>>;
    const { started, results, tracker, notices } = this.#rig;
    const expected = this.#expected;
    const isRunning = phase === 'executing';
    if (expected.isPromoted) return same(what, 'promoted', tracker.memory.calls.get('t') !== this.#call, true);
    const shown = question === 'asked' ? 'interrupt' : isRunning ? 'executing' : undefined;
    same(what, 'status', this.#rig.status(), shown);
    same(what, 'callbacks', this.#callbacks, expected.callbacks);
    same(what, 'starts', started.length, expected.runs);
    if (expected.runs > 0) same(what, 'arguments', started[0]?.args, JSON.parse(this.#call?.streamed ?? ''));
    if (expected.isSignalled) same(what, 'signal', started[0]?.signal.aborted, true);
    same(what, 'reports', results.length, expected.reports);
    if (expected.reports > 0) same(what, 'report', results[0], this.#report());
    const given = notices.filter(([, { toolCallId }]) => toolCallId === 't').map(([kind]) => kind);
    same(what, 'notices', given.sort(), [...expected.notices].sort());
    same(
      what,
      'questions',
      this.#asked.map(({ ended }) => ended),
      expected.questions,
    );
    if (expected.callbacks > 0) this.#compareReader(what);
    // Nothing waits any more for what has ended.
    if (!isRunning)
      same(
        what,
        'aborts',
        this.#aborts.every(({ ended }) => ended === 'ended'),
        true,
      );
  }

  #compareReader(what: string): void {
    const { isOver, response } = this.#expected;
    same(what, 'response', this.#response.ended, response);
    // Of a number nobody knows that it is over before the arguments close.
    if (isOver) same(what, 'argument', ['over', ABORTED].includes(this.#argument.ended as string), true);
  }

  #report(): unknown {
    const outcome = this.#outcome as object;
    return { type: 'add-tool-result', toolCallId: 't', toolName: 'x', ...outcome };
  }
}
