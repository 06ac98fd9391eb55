/** One conversation with a tool that may ask, as one process sees it: a tracker over the calls of a coordinator. */
import { expect } from 'vitest';
import { part } from '../../src/testing/tools/rig.ts';
import type { DurableOptions, UnknownCall } from '../../src/tools/durable.ts';
import type { ToolSpec } from '../../src/tools/types.ts';
import { Rig as Tracked } from '../tools/rig.ts';
import { type Rig, TAB } from './rig.ts';

export type Execute = NonNullable<ToolSpec['execute']>;

export interface Chat {
  readonly view: Tracked;
  /** Starts of the executor. */
  runs: number;
  /** What the tool got where it waited. */
  readonly got: unknown[];
  /** Calls of which the host was asked what became of them. */
  readonly unknown: UnknownCall[];
  /** Result and whether it is an error, of each report. */
  readonly said: readonly (readonly [unknown, boolean])[];
}

interface Answered {
  readonly outcome: string;
  readonly text: string;
}

/** Asks once, and then does what it was asked about. */
export const asksFirst =
  (chat: () => Chat, question = 'Send it?'): Execute =>
  async (_args, { human }) => {
    const answer = (await human(question)) as Answered;
    chat().got.push(answer);
    return `sent: ${answer.text}`;
  };

/** The conversation in a process that has just begun; what it shows is history until something is pushed. */
export function open(
  rig: Rig,
  make: (chat: () => Chat) => Execute,
  more: Partial<DurableOptions> & ToolSpec = {},
): Chat {
  const { streamCall, ...options } = more;
  const execute = make(() => chat);
  const tool: ToolSpec = {
    execute: (args, context) => {
      chat.runs += 1;
      return execute(args, context);
    },
    ...(streamCall === undefined ? {} : { streamCall }),
  };
  const tools = rig.c.tools.durable({
    tools: () => tool,
    boundary: 'chat-1#0',
    resume: (id, payload) => view.tracker.resume(id, payload),
    question: (payload) => ({ question: { question: String(payload) }, options: { tab: TAB } }),
    onUnknown: (call) => {
      chat.unknown.push(call);
      return { again: true };
    },
    ...options,
  });
  const view = new Tracked({ tools });
  const chat: Chat = {
    view,
    runs: 0,
    got: [],
    unknown: [],
    get said() {
      return view.results.map(({ result, isError }) => [result, isError] as const);
    },
  };
  return chat;
}

/** The call comes for the first time. */
export async function call(rig: Rig, chat: Chat, ...ids: string[]): Promise<Chat> {
  if (chat.runs === 0 && chat.said.length === 0) chat.view.push('s');
  chat.view.push('s', ...(ids.length === 0 ? ['t'] : ids).map((id) => part('{}', { id })));
  await rig.hand.settle();
  return chat;
}

/** The call is history, and the host takes it up again. */
export async function observeAgain(rig: Rig, chat: Chat, id = 't'): Promise<Chat> {
  chat.view.push('s', part('{}', { id }));
  expect(chat.view.tracker.adopt(id)).toBe(true);
  await rig.hand.settle();
  return chat;
}

/** The one card that is open. */
export async function card(rig: Rig): Promise<string> {
  const open = await rig.done(rig.c.list());
  expect(open).toHaveLength(1);
  return open[0]?.askId ?? '';
}

export const rowOf = (rig: Rig, id = 't'): Record<string, unknown> | undefined => {
  const row = rig.store.kept('call').find((one) => one.id === JSON.stringify(['chat-1#0', id]));
  return row && (JSON.parse(row.body) as Record<string, unknown>);
};
export const stateOf = (rig: Rig, id = 't'): unknown => rowOf(rig, id)?.['state'];
