/** What each call is busy with. Derived from the calls each time, so that no status outlives its reason. */
import type { Call } from './record.ts';
import type { ToolStatus, ToolStatuses } from './types.ts';

const EXECUTING: ToolStatus = Object.freeze({ type: 'executing' });

export class Statuses {
  readonly #tell: (statuses: ToolStatuses) => void;
  #own = new Map<string, ToolStatus>();
  #published: ToolStatuses = new Map();

  constructor(tell: (statuses: ToolStatuses) => void) {
    this.#tell = tell;
  }

  get current(): ToolStatuses {
    return this.#published;
  }

  /** Publishes, if that call's status is another than before. */
  update(call: Call): void {
    const { id, question } = call;
    const before = this.#own.get(id);
    const isBusy = call.isRunning && call.begun;
    if (question === undefined && !isBusy) {
      if (this.#own.delete(id)) this.#publish();
    } else if (question === undefined) {
      if (before?.type !== 'executing') this.#set(id, EXECUTING);
    } else if (before?.type !== 'interrupt' || before.payload !== question.payload) {
      this.#set(id, Object.freeze({ type: 'interrupt', payload: question.payload }));
    }
  }

  clear(): void {
    if (this.#own.size === 0) return;
    this.#own.clear();
    this.#publish();
  }

  #set(id: string, status: ToolStatus): void {
    this.#own.set(id, status);
    this.#publish();
  }

  #publish(): void {
    this.#published = new Map(this.#own);
    this.#tell(this.#published);
  }
}
