/** Reads tool calls out of the message shapes that chat runtimes of the browser have in common. */

import type { Fate } from './snapshot.ts';

/** Gets one call. `raw` holds result, isError, artifact, modelContent and approval under their own names. */
export type Sink = (id: unknown, name: unknown, text: unknown, raw: Fate, part: object) => void;

type Bag = Readonly<Record<string, unknown>>;

const isBag = (value: unknown): value is Bag => typeof value === 'object' && value !== null;

/** Child runs nested deeper than this are a cycle or a mistake. */
const DEPTH = 32;

/**
 * Walks assistant messages with `content` or `parts`: tool-call parts that carry `argsText`, and those of the AI SDK,
 * which carry a partial value. `onFault` gets what a message or a part throws; the ones behind it are read all the same.
 */
export function walk(messages: readonly unknown[], sink: Sink, onFault: (error: unknown) => void): void {
  new Walk(sink, onFault).list(messages, 0);
}

class Walk {
  readonly #sink: Sink;
  readonly #onFault: (error: unknown) => void;
  /** A message can only be met again below itself, so only a child run pays for remembering. */
  #entered: Set<unknown> | undefined;

  constructor(sink: Sink, onFault: (error: unknown) => void) {
    this.#sink = sink;
    this.#onFault = onFault;
  }

  list(messages: readonly unknown[], depth: number): void {
    for (let at = 0; at < messages.length; at += 1) {
      try {
        const message = messages[at];
        if (!isBag(message) || message['role'] !== 'assistant') continue;
        if (this.#entered?.has(message) === true) continue;
        const content = message['content'];
        if (Array.isArray(content)) this.#parts(content, message, depth);
        else {
          const parts = message['parts'];
          if (Array.isArray(parts)) this.#parts(parts, message, depth);
        }
      } catch (error) {
        this.#onFault(error);
      }
    }
  }

  #parts(parts: readonly unknown[], message: object, depth: number): void {
    for (let at = 0; at < parts.length; at += 1) {
      const part: unknown = parts[at];
      if (!isBag(part)) continue;
      try {
        if (!give(part, this.#sink)) continue;
        const children = part['messages'];
        if (children === undefined || !Array.isArray(children) || depth >= DEPTH) continue;
        this.#entered ??= new Set();
        this.#entered.add(message);
        this.list(children, depth + 1);
      } catch (error) {
        this.#onFault(error);
      }
    }
  }
}

/** Whether the part is a tool call. */
function give(part: Bag, sink: Sink): boolean {
  const { type } = part;
  if (type === 'tool-call') {
    sink(part['toolCallId'], part['toolName'], part['argsText'], part, part);
    return true;
  }
  if (type === 'text' || typeof type !== 'string') return false;
  const isDynamic = type === 'dynamic-tool';
  if (!(isDynamic || type.startsWith('tool-')) || !('toolCallId' in part)) return false;
  const name = isDynamic ? part['toolName'] : type.slice(5);
  sink(part['toolCallId'], name, textOf(part), fateOf(part), part);
  return true;
}

/** The AI SDK gives the arguments as a value: while they stream, its text without what closes it. */
function textOf({ state, input, rawInput }: Bag): string {
  const text = input === undefined ? '' : (JSON.stringify(input) ?? '');
  if (state !== 'input-streaming') return text === '' && typeof rawInput === 'string' ? rawInput : text;
  const open = text.replace(/[\]}]+$/, '');
  // Half of a surrogate pair is written as an escape, and as itself once its other half has come.
  return open.endsWith('"') ? open.slice(0, -1).replace(/\\ud[89ab][0-9a-f]{2}$/i, '') : open;
}

function fateOf({ state, output, errorText, approval, preliminary }: Bag): Fate & { readonly isError?: boolean } {
  const gate = approval === undefined ? {} : { approval };
  if (state === 'output-available' && preliminary !== true) return { ...gate, result: output ?? null };
  if (state === 'output-error') return { ...gate, result: errorText ?? null, isError: true };
  return state === 'output-denied' ? { approval: approval ?? null } : gate;
}
