/** Notices: what a developer should know. Each is given once for a call and a kind. */
import type { NoticeDetail, NoticeKind } from './types.ts';

export type Notify = (kind: NoticeKind, detail: NoticeDetail) => void;

const TEXTS: Readonly<Record<NoticeKind, string>> = {
  'malformed-snapshot': 'a snapshot was dropped: it has no list of messages',
  'malformed-part': 'a tool call was skipped: it has no usable id, no argument text, or cannot be read',
  'broke-off': 'a snapshot could not be read to its end; the next one is read afresh',
  'duplicate-id': 'one snapshot holds an id twice; the name that was seen first counts',
  diverged: 'argument text regressed mid-stream: the reader keeps what it has, and nothing starts again',
  changed: 'argument text changed after first completion: nothing starts again',
  'empty-arguments': 'the run closed on a call without arguments; it does not run',
  'too-long': 'argument text is over its bound; the call does not run',
  'provider-owned': 'the provider answers this call, so the tool of its name does not run',
  'owner-threw': 'the owner predicate threw; the owner is unknown',
  'tools-threw': 'the lookup of a tool threw; there is none',
  'callback-threw': 'the argument callback threw',
  'handler-threw': 'a callback of the host threw; what it was told is not repeated',
  'model-output-threw': 'toModelOutput threw; the plain result is used',
  'questions-full': 'too many questions are parked; one was refused',
  forgotten: 'more ids were seen than are remembered; the oldest would run again if it came back',
  failed: 'the tracker failed; the next snapshot restarts it once',
  inert: 'the tracker failed again and starts nothing any more, until it is reset',
};

const toConsole: Notify = (kind, detail) => {
  const isError = kind === 'failed' || kind === 'inert' || kind === 'broke-off';
  // biome-ignore lint/suspicious/noConsole: where notices go when the host names no other place
  console[isError ? 'error' : 'warn'](`readback tools: ${TEXTS[kind]}`, detail);
};

export class Notices {
  readonly #notify: Notify;
  readonly #limit: number;
  readonly #given = new Set<string>();

  constructor(notify: Notify | undefined, limit: number) {
    this.#notify = typeof notify === 'function' ? notify : toConsole;
    this.#limit = limit;
  }

  give(kind: NoticeKind, detail: NoticeDetail): void {
    try {
      this.#notify(kind, detail);
    } catch {
      // Whoever listens to notices must not decide what happens to calls.
    }
  }

  /** Given once for that name, until the next boundary. */
  once(kind: NoticeKind, name: string, detail: NoticeDetail): void {
    const mark = `${kind} ${name}`;
    if (this.#given.has(mark)) return;
    this.#given.add(mark);
    for (const oldest of this.#given) {
      if (this.#given.size <= this.#limit) break;
      this.#given.delete(oldest);
    }
    this.give(kind, detail);
  }

  forget(): void {
    this.#given.clear();
  }

  get size(): number {
    return this.#given.size;
  }
}
