/**
 * What the transitions of the answer chart write. Each takes an own copy of the context and sets a few fields of it,
 * which is several times faster than naming them in an object for XState to merge.
 */
import { whole } from '../shared/whole.ts';
import {
  type AnswerContext,
  type AnswerEvent,
  copyAnswer,
  endedWith,
  type OwnContext,
  ridesLeft,
  withTurn,
} from './answer-facts.ts';

interface Heard {
  readonly context: AnswerContext;
  readonly event: AnswerEvent;
}

const NO_LOSSES: readonly number[] = Object.freeze([]);
const NO_RIDES: readonly string[] = Object.freeze([]);

const writes = (write: (next: OwnContext, event: AnswerEvent) => void) =>
  whole(({ context, event }: Heard): AnswerContext => {
    const next = copyAnswer(context);
    write(next, event);
    return next;
  });

const isReplay = (event: AnswerEvent): boolean => event.type === 'RETURN' && event.replay;
const isCarried = (event: AnswerEvent): boolean => event.type === 'HANDBACK' && event.carried;

function withoutCopy(next: OwnContext): void {
  next.worded = 'nothing';
  next.copyCarrier = null;
  next.endedBeside = NO_RIDES;
  next.shown = NO_LOSSES;
}

export const attach = writes((next, event) => {
  next.returned = true;
  next.parked = null;
  if (isReplay(event)) next.hint = true;
  if (event.type === 'RETURN' && event.carrier !== null) next.rides = withTurn(next.rides, event.carrier);
});

export const markReturned = writes((next, event) => {
  next.returned = true;
  if (isReplay(event)) next.hint = true;
});

export const rideResult = writes((next) => {
  next.channel = 'result';
});

export const queueCopy = writes((next, event) => {
  next.attempts += 1;
  next.channel = 'queue';
  next.parked = null;
  if (event.type !== 'OFFER_TAKEN') return;
  next.shown = event.losses;
  next.worded = event.worded;
  next.copyCarrier = event.carrier;
});

export const countOffer = writes((next) => {
  next.attempts += 1;
});

export const endCopy = writes((next) => {
  next.channel = 'none';
  withoutCopy(next);
});

export const copyBecomesRide = writes((next) => {
  next.channel = 'result';
  withoutCopy(next);
});

export const prove = writes((next) => {
  next.proven = 'receipt';
  next.returned = true;
  next.hint = true;
  next.channel = 'none';
  next.copyOut = false;
  next.parked = null;
  withoutCopy(next);
});

export const proveByBound = writes((next) => {
  next.proven = 'bound';
  next.returned = true;
  next.hint = true;
  next.channel = 'none';
  next.carriedReleases += 1;
  withoutCopy(next);
});

export const dropRide = writes((next, event) => {
  if (isCarried(event)) next.hint = true;
  if (event.type === 'HANDBACK') next.rides = ridesLeft(next.rides, event.carrier);
});

/** A ride ends and a copy stays out. */
export const noteEnded = writes((next, event) => {
  if (event.type === 'HANDBACK') next.endedBeside = endedWith(next, event.carrier);
});

export const noteCarried = writes((next, event) => {
  if (!isCarried(event)) return;
  next.hint = true;
  next.carriedReleases += 1;
});

export const leaveCopyOut = writes((next) => {
  next.copyOut = next.channel === 'queue';
  next.channel = 'none';
  next.worded = 'nothing';
  next.shown = NO_LOSSES;
});

export const noteCopyOut = writes((next, event) => {
  next.attempts += 1;
  next.copyOut = true;
  next.endedBeside = NO_RIDES;
  if (event.type === 'OFFER_TAKEN') next.copyCarrier = event.carrier;
});

export const copyIsGone = writes((next) => {
  next.copyOut = false;
  next.endedBeside = NO_RIDES;
});

export const hintRepeat = writes((next) => {
  next.hint = true;
});

/** Nothing of an earlier delivery counts for the one that is owed now, neither its turns nor its receipt. */
export const oweAgain = writes((next, event) => {
  const isRepeat = event.type === 'REDELIVER' && event.repeat;
  next.proven = 'no';
  next.rides = NO_RIDES;
  next.channel = 'none';
  next.copyOut = false;
  next.parked = null;
  next.hint = isRepeat;
  next.returned = isRepeat;
  next.attempts = isRepeat ? next.attempts : 0;
  next.carriedReleases = 0;
  withoutCopy(next);
});

export const erase = writes((next, event) => {
  if (event.type === 'BLUR' && event.erase) next.erased = true;
});

export const park = writes((next, event) => {
  if (event.type === 'PARK') next.parked = event.why;
});

export const move = writes((next, event) => {
  if (event.type === 'MOVE') next.key = event.to;
});
