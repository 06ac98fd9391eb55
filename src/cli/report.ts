/** Errors on stderr: the field, the reason, the remedy. As one JSON document where JSON was asked for. */

import { ReadbackError } from '../errors.ts';
import type { Io } from './io.ts';
import { EXIT, Problem } from './problem.ts';
import { safe } from './text.ts';

/** Writes the error and returns the exit code. */
export function report(io: Io, error: unknown, asJson: boolean): number {
  const problem = asProblem(error);
  // The reader of a pipe that ended early (head, less) knows why, and wants no comment.
  if (problem.code === 'stdout_closed') return problem.exit;
  if (asJson) {
    const { code, field, message, remedy } = problem;
    io.err(`${JSON.stringify({ error: { code, ...(field === undefined ? {} : { field }), message, remedy } })}\n`);
  } else {
    const field = problem.field === undefined ? '' : `${problem.field}: `;
    io.err(`readback: ${safe(field + problem.message)}\n  ${safe(problem.remedy)}\n`);
  }
  return problem.exit;
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ReadbackError) {
    const exit = error.code === 'store_owned' ? EXIT.owned : EXIT.error;
    const remedy = error.retry ? 'the same command may be run again' : 'see: readback doctor';
    return new Problem({ code: error.code, field: error.field, message: error.message, remedy, exit, cause: error });
  }
  const said = error instanceof Error ? error.message : String(error);
  return new Problem({ code: 'internal', message: said, remedy: 'see: readback doctor', cause: error });
}
