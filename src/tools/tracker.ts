/** Reads snapshots: which calls there are, what they show, and which of them the chart is told. */
import { firstPlace, leanStep, type Place } from '../../machines/shared/lean.ts';
import type { Observed, Reason, Relation } from '../../machines/tools/call-facts.ts';
import { relate } from '../../machines/tools/compare.ts';
import { TRACKER_TABLE } from '../../machines/tools/tables.ts';
import { FIRST_TRACKER, type TrackerContext, type TrackerEvent } from '../../machines/tools/tracker-facts.ts';
import { TOOL_LIMITS } from '../limits.ts';
import { Meter } from './json.ts';
import { Memory } from './memory.ts';
import { Notices } from './notices.ts';
import { ownerOf } from './owner.ts';
import { Call } from './record.ts';
import { type Fate, type Last, type Read, read, type Seen } from './snapshot.ts';
import type { ToolLimits, ToolSnapshot, ToolStatuses, ToolTracker, ToolTrackerOptions } from './types.ts';
import { walk } from './walk.ts';
import { type Desk, Work } from './work.ts';

/** The tracker. `fail` is for whoever moves work on its behalf and breaks. */
export class Tracker implements ToolTracker, Desk {
  readonly options: ToolTrackerOptions;
  readonly limits: ToolLimits;
  readonly notices: Notices;
  readonly #work: Work;
  readonly #memory: Memory;
  #place = firstPlace(TRACKER_TABLE, FIRST_TRACKER);
  #last: Last | undefined;
  #isReading = false;
  readonly #unread: unknown[] = [];
  #pass = 0;
  #runClosed = false;

  constructor(options: ToolTrackerOptions) {
    this.options = options;
    this.limits = { ...TOOL_LIMITS, ...options.limits };
    this.notices = new Notices(options.notice, this.limits.notices);
    this.#work = new Work(this);
    this.#memory = new Memory(this.limits, (id) => this.notices.once('forgotten', '', { toolCallId: id }));
  }

  push(snapshot: ToolSnapshot): void {
    this.#unread.push(snapshot);
    // A callback that feeds a snapshot does so in the middle of another: it is read after that one.
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#unread.length > 0) this.#take(read(this.#unread.shift()));
    } catch (error) {
      this.fail(error);
    } finally {
      this.#isReading = false;
    }
  }

  abort(options?: { readonly discardPending?: boolean }): Promise<void> {
    try {
      let discard = false;
      try {
        discard = options?.discardPending === true;
      } catch {
        // Options that cannot be read ask for nothing.
      }
      let ended = Promise.resolve();
      for (const order of this.#step({ type: 'ABORT', discard })) {
        if (order === 'abort') ended = this.#work.abort();
        else for (const call of this.#memory.calls.values()) this.#work.send(call, { type: 'DISCARD' });
      }
      return ended;
    } catch (error) {
      this.fail(error);
      return Promise.resolve();
    }
  }

  reset(): void {
    try {
      // Both regions answer; only one of them orders something.
      if (this.#step({ type: 'RESET' }).includes('retire')) this.#retire();
    } catch (error) {
      this.fail(error);
    }
  }

  resume(toolCallId: string, payload?: unknown): boolean {
    const call = this.#memory.calls.get(toolCallId);
    const question = call?.question;
    if (call === undefined || question === undefined) return false;
    this.#work.send(call, { type: 'RESUME' });
    question.answer.resolve(payload);
    return true;
  }

  adopt(toolCallId: string): boolean {
    const call = this.#memory.calls.get(toolCallId);
    if (call?.phase !== 'restored' || call.context.withheld !== null || call.inherits !== null) return false;
    try {
      this.#work.send(call, { type: 'ADOPT' });
      // An answered one stays what it is.
      if (!call.isReplaced) return false;
      this.#promote(call, { text: call.streamed, hasResult: false, gated: false, raw: call.raw });
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  statuses(): ToolStatuses {
    return this.#work.statuses.current;
  }

  /** How much is kept: records, ids without a record, notices. For tests of the bounds. */
  get kept(): { readonly records: number; readonly ids: number; readonly withheld: number; readonly notices: number } {
    const { calls, spent, withheld } = this.#memory;
    return { records: calls.size, ids: spent.size, withheld: withheld.size, notices: this.notices.size };
  }

  /** The record of an id. For tests and for whoever draws a call in its chart. */
  record(id: string): Call | undefined {
    return this.#memory.calls.get(id);
  }

  /** Where the tracker stands in its chart. */
  get place(): Place<TrackerContext> {
    return this.#place;
  }

  mayStart(): boolean {
    return this.#place.context.health === 'healthy';
  }

  fail(error: unknown): void {
    for (const order of this.#step({ type: 'FAIL' })) {
      if (order === 'noticeFailed') this.notices.give('failed', { error });
    }
  }
  #step(event: TrackerEvent): readonly string[] {
    const { place, orders } = leanStep(TRACKER_TABLE, this.#place, event);
    this.#place = place;
    return orders;
  }

  #take(snapshot: Read): void {
    const { messages, isRunning, isLoading, malformed } = snapshot;
    const last = this.#last;
    const identical = last?.messages === messages && last?.isRunning === isRunning && last?.isLoading === isLoading;
    const orders = this.#step({ type: 'SNAPSHOT', malformed, identical, loading: isLoading });
    for (const order of orders) {
      if (order === 'restart') this.#restart();
      else if (order === 'noticeMalformed') this.notices.once('malformed-snapshot', '', {});
      else if (order === 'noticeInert') this.notices.give('inert', {});
      else this.#readAll(order === 'observe', snapshot);
    }
  }

  #readAll(isLive: boolean, { messages, isRunning, isLoading }: Read): void {
    const { boundary } = this.#place.context;
    const before = this.#runClosed;
    this.#runClosed = !isRunning;
    const isDone = this.#readParts(isLive, messages as readonly unknown[], boundary);
    // A callback has begun another boundary: this snapshot belongs to the old one.
    if (boundary !== this.#place.context.boundary) return;
    if (!isDone) this.#runClosed = before;
    for (const order of this.#step({ type: isDone ? 'PROCESSED' : 'BROKE_OFF', loading: isLoading })) {
      if (order === 'remember') this.#last = { messages, isRunning, isLoading };
    }
    this.#memory.trim((call) => this.#work.send(call, { type: 'RETIRE' }));
  }

  /** False when the list itself could not be read to its end. */
  #readParts(isLive: boolean, messages: readonly unknown[], boundary: number): boolean {
    this.#pass += 1;
    const pass = this.#pass;
    const { calls, order } = this.#memory;
    let at = 0;
    const runClosed = this.#runClosed;
    const onFault = (error: unknown): void => this.notices.once('malformed-part', '(unreadable)', { error });
    const see = (id: unknown, name: unknown, text: unknown, raw: Fate, part: object): void => {
      // Most calls of most snapshots are no news, stand where they stood, and this is all that they cost.
      const guess = order[at];
      const call = guess?.id === id ? guess : calls.get(id as string);
      if (call !== guess && call !== undefined) order[at] = call;
      at += 1;
      if (call?.seenPart === part && call.isSeen(text, raw.result, raw.approval, runClosed)) call.pass = pass;
      else this.#see(isLive, boundary, id, name, text, raw, part);
    };
    try {
      const { project } = this.options;
      if (project === undefined) walk(messages, see, onFault);
      else {
        for (const view of project(messages)) {
          try {
            see(view.id, view.name, view.argsText, view, view.part === undefined ? view : (view.part as object));
          } catch (error) {
            onFault(error);
          }
        }
      }
      return true;
    } catch (error) {
      this.notices.once('broke-off', '', { error });
      return false;
    }
  }

  #see(isLive: boolean, boundary: number, id: unknown, name: unknown, text: unknown, raw: Fate, part: object): void {
    if (boundary !== this.#place.context.boundary) return;
    if (typeof id !== 'string' || id === '' || typeof text !== 'string') {
      this.notices.once('malformed-part', typeof id === 'string' ? id : '(none)', { toolCallId: String(id) });
      return;
    }
    const call = this.#memory.calls.get(id);
    const { result, approval } = raw;
    if (call !== undefined) {
      if (call.pass === this.#pass && call.seenPart !== part) this.notices.once('duplicate-id', id, { toolCallId: id });
      call.pass = this.#pass;
      call.seenPart = part;
      // Of a live call nothing is taken from history.
      if (call.isSeen(text, result, approval, this.#runClosed) || (!isLive && call.isLive)) return;
    } else if (this.#memory.spent.has(id)) return;
    const seen = { text, hasResult: result !== undefined, gated: approval !== undefined, raw };
    const named = typeof name === 'string' ? name : '';
    const kept = this.#memory.withheld.get(id) ?? null;
    if (!isLive) this.#record(call ?? this.#create(id, named, kept, part), seen);
    else if (call === undefined) this.#begin(id, named, kept, seen, part);
    else this.#observe(call, seen);
  }

  #create(id: string, name: string, inherits: Reason | null, part: object | undefined): Call {
    const call = new Call(id, name, inherits);
    call.pass = this.#pass;
    call.seenPart = part;
    this.#memory.calls.set(id, call);
    return call;
  }

  #record(call: Call, seen: Seen): void {
    this.#note(call, seen);
    this.#work.send(call, { type: 'RECORD', hasResult: seen.hasResult, gated: seen.gated });
  }

  #begin(id: string, name: string, inherits: Reason | null, seen: Seen, part: object | undefined): void {
    if (seen.hasResult) this.#memory.withheld.delete(id);
    const owner = ownerOf(this, { ...seen.raw, id, name, argsText: seen.text, part });
    const call = this.#create(id, name, inherits, part);
    call.raw = seen.raw;
    this.#work.send(call, { type: 'BEGIN', owner, withheld: inherits });
    this.#observe(call, seen);
  }

  #observe(call: Call, seen: Seen): void {
    const facts = this.#compare(call, seen);
    this.#note(call, seen);
    this.#work.send(call, { type: 'OBSERVE', ...facts });
    if (call.isReplaced && this.#memory.calls.get(call.id) === call) this.#promote(call, seen);
  }

  /** A restored call becomes a live one: a record of its own, which keeps what withheld it. */
  #promote(call: Call, seen: Seen): void {
    const { withheld, answered } = call.context;
    const wasAnswered = answered && !seen.hasResult ? 'answered' : null;
    this.#begin(call.id, call.name, withheld ?? call.inherits ?? wasAnswered, seen, call.seenPart);
  }

  #note(call: Call, { text, hasResult, gated, raw }: Seen): void {
    call.seenText = text;
    call.seenResult = hasResult;
    call.seenGate = gated;
    call.seenClosed = this.#runClosed;
    call.raw = raw;
  }

  #compare(call: Call, { text, hasResult, gated }: Seen): Observed {
    const wasComplete = call.complete;
    const tooLong = text.length > this.limits.textLength;
    const relation = this.#relate(call, text, tooLong);
    if (relation === 'equal' && call.meter !== undefined) {
      call.meter = new Meter();
      call.meter.feed(text);
    }
    if (relation === 'grows') call.meter?.feed(text.slice(call.streamed.length));
    if (relation === 'grows' || relation === 'equal') call.complete = call.meter?.isWhole(text) ?? call.complete;
    return {
      text: relation,
      complete: call.complete,
      wasComplete,
      empty: text === '' && call.streamed === '',
      tooLong,
      runClosed: this.#runClosed,
      hasResult,
      gated,
    };
  }

  #relate(call: Call, text: string, tooLong: boolean): Relation {
    // Nothing of a text over the bound is parsed, or given to a reader.
    if (tooLong) return call.isLive || text === call.streamed ? 'same' : 'differs';
    return relate(call.streamed, text, call.context.closed || !call.isLive);
  }

  #retire(): void {
    const calls = this.#memory.calls;
    this.#memory.forget();
    this.#last = undefined;
    this.notices.forget();
    this.#endAll(calls.values());
  }

  /** What has closed is history from now on; what has not starts afresh from the snapshot. */
  #restart(): void {
    const calls = this.#memory.calls;
    this.#memory.calls = new Map();
    this.#memory.order = [];
    const ending: Call[] = [];
    for (const call of calls.values()) {
      const { withheld, answered, closed, started } = call.context;
      if (!call.isLive) {
        this.#memory.calls.set(call.id, call);
        continue;
      }
      ending.push(call);
      const reason = withheld ?? call.inherits;
      if (call.phase === 'handedOver' || (!closed && !answered)) {
        if (reason !== null) this.#memory.keepWithheld(call.id, reason);
        continue;
      }
      // What has started once must not start again, whatever the next snapshots say.
      const demoted = this.#create(call.id, call.name, reason ?? (started ? 'answered' : null), undefined);
      const hasResult = answered || call.phase === 'settledByClient';
      this.#record(demoted, { text: call.streamed, hasResult, gated: false, raw: {} });
    }
    this.#endAll(ending);
  }

  #endAll(calls: Iterable<Call>): void {
    this.#work.forgetQueue();
    for (const call of calls) this.#work.send(call, { type: 'RETIRE' });
    this.#work.abortSignal();
    this.#work.statuses.clear();
  }
}
