import type { ServerResponse } from 'node:http';
import type { Asking } from '../api.ts';
import { HandBacks } from '../hand-backs.ts';
import type { Logger } from '../runtime.ts';
import { nodeRuntime } from '../runtime.ts';
import { HOST_BOUNDS } from './bounds.ts';

/** Which call carried which answer to the command line; a receipt counts only for the carrier that was given it. */
export class Carriers {
  readonly #coordinator: Asking;
  readonly #handBacks: HandBacks;
  /** The calls that were given a token, latest last: a receipt names none of them, and counts for the latest. */
  readonly #byToken = new Map<string, readonly string[]>();

  constructor(coordinator: Asking, logger: Logger) {
    this.#coordinator = coordinator;
    this.#handBacks = new HandBacks(coordinator, nodeRuntime, logger);
  }

  /** Remembers a hand-off, and takes it back if its reply is never written. */
  remember(token: string, carrier: string, outgoing: ServerResponse): void {
    if (outgoing.destroyed) {
      this.#handBack(token, carrier);
      return;
    }
    const others = (this.#byToken.get(token) ?? []).slice(1 - HOST_BOUNDS.perToken);
    this.#byToken.delete(token);
    this.#byToken.set(token, [...others, carrier]);
    const oldest = this.#byToken.keys().next();
    if (this.#byToken.size > HOST_BOUNDS.carriers && oldest.done !== true) this.#byToken.delete(oldest.value);
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) this.#handBack(token, carrier);
    });
  }

  /** Receipts in the order of the tokens; false for a token that was never handed out here. */
  async ack(tokens: readonly string[]): Promise<{ token: string; accepted: boolean }[]> {
    const accepted = new Set<string>();
    const groups = group(tokens, this.#byToken);
    for (const [carrier, list] of groups) {
      for (const row of await this.#coordinator.ack(list, carrier)) if (row.accepted) accepted.add(row.token);
    }
    return tokens.map((token) => ({ token, accepted: accepted.has(token) }));
  }

  #handBack(token: string, carrier: string): void {
    const others = this.#byToken.get(token)?.filter((other) => other !== carrier) ?? [];
    if (others.length === 0) this.#byToken.delete(token);
    else this.#byToken.set(token, others);
    void this.#handBacks.give(token, carrier);
  }
}

function group(tokens: readonly string[], carriers: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const token of new Set(tokens)) {
    const carrier = carriers.get(token)?.at(-1);
    if (carrier === undefined) continue;
    groups.set(carrier, [...(groups.get(carrier) ?? []), token]);
  }
  return groups;
}
