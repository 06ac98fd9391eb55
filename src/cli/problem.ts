/** What went wrong, for a person and for a script: the field, the reason and the remedy, with an exit code. */

/** Exit codes of every command. A script may branch on them; they never change meaning. */
export const EXIT = Object.freeze({
  ok: 0,
  error: 1,
  usage: 2,
  noHost: 3,
  owned: 4,
  declined: 10,
  pending: 11,
  expired: 12,
  undeliverable: 13,
  withdrawn: 14,
  superseded: 15,
  retired: 16,
  conflict: 17,
  unknown: 18,
  undetermined: 19,
});

export interface ProblemParts {
  /** Stable, for branching. */
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  readonly field?: string | undefined;
  readonly exit?: number | undefined;
  readonly cause?: unknown;
}

/** The error a command ends with; its words are raw, and made safe where they are printed. Anything else that is thrown is a defect and shown as one. */
export class Problem extends Error {
  readonly code: string;
  readonly remedy: string;
  readonly field: string | undefined;
  readonly exit: number;

  constructor(parts: ProblemParts) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = 'Problem';
    this.code = parts.code;
    this.remedy = parts.remedy;
    this.field = parts.field;
    this.exit = parts.exit ?? EXIT.error;
  }
}

/** Bad input on the command line: nothing was sent, nothing was changed. */
export function usage(field: string, reason: string, remedy: string): Problem {
  return new Problem({ code: 'usage', field, message: reason, remedy, exit: EXIT.usage });
}
