/** What may be seen of a step by somebody who looks on: its words, and the list of facts that may be shown. */
import type { Snapshot } from './snapshot.ts';

/** A state by name, or one for each region. */
export type TapValue = string | { readonly [region: string]: string };
export type TapFact = string | number | boolean | null | readonly (string | number)[];

/** One step of one row, as names: no answer, question or secret is ever in it. */
export interface TapStep {
  /** Counts up by one within one tap, in the order in which steps were committed. */
  readonly seq: number;
  /** Milliseconds since 1970, when it was committed; what needs no commit has the time at which its tick began to tell. */
  readonly at: number;
  /** The id of the chart, as `readback/machines` has it. */
  readonly machine: string;
  /** The row: a token, ask id, request id … The coordinator itself is `coordinator`. */
  readonly id: string;
  /** What happened. `xstate.init` is the birth of the row. Facts are those of `TAP_FACTS`, long ones cut. */
  readonly event: { readonly type: string; readonly [fact: string]: TapFact };
  /** Where it stood; null at its birth. */
  readonly before: TapValue | null;
  readonly after: TapValue;
  /** The orders of the step by name. */
  readonly effects: readonly string[];
  /** Ids of the rules that the transitions taken name, as in the SPEC.md of the chart. */
  readonly rules: readonly string[];
  /** The event meant nothing here, and nothing changed. */
  readonly ignored: boolean;
  /** The row has ended. */
  readonly done: boolean;
}

/**
 * Told of each step in turn. `dropped`: so many before this one were lost to it, for it was too slow.
 *
 * While the promise that it returns is open it is told nothing; one that throws or rejects is told nothing more.
 */
export type TapReader = (step: TapStep, dropped: number) => unknown;

/** What `step` returns, without its types. */
export interface ToldStep {
  readonly snapshot: Snapshot<unknown, unknown>;
  readonly effects: readonly { readonly type: string }[];
  readonly rules: readonly string[];
  readonly ignored: boolean;
}

/** What is told of a step by whoever owns the row. */
export type Tell = (
  machine: string,
  id: string,
  before: Pick<Snapshot<unknown, unknown>, 'value'> | undefined,
  event: { readonly type: string; readonly [fact: string]: unknown },
  step: ToldStep,
) => void;

/** Where steps are told; `tell` is absent while nobody looks on. Whoever calls it must not depend on what it does. */
export interface Watch {
  tell: Tell | undefined;
}

/**
 * The facts of each chart's events that may be shown: flags, counts, fixed words, and names that hosts gave to tabs,
 * turns, peers and rows. What people wrote (reasons, causes) and digests are not among them. The facts of a birth are
 * those that its owner names: the row it belongs to.
 */
export const TAP_FACTS: Readonly<Record<string, readonly string[]>> = Object.freeze({
  coordinator: ['tab', 'occupant', 'from', 'to'],
  retirement: ['by', 'since'],
  answer: [
    'tab',
    'askId',
    'carrier',
    'replay',
    'losses',
    'worded',
    'carried',
    'bound',
    'erase',
    'because',
    'to',
    'repeat',
  ],
  ticket: ['tab', 'answered', 'from', 'to', 'live', 'liveThere'],
  loss: ['tab', 'token', 'by', 'carrier', 'to'],
  debt: ['tab', 'carrier', 'loss', 'losses', 'to'],
  request: ['sid', 'method', 'conforms', 'via', 'code', 'from', 'qid', 'reason', 'peer'],
  approval: ['sid', 'choice'],
  follower: ['sid', 'leader', 'outcome'],
  grant: ['sid', 'choice'],
  mirror: ['sid', 'method', 'verdict', 'open', 'qid'],
  card: ['sid', 'method', 'generation', 'replayed', 'ended', 'locked', 'code', 'form', 'arrived', 'qid', 'last'],
  spend: [],
  fence: ['tab', 'at', 'leaf', 'moved', 'to'],
  seat: ['good', 'anchor', 'mine', 'leaf', 'least'],
});

/** The birth of a row whose first state no transition led to. */
export const birth = (snapshot: Snapshot<unknown, unknown>): ToldStep => ({
  snapshot,
  effects: [],
  rules: [],
  ignored: false,
});
