/** Options of public constructors, read before anything happens. */

import { invalid } from './errors.ts';
import { type Fields, wrongField } from './fields.ts';

/** Throws `invalid_input` that names the first field which is missing or of another type. */
export function requireGiven(options: unknown, fields: Fields): void {
  const wrong = wrongField(options, fields);
  if (wrong !== undefined) throw invalid(...wrong);
}
