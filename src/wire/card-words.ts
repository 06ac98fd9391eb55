/** What became of a card, in words for the person who saw it. No word here is more than what is known. */
import type { CardEnd } from '../../machines/requests/card-facts.ts';

export interface Words {
  readonly tone: 'calm' | 'warn';
  readonly title: string;
  readonly detail?: string | undefined;
}

export interface EndFacts {
  readonly why: CardEnd;
  /** The server's reason for a cancellation. */
  readonly reason: string | null;
  /** Something had been answered in this window. */
  readonly answered: boolean;
}

const REASONS: Readonly<Record<string, string>> = {
  timeout: 'Its time was up.',
  interrupted: 'The turn that asked was interrupted.',
  shutdown: 'The host was shut down.',
  resolved: 'It was answered on another surface.',
  session_closed: 'Its session was closed.',
};

const LATE = 'Your answer came too late and was not used.';

/** Why a card went. `undefined`: there is nothing to say, the person knows. */
export function endWords({ why, reason, answered }: EndFacts): Words | undefined {
  switch (why) {
    case 'acknowledged':
      return { tone: 'calm', title: 'Answered', detail: 'Your answer was accepted.' };
    case 'locked':
      return { tone: 'calm', title: 'Answered', detail: 'All of its questions were answered one by one.' };
    case 'gone':
      return answered
        ? { tone: 'calm', title: 'Sent', detail: 'Your answer was sent, and the question is no longer open.' }
        : { tone: 'warn', title: 'No longer asked', detail: 'It ended while this window was not connected.' };
    case 'late':
      return { tone: 'warn', title: 'Too late', detail: LATE };
    case 'unknown':
      return {
        tone: 'warn',
        title: 'Not confirmed',
        detail:
          'The connection broke while you answered. The question is over; whether your answer counted is not known.',
      };
    case 'elsewhere':
      return { tone: 'calm', title: 'Answered elsewhere', detail: 'Another window answered it.' };
    case 'cancelled': {
      const detail = REASONS[reason ?? ''] ?? 'The host took it back.';
      return { tone: 'warn', title: 'Withdrawn', detail: answered ? `${detail} ${LATE}` : detail };
    }
    case 'epoch':
      return {
        tone: 'warn',
        title: 'Withdrawn',
        detail: answered
          ? 'The host was replaced by another one. Whether your answer reached the former one is not known.'
          : 'The host that asked was replaced by another one.',
      };
    case 'declined':
      return undefined;
  }
}

/** A card whose answer cannot leave now. */
export const DETACHED: Words = Object.freeze({
  tone: 'warn',
  title: 'Reconnecting',
  detail: 'What you entered is kept. It can be sent as soon as the host shows the question again.',
});
