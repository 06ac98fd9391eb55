/** Reads tool calls out of the message shapes that chat runtimes of the browser have in common. */
import { isObject } from '../../machines/tools/compare.ts';
import type { Fate } from './snapshot.ts';

/** Gets one call. `raw` holds result, isError, artifact, modelContent and approval under their own names. */
export type Sink = (id: unknown, name: unknown, text: unknown, raw: Fate, part: object) => void;

type Bag = Readonly<Record<PropertyKey, unknown>>;

/** Child runs nested deeper than this are a cycle or a mistake. */
const DEPTH = 32;

/**
 * Walks assistant messages with `content` or `parts`: tool-call parts that carry `argsText`, and those of the AI SDK,
 * which carry a partial value. `onFault` gets what a message or a part throws; the ones behind it are read all the same.
 */
export function walk(list: readonly unknown[], sink: Sink, onFault: (error: unknown) => void): void {
  /** A message can only be met again below itself. */
  const entered = new Set<unknown>();
  const each = (some: unknown, depth: number, holder: unknown): void => {
    if (!Array.isArray(some)) return;
    for (let at = 0; at < some.length; at += 1) {
      try {
        const one: unknown = some[at];
        if (!isObject(one)) continue;
        if (holder === undefined) readMessage(one, depth);
        else readPart(one, depth, holder);
      } catch (error) {
        onFault(error);
      }
    }
  };
  const readMessage = (message: Bag, depth: number): void => {
    if (message['role'] !== 'assistant' || entered.has(message)) return;
    const { content } = message;
    each(Array.isArray(content) ? content : message['parts'], depth, message);
  };
  const readPart = (part: Bag, depth: number, message: unknown): void => {
    if (!give(part, sink) || depth >= DEPTH) return;
    const children = part['messages'];
    if (children === undefined) return;
    entered.add(message);
    each(children, depth + 1, undefined);
  };
  each(list, 0, undefined);
}

/** Whether the part is a tool call. */
function give(part: Bag, sink: Sink): boolean {
  const { type } = part;
  if (type === 'tool-call') sink(part['toolCallId'], part['toolName'], part['argsText'], part, part);
  else if (typeof type === 'string' && 'toolCallId' in part && /^(?:tool-|dynamic-tool$)/.test(type)) {
    const name = type === 'dynamic-tool' ? part['toolName'] : type.slice(5);
    sink(part['toolCallId'], name, textOf(part), fateOf(part), part);
  } else return false;
  return true;
}

/** The AI SDK gives the arguments as a value: while they stream, its text without what closes it. */
function textOf({ state, input, rawInput }: Bag): string {
  const text = JSON.stringify(input) ?? '';
  if (state !== 'input-streaming') return text === '' && typeof rawInput === 'string' ? rawInput : text;
  const open = text.replace(/[\]}]+$/, '');
  // Half of a surrogate pair is written as an escape, and as itself once its other half has come.
  return open.endsWith('"') ? open.slice(0, -1).replace(/\\ud[89ab][0-9a-f]{2}$/i, '') : open;
}

function fateOf({ state, output, errorText, approval, preliminary }: Bag): Fate & { readonly isError?: boolean } {
  if (state === 'output-available' && preliminary !== true) return { approval, result: output ?? null };
  if (state === 'output-error') return { approval, result: errorText ?? null, isError: true };
  return { approval: state === 'output-denied' ? (approval ?? null) : approval };
}
