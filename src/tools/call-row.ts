/** One call of a client tool as a row on file, and how it is read back. */
import { firstPlace, leanStep } from '../../machines/shared/lean.ts';
import type { SpendEvent } from '../../machines/tools/spend-facts.ts';
import { SPEND_TABLE } from '../../machines/tools/spend-table.ts';
import { ReadbackError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../wire/json.ts';

/** A question of a call: which one it was, a digest of what was shown, and the ask that it is in the journal. */
export interface CallAsk {
  readonly by: 'callback' | 'executor';
  /** Counted from 1, in the order in which this part of the tool asked. */
  readonly number: number;
  readonly digest: string;
  readonly askId: string;
}

/** Why the outcome of a call that has ended is not on file. */
export type Unkept = 'too_large' | 'not_json' | 'bound';

export interface CallRow {
  readonly boundary: string;
  readonly toolCallId: string;
  readonly toolName: string;
  /** A state of the spend chart. */
  readonly state: string;
  readonly asks: readonly CallAsk[];
  /** JSON of the outcome. Text, so that nobody who was given it can change it. */
  readonly outcome?: string | undefined;
  readonly unkept?: Unkept | undefined;
}

const STATES = SPEND_TABLE['fate'] ?? {};

export const FIRST_STATE = firstPlace(SPEND_TABLE, {}).value['fate'] as string;

/** The state after an event; the same where the chart ignores it. */
export const nextState = (state: string, event: SpendEvent): string =>
  leanStep(SPEND_TABLE, { value: { fate: state }, context: {} }, event).place.value['fate'] ?? state;

export const isUnderWay = ({ state }: CallRow): boolean => state === 'claimed' || state === 'asking';
export const isSpent = ({ state }: CallRow): boolean => state === 'done' || state === 'failed';

/** A pair of names as one, whatever they are made of. */
export const rowId = (boundary: string, toolCallId: string): string => JSON.stringify([boundary, toolCallId]);

export function rowOf({ boundary, toolCallId, toolName, state, asks, outcome, unkept }: CallRow): JsonObject {
  return {
    ...{ boundary, toolCallId, toolName, state },
    asks: asks.map((one) => ({ ...one })),
    ...(outcome === undefined ? {} : { outcome: JSON.parse(outcome) as JsonValue }),
    ...(unkept === undefined ? {} : { unkept }),
  };
}

const unreadable = (what: string): ReadbackError =>
  new ReadbackError('store_unreadable', `A row of a tool call cannot be read: ${what}.`);

function textIn(row: JsonObject, field: string): string {
  const value = row[field];
  if (typeof value !== 'string') throw unreadable(`${field} is no text`);
  return value;
}

function askIn(value: unknown): CallAsk {
  if (typeof value !== 'object' || value === null) throw unreadable('a question is no object');
  const row = value as JsonObject;
  const { by, number } = row;
  if (by !== 'callback' && by !== 'executor') throw unreadable('a question has no asker');
  if (typeof number !== 'number') throw unreadable('the number of a question is no number');
  return { by, number, digest: textIn(row, 'digest'), askId: textIn(row, 'askId') };
}

function unkeptIn(value: unknown): Unkept | undefined {
  if (value === undefined || value === 'too_large' || value === 'not_json' || value === 'bound') return value;
  throw unreadable('why there is no outcome is no known reason');
}

/** Throws `store_unreadable` for what is no call; a state that the chart does not have is none either. */
export function callIn(row: JsonObject): CallRow {
  const { asks, outcome } = row;
  const state = textIn(row, 'state');
  if (!Object.hasOwn(STATES, state)) throw unreadable(`there is no state "${state.slice(0, 64)}"`);
  if (!Array.isArray(asks)) throw unreadable('asks is no list');
  if (outcome !== undefined && (typeof outcome !== 'object' || outcome === null))
    throw unreadable('outcome is no object');
  return {
    boundary: textIn(row, 'boundary'),
    toolCallId: textIn(row, 'toolCallId'),
    toolName: textIn(row, 'toolName'),
    state,
    asks: asks.map(askIn),
    // Of undefined there is no JSON, and it stays undefined.
    outcome: JSON.stringify(outcome),
    unkept: unkeptIn(row['unkept']),
  };
}
