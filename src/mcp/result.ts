import { ReadbackError, reasonOfInput } from '../errors.ts';
import { SIZES } from '../limits.ts';
import type { Refusal, ToolName } from './tools.ts';
import type { Other, Ride, Worded } from './wording.ts';
import { reasonOf, wordFailure, wordRefusals } from './wording.ts';

/** A tool result as the protocol wants it. */
export interface SessionResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent: Record<string, unknown>;
  isError?: boolean;
}

export function headerNote(header: string | undefined): string | undefined {
  if (header === undefined || header.length <= SIZES.headerHint) return undefined;
  const cut = header.length > SIZES.header ? ` Only the first ${SIZES.header} were kept.` : '';
  return `Hint: the header has ${header.length} characters; at most ${SIZES.headerHint} fit on every surface.${cut} The question was put all the same.`;
}

/** An answer that rides with its token is not quoted a second time without one. */
export function notRiding(others: readonly Other[], rides: readonly Ride[]): readonly Other[] {
  const riding = (other: Other) => rides.some((ride) => ride.question === other.question && ride.text === other.answer);
  return others.filter((other) => !riding(other));
}

export function failure(tool: ToolName, error: unknown): Worded {
  if (error instanceof ReadbackError && error.code === 'invalid_input') {
    const field = error.field ?? 'arguments';
    const refusal: Refusal = {
      field,
      reason: reasonOfInput(error),
      remedy: `Correct ${field} and call the tool again.`,
    };
    return wordRefusals(tool, [refusal]);
  }
  return wordFailure(reasonOf(error), error instanceof ReadbackError && error.retry);
}

export function frame(worded: Worded, texts: readonly string[] = [worded.text]): SessionResult {
  const content = texts.filter((text) => text !== '').map((text) => ({ type: 'text' as const, text }));
  return { content, structuredContent: worded.data, ...(worded.isError === true ? { isError: true } : {}) };
}
