/** What a client's answer means: merged with locks, read for nulls, checked, and put into a settlement. */
import { RpcRefusal } from '../wire/errors.ts';
import type { JsonObject } from '../wire/json.ts';
import { isJsonObject } from '../wire/jsonrpc.ts';
import type { RequestContract, Settlement } from './api.ts';
import type { RequestSnapshot } from './charts.ts';
import { type Entry, lockedOf, type Staged } from './entry.ts';
import { copyJson } from './frames.ts';
import { REQUEST_LIMITS } from './limits.ts';

/** What window-owned requests are told when no window shows their session. */
export const NO_OWNER: JsonObject = Object.freeze({
  value: JSON.stringify({ success: false, error: 'this session is not shown in any window' }),
});

export interface ReadAnswer {
  readonly result: JsonObject;
  /** Question ids that the batch does not have. */
  readonly dropped: readonly string[];
  /** Key paths that do not conform; empty: it does. */
  readonly wrong: readonly string[];
}

/** The result of a response, as the waiter gets it. Changes nothing. */
export function readResult(entry: Entry, raw: unknown): ReadAnswer {
  const given = isJsonObject(raw) ? raw : {};
  const { result, dropped, isOdd } = mergeLocks(entry, given);
  try {
    const wrong = isOdd ? ['answers'] : entry.contract.wrongResult(result);
    // A copy of its own: the frame belongs to whoever sent it.
    return { result: wrong.length > 0 ? {} : copyJson(result), dropped, wrong };
  } catch {
    // It nests without end, or goes round in a circle: what cannot be looked at conforms to nothing.
    return { result: {}, dropped, wrong: ['result'] };
  }
}

function mergeLocks(
  entry: Entry,
  given: JsonObject,
): { readonly result: JsonObject; readonly dropped: readonly string[]; readonly isOdd: boolean } {
  const { qids } = entry.at.context;
  if (qids.length === 0) return { result: given, dropped: [], isOdd: false };
  const { answers, ...rest } = given;
  // Without answers it means "cancel all", and what was locked is discarded.
  if (answers === undefined || answers === null) return { result: rest, dropped: [], isOdd: false };
  if (!isJsonObject(answers)) return { result: given, dropped: [], isOdd: true };
  const known = Object.entries(answers).filter(([qid]) => qids.includes(qid));
  const dropped = Object.keys(answers).filter((qid) => !qids.includes(qid));
  return {
    result: { ...rest, answers: { ...lockedOf(entry, entry.locked), ...Object.fromEntries(known) } },
    dropped,
    // Nothing of what was given is for this batch: that is no answer, and no cancelling either.
    isOdd: known.length === 0 && dropped.length > 0,
  };
}

export interface ReadError {
  readonly code: number | null;
  readonly message: string | undefined;
}

/** An error member, which a client may have written in any shape. */
export function readError(error: unknown): ReadError {
  if (typeof error === 'string') return { code: null, message: cut(error) };
  if (typeof error === 'number') return { code: error, message: undefined };
  if (!isJsonObject(error)) return { code: null, message: undefined };
  const { code, message } = error;
  return {
    code: typeof code === 'number' && Number.isFinite(code) ? code : null,
    message: typeof message === 'string' ? cut(message) : undefined,
  };
}

const cut = (text: string): string => text.slice(0, REQUEST_LIMITS.errorMessage);

/** A lock's answer: null is "skipped" and stays null, a missing one is empty, other values travel as JSON. */
export function readLock(answer: unknown): string | null {
  if (answer === null || typeof answer === 'string') return answer;
  if (answer === undefined) return '';
  let text: string | undefined;
  try {
    text = JSON.stringify(answer);
  } catch {
    text = undefined;
  }
  if (text === undefined) throw new RpcRefusal('bad_answer', 'answer: it is not JSON');
  return text;
}

/** The settlement that a final state stands for; undefined while it is open. */
export function settlementOf(entry: Entry, at: RequestSnapshot, staged: Staged): Settlement | undefined {
  const { via, reason, cause, code } = at.context;
  const lockedNow = () => lockedOf(entry, staged.locked ?? entry.locked);
  switch (at.value) {
    case 'pristine':
    case 'partial':
      return undefined;
    case 'answered':
      return Object.freeze({
        kind: 'answered',
        result: via === 'quorum' ? NO_OWNER : via === 'lock' ? { answers: lockedNow() } : (staged.result ?? {}),
        via: via ?? 'response',
      });
    case 'failed':
      return Object.freeze({ kind: 'failed', error: errorOf(code, staged.message) });
    case 'cancelled': {
      const locked = lockedNow();
      return Object.freeze({
        kind: 'cancelled',
        reason: reason ?? 'session_closed',
        ...(cause === null ? {} : { cause }),
        ...(Object.keys(locked).length === 0 ? {} : { locked }),
      });
    }
    case 'timed_out':
      return Object.freeze({ kind: 'timed_out', locked: lockedNow() });
  }
}

const errorOf = (code: number | null, message: string | undefined): { code?: number; message?: string } =>
  Object.freeze({ ...(code === null ? {} : { code }), ...(message === undefined ? {} : { message }) });

/** What a client is told, and a log line says, of a result that does not conform: paths, never values. */
export function nonconforming({ method, secret }: RequestContract, wrong: readonly string[]): string {
  const what = `the result of ${method} does not conform`;
  // A path holds names that the client chose, and a secret may stand there by mistake.
  return secret ? what : `${what}: ${wrong.slice(0, 8).join(', ')}`.slice(0, REQUEST_LIMITS.errorMessage);
}
