/** From what a caller asks to what is shown: checked, prepared, hashed, then redacted. */
import { heed } from '../../machines/shared/heed.ts';
import { invalid } from '../errors.ts';
import { digestOf, scopeOf } from './approval-digest.ts';
import type {
  ApprovalChoice,
  ApprovalHooks,
  ApprovalRequest,
  ApprovalSubject,
  ApprovalView,
} from './approval-types.ts';
import { REQUEST_LIMITS } from './limits.ts';

export const CHOICES: readonly ApprovalChoice[] = ['once', 'session', 'always', 'deny'];

export const isChoice = (value: unknown): value is ApprovalChoice => CHOICES.some((choice) => choice === value);

/** What is known of an approval from the start. Holds no text that was not redacted. */
export interface Asked {
  readonly id: string;
  readonly key: string;
  readonly scope: string;
  readonly view: ApprovalView;
  readonly timeoutMs: number | null;
}

export interface Defaults {
  readonly timeoutMs: number | null;
  readonly hide: (text: string) => string;
  readonly id: () => string;
  readonly prepare: ApprovalHooks['prepare'];
}

function text(field: string, value: unknown, max = Number.POSITIVE_INFINITY): string {
  if (typeof value !== 'string') throw invalid(field, 'must be a text');
  if (value.length > max) throw invalid(field, `is longer than ${max} characters`);
  return value;
}

/** The keys of cards are made of names, and are somewhat longer. */
const NAME_MAX = REQUEST_LIMITS.name - 32;

export function name(field: string, value: unknown): string {
  const found = text(field, value, NAME_MAX);
  if (found === '') throw invalid(field, 'must not be empty');
  // On disk it would be another name.
  if (!found.isWellFormed()) throw invalid(field, 'holds half a character (a lone surrogate)');
  return found;
}

/** What a card offers unless the caller says otherwise. */
function choicesOf(request: ApprovalRequest): readonly ApprovalChoice[] {
  const { choices } = request;
  if (choices === undefined) {
    return CHOICES.filter((choice) => {
      if (choice === 'always') return request.smartDenied !== true && request.allowPermanent !== false;
      if (choice === 'session') return request.smartDenied !== true && request.allowSession !== false;
      return true;
    });
  }
  if (!Array.isArray(choices) || !choices.every(isChoice)) throw invalid('choices', `may hold ${CHOICES.join(', ')}`);
  if (!choices.includes('deny')) throw invalid('choices', 'must hold deny: a person can always refuse');
  return CHOICES.filter((choice) => choices.includes(choice));
}

export function timeoutOf(value: number | null): number | null {
  if (value === null) return null;
  if (typeof value !== 'number' || Number.isNaN(value) || value === Number.POSITIVE_INFINITY) {
    throw invalid('timeoutMs', 'must be a number of milliseconds, or null for none');
  }
  return Math.max(value, 0);
}

function digestOfSubject({ digest, tool, subject, args, command }: ApprovalSubject): string {
  if (digest !== undefined) return name('digest', digest);
  if (subject === undefined && args === undefined) return digestOf({ method: tool, subject: command });
  return digestOf({ method: tool, subject, args });
}

/** The last word on what runs is had before anything is shown or hashed: the person sees what will run. */
function prepared({ prepare, hide }: Defaults, request: ApprovalRequest): ApprovalSubject {
  const { tool, command, description, patternKeys, digest, subject, args } = request;
  const given: ApprovalSubject = { tool, command, description, patternKeys, digest, subject, args };
  if (prepare === undefined) return given;
  try {
    const made = prepare(given);
    if (heed(made, () => undefined)) throw new TypeError('it gave a promise, and must decide at once');
    return made;
  } catch (error) {
    // It saw the raw command, so its words are not passed on as they are.
    throw invalid('request', `was refused by the prepare hook (${hide(String(error))})`);
  }
}

export function asked(key: string, request: ApprovalRequest, defaults: Defaults): Asked {
  const { hide } = defaults;
  const subject = prepared(defaults, request);
  const command = text('command', subject.command);
  const keys = subject.patternKeys ?? [];
  if (!Array.isArray(keys)) throw invalid('patternKeys', 'must be a list of texts');
  const patternKeys = keys.map((one) => text('patternKeys', one));
  const digest = digestOfSubject(subject);
  const choices = choicesOf(request);
  const id = request.approvalId === undefined ? defaults.id() : name('approvalId', request.approvalId);
  const view: ApprovalView = {
    approval_id: id,
    request_id: id,
    session_id: text('sid', request.sid, REQUEST_LIMITS.name),
    command: hide(command),
    description: hide(text('description', subject.description ?? '')),
    choices: Object.freeze(choices),
    allow_permanent: choices.includes('always'),
    allow_session: choices.includes('session'),
    smart_denied: request.smartDenied === true,
    ...(subject.tool === undefined ? {} : { tool_name: text('tool', subject.tool) }),
    pattern_keys: Object.freeze(patternKeys.map(hide)),
    digest,
  };
  const timeoutMs = timeoutOf(request.timeoutMs === undefined ? defaults.timeoutMs : request.timeoutMs);
  const scope = scopeOf(name('key', key), command, patternKeys, digest);
  return Object.freeze({ id, key, scope, view: Object.freeze(view), timeoutMs });
}
