/** The record of one call: its place in the chart, and what the chart does not hold. */

import { firstPlace, leanStep, type Place } from '../../machines/shared/lean.ts';
import type { CallContext, CallEvent, Reason } from '../../machines/tools/call-facts.ts';
import { FIRST_CALL } from '../../machines/tools/call-facts.ts';
import { CALL_TABLE } from '../../machines/tools/tables.ts';
import { Meter } from './json.ts';
import type { Deferred, ReaderFeed } from './reader.ts';
import type { ToolResponseView, ToolSpec } from './types.ts';

export interface Question {
  readonly payload: unknown;
  readonly answer: Deferred<unknown>;
}

/** Everything about one logical id in one boundary. Identity is the record, not the id. */
export class Call {
  readonly id: string;
  readonly name: string;
  place: Place<CallContext> = firstPlace(CALL_TABLE, FIRST_CALL);
  /** Live: what the reader was given. Restored: what history shows. */
  streamed = '';
  complete = false;
  meter: Meter | undefined = new Meter();
  /** What the last snapshot showed. */
  seenText: string | undefined;
  seenResult = false;
  seenGate = false;
  seenClosed = false;
  seenPart: object | undefined;
  pass = 0;
  /** The part under observation, while its event is performed. */
  raw: object = {};
  /** What withheld the call of this id before, in a record that this one follows. */
  readonly inherits: Reason | null;
  feed: ReaderFeed | undefined;
  /** The argument callback had its turn. */
  called = false;
  /** The response, until the reader has been made. */
  given: ToolResponseView | undefined;
  asking: Question | undefined;
  question: Question | undefined;
  tool: ToolSpec | undefined;
  input: unknown;
  begun = false;
  outcome: ToolResponseView | undefined;
  signal: AbortSignal | undefined;
  readonly leavers: (() => void)[] = [];

  constructor(id: string, name: string, inherits: Reason | null) {
    this.id = id;
    this.name = name;
    this.inherits = inherits;
  }

  get context(): CallContext {
    return this.place.context;
  }
  get phase(): string {
    return this.place.value['phase'] ?? '';
  }
  get isRunning(): boolean {
    const { phase } = this;
    return phase === 'executing' || phase === 'interrupted';
  }
  get isLive(): boolean {
    return this.context.life !== 'history';
  }
  /** History that something happened to: a record of its own follows it. */
  get isReplaced(): boolean {
    return this.phase === 'retired';
  }
  /** It shows the same as in the snapshot before. */
  isSeen(text: unknown, result: unknown, approval: unknown, runClosed: boolean): boolean {
    return (
      this.seenText === text &&
      this.seenClosed === runClosed &&
      this.seenResult === (result !== undefined) &&
      this.seenGate === (approval !== undefined)
    );
  }
  /** Nothing more than an echo can come of it. */
  get isEnded(): boolean {
    const { phase } = this;
    return phase.startsWith('settled') || phase === 'skipped' || phase === 'discarded' || phase === 'idle';
  }

  /** One event; the place moves on before any order is performed. */
  step(event: CallEvent): readonly string[] {
    const { place, orders } = leanStep(CALL_TABLE, this.place, event);
    this.place = place;
    return orders;
  }
}
