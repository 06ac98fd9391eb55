/** What the chart of a call writes down: the fields that change. One function for each name of such an action. */
import type { CallContext, CallFacts } from './call-facts.ts';

type Writes = (context: CallContext, event: CallFacts) => Partial<CallContext>;

export const noteHistory: Writes = ({ answered }, { hasResult }) => ({ answered: answered || hasResult === true });
export const noteBirth: Writes = (_, { owner = 'unknown' }) => ({ owner, life: 'live' });
export const noteWithheld: Writes = (_, { type, withheld, gated, tooLong }) => ({
  withheld: withheld ?? (type === 'DISCARD' ? 'discarded' : gated ? 'gate' : tooLong ? 'size' : 'provider'),
});
export const noteAnswered: Writes = () => ({ answered: true });
export const noteClosed: Writes = () => ({ closed: true });
export const noteStarted: Writes = () => ({ started: true });
export const noteOver: Writes = () => ({ life: 'over' });
export const noteAsker: Writes = (_, { by = null }) => ({ asker: by });
export const forgetAsker: Writes = () => ({ asker: null });
