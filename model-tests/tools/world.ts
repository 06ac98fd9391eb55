/** Random snapshots, commands and waits against a real tracker, judged by what came out of it alone. */

import { macrotask, message, microtasks, part } from '../../src/testing/tools/rig.ts';
import { Tracker } from '../../src/tools/tracker.ts';
import type { CallOwner, SchemaResult, ToolReader, ToolSpec, ToolStatuses } from '../../src/tools/types.ts';
import { type Command, IDS, type Id, isJson, type Script, sorted, textOf } from './script.ts';
import { fresh, type Shown, startFaults } from './shown.ts';

interface Execution {
  readonly id: Id;
  readonly boundary: number;
  readonly args: unknown;
  readonly settle: (well: boolean) => void;
  ended: boolean;
}
/** Tools that have an argument callback. */
const READING: ReadonlySet<string> = new Set(['reads', 'callbackAsks', 'callbackThrows']);

export class World {
  readonly tracker: Tracker;
  readonly faults: string[] = [];
  readonly log: string[] = [];
  readonly maps: ToolStatuses[] = [];
  readonly contents: string[] = [];
  readonly executions: Execution[] = [];
  readonly responses: { settled: number; readonly boundary: number }[] = [];
  readonly #script: Script;
  readonly #shown = new Map<Id, Shown>();
  readonly #counts = new Map<string, number>();
  readonly #parked = new Map<string, number>();
  readonly #aborts: { done: boolean }[] = [];
  #pending = true;
  #failed = false;
  #resets = 0;
  #asked = 0;
  resumed = 0;
  answered = 0;

  constructor(one: Script) {
    this.#script = one;
    this.tracker = new Tracker({
      tools: (name) => this.#tool(name as Id),
      owner: (call) => this.#owner(call.id as Id),
      onResult: ({ toolCallId, result }) => {
        this.#reported(toolCallId as Id, String(result));
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
    if (what !== 'call') this.#countAgain(`${what} ${id} since reset ${this.#resets}`);
    this.log.push(`${what} ${id}`);
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    if (count > 1) this.faults.push(`I-01: ${key}, ${count} times`);
  }

  /** What has started once does not start again, nor does a restart make it, unless it was waiting for a person. */
  #countAgain(key: string): void {
    if (this.#counts.has(key)) this.faults.push(`I-01: ${key}, again`);
    this.#counts.set(key, 1);
  }

  #tool(id: Id): ToolSpec | undefined {
    const kind = this.#script.tools[id];
    if (kind === undefined) return undefined;
    const tool: ToolSpec = { execute: (args, context) => this.#execute(id, args, context) };
    if (kind === 'checks') Object.assign(tool, this.#checks(id));
    if (READING.has(kind)) {
      tool.streamCall = (reader, context) => {
        this.#count('call', id);
        this.#read(reader);
        if (kind === 'callbackThrows') throw new Error('callback');
        if (kind === 'callbackAsks') this.#ask(id, context.human);
      };
    }
    return tool;
  }

  /** A schema that refuses now and then, its handler, and an output for the model. */
  #checks(id: Id): ToolSpec {
    const withheld = (what: string): void => this.#judgeStart(id, what);
    const validate = (value: unknown): SchemaResult => {
      withheld('validator');
      return JSON.stringify(value).includes('other') ? { issues: [{ message: 'no' }] } : { value };
    };
    return {
      parameters: { '~standard': { validate } },
      // In the place of the executor.
      onInvalid: (args) => {
        withheld('handler');
        this.#count('run', id);
        this.executions.push({ id, boundary: this.boundary, args, settle: () => undefined, ended: true });
      },
      toModelOutput: () => {
        if (this.#script.owners[id] === 'provider') this.faults.push(`I-04: model output of ${id}`);
        return [];
      },
    };
  }

  #judgeStart(id: Id, what: string): void {
    this.faults.push(...startFaults(`${what} of ${id}`, this.#script.owners[id], this.#shown.get(id) ?? fresh()));
  }

  #read(reader: ToolReader): void {
    const response = { settled: 0, boundary: this.boundary };
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
    if (READING.has(kind) && !this.#counts.has(`call ${id} in ${this.boundary}`)) {
      this.faults.push(`I-17: ${id} ran before its callback`);
    }
    const shown = this.#shown.get(id) ?? fresh();
    const text = JSON.stringify(args);
    const texts = shown.texts.filter((one) => isJson(one)).map((one) => JSON.stringify(sorted(JSON.parse(one))));
    if (!texts.includes(JSON.stringify(sorted(args)))) this.faults.push(`I-02: ${id} started with ${text}`);
    this.#judgeStart(id, 'executor');
    if (kind === 'throws') {
      this.executions.push({ id, boundary: this.boundary, args, settle: () => undefined, ended: true });
      throw new Error('executor');
    }
    return new Promise((resolve, reject) => {
      const token = `${id} of ${this.boundary}`;
      const settle = (well: boolean): void => (well ? resolve(`done ${token}`) : reject(new Error(`failed ${token}`)));
      const execution = { id, boundary: this.boundary, args, settle, ended: false };
      this.executions.push(execution);
      if (kind === 'asks') this.#ask(id, human);
      if (kind === 'heeds') abortSignal.addEventListener('abort', () => settle(true));
      abortSignal.addEventListener('abort', () => {
        execution.ended = true;
      });
    });
  }

  #reported(id: Id, result: string): void {
    this.#count('result', id);
    if (/^(done|failed) /.test(result) && !result.endsWith(` ${id} of ${this.boundary}`)) {
      this.faults.push(`I-08: ${id} was reported in ${this.boundary} with ${result}`);
    }
    if (this.tracker.statuses().has(id)) this.faults.push(`I-17: ${id} was reported while its status showed`);
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
        this.#resets += 1;
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
        const text = tracker.memory.calls.get(one.id)?.streamed ?? '';
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
      const record = this.tracker.memory.calls.get(id);
      if (record === undefined || record.context.answered || record.context.started) continue;
      this.#shown.set(id, { ...(this.#shown.get(id) ?? fresh()), discarded: true });
    }
  }

  #noteRestart(): void {
    for (const [id, shown] of this.#shown) this.#shown.set(id, { ...fresh(), discarded: shown.discarded });
    for (const [id, { context }] of this.tracker.memory.calls) {
      if (context.asker === 'executor') this.#counts.delete(`run ${id} since reset ${this.#resets}`);
    }
    this.#failed = false;
  }

  #push(one: Extract<Command, { type: 'push' }>, arrange: (views: readonly unknown[]) => readonly unknown[]): void {
    if (this.#failed && !this.tracker.place.context.restartUsed) this.#noteRestart();
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
    const { boundary } = this;
    this.tracker.push({ messages: [message(...arrange(parts))], isRunning: one.open, isLoading: one.loading });
    if (this.boundary !== boundary && this.tracker.statuses().size > 0)
      this.faults.push('I-09: a status after a restart');
  }

  #atRest(): void {
    for (const { settled, boundary } of this.responses) {
      if (boundary !== this.boundary && settled !== 1)
        this.faults.push(`I-16: of boundary ${boundary}, ${settled} times`);
    }
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
