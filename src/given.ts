/** Options of public constructors, read before anything happens. */
import { type Fields, wrongField } from '../machines/shared/given.ts';
import { invalid } from './errors.ts';

/** Throws `invalid_input` that names the first field which is missing or of another type. */
export function requireGiven(options: unknown, fields: Fields): void {
  const wrong = wrongField(options, fields);
  if (wrong !== undefined) throw invalid(...wrong);
}
