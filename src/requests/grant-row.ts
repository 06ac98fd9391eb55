/** Decisions and standing permissions as rows. They hold the redacted command and the digest, never more. */
import type { ApprovalChoice } from '../../machines/requests/approval.ts';
import { restore } from '../../machines/shared/step.ts';
import type { JsonObject } from '../wire/json.ts';
import { type GrantSnapshot, grantChart } from './approval-charts.ts';
import { numberIn, textIn } from './approval-entry.ts';
import { isChoice } from './approval-input.ts';

export interface Grant {
  readonly id: string;
  readonly key: string;
  readonly seq: number;
  readonly at: GrantSnapshot;
  /** Redacted. */
  readonly command: string;
  readonly decidedAt: number;
  /** What the person said, redacted. */
  readonly reason: string | undefined;
  /** Who claimed it. */
  readonly who: string | undefined;
}

export interface Permission {
  readonly scope: string;
  readonly key: string;
  readonly seq: number;
  readonly choice: 'session' | 'always';
  readonly command: string;
  readonly digest: string;
  readonly decidedAt: number;
}

const optional = (name: string, value: string | undefined): JsonObject =>
  value === undefined ? {} : { [name]: value };

export const grantRow = ({ id, key, seq, at, command, decidedAt, reason, who }: Grant): JsonObject => ({
  type: 'grant',
  ...{ id, key, seq, command, decidedAt },
  state: at.value,
  choice: at.context.choice,
  digest: at.context.digest,
  run: at.context.run,
  ...optional('reason', reason),
  ...optional('who', who),
});

export const permissionRow = (one: Permission): JsonObject => ({
  type: 'standing',
  id: permissionId(one.scope),
  ...one,
});

export const permissionId = (scope: string): string => `standing:${scope}`;

const textOr = (row: JsonObject, field: string): string | undefined =>
  row[field] === undefined ? undefined : textIn(row, field);

export function grantIn(row: JsonObject): Grant {
  const [id, key, digest] = [textIn(row, 'id'), textIn(row, 'key'), textIn(row, 'digest')];
  const run = row['run'] === null ? null : textIn(row, 'run');
  const context = { approvalId: id, key, choice: choiceIn(row), digest, run };
  return {
    ...{ id, key },
    seq: numberIn(row, 'seq'),
    at: restore(grantChart, row['state'], context),
    command: textIn(row, 'command'),
    decidedAt: numberIn(row, 'decidedAt'),
    reason: textOr(row, 'reason'),
    who: textOr(row, 'who'),
  };
}

/** What cannot be read as a choice is a refusal. */
function choiceIn(row: JsonObject): ApprovalChoice {
  const { choice } = row;
  return isChoice(choice) ? choice : 'deny';
}

export const permissionIn = (row: JsonObject): Permission => ({
  scope: textIn(row, 'scope'),
  key: textIn(row, 'key'),
  seq: numberIn(row, 'seq'),
  choice: row['choice'] === 'always' ? 'always' : 'session',
  command: textIn(row, 'command'),
  digest: textIn(row, 'digest'),
  decidedAt: numberIn(row, 'decidedAt'),
});
