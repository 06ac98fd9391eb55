/** The tool tracker: a pass over a long conversation against a walk over it, growing texts, and what is left behind. */
import { Tracker } from '../../src/tools/tracker.ts';
import type { ToolSpec } from '../../src/tools/types.ts';
import { bundled } from '../support/bundle.ts';
import { alternating, paired, type Ratio, tell, timed } from './measure.ts';

const MESSAGES = 2_000;
const CALLS = 500;

const callPart = (id: string, argsText: string, rest: object = {}): object => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: 'x',
  argsText,
  ...rest,
});
const assistant = (...content: object[]): object => ({ role: 'assistant', content });

/** Every fourth message holds a settled call; the last one a text that grows. */
function conversation(): object[] {
  return Array.from({ length: MESSAGES }, (_, at) => {
    const text = { type: 'text', text: `message ${at}` };
    if (at % 4 === 0) return { role: 'user', content: [text] };
    return at % 4 === 1
      ? assistant(text, callPart(`call-${at}`, `{"n":${at}}`, { result: at }))
      : assistant(text, { type: 'reasoning', text: 'why' });
  });
}

interface Part {
  readonly type?: unknown;
  readonly toolCallId?: unknown;
  readonly argsText?: unknown;
  readonly result?: unknown;
  readonly messages?: unknown;
}

/** What anyone must do who looks for the calls of a list. */
function plainWalk(messages: readonly object[], last: Map<string, Part>): number {
  let news = 0;
  for (const message of messages as readonly { role?: unknown; content?: unknown }[]) {
    if (message.role !== 'assistant' || !Array.isArray(message.content)) continue;
    for (const part of message.content as readonly Part[]) {
      if (part?.type !== 'tool-call' || typeof part.toolCallId !== 'string') continue;
      const before = last.get(part.toolCallId);
      if (before?.argsText !== part.argsText || before?.result !== part.result) news += 1;
      if (before !== part) last.set(part.toolCallId, part);
      if (Array.isArray(part.messages)) news += plainWalk(part.messages as object[], last);
    }
  }
  return news;
}

const quiet = (): Tracker =>
  new Tracker({ tools: () => undefined, onResult: () => undefined, notice: () => undefined });

/** Microseconds for one snapshot in which one text grew, over many. */
function passes(take: (messages: object[]) => void): number {
  const base = conversation();
  let text = '{"text":"';
  take([...base]);
  const lists = Array.from({ length: 200 }, () => {
    text += 'some words ';
    return [...base, assistant(callPart('growing', text))];
  });
  return timed(lists.length, (i) => take(lists[i] ?? []));
}

/** One hundred snapshots of a text that grows to that length, each text a string of its own as it comes off a wire. */
const grown = (length: number): object[][] =>
  Array.from({ length: 101 }, (_, at) => {
    const text = `{"text":"${'x'.repeat(Math.round(((length - 11) * at) / 100))}${at === 100 ? '"}' : ''}`;
    return [assistant(callPart('growing', Buffer.from(text).toString()))];
  });

/** They are pushed, and a reader takes each piece. */
async function grow(lists: readonly object[][]): Promise<void> {
  let read = 0;
  const streamCall: ToolSpec['streamCall'] = async ({ args }) => {
    for await (const piece of args.streamText('text')) read += piece.length;
  };
  const tracker = new Tracker({ tools: () => ({ streamCall }), onResult: () => undefined });
  tracker.push({ messages: [], isRunning: true });
  for (const messages of lists) {
    tracker.push({ messages, isRunning: true });
    for (let tick = 0; tick < 12; tick += 1) await undefined;
  }
  if (read < 20_000) throw new Error(`the reader took ${read} characters only`);
}

export interface Left {
  readonly bytesPerCall: number;
  readonly bytesAfterBoundaries: number;
}

/** Bytes that a settled call keeps, and what 10,000 boundaries leave behind. Needs `--expose-gc`. */
export async function leftBehind(): Promise<Left> {
  const heap = async (): Promise<number> => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const tracker = quiet();
  tracker.push({ messages: [], isRunning: true });
  const before = await heap();
  const count = 5_000;
  for (let at = 0; at < count; at += 1) {
    tracker.push({ messages: [assistant(callPart(`c${at}`, '{}', { result: 1 }))], isRunning: true });
  }
  const bytesPerCall = ((await heap()) - before) / count;
  tracker.reset();
  const empty = await heap();
  for (let at = 0; at < 10_000; at += 1) {
    tracker.push({ messages: [], isRunning: true });
    tracker.push({ messages: [assistant(callPart(`b${at}`, '{"a":'))], isRunning: true });
    tracker.reset();
  }
  return { bytesPerCall, bytesAfterBoundaries: (await heap()) - empty };
}

/** What the tracker may weigh in a browser without XState, bytes after gzip. */
const BUNDLE_BYTES = 6 * 1024;

export async function toolsBench(): Promise<Ratio[]> {
  const { bytesPerCall, bytesAfterBoundaries } = await leftBehind();
  console.log(`     tools: ${Math.round(bytesPerCall)} bytes for a settled call (records are bounded)`);
  console.log(`     tools: ${bytesAfterBoundaries} bytes more after 10,000 boundaries`);
  const { gzip } = await bundled('src/tools.ts');
  tell('tools: bundled for a browser', gzip <= BUNDLE_BYTES, `${gzip} bytes compressed (at most ${BUNDLE_BYTES})`);
  const [long, short] = [grown(200_000), grown(25_000)];
  return [
    await paired(
      `tools: a snapshot of ${MESSAGES} messages and ${CALLS} settled calls / a walk over them`,
      1.5,
      [
        () => {
          const tracker = quiet();
          tracker.push({ messages: [], isRunning: true });
          return passes((messages) => tracker.push({ messages, isRunning: true }));
        },
        () => {
          const last = new Map<string, Part>();
          return passes((messages) => void plainWalk(messages, last));
        },
      ],
      { pairs: 15 },
    ),
    await alternating(
      'tools: 100 snapshots growing to 200 KB / to 25 KB, for each byte',
      1.5,
      [
        () => grow(long),
        async () => {
          for (let at = 0; at < 8; at += 1) await grow(short);
        },
      ],
      { pairs: 15, calls: 100 },
    ),
  ];
}
