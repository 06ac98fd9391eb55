import type { AnswerView, AskView, Verdict } from '../api.ts';
import { isOver } from '../wire/jsonrpc.ts';
import { HOST_BOUNDS } from './bounds.ts';

/** Units that a text may have, tried one after the other. */
const CUTS = [131_072, 65_536, 16_384, 4_096, 1_024, 256, 64];

export const isTooLarge = (value: unknown, bytes: number): boolean => isOver(JSON.stringify(value), bytes);

function cut(text: string, units: number): string {
  if (text.length <= units) return text;
  // Half a character is not shown.
  return `${text.slice(0, units).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function cutAnswer(answer: AnswerView, units: number): AnswerView {
  const { text } = answer.reply;
  const reply = text === undefined ? answer.reply : { ...answer.reply, text: cut(text, units) };
  return { ...answer, text: cut(answer.text, units), reply };
}

function cutQuestion(ask: AskView, units: number): AskView {
  const options = ask.options.map((option) => {
    const label = cut(option.label, units);
    return option.description === undefined
      ? { ...option, label }
      : { ...option, label, description: cut(option.description, units) };
  });
  return { ...ask, question: cut(ask.question, units), options };
}

const cutAnswers = (ask: AskView, units: number): AskView => ({
  ...ask,
  answers: ask.answers.map((answer) => cutAnswer(answer, units)),
});

function firstThatFits<T>(value: T, bytes: number, cuts: readonly ((value: T, units: number) => T)[]): T {
  if (!isTooLarge(value, bytes)) return value;
  let kept = value;
  for (const shorter of cuts) {
    const before = kept;
    for (const units of CUTS) {
      kept = shorter(before, units);
      if (!isTooLarge(kept, bytes)) return kept;
    }
  }
  return kept;
}

/**
 * An ask as it can be shown in so many bytes of JSON. A page ignores a frame over its bound, so that a long answer,
 * which is on file whole, is shown cut off; of the question nothing is cut while that suffices.
 */
export const fitted = (ask: AskView, bytes: number = HOST_BOUNDS.cards): AskView =>
  firstThatFits(ask, bytes, [cutAnswers, cutQuestion]);

/** A verdict that can be told in one frame. */
export function fittedVerdict(verdict: Verdict): Verdict {
  if (!isTooLarge(verdict, HOST_BOUNDS.cards)) return verdict;
  const { ask, winner, ...rest } = verdict;
  return {
    ...rest,
    ...(winner === undefined ? {} : { winner: cutAnswer(winner, 4_096) }),
    ...(ask === undefined ? {} : { ask: fitted(ask, HOST_BOUNDS.cards / 2) }),
  };
}

/** The first of a list that fit, each whole, and never none of some: what is to be decided on is not cut off. */
export function firstThatFit<T>(list: readonly T[], bytes: number): readonly T[] {
  let left = bytes;
  const end = list.findIndex((one) => {
    left -= Buffer.byteLength(JSON.stringify(one)) + 1;
    return left < 0;
  });
  return end < 0 ? list : list.slice(0, Math.max(end, 1));
}

/** A list that fits: the room is shared out, and what the short ones leave is for the long ones. */
export function fittedList(asks: readonly AskView[], bytes: number): AskView[] {
  const sized = asks.map((ask, at) => ({ ask, at, size: Buffer.byteLength(JSON.stringify(ask)) + 1 }));
  const list = [...asks];
  let left = bytes;
  let others = asks.length;
  for (const { ask, at, size } of sized.sort((a, b) => a.size - b.size)) {
    const share = Math.floor(left / others);
    if (size > share) list[at] = fitted(ask, share - 1);
    left -= Math.min(size, share);
    others -= 1;
  }
  return list;
}
