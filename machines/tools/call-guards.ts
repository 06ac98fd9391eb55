/** What the chart of a call asks. One function for each name of a guard. */
import type { CallArgs } from './call-facts.ts';

export const grows = ({ event }: CallArgs): boolean => event.text === 'grows';
export const isEqual = ({ event }: CallArgs): boolean => event.text === 'equal';
export const differs = ({ event }: CallArgs): boolean => event.text === 'differs';
/** Against a text that was a whole, or that is closed. */
export const differsAfterEnd = (args: CallArgs): boolean =>
  differs(args) && (args.event.wasComplete === true || args.context.closed);

export const gates = ({ event }: CallArgs): boolean => event.gated === true;
export const isTooLong = ({ context, event }: CallArgs): boolean =>
  event.tooLong === true && context.life !== 'history';
export const isBornWithheld = ({ event }: CallArgs): boolean => event.withheld !== null || event.owner === 'provider';
export const mayDiscard = ({ context }: CallArgs): boolean =>
  !context.answered && !context.started && context.life !== 'over';

export const mayAsk = ({ context }: CallArgs): boolean => context.life === 'live';
export const isAsking = ({ context }: CallArgs): boolean => context.asker !== null;
/** An executor is told nothing of a result that came meanwhile; a callback's question has nothing left to decide. */
export const endsQuestion = (args: CallArgs): boolean => gainsResult(args) && args.context.asker === 'callback';

export const isUnanswered = ({ context }: CallArgs): boolean => !context.answered;
export const isAnswered = ({ context }: CallArgs): boolean => context.answered;
export const isWithheld = ({ context }: CallArgs): boolean => context.withheld !== null;
export const gainsResult = ({ context, event }: CallArgs): boolean => event.hasResult === true && !context.answered;
/** Losing a result is no change: what was answered once must not run. */
export const isChanged = (args: CallArgs): boolean => grows(args) || differs(args) || gainsResult(args);

export const isComplete = ({ event }: CallArgs): boolean => event.complete === true;
export const isIncomplete = ({ event }: CallArgs): boolean => event.complete === false;
export const isEmptyAtEnd = ({ event }: CallArgs): boolean => event.empty === true && event.runClosed === true;
/** A text that contradicts the streamed one closes nothing: neither of the two is known to be meant. */
export const closes = (args: CallArgs): boolean =>
  isComplete(args) && !differs(args) && (args.context.owner === 'client' || args.event.runClosed === true);
/** A gate and a text over the bound arrive with the very snapshot that would hand the call over. */
export const closesFree = (args: CallArgs): boolean =>
  closes(args) && !isWithheld(args) && !args.context.answered && !gates(args) && !isTooLong(args);

export const executesNothing = ({ event }: CallArgs): boolean => event.executes === false;
export const isPoisoned = (args: CallArgs): boolean =>
  args.event.poisoned === true && args.event.executes === true && !isWithheld(args);
