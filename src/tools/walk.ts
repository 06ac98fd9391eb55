/** Reads tool calls out of the message shapes that chat runtimes of the browser have in common. */
import { isObject } from '../../machines/tools/compare.ts';
import type { Fate } from './snapshot.ts';

/** Gets one call. `raw` holds result, isError, artifact, modelContent and approval under their own names. */
export type Sink = (id: unknown, name: unknown, text: unknown, raw: Fate, part: object) => void;

type Bag = Readonly<Record<PropertyKey, unknown>>;

/** Child runs nested deeper than this are a cycle or a mistake. */
const DEPTH = 32;

/** One walk. Functions of the module and not closures of each walk: those are compiled once. */
interface Walk {
  readonly sink: Sink;
  readonly onFault: (error: unknown) => void;
  /** A message can only be met again below itself. */
  readonly entered: Set<unknown>;
}

/**
 * Walks assistant messages with `content` or `parts`: tool-call parts that carry `argsText`, and those of the AI SDK,
 * which carry a partial value. `onFault` gets what a message or a part throws; the ones behind it are read all the same.
 */
export function walk(list: unknown, sink: Sink, onFault: (error: unknown) => void): void {
  readMessages({ sink, onFault, entered: new Set() }, list, 0);
}

function readMessages(at: Walk, list: unknown, depth: number): void {
  if (!Array.isArray(list)) return;
  for (let index = 0; index < list.length; index += 1) {
    try {
      const message: unknown = list[index];
      if (isObject(message)) readParts(at, message, depth);
    } catch (error) {
      at.onFault(error);
    }
  }
}

function readParts(at: Walk, message: Bag, depth: number): void {
  const { entered } = at;
  if (message['role'] !== 'assistant' || (entered.size > 0 && entered.has(message))) return;
  const { content } = message;
  const parts: unknown = Array.isArray(content) ? content : message['parts'];
  if (!Array.isArray(parts)) return;
  for (let index = 0; index < parts.length; index += 1) {
    try {
      const part: unknown = parts[index];
      if (isObject(part) && give(part, at.sink) && depth < DEPTH && part['messages'] !== undefined) {
        entered.add(message);
        readMessages(at, part['messages'], depth + 1);
      }
    } catch (error) {
      at.onFault(error);
    }
  }
}

/** Whether the part is a tool call. */
function give(part: Bag, sink: Sink): boolean {
  const { type } = part;
  if (type === 'tool-call') sink(part['toolCallId'], part['toolName'], part['argsText'], part, part);
  else if ('toolCallId' in part && typeof type === 'string' && /^(?:tool-|dynamic-tool$)/.test(type)) {
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
