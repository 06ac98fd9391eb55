/** What became of a submission, as a sentence and as an exit code. */

import type { Verdict, VerdictWord } from '../api.ts';
import { type Global, type Io, json, paint } from './io.ts';
import { EXIT } from './problem.ts';
import { line } from './text.ts';
import { RECEIPTS } from './view.ts';

/** A repeat of the same submission is no error (G7); the answer is on file all the same. */
export const VERDICT_EXITS: Readonly<Record<VerdictWord, number>> = {
  accepted: EXIT.ok,
  late_accepted: EXIT.ok,
  duplicate: EXIT.ok,
  conflict: EXIT.conflict,
  superseded: EXIT.superseded,
  retired: EXIT.retired,
  expired: EXIT.expired,
  withdrawn: EXIT.withdrawn,
  unknown: EXIT.unknown,
  undetermined: EXIT.undetermined,
  invalid: EXIT.usage,
};

/** Prints the verdict: on stdout what came to pass, on stderr a refusal. `wanted` is the verdict that means success. */
export async function tellVerdict(io: Io, verdict: Verdict, flags: Global, wanted?: VerdictWord): Promise<number> {
  const exit = verdict.verdict === wanted ? EXIT.ok : VERDICT_EXITS[verdict.verdict];
  if (flags.json === true) {
    await json(io, verdict);
    return exit;
  }
  const ink = paint(io);
  // The message of the host begins with the field that it is about.
  const isNamed = verdict.field === undefined || verdict.message.startsWith(`${verdict.field}:`);
  const field = isNamed ? '' : ` (${line(verdict.field ?? '')})`;
  const text = `${verdict.verdict.replace('_', ' ')}${field}: ${line(verdict.message)}`;
  if (exit !== EXIT.ok) {
    const winner =
      verdict.winner === undefined
        ? ''
        : `\n  on file: ${line(verdict.winner.text)} (${RECEIPTS[verdict.winner.receipt]})`;
    io.err(`readback: ${text}${winner}\n  the card: readback show ${line(verdict.askId)}\n`);
    return exit;
  }
  const receipt = verdict.ask?.answers.find((answer) => answer.token === verdict.token);
  const said = receipt === undefined ? '' : `\n  ${line(receipt.text)} · ${RECEIPTS[receipt.receipt]}`;
  await io.out(`${ink('green', '✓')} ${text}${said}\n`);
  return exit;
}
