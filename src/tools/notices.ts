/** Notices: what a developer should know. Each is given once for a call and a kind. */
import { keepNewest } from './memory.ts';
import type { NoticeDetail, NoticeKind, ToolTrackerOptions } from './types.ts';

const toConsole = (kind: NoticeKind, detail: NoticeDetail): void => {
  // biome-ignore lint/suspicious/noConsole: where notices go when the host names no other place
  console[/failed|inert|broke/.test(kind) ? 'error' : 'warn'](`readback tools: ${kind}`, detail);
};

export class Notices {
  readonly given = new Set<string>();
  readonly #notify: (kind: NoticeKind, detail: NoticeDetail) => void;
  readonly #limit: number;

  constructor(notify: ToolTrackerOptions['notice'], limit: number) {
    this.#notify = typeof notify === 'function' ? notify : toConsole;
    this.#limit = limit;
  }

  /** Each time that it happens. */
  give(kind: NoticeKind, toolCallId?: string, detail?: NoticeDetail): void {
    try {
      this.#notify(kind, toolCallId === undefined ? { ...detail } : { toolCallId, ...detail });
    } catch {
      // Whoever listens to notices must not decide what happens to calls.
    }
  }

  /** Once for a call, until the next boundary. */
  once(kind: NoticeKind, toolCallId?: string, detail?: NoticeDetail): void {
    const mark = `${kind} ${toolCallId}`;
    if (this.given.has(mark)) return;
    keepNewest(this.given.add(mark), this.#limit);
    this.give(kind, toolCallId, detail);
  }
}
