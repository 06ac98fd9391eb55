/** Calls that are refused before anybody is asked: one too large for a frame, with the field to shorten, and one without an object of arguments. */

import { SIZES } from '../limits.ts';
import { parseInput, TOOLS, type ToolName } from './tools.ts';
import { type Worded, wordRefusals } from './wording.ts';

/** Bytes of a call that are not its arguments: method, ids, marks. */
const ENVELOPE = 1_024;

type Args = Record<string, unknown> | undefined;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/** True when the host would refuse the call unread. */
export const isOversize = (args: Args): boolean => args !== undefined && bytesOf(args) + ENVELOPE > SIZES.frame;

/** The refusal: the fields that break a bound of their own, otherwise the largest. */
export function wordOversize(tool: ToolName, args: Args): Worded {
  const parsed = parseInput<unknown>(TOOLS[tool].input, args);
  if (!parsed.ok) return wordRefusals(tool, parsed.wrong);
  const sizes = Object.entries(args ?? {}).map(([field, value]) => ({ field, bytes: bytesOf(value) }));
  const { field, bytes } = sizes.reduce((most, each) => (each.bytes > most.bytes ? each : most), {
    field: 'arguments',
    bytes: 0,
  });
  const reason = `takes ${bytes} bytes and makes the call too large; a whole call may have at most ${SIZES.frame} bytes`;
  return wordRefusals(tool, [{ field, reason, remedy: `Shorten ${field}, or ask in several questions.` }]);
}

/** The refusal of arguments that are no object. */
export function wordMisshapen(tool: ToolName, input: unknown): Worded {
  const parsed = parseInput<unknown>(TOOLS[tool].input, input);
  return wordRefusals(tool, parsed.ok ? [] : parsed.wrong);
}
