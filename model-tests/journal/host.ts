/** The simulated surroundings: browser tabs, their occupants, agents with queues and turns, and cards on screens. */
import type { createJournal } from '../../src/journal.ts';

export type Journal = ReturnType<typeof createJournal>;
export type Entry = ReturnType<Journal['record']>;
export type Ticket = NonNullable<ReturnType<Journal['ticketFor']>>;
export type Payload = Parameters<Parameters<Journal['deliverPending']>[1]>[0];
export type Recovery = ReturnType<Journal['recover']>;
export type Level = 'debug' | 'info' | 'warn' | 'error';

/** A queue copy: what the agent holds, unread in its queue or read in a turn. */
export interface Copy {
  readonly token: string;
  readonly payload: Payload;
  /** The carrier that `inject` named. */
  readonly carrier: string | undefined;
  /** False once a recall of it was tried and did not work. */
  fetchable: boolean;
  /** Turns that carried the answer in a result, and handed that back while this copy was out. */
  readonly ended: Set<string>;
}

/** One run of the agent's model. */
export interface Turn {
  readonly id: string;
  readonly copies: Copy[];
  readonly rides: string[];
  readonly warnings: string[];
}

/** One browser tab. Its name may change; the tab stays itself. */
export interface Slot {
  readonly number: number;
  name: string;
  occupant: string | undefined;
  /** The turn that hand-overs attach to. */
  turn: Turn | null;
  /** Turns that still run and that nothing attaches to any more. */
  readonly older: Turn[];
  queue: Copy[];
  /** Occupants declared gone and not seen since. */
  readonly gone: Set<string>;
}

/** One card on one screen. */
export interface Card {
  readonly id: string;
  slot: Slot;
  /** False for good once the conversation it was opened in has been replaced. */
  live: boolean;
  readonly question: string;
  readonly fingerprint: string;
  /** Who held the tab when the card was drawn. */
  readonly occupant: string | undefined;
  /** False if the journal could not learn the occupant because the resolver threw. */
  readonly occupantSure: boolean;
}

/** One answer as the person gave it. */
export interface Given {
  readonly token: string;
  readonly id: string;
  /** Undefined: no card of this id was ever drawn by this program. */
  readonly card: Card | undefined;
  readonly text: string;
  /** Occupants seen at the arrivals of answers of this id. */
  readonly arrivals: Set<string | undefined>;
  /** The largest clock reading the journal had had by then. */
  readonly at: number;
}

export const newSlot = (number: number, name: string, occupant: string | undefined): Slot => ({
  number,
  name,
  occupant,
  turn: null,
  older: [],
  queue: [],
  gone: new Set(),
});

export const hasCopy = (entry: Entry): boolean => entry.channel === 'queue' || entry.copyOut;

/** The number in a token. */
export const numberOf = (token: string): number => Number(/\d+$/.exec(token)?.[0]);

/** Element of a non-empty list, by a number that may be too large. */
export function pick<T>(list: readonly T[], n: number): T | undefined {
  return list.length === 0 ? undefined : list[n % list.length];
}
