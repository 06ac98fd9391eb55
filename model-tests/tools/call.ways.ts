/** Ways through the chart of a call that snapshots can take: what may follow what, and which texts bring it about. */
import { callMachine } from '../../machines/tools/call.ts';
import type { CallContext, CallEvent, Observed } from '../../machines/tools/call-facts.ts';
import { coverPaths } from '../support/cover.ts';
import type { Edge } from '../support/graph.ts';

import { CALL_EVENTS, callPlace } from './samples.ts';

type CallEdge = Edge<typeof callMachine>;
type Regions = Readonly<Record<'text' | 'licence' | 'question' | 'phase', string>>;

interface Here {
  readonly phase: string;
  readonly isAsked: boolean;
  readonly isRunning: boolean;
  readonly isOpen: boolean;
  readonly context: CallContext;
}

const here = ({ before }: CallEdge): Here => {
  const value = before.value as unknown as Regions;
  const context = before.context as CallContext;
  return {
    phase: value.phase,
    isAsked: value.question === 'asked',
    isRunning: value.phase === 'executing',
    isOpen: value.text === 'read' && !context.closed,
    context,
  };
};

const HISTORY = new Set(['unseen', 'restored']);
const PENDING = new Set(['restored', 'streaming', 'waitingForRun', 'handedOver']);
/** Whether the streamed text is whole where only one of the two is possible. */
const WHOLE: Readonly<Record<string, boolean>> = {
  streaming: false,
  waitingForRun: true,
  handedOver: true,
  executing: true,
  idle: true,
  skipped: true,
  settledByClient: true,
};

function isWholeAfter(edge: CallEdge): boolean | undefined {
  const { event } = edge;
  if (event.type === 'BEGIN') return false;
  return event.type === 'OBSERVE' ? event.complete : WHOLE[here(edge).phase];
}

function mayObserve(seen: Observed, { phase, isOpen }: Here, earlier: CallEdge | undefined): boolean {
  if (phase === 'unseen' || phase === 'retired') return false;
  // What history shows is not read as JSON, and a text there has no end that it could grow over.
  if (phase === 'restored') return !seen.tooLong && !seen.empty && !seen.complete && seen.text !== 'grows';
  if (earlier === undefined) return false;
  // A live call is born by the text that it is seen with.
  if (earlier.event.type === 'BEGIN') return seen.empty || (seen.text === 'grows' && !seen.wasComplete);
  if (seen.empty || seen.wasComplete !== isWholeAfter(earlier)) return false;
  return isOpen || (seen.text !== 'grows' && seen.complete === seen.wasComplete);
}

function mayAsk(
  by: 'callback' | 'executor',
  { phase, isRunning, isAsked, context }: Here,
  earlier?: CallEdge,
): boolean {
  if (earlier === undefined || HISTORY.has(phase)) return false;
  // The question of a discarded call is gone at once; only who hears the signal can ask before that.
  if (isAsked && context.life === 'over') return by === 'callback' && earlier.event.type === 'DISCARD';
  if (by === 'executor') return isRunning || earlier.event.type === 'END';
  return phase !== 'retired' || !HISTORY.has(here(earlier).phase);
}

/** Whether the tracker can be made to tell its call of this event now. */
function allowed(edge: CallEdge, earlier: CallEdge | undefined): boolean {
  const now = here(edge);
  const { event } = edge;
  const last = earlier?.event;
  if (last?.type === 'BEGIN' && event.type !== 'OBSERVE') return false;
  // Of a text that has not begun it is not known here how the next one stands to it.
  if (last?.type === 'OBSERVE' && last.empty) return false;
  if (last?.type === 'ABORT' && now.isRunning) return event.type === 'END' || event.type === 'RETIRE';
  if (last?.type === 'DISCARD' && now.isAsked) return event.type === 'ABORT' || isQuestion(event, now, earlier);
  if (now.isAsked && now.context.life === 'over') return event.type === 'ABORT';
  switch (event.type) {
    case 'RECORD':
      return HISTORY.has(now.phase);
    case 'BEGIN':
      return now.phase === 'unseen';
    case 'OBSERVE':
      return mayObserve(event, now, earlier);
    case 'ADOPT':
      return now.phase === 'restored' && now.context.withheld === null;
    case 'DISCARD':
      return PENDING.has(now.phase);
    case 'START':
      return now.phase === 'handedOver';
    case 'HUMAN':
      return isQuestion(event, now, earlier);
    case 'RESUME':
      return now.isAsked;
    case 'ABORT':
      return now.isAsked || now.isRunning;
    case 'END':
      return now.isRunning;
    case 'RETIRE':
      return now.phase !== 'unseen';
  }
}

const isQuestion = (event: CallEvent, now: Here, earlier: CallEdge | undefined): boolean =>
  event.type === 'HUMAN' && mayAsk(event.by, now, earlier);

/** A way to each set of transitions that one event takes together in one place. */
export function callWays(): readonly (readonly CallEvent[])[] {
  const paths = coverPaths(callMachine, CALL_EVENTS, {
    serialize: callPlace as never,
    limit: 200_000,
    allowed,
    kind: ({ before, event }, taken) => JSON.stringify([before.value, event.type, taken]),
  });
  return paths.map(({ events }) => events as readonly CallEvent[]);
}

type Growth = (text: string, becomes: boolean) => string;

const LIST: Growth = (text, becomes) => {
  if (!becomes) return text === '' ? '[' : `${text}${text.endsWith('[') ? '' : ','}1`;
  return text === '' ? '[]' : `${text}]`;
};
/** The one kind of JSON that is whole, and not, and whole again while it grows. */
const NUMBER: Growth = (text, becomes) => {
  if (becomes) return `${text}1`;
  return text === '' || text.endsWith('e') ? `${text}-` : text.includes('.') ? `${text}e` : `${text}.`;
};
const POISON: Growth = (text, becomes) => {
  if (!becomes) return text === '' ? '{"__proto__":' : `${text} `;
  return text === '' ? '{"__proto__":1}' : `${text}1}`;
};

/** Argument texts that stand to the one before as a way wants it. */
export class Texts {
  readonly isList: boolean;
  readonly #grow: Growth;
  #count = 0;

  constructor(events: readonly CallEvent[]) {
    const isPoisoned = events.some((event) => event.type === 'START' && event.poisoned);
    const isCut = events.some(
      (event) => event.type === 'OBSERVE' && event.text === 'grows' && event.wasComplete && !event.complete,
    );
    this.isList = !isPoisoned && !isCut;
    this.#grow = isPoisoned ? POISON : isCut ? NUMBER : LIST;
  }

  /** Another one each time. */
  history(): string {
    this.#count += 1;
    return `[${this.#count}]`;
  }

  next(streamed: string, { text, complete, wasComplete, tooLong }: Observed, bound: number): string {
    if (tooLong) return `${'x'.repeat(bound)}${this.history()}`;
    if (text === 'same') return streamed;
    if (text === 'equal') return ` ${streamed}`;
    if (text === 'differs') return `"no ${this.history()}`;
    return wasComplete && complete && this.isList ? `${streamed} ` : this.#grow(streamed, complete);
  }
}
