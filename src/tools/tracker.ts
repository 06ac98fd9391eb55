/** Reads snapshots: which calls there are, what they show, and which of them the chart is told. */
import { firstPlace, leanStep, type Place } from '../../machines/shared/lean.ts';
import type { Observed, Reason } from '../../machines/tools/call-facts.ts';
import { parsed, relate } from '../../machines/tools/compare.ts';
import { TRACKER_TABLE } from '../../machines/tools/tables.ts';
import { FIRST_TRACKER, type TrackerContext, type TrackerEvent } from '../../machines/tools/tracker-facts.ts';
import { attempt } from './attempt.ts';
import { TOOL_LIMITS } from './limits.ts';
import { Memory } from './memory.ts';
import { Notices } from './notices.ts';
import { Call, type Met } from './record.ts';
import { type Fate, type Read, read, type Seen } from './snapshot.ts';
import type { CallView, ToolLimits, ToolSnapshot, ToolStatuses, ToolTracker, ToolTrackerOptions } from './types.ts';
import { type Sink, walk } from './walk.ts';
import { type Desk, Work } from './work.ts';

/** The tracker. `fail` is for whoever moves work on its behalf and breaks. */
export class Tracker implements ToolTracker, Desk {
  readonly options: ToolTrackerOptions;
  readonly limits: ToolLimits;
  readonly notices: Notices;
  readonly #work: Work;
  memory: Memory;
  /** Where the tracker stands in its chart. */
  place: Place<TrackerContext> = firstPlace(TRACKER_TABLE, FIRST_TRACKER);
  /** The last snapshot that was processed. */
  #last: Read | undefined;
  #unread: ToolSnapshot[] = [];
  #pass = 0;
  /** Calls of a pass are met in an order, mostly that of the pass before: behind which one the walk is. */
  readonly #head: Met = { next: undefined };
  #met: Met = this.#head;
  #runClosed = false;

  constructor(options: ToolTrackerOptions) {
    this.options = options;
    this.limits = { ...TOOL_LIMITS, ...options.limits };
    this.notices = new Notices(options.notice, this.limits.notices);
    this.#work = new Work(this);
    this.memory = new Memory(this.limits);
  }

  push(snapshot: ToolSnapshot): void {
    // A callback that feeds a snapshot does so in the middle of another: it is read after that one.
    if (this.#unread.push(snapshot) > 1) return;
    for (const next of this.#unread) this.#guarded(() => this.#take(read(next)), undefined);
    this.#unread = [];
  }

  abort(options?: { readonly discardPending?: boolean }): Promise<void> {
    // Options that cannot be read ask for nothing.
    const discard = attempt(
      () => options?.discardPending === true,
      () => false,
    );
    return this.#guarded(() => {
      const orders = this.#step({ type: 'ABORT', discard });
      if (orders.includes('discard')) {
        for (const call of this.memory.calls.values()) this.#work.send(call, { type: 'DISCARD' });
      }
      return orders.includes('abort') ? this.#work.abort() : Promise.resolve();
    }, Promise.resolve());
  }

  reset(): void {
    this.#guarded(() => {
      if (!this.#step({ type: 'RESET' }).includes('retire')) return;
      const { calls } = this.memory;
      this.memory = new Memory(this.limits);
      this.#last = undefined;
      this.#head.next = undefined;
      this.notices.given.clear();
      this.#work.endAll(calls.values());
    }, undefined);
  }

  resume(toolCallId: string, payload?: unknown): boolean {
    const call = this.memory.calls.get(toolCallId);
    if (call === undefined || call.context.asker === null) return false;
    this.#work.send(call, { type: 'RESUME' }, payload);
    return true;
  }

  adopt(toolCallId: string): boolean {
    const { calls } = this.memory;
    const call = calls.get(toolCallId);
    if (call === undefined) return false;
    // What is not history, was answered or is withheld stays what it is.
    return this.#guarded(() => {
      this.#work.send(call, { type: 'ADOPT' });
      return calls.get(toolCallId) !== call;
    }, false);
  }

  statuses(): ToolStatuses {
    return this.#work.statuses;
  }

  mayStart(): boolean {
    return this.place.context.well;
  }

  fail(error: unknown): void {
    if (this.#step({ type: 'FAIL' }).includes('noticeFailed')) this.notices.give('failed', undefined, { error });
  }

  /** A restored call becomes a live one: a record of its own, which keeps what withheld it. */
  promote(call: Call): void {
    const { part } = call;
    const seen = call.seen as Seen;
    const { withheld, answered } = call.context;
    const wasAnswered = answered && !seen.hasResult ? 'answered' : null;
    this.#begin(call.id, call.name, withheld ?? wasAnswered, seen, part);
  }

  #guarded<Value>(job: () => Value, otherwise: Value): Value {
    return attempt(job, (error) => {
      this.fail(error);
      return otherwise;
    });
  }

  #step(event: TrackerEvent): readonly string[] {
    const { place, orders } = leanStep(TRACKER_TABLE, this.place, event);
    this.place = place;
    return orders;
  }

  #take(snapshot: Read): void {
    const { messages, isRunning, isLoading } = snapshot;
    const last = this.#last;
    const identical = last?.messages === messages && last?.isRunning === isRunning && last?.isLoading === isLoading;
    const malformed = messages === undefined;
    for (const order of this.#step({ type: 'SNAPSHOT', malformed, identical, loading: isLoading })) {
      if (order === 'restart') this.#restart();
      else if (order === 'noticeMalformed') this.notices.once('malformed-snapshot');
      else if (order === 'noticeInert') this.notices.give('inert');
      else if (order === 'observe' || order === 'record') this.#readAll(order === 'observe', snapshot);
    }
  }

  #readAll(isLive: boolean, snapshot: Read): void {
    const { boundary } = this.place.context;
    const before = this.#runClosed;
    this.#runClosed = !snapshot.isRunning;
    this.#pass += 1;
    this.#met = this.#head;
    // A callback may begin another boundary, and this snapshot belongs to the old one.
    const isOver = (): boolean => boundary !== this.place.context.boundary;
    const see: Sink = (id, name, text, raw, part) => {
      if (isOver()) return;
      const call = this.#known(id);
      if (call !== undefined) this.#meet(call, part);
      // Most calls of most snapshots are no news, and this is all that they cost.
      if (!call?.isSeen(text, raw, this.#runClosed)) this.#see(isLive, call, id, name, text, raw, part);
    };
    let type: 'PROCESSED' | 'BROKE_OFF' = 'PROCESSED';
    let error: unknown;
    try {
      this.#eachCall(snapshot.messages as readonly unknown[], see);
    } catch (thrown) {
      type = 'BROKE_OFF';
      error = thrown;
    }
    this.#met.next = undefined;
    if (isOver()) return;
    if (type === 'BROKE_OFF') this.#runClosed = before;
    for (const order of this.#step({ type, loading: snapshot.isLoading })) {
      if (order === 'remember') this.#last = snapshot;
      if (order === 'noticeBrokeOff') this.notices.once('broke-off', undefined, { error });
    }
    this.memory.trim(
      (call) => this.#work.send(call, { type: 'RETIRE' }),
      (id) => this.notices.once('forgotten', undefined, { toolCallId: id }),
    );
  }

  /** Throws when the list itself cannot be read to its end; what one part throws does not keep others from being read. */
  #eachCall(messages: readonly unknown[], see: Sink): void {
    const { project } = this.options;
    const onFault = (error: unknown): void => this.notices.once('malformed-part', undefined, { error });
    if (project === undefined) walk(messages, see, onFault);
    else {
      for (const view of project(messages)) {
        attempt(() => see(view.id, view.name, view.argsText, view, (view.part ?? view) as object), onFault);
      }
    }
  }

  #known(id: unknown): Call | undefined {
    const { next } = this.#met;
    return next !== undefined && next.id === id && next.phase !== 'retired'
      ? next
      : this.memory.calls.get(id as string);
  }

  #see(
    isLive: boolean,
    call: Call | undefined,
    id: unknown,
    name: unknown,
    text: unknown,
    raw: Fate,
    part: object,
  ): void {
    const { spent, withheld } = this.memory;
    if (typeof id !== 'string' || id === '' || typeof text !== 'string') {
      return this.notices.once('malformed-part', typeof id === 'string' ? id : '(none)');
    }
    // Of a live call nothing is taken from history.
    if (call === undefined ? spent.has(id) : !isLive && call.isLive) return;
    const { result, approval } = raw;
    const seen: Seen = {
      text,
      hasResult: result !== undefined,
      gated: approval !== undefined,
      runClosed: this.#runClosed,
      raw,
    };
    if (isLive && call !== undefined) return this.#observe(call, seen);
    const named = typeof name === 'string' ? name : '';
    const before = withheld.get(id) ?? null;
    if (isLive) this.#begin(id, named, before, seen, part);
    else this.#record(call ?? this.#create(id, named, part), seen, before);
  }

  #meet(call: Call, part: object | undefined): void {
    if (call.pass === this.#pass && call.part !== part) this.notices.once('duplicate-id', call.id);
    call.pass = this.#pass;
    call.part = part;
    // To look costs less than to write.
    if (this.#met.next !== call) this.#met.next = call;
    this.#met = call;
  }

  #create(id: string, name: string, part: object | undefined): Call {
    const call = new Call(id, name);
    this.memory.calls.set(id, call);
    this.#meet(call, part);
    return call;
  }

  #record(call: Call, seen: Seen, withheld: Reason | null): void {
    const { hasResult, gated } = seen;
    call.seen = seen;
    this.#work.send(call, { type: 'RECORD', hasResult, gated, withheld });
  }

  #begin(id: string, name: string, withheld: Reason | null, seen: Seen, part: object | undefined): void {
    const { boundary } = this.place.context;
    const view: CallView = { ...seen.raw, id, name, argsText: seen.text, part };
    const given = attempt(
      () => this.options.owner?.(view),
      (error) => {
        this.notices.once('owner-threw', id, { error });
        return undefined;
      },
    );
    // The predicate has begun another boundary.
    if (boundary !== this.place.context.boundary) return;
    const owner = given === 'client' || given === 'provider' ? given : 'unknown';
    const call = this.#create(id, name, part);
    call.seen = seen;
    this.#work.send(call, { type: 'BEGIN', owner, withheld });
    this.#observe(call, seen);
  }

  #observe(call: Call, seen: Seen): void {
    call.seen = seen;
    this.#work.send(call, { type: 'OBSERVE', ...this.#compare(call, seen) });
  }

  #compare(call: Call, { text, hasResult, gated }: Seen): Observed {
    const { streamed, complete: wasComplete, feed, isLive } = call;
    const tooLong = text.length > this.limits.textLength;
    // Nothing of a text over the bound is parsed, or given to a reader.
    const unread = isLive || text === streamed ? 'same' : 'differs';
    const relation = tooLong ? unread : relate(streamed, text, call.context.closed || !isLive);
    if (relation === 'grows' && feed !== undefined) {
      const piece = text.slice(streamed.length);
      feed.feed(piece);
      // Blanks behind the end change nothing.
      if (/[^ \n\r\t]/.test(piece)) call.complete = feed.mayBeWhole && parsed(text) !== undefined;
    }
    return {
      text: relation,
      complete: call.complete,
      wasComplete,
      empty: text === '' && streamed === '',
      tooLong,
      runClosed: this.#runClosed,
      hasResult,
      gated,
    };
  }

  /** What has closed is history from now on; what has not starts afresh from the snapshot. */
  #restart(): void {
    const before = [...this.memory.calls.values()];
    this.memory.calls = new Map();
    for (const call of before) {
      const { id, name, streamed, phase } = call;
      const { withheld, answered, asker, closed, started } = call.context;
      if (!call.isLive) this.memory.calls.set(id, call);
      else if (phase !== 'handedOver' && (closed || answered)) {
        // What has started once must not start again, whatever the next snapshots say. An executor that was waiting
        // for a person has not gone ahead: its call is history like any other.
        const hasResult = answered || phase === 'settledByClient';
        const seen = { text: streamed, hasResult, gated: false, runClosed: false, raw: {} };
        this.#record(
          this.#create(id, name, undefined),
          seen,
          withheld ?? (started && asker !== 'executor' ? 'answered' : null),
        );
      } else if (withheld !== null) this.memory.keepWithheld(id, withheld);
    }
    this.#work.endAll(before.filter((call) => call.isLive));
  }
}
