/** What a finding means for an answer that was given to a question of this conversation. Pure. */
import type { Finding } from './finding.ts';

export type Outcome = 'retire' | 'deliver' | 'keep' | 'hand_over_again' | 'ask_again' | 'hold';

export interface AnswerOutcome {
  readonly outcome: Outcome;
  /** The model no longer has the question: it goes along in full. */
  readonly withQuestion: boolean;
  /** It was delivered before. */
  readonly repeat: boolean;
}

const say = (outcome: Outcome, withQuestion = false, repeat = false): AnswerOutcome =>
  Object.freeze({ outcome, withQuestion, repeat });

/**
 * What becomes of an answer, from the finding for the entry that asked and, once it was delivered, the finding for the
 * entry that carried it; both against the same leaf. Off the branch is never final: ask again on the next leaf.
 *
 * `privileged`: a permission, which is asked again where information would be handed over again.
 */
export function answerOutcome(
  asked: Pick<Finding, 'onBranch' | 'breaks'>,
  delivered: Pick<Finding, 'onBranch' | 'breaks'> | null,
  { privileged = false }: { readonly privileged?: boolean } = {},
): AnswerOutcome {
  if (asked.onBranch === false) return say('retire');
  if (asked.onBranch !== true) return say('hold');
  const isHidden = asked.breaks !== 0;
  if (privileged && isHidden) return say('ask_again');
  if (delivered === null) return say('deliver', isHidden);
  if (delivered.onBranch === false) return say('deliver', true);
  if (delivered.onBranch !== true) return say('hold');
  if (delivered.breaks === 0) return say('keep');
  return privileged ? say('ask_again') : say('hand_over_again', true, true);
}
