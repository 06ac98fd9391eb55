/** What one step was seen to do. The world writes these down; the checkers judge them. */
import type { Entry, Given, Level, Payload, Recovery, Slot } from './host.ts';
import type { Cmd } from './sequence.ts';

export interface Line {
  readonly level: Level;
  readonly text: string;
  /** The operation that wrote it. */
  readonly during: string | undefined;
  /** False if the logger threw. */
  written: boolean;
}

/** An answer was put before an agent, or would have been: with the truth of that moment. */
export interface Outlet {
  readonly via: 'payload' | 'recovered' | 'others' | 'pending';
  readonly entry: Entry;
  readonly slot: Slot;
  readonly given: Given | undefined;
  readonly cardLive: boolean;
  readonly onCardTab: boolean;
  readonly occupant: string | undefined;
}

export interface Offer {
  readonly token: string;
  readonly payload: Payload;
  readonly entry: Entry | undefined;
  /** Tokens that the same delivery call offered before. */
  readonly before: readonly string[];
  readonly afterRefusal: boolean;
  /** Numbers of losses that the payload may show. */
  readonly losses: readonly number[];
}

/** The entry as it was seen before and after. */
export interface Change {
  readonly prev: Entry;
  readonly cur: Entry;
  /** Handlers of its id that still wait. */
  readonly waiting: number;
  /** A receipt or a bound that may prove it was being worked on. */
  readonly proved: boolean;
  /** A carrier was returned for it, or an agent took it. */
  readonly handed: boolean;
  readonly renamed: boolean;
}

export interface Removed {
  readonly entry: Entry;
  readonly forgotten: boolean;
}

export interface Recovered {
  /** The name the tab had then. */
  readonly tab: string;
  readonly fingerprint: string;
  readonly result: Recovery;
  readonly onFile: number;
  readonly undisclosable: number;
  /** Smallest possible age of the recovered entry, in milliseconds. */
  readonly age: number;
  /** False: the asker's conversation is known to be replaced. */
  readonly askerLive: boolean;
}

export interface Step {
  readonly cmd: Cmd | undefined;
  readonly lines: Line[];
  readonly outlets: Outlet[];
  readonly offers: Offer[];
  readonly changes: Change[];
  readonly born: { readonly entry: Entry; readonly waiting: number }[];
  readonly removed: Removed[];
  readonly recoveries: Recovered[];
  readonly attached: { readonly token: string; readonly entry: Entry; readonly disclosable: boolean }[];
  readonly reports: { readonly got: number; readonly may: readonly number[] }[];
  /** Exceptions that reached the host, and whether a rule lets them. */
  readonly thrown: { readonly from: string; readonly message: string; readonly allowed: boolean }[];
  /** Answers given in this step that are not on file although nothing has displaced them. */
  readonly missing: string[];
  /** `record` called twice with equal arguments for an id opened once: the two tokens. */
  readonly pairs: { readonly first: string; readonly second: string }[];
  /** Differences made by a second application (I-26). */
  readonly doubled: string[];
  /** Differences made on other tabs (I-28). */
  readonly spilled: string[];
  /** Entries whose token is not larger than all that were there when their `record` began. */
  readonly disorder: string[];
  /** Callbacks that threw. */
  readonly threw: Set<string>;
  nested: boolean;
}

export const newStep = (cmd: Cmd | undefined): Step => ({
  cmd,
  lines: [],
  outlets: [],
  offers: [],
  changes: [],
  born: [],
  removed: [],
  recoveries: [],
  attached: [],
  reports: [],
  thrown: [],
  missing: [],
  pairs: [],
  doubled: [],
  spilled: [],
  disorder: [],
  threw: new Set(),
  nested: false,
});

/** Interesting states, counted, so that a run that never meets one is noticed. */
export const STATS = [
  'asks',
  'reopened',
  'answers',
  'collapsed',
  'bornRetired',
  'bornUnknown',
  'ambiguous',
  'pushed',
  'refused',
  'attached',
  'recovered',
  'unattributed',
  'withheldFromAsker',
  'acked',
  'carriedSettled',
  'evictedLive',
  'evictedRetired',
  'evictedAcked',
  'goneLoss',
  'forgotten',
  'recalled',
  'recallFailed',
  'displayed',
  'told',
  'cancelled',
  'surfaced',
  'warnings',
  'renamed',
  'merged',
  'ticketsEvicted',
  'threw',
  'nested',
  'doubled',
  'gateReopened',
] as const;
export type Stat = (typeof STATS)[number];
export type Stats = Record<Stat, number>;

export const newStats = (): Stats => Object.fromEntries(STATS.map((name) => [name, 0])) as Stats;
