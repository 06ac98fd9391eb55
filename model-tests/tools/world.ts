/** Random snapshots, commands and waits against a real tracker, judged by what came out of it alone. */

import { macrotask, message, microtasks, part } from '../../src/testing/tools/rig.ts';
import { Tracker } from '../../src/tools/tracker.ts';
import type { CallOwner, ToolReader, ToolSpec, ToolStatuses } from '../../src/tools/types.ts';
import { type Command, IDS, type Id, isJson, type Script, sorted, textOf } from './script.ts';

interface Execution {
  readonly id: Id;
  readonly boundary: number;
  readonly args: unknown;
  readonly settle: (well: boolean) => void;
  ended: boolean;
}
/** What live snapshots of this boundary have shown of an id. */
interface Shown {
  texts: string[];
  closed: boolean;
  barred: boolean;
  discarded: boolean;
}

const fresh = (): Shown => ({ texts: [], closed: false, barred: false, discarded: false });

export class World {
  readonly tracker: Tracker;
  readonly faults: string[] = [];
  readonly log: string[] = [];
  readonly maps: ToolStatuses[] = [];
  readonly contents: string[] = [];
  readonly executions: Execution[] = [];
  readonly responses: { settled: number }[] = [];
  readonly #script: Script;
  readonly #shown = new Map<Id, Shown>();
  readonly #counts = new Map<string, number>();
  readonly #parked = new Map<string, number>();
  readonly #aborts: { done: boolean }[] = [];
  #pending = true;
  #failed = false;
  #asked = 0;
  resumed = 0;
  answered = 0;

  constructor(one: Script) {
    this.#script = one;
    this.tracker = new Tracker({
      tools: (name) => this.#tool(name as Id),
      owner: (call) => this.#owner(call.id as Id),
      onResult: ({ toolCallId }) => {
        this.#reported(toolCallId as Id);
        if (one.loud) throw new Error('loud');
      },
      onStatuses: (map) => {
        this.maps.push(map);
        this.contents.push(JSON.stringify([...map]));
        this.log.push(`status ${[...map].map(([key, { type }]) => `${key}=${type}`).join(' ')}`);
        if (one.loud) return Promise.reject(new Error('loud'));
        return undefined;
      },
      notice: () => {
        if (one.loud) throw new Error('loud');
      },
    });
  }

  get boundary(): number {
    return this.tracker.place.context.boundary;
  }

  async run(arrange: (views: readonly unknown[]) => readonly unknown[] = (views) => views): Promise<void> {
    for (const one of this.#script.commands) await this.#do(one, arrange);
    await this.#rest();
  }

  #owner(id: Id): CallOwner {
    const owner = this.#script.owners[id];
    if (owner === 'throws') throw new Error('owner');
    return owner ?? 'unknown';
  }

  #count(what: string, id: Id): void {
    const key = `${what} ${id} in ${this.boundary}`;
    this.log.push(`${what} ${id}`);
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    if (count > 1) this.faults.push(`I-01: ${key}, ${count} times`);
  }

  #tool(id: Id): ToolSpec | undefined {
    const kind = this.#script.tools[id];
    if (kind === undefined) return undefined;
    const tool: ToolSpec = { execute: (args, context) => this.#execute(id, args, context) };
    if (kind === 'reads' || kind === 'callbackAsks' || kind === 'callbackThrows') {
      tool.streamCall = (reader, context) => {
        this.#count('call', id);
        this.#read(reader);
        if (kind === 'callbackThrows') throw new Error('callback');
        if (kind === 'callbackAsks') this.#ask(id, context.human);
      };
    }
    return tool;
  }

  #read(reader: ToolReader): void {
    const response = { settled: 0 };
    this.responses.push(response);
    const settle = (): void => {
      response.settled += 1;
    };
    reader.response.get().then(settle, settle);
    const pieces = async (): Promise<void> => {
      let text = '';
      for await (const piece of reader.args.streamText('v')) {
        text += piece;
        if (!['a', 'b', 'c', 'd', 'other'].some((name) => name.startsWith(text))) this.faults.push(`I-15: ${text}`);
      }
    };
    void pieces();
  }

  #ask(id: Id, human: (payload: unknown) => Promise<unknown>): void {
    this.#asked += 1;
    const key = `${id} ${this.boundary} ${this.#asked}`;
    this.#parked.set(key, this.#asked);
    const gone = (): void => void this.#parked.delete(key);
    human(this.#asked).then(() => {
      gone();
      this.answered += 1;
    }, gone);
  }

  #execute(id: Id, args: unknown, { human, abortSignal }: Parameters<NonNullable<ToolSpec['execute']>>[1]): unknown {
    this.#count('run', id);
    const kind = this.#script.tools[id];
    const shown = this.#shown.get(id) ?? fresh();
    const owner = this.#script.owners[id];
    const text = JSON.stringify(args);
    const texts = shown.texts.filter((one) => isJson(one)).map((one) => JSON.stringify(sorted(JSON.parse(one))));
    if (!texts.includes(JSON.stringify(sorted(args)))) this.faults.push(`I-02: ${id} started with ${text}`);
    if (owner !== 'client' && !shown.closed) this.faults.push(`I-03: ${id} started in an open run`);
    if (owner === 'provider') this.faults.push(`I-04: ${id} is the provider's`);
    if (shown.barred) this.faults.push(`I-05: ${id} started with a gate or a result`);
    if (shown.discarded) this.faults.push(`I-06: ${id} was discarded`);
    if (kind === 'throws') {
      this.executions.push({ id, boundary: this.boundary, args, settle: () => undefined, ended: true });
      throw new Error('executor');
    }
    return new Promise((resolve, reject) => {
      const settle = (well: boolean): void => (well ? resolve('done') : reject(new Error('failed')));
      const execution = { id, boundary: this.boundary, args, settle, ended: false };
      this.executions.push(execution);
      if (kind === 'asks') this.#ask(id, human);
      if (kind === 'heeds') abortSignal.addEventListener('abort', () => settle(true));
      abortSignal.addEventListener('abort', () => {
        execution.ended = true;
      });
    });
  }

  #reported(id: Id): void {
    this.#count('result', id);
    const of = this.executions.filter((one) => one.id === id && one.boundary === this.boundary);
    if (of.length === 0) this.faults.push(`I-08: ${id} was reported without an execution in this boundary`);
    if (this.#shown.get(id)?.barred === true) this.faults.push(`I-05: ${id} was reported after a gate or a result`);
  }

  async #do(one: Command, arrange: (views: readonly unknown[]) => readonly unknown[]): Promise<void> {
    const { tracker } = this;
    switch (one.type) {
      case 'push':
        return this.#push(one, arrange);
      case 'abort': {
        if (one.discard) this.#noteDiscards();
        const note = { done: false };
        this.#aborts.push(note);
        void tracker.abort({ discardPending: one.discard }).then(() => {
          note.done = true;
        });
        return;
      }
      case 'reset':
        this.#shown.clear();
        this.#pending = true;
        this.#failed = false;
        tracker.reset();
        if (tracker.statuses().size > 0) this.faults.push('I-09: a status after reset');
        return;
      case 'fail':
        this.#failed = true;
        return tracker.fail(new Error('driver'));
      case 'resume':
        if (tracker.resume(one.id, 'yes')) this.resumed += 1;
        return;
      case 'adopt': {
        const shown = this.#shown.get(one.id);
        const text = tracker.record(one.id)?.streamed ?? '';
        // The host says that it is live: history counts as shown.
        const { lastOpen } = this;
        if (!tracker.adopt(one.id)) return;
        this.#shown.set(one.id, { ...(shown ?? fresh()), texts: [...(shown?.texts ?? []), text], closed: !lastOpen });
        return;
      }
      case 'settle':
        for (const execution of this.executions) {
          if (execution.id !== one.id) continue;
          execution.settle(one.well);
          execution.ended = true;
        }
        return;
      case 'micro':
        return microtasks(one.count);
      default:
        await macrotask();
        this.#atRest();
    }
  }

  lastOpen = false;

  #noteDiscards(): void {
    for (const id of IDS) {
      const record = this.tracker.record(id);
      if (record === undefined || record.context.answered || record.context.started || record.isEnded) continue;
      this.#shown.set(id, { ...(this.#shown.get(id) ?? fresh()), discarded: true });
    }
  }

  #push(one: Extract<Command, { type: 'push' }>, arrange: (views: readonly unknown[]) => readonly unknown[]): void {
    const { context } = this.tracker.place;
    if (this.#failed && !context.restartUsed) {
      for (const [id, shown] of this.#shown) this.#shown.set(id, { ...fresh(), discarded: shown.discarded });
      this.#failed = false;
    }
    const isLive = !this.#pending && !one.loading;
    for (const { id, text, result, gated } of one.views) {
      const given = textOf(id, text);
      if (!isLive || given === undefined) continue;
      const shown = this.#shown.get(id) ?? fresh();
      shown.texts.push(given);
      if (!one.open) shown.closed = true;
      if (gated || result !== 'none') shown.barred = true;
      this.#shown.set(id, shown);
    }
    this.#pending = false;
    this.lastOpen = one.open;
    const parts = one.views.map((each) => {
      const result = each.result === 'none' ? {} : { result: each.result === 'null' ? null : 1 };
      const made = part(textOf(each.id, each.text), {
        id: each.id,
        name: each.id,
        ...result,
        ...(each.gated ? { approval: null } : {}),
      });
      return each.nested ? part('{}', { id: 'outer', name: 'none', messages: [message(made)] }) : made;
    });
    this.tracker.push({ messages: [message(...arrange(parts))], isRunning: one.open, isLoading: one.loading });
  }

  #atRest(): void {
    for (const note of this.#aborts) if (!note.done) this.faults.push('I-11: a promise of abort is pending');
    const map = this.tracker.statuses();
    for (const id of IDS) {
      const asks = [...this.#parked.keys()].some((key) => key.startsWith(`${id} ${this.boundary} `));
      const runs = this.executions.some((one) => one.id === id && one.boundary === this.boundary && !one.ended);
      const expected = asks ? 'interrupt' : runs ? 'executing' : undefined;
      const { type } = map.get(id) ?? {};
      if (type !== expected) this.faults.push(`I-09: ${id} shows ${type}, not ${expected}`);
    }
  }

  async #rest(): Promise<void> {
    await macrotask();
    this.#atRest();
    for (const [at, map] of this.maps.entries()) {
      if (JSON.stringify([...map]) !== this.contents[at]) this.faults.push('I-10: a published map changed');
      if (at > 0 && this.contents[at] === this.contents[at - 1]) this.faults.push('I-10: published without a change');
    }
    if (this.resumed !== this.answered) this.faults.push(`I-20: ${this.resumed} resumed, ${this.answered} answered`);
    this.#judgeOrder();
  }

  /** Callback, executor, status, report; each found in the log after the one before it. */
  #judgeOrder(): void {
    for (const id of IDS) {
      let ran = false;
      for (const line of this.log) {
        if (line === `run ${id}`) ran = true;
        if (line.includes(`${id}=executing`) && !ran) this.faults.push(`I-17: ${id} shows before it runs`);
        if (line === `result ${id}` && !ran) this.faults.push(`I-17: ${id} reported before it ran`);
      }
    }
  }

  /** Ends the last boundary; every reader must have heard of it. */
  async close(): Promise<void> {
    this.tracker.reset();
    await macrotask();
    for (const { settled } of this.responses) if (settled !== 1) this.faults.push(`I-16: settled ${settled} times`);
  }
}
