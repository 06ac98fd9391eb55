/** What callers make of a settlement, without folding different endings into one. */
import { invalid } from '../errors.ts';
import type { JsonObject } from '../wire/json.ts';
import { isJsonObject } from '../wire/jsonrpc.ts';
import type { Settlement } from './api.ts';

/** What legacy callers see: the result; of a batch that timed out its locked answers; or null. */
export function callerValue(settlement: Settlement, batch: boolean): JsonObject | null {
  if (settlement.kind === 'answered') return settlement.result;
  return settlement.kind === 'timed_out' && batch ? { answers: settlement.locked, timed_out: true } : null;
}

/**
 * A `{ value }` answer as one text, with how it came about. Empty for whatever is no answer; what is not a text is
 * `failed`, and is never turned into one.
 */
export function oneString(settlement: Settlement): { readonly value: string; readonly kind: Settlement['kind'] } {
  if (settlement.kind !== 'answered') return { value: '', kind: settlement.kind };
  const { value } = settlement.result;
  return typeof value === 'string' ? { value, kind: 'answered' } : { value: '', kind: 'failed' };
}

export type ClarifyOutcome = 'submitted' | 'cancelled_by_user' | 'timed_out' | 'interrupted' | 'undelivered';

/** How a clarification ended, in the words that its tool uses. */
export function clarifyOutcome(settlement: Settlement): ClarifyOutcome {
  switch (settlement.kind) {
    case 'answered':
      return isSubmission(settlement.result) ? 'submitted' : 'cancelled_by_user';
    case 'timed_out':
      return 'timed_out';
    case 'cancelled':
      if (settlement.cause === 'no_capable_client') return 'undelivered';
      return settlement.reason === 'timeout' ? 'timed_out' : 'interrupted';
    default:
      return 'undelivered';
  }
}

const isSubmission = ({ answers, answer }: JsonObject): boolean => isJsonObject(answers) || typeof answer === 'string';

/** Whether a bridge to a window works in a session: unknown until its first use ends. */
export interface Probe {
  /** Milliseconds for the next use, or null: the bridge is known not to work there. */
  timeoutFor(sid: string): number | null;
  /** What the use came to. */
  learn(sid: string, settlement: Settlement): void;
  forget(sid: string): void;
}

/** First use of a session gets `probeMs`, later ones `fullMs` once one has been answered. */
export function createProbe({ probeMs = 10_000, fullMs = 45_000 } = {}): Probe {
  for (const [field, value] of Object.entries({ probeMs, fullMs })) {
    if (!Number.isFinite(value) || value < 0) throw invalid(field, 'it must be a number of milliseconds');
  }
  const works = new Map<string, boolean>();
  return Object.freeze({
    timeoutFor: (sid: string) => {
      const known = works.get(sid);
      if (known === false) return null;
      return known === true ? fullMs : probeMs;
    },
    learn: (sid: string, settlement: Settlement) => {
      if (settlement.kind === 'answered') works.set(sid, true);
      else if (saysUnavailable(settlement)) works.set(sid, false);
    },
    forget: (sid: string) => void works.delete(sid),
  });
}

/** A turn that was interrupted says nothing about the client. */
function saysUnavailable(settlement: Settlement): boolean {
  if (settlement.kind === 'failed') return settlement.error.code === -32601;
  if (settlement.kind === 'cancelled') return settlement.cause === 'no_capable_client';
  return settlement.kind === 'timed_out' || settlement.kind === 'unanswerable';
}
