/** A server that is played by hand: one line at a time, with what the client said on it. */

import type { Channel } from '../../wire/channel.ts';
import type { ChannelOptions } from '../../wire/channel-options.ts';
import type { TransportHandlers } from '../../wire/connection.ts';
import type { JsonObject } from '../../wire/json.ts';
import type { Timers } from '../../wire/platform.ts';
import { HandRuntime } from '../hand-runtime.ts';
import { recorded } from '../recorded.ts';
import { noteStep, shown, subjectOf } from '../rules.ts';

/** The methods of a channel; `Channel` is one, and whatever has the same. What only a desk of its cards calls is none. */
export type ChannelLike = { readonly [Name in Exclude<keyof Channel, 'guarded'>]: Channel[Name] };

/** A way to make a channel. */
export interface ChannelSubject {
  create(options: ChannelOptions): ChannelLike;
}

/** Timers of a runtime in the test's hand; chance always comes out in the middle. */
export const timersOf = (runtime: HandRuntime): Timers => ({
  now: () => runtime.now(),
  after: (ms, callback) => runtime.after(ms, callback),
  random: () => 0.5,
});

export interface Said {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string };
}

export const question = (id: string, more: JsonObject = {}, method = 'clarify'): JsonObject => ({
  id,
  method,
  params: { session_id: 's', question: 'the one?', ...more },
});

export class Hand {
  readonly runtime = new HandRuntime();
  readonly channel: ChannelLike;
  /** What the client said, of all lines. */
  readonly said: Said[] = [];
  readonly texts: string[] = [];
  lines = 0;
  /** Frames of the client do not leave. */
  isBroken = false;
  isUp = true;
  handlers: TransportHandlers | undefined;

  constructor(options: Partial<ChannelOptions> = {}, subject = subjectOf<ChannelSubject>()) {
    const made = subject.create({
      connect: (handlers) => {
        if (!this.isUp) throw new Error('no server');
        this.handlers = handlers;
        this.lines += 1;
        return { send: (text) => this.#takes(text), close: () => undefined };
      },
      timers: timersOf(this.runtime),
      heartbeat: false,
      ...options,
    });
    this.channel = recorded(made, { inside: ['question', 'onRequest'] });
  }

  /** Opens the channel and greets it. */
  greet(payload: JsonObject = {}): this {
    this.channel.open();
    this.event('gateway.ready', payload, { session_id: '' });
    return this;
  }

  frame(frame: unknown): void {
    const text = typeof frame === 'string' ? frame : JSON.stringify(frame);
    noteStep(`  the server says ${shown(frame)}`);
    this.handlers?.message(text);
  }

  ask(id: string, more: JsonObject = {}, method = 'clarify'): void {
    this.frame({ jsonrpc: '2.0', ...question(id, more, method) });
  }

  event(type: string, payload: JsonObject = {}, more: JsonObject = { session_id: 's' }): void {
    this.frame({ jsonrpc: '2.0', method: 'event', params: { type, payload, ...more } });
  }

  cut(): void {
    noteStep('  the line is cut');
    this.handlers?.closed('cut');
  }

  /** The line breaks, the next one is up and greeted. */
  again(payload: JsonObject = {}): void {
    this.cut();
    this.channel.hurry();
    this.event('gateway.ready', payload, { session_id: '' });
  }

  calls(method: string): Said[] {
    return this.said.filter((one) => one.method === method);
  }

  /** Answers of the client to this question, in either form. */
  answers(id: string): Said[] {
    return this.said.filter((one) => (one.method === undefined ? one.id === id : one.params?.['id'] === id));
  }

  /** Replies to the last call of a method. */
  reply(method: string, result: JsonObject, at = -1): void {
    this.frame({ jsonrpc: '2.0', id: this.calls(method).at(at)?.id, result });
  }

  refuse(method: string, code: number): void {
    this.frame({ jsonrpc: '2.0', id: this.calls(method).at(-1)?.id, error: { code, message: 'no' } });
  }

  #takes(text: string): boolean {
    const said = JSON.parse(text) as Said;
    noteStep(`  the client ${this.isBroken ? 'cannot say' : 'says'} ${shown(said)}`);
    if (this.isBroken) return false;
    this.texts.push(text);
    this.said.push(said);
    return true;
  }
}
