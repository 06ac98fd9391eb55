/** What the chart of a call asks. One function for each name of a guard. */
import type { CallContext, CallFacts } from './call-facts.ts';

type Asks = (context: CallContext, event: CallFacts) => boolean | undefined;

export const grows: Asks = (_, { text }) => text === 'grows';
export const isEqual: Asks = (_, { text }) => text === 'equal';
export const differs: Asks = (_, { text }) => text === 'differs';
/** Against a text that was a whole, or that is closed. */
export const differsAfterEnd: Asks = (context, event) =>
  differs(context, event) && (context.closed || event.wasComplete);

/** By a gate, by what the call of this id was withheld for before, or by the provider, who answers it. */
export const bars: Asks = (_, { gated, withheld, owner }) =>
  gated || (withheld ?? null) !== null || owner === 'provider';
export const isTooLong: Asks = ({ life }, { tooLong }) => tooLong && life !== 'history';
export const mayDiscard: Asks = ({ answered, started }) => !answered && !started;

export const mayAsk: Asks = ({ life }) => life === 'live';
/** An executor is told nothing of a result that came meanwhile; a callback's question has nothing left to decide. */
export const endsQuestion: Asks = (context, event) => gainsResult(context, event) && context.asker === 'callback';

export const isAnswered: Asks = ({ answered }) => answered;
export const isWithheld: Asks = ({ withheld }) => withheld !== null;
export const isFree: Asks = ({ answered, withheld }) => !answered && withheld === null;
export const gainsResult: Asks = ({ answered }, { hasResult }) => hasResult && !answered;
/** Losing a result is no change: what was answered once must not run. */
export const isChanged: Asks = (context, event) =>
  grows(context, event) || differs(context, event) || gainsResult(context, event);

export const isComplete: Asks = (_, { complete }) => complete;
export const isIncomplete: Asks = (_, { complete }) => complete === false;
export const isEmptyAtEnd: Asks = (_, { empty, runClosed }) => empty && runClosed;
/** A text that contradicts the streamed one closes nothing: neither of the two is known to be meant. */
export const closes: Asks = (context, event) =>
  event.complete && !differs(context, event) && (context.owner === 'client' || event.runClosed);
/** A gate and a text over the bound arrive with the very snapshot that would hand the call over. */
export const closesFree: Asks = (context, event) =>
  closes(context, event) && isFree(context, event) && !bars(context, event) && !isTooLong(context, event);

export const executesNothing: Asks = (_, { executes }) => executes === false;
export const isPoisoned: Asks = ({ withheld }, { poisoned }) => poisoned && withheld === null;
