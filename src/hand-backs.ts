/** Hand-backs of a rim, tried until they are on file: who carried the answer is gone and cannot try again. */
import type { Asking } from './api.ts';
import { ReadbackError } from './errors.ts';
import { TIMES } from './limits.ts';
import type { Logger, Runtime } from './runtime.ts';

const keyOf = (token: string, carrier: string): string => JSON.stringify([token, carrier]);

/** What is owed; shared by those that may follow each other under one carrier. */
export class OwedHandBacks {
  /** By token and carrier: the latest order. What an older one comes to says nothing of it. */
  readonly orders = new Map<string, object>();
  /** Owed, and let be while the same turn is given the answer once more: how many such hand-overs are under way. */
  readonly held = new Map<string, number>();
}

export class HandBacks {
  readonly #asking: Asking;
  readonly #runtime: Runtime;
  readonly #log: Logger;
  readonly #owed: OwedHandBacks;

  constructor(asking: Asking, runtime: Runtime, log: Logger, owed = new OwedHandBacks()) {
    this.#asking = asking;
    this.#runtime = runtime;
    this.#log = log;
    this.#owed = owed;
  }

  /**
   * Resolves after the first try and never rejects. What fails is tried again until it is on file or the coordinator is
   * closed: its next start hands back whatever is left.
   */
  async give(token: string, carrier: string): Promise<void> {
    const order = {};
    this.#owed.orders.set(keyOf(token, carrier), order);
    await this.#try(token, carrier, order, true);
  }

  /** The same turn is about to carry it once more: a hand-back in between would undo that. `carried` or `notCarried` follows. */
  hold(token: string, carrier: string): void {
    const { orders, held } = this.#owed;
    const key = keyOf(token, carrier);
    if (orders.delete(key) || held.has(key)) held.set(key, (held.get(key) ?? 0) + 1);
  }

  /** It carries it: there is nothing to hand back. */
  carried(token: string, carrier: string): void {
    this.#owed.held.delete(keyOf(token, carrier));
  }

  /** It was not given the answer after all: what was owed before is owed again, unless another hand-over is under way. */
  notCarried(token: string, carrier: string): void {
    const { held } = this.#owed;
    const key = keyOf(token, carrier);
    const left = (held.get(key) ?? 0) - 1;
    if (left > 0) held.set(key, left);
    else if (held.delete(key)) void this.give(token, carrier);
  }

  async #try(token: string, carrier: string, order: object, isFirst: boolean): Promise<void> {
    const { orders } = this.#owed;
    const key = keyOf(token, carrier);
    const isOwed = (): boolean => orders.get(key) === order;
    if (!isOwed()) return;
    try {
      await this.#asking.handBack(token, carrier);
      if (isOwed()) orders.delete(key);
    } catch (error) {
      const isFinal = error instanceof ReadbackError && !error.retry;
      const next = isFinal ? '' : ' and is tried again';
      if (isFirst || isFinal) this.#log.warn(`${token} could not be handed back${next}: ${String(error)}`);
      if (!isFinal) this.#runtime.after(TIMES.retry, () => void this.#try(token, carrier, order, false), 'quiet');
      else if (isOwed()) orders.delete(key);
    }
  }
}
