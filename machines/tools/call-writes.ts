/** What the chart of a call writes down. One function for each name of such an action; each returns a whole context. */
import type { CallArgs, CallContext } from './call-facts.ts';

export const noteHistory = ({ context, event }: CallArgs): CallContext => ({
  ...context,
  answered: context.answered || event.hasResult === true,
});
export const noteBirth = ({ context, event }: CallArgs): CallContext => ({
  ...context,
  owner: event.owner ?? 'unknown',
  life: 'live',
});
export const noteWithheld = ({ context, event }: CallArgs): CallContext => ({
  ...context,
  withheld:
    event.type === 'DISCARD'
      ? 'discarded'
      : event.type === 'BEGIN'
        ? (event.withheld ?? 'provider')
        : event.gated
          ? 'gate'
          : 'size',
});
export const noteAnswered = ({ context }: CallArgs): CallContext => ({ ...context, answered: true });
export const noteClosed = ({ context }: CallArgs): CallContext => ({ ...context, closed: true });
export const noteStarted = ({ context }: CallArgs): CallContext => ({ ...context, started: true });
export const noteOver = ({ context }: CallArgs): CallContext => ({ ...context, life: 'over' });
export const noteAsker = ({ context, event }: CallArgs): CallContext => ({ ...context, asker: event.by ?? null });
export const forgetAsker = ({ context }: CallArgs): CallContext => ({ ...context, asker: null });
