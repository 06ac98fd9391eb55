/** The record of one call: its place in the chart, and what the chart does not hold. */

import { firstPlace, leanStep, type Place } from '../../machines/shared/lean.ts';
import { type CallContext, type CallEvent, FIRST_CALL } from '../../machines/tools/call-facts.ts';
import { CALL_TABLE } from '../../machines/tools/tables.ts';
import type { ReaderFeed } from './reader.ts';
import type { Fate, Seen } from './snapshot.ts';

/** A place in the order of a pass. */
export interface Met {
  next: Call | undefined;
}

/** Everything about one logical id in one boundary. Identity is the record, not the id. */
export class Call implements Met {
  readonly id: string;
  readonly name: string;
  place: Place<CallContext> = firstPlace(CALL_TABLE, FIRST_CALL);
  /** Live: what the reader was given. Restored: what history shows. */
  streamed = '';
  complete = false;
  /** What the last snapshot showed. */
  seen: Seen | undefined;
  part: object | undefined;
  pass = 0;
  next: Call | undefined;
  /** Hears the arguments of a live call from its birth: a reader may come later, and it tells where they may end. */
  feed: ReaderFeed | undefined;
  /** Its tool reads no arguments. */
  unread = false;
  /** The argument callback had its turn. */
  called = false;
  /** The synchronous part of its executor is over. */
  begun = false;

  constructor(id: string, name: string) {
    this.id = id;
    this.name = name;
  }

  get context(): CallContext {
    return this.place.context;
  }
  get phase(): string {
    return this.place.value['phase'] ?? '';
  }
  get isLive(): boolean {
    return this.context.life !== 'history';
  }
  /** It shows the same as in the snapshot before. */
  isSeen(text: unknown, { result, approval }: Fate, runClosed: boolean): boolean {
    const { seen } = this;
    return (
      seen?.text === text &&
      seen?.runClosed === runClosed &&
      seen.hasResult === (result !== undefined) &&
      seen.gated === (approval !== undefined)
    );
  }

  /** One event; the place moves on before any order is performed. */
  step(event: CallEvent): readonly string[] {
    const { place, orders } = leanStep(CALL_TABLE, this.place, event);
    this.place = place;
    return orders;
  }
}
