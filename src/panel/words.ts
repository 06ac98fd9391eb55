import type { AnswerView, AskView, Reply, Verdict } from '../api.ts';

/** How a card or a receipt looks: calm, good, worth a look, or over. */
export type Tone = 'calm' | 'good' | 'warn' | 'over';

export interface Said {
  readonly tone: Tone;
  readonly title: string;
  readonly detail?: string | undefined;
}

/** `just now`, `12 s ago`, `5 min ago`, … */
export function ago(ms: number): string {
  return ms < 5_000 ? 'just now' : `${age(ms)} ago`;
}

/** `12 s`, `5 min`, `2 h 5 min`, `3 d`. */
export function age(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s} s`;
  const min = Math.floor(s / 60);
  if (min < 60) return `${min} min`;
  const h = Math.floor(min / 60);
  if (h < 24) return min % 60 === 0 ? `${h} h` : `${h} h ${min % 60} min`;
  return `${Math.floor(h / 24)} d`;
}

export function clock(at: number, now: number): string {
  const time = new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  if (new Date(at).toDateString() === new Date(now).toDateString()) return time;
  return `${new Date(at).toLocaleDateString([], { day: 'numeric', month: 'short' })}, ${time}`;
}

/** Who asks may be an agent or a script, and the page cannot tell: words about it fit both. */
export const WAITING = 'The asker is waiting for your answer.';
/** Short enough for one line of a phone: the card keeps the place of the longer of the two. */
export const NOBODY_WAITS = 'Nobody waits just now; your answer is kept.';
/** When it is asked for is known to nobody here, so no moment is promised. */
const NOT_WAITING = 'Nobody waits just now; the answer is kept until it is asked for.';
export const WILL_DECLINE = 'The asker will be told that you chose not to answer.';

export const DECLINED: Said = {
  tone: 'over',
  title: 'Not answered',
  detail: 'The asker was told that you chose not to answer.',
};

/** How far an answer has come, in words. `awaited`: some call waits for it. */
export function receiptWords(answer: AnswerView, awaited: boolean): Said {
  switch (answer.receipt) {
    case 'saved': {
      const detail = awaited ? 'The asker has not been given it yet.' : NOT_WAITING;
      return { tone: 'calm', title: 'Saved', detail: answer.why ?? detail };
    }
    case 'handed':
      return { tone: 'calm', title: 'Handed over', detail: answer.why ?? 'Not confirmed as read yet.' };
    case 'read_back':
      return { tone: 'good', title: 'Read back', detail: 'The asker confirmed that this was read.' };
    case 'parked':
      return {
        tone: 'warn',
        title: 'Not read back',
        detail: answer.why ?? 'It was handed over and never confirmed. It stays on file.',
      };
    case 'retired':
      return {
        tone: 'over',
        title: 'No longer deliverable',
        detail: answer.why ?? 'Its conversation was replaced; nobody will be shown it.',
      };
  }
}

/** What became of a card, in words. `here`: this window sent the answer. */
export function closedWords(ask: AskView, here: boolean): Said {
  switch (ask.state) {
    case 'open':
      return { tone: 'calm', title: 'Open' };
    case 'answered': {
      const last = ask.answers.at(-1);
      const title = last?.reply.declined === true ? 'Declined' : 'Answered';
      return { tone: 'good', title: here ? `${title} here` : `${title}${place(last)}` };
    }
    case 'withdrawn':
      return { tone: 'over', title: 'Withdrawn', detail: ask.why ?? 'The asker no longer needs an answer.' };
    case 'expired':
      return {
        tone: 'over',
        title: 'Expired',
        detail: ask.why ?? 'The time for an answer has passed. It does not count as a no.',
      };
    case 'superseded':
      return { tone: 'over', title: 'Superseded', detail: ask.why ?? 'A newer question has taken its place.' };
    case 'retired':
      return {
        tone: 'over',
        title: 'Retired',
        detail: ask.why ?? 'Its conversation was replaced; an answer would reach nobody.',
      };
    case 'lost':
      return { tone: 'warn', title: 'Lost', detail: ask.why ?? 'This card can no longer be matched to its question.' };
  }
}

/** A verdict other than acceptance, in words; undefined where there is nothing to add to the card itself. */
export function verdictWords(verdict: Verdict, now: number): Said | undefined {
  switch (verdict.verdict) {
    case 'accepted':
      return undefined;
    case 'duplicate':
      return {
        tone: 'calm',
        title: 'Already sent',
        detail: 'It had arrived the first time; this is the same receipt.',
      };
    case 'late_accepted':
      // Why stands beside the receipt, in every window alike.
      return { tone: 'calm', title: 'Kept for later' };
    case 'conflict':
      return { tone: 'warn', title: 'Not sent: somebody was first', detail: conflictWords(verdict, now) };
    case 'invalid':
      return { tone: 'warn', title: 'Not sent', detail: verdict.message };
    case 'unknown':
      return { tone: 'warn', title: 'Not sent: unknown card', detail: verdict.message };
    case 'undetermined':
      return { tone: 'warn', title: 'Kept, but not matched to a question', detail: verdict.message };
    case 'superseded':
    case 'retired':
    case 'expired':
    case 'withdrawn':
      return {
        tone: 'warn',
        title: verdict.saved ? 'Too late to be used' : 'Not sent: too late',
        detail: verdict.message,
      };
  }
}

/** An answer of this window that came too late, where the card alone says by what it was overtaken. */
export function overtakenWords(ask: AskView, now: number): Said {
  const winner = ask.answers.at(-1);
  if (ask.state !== 'answered' || winner === undefined) return { tone: 'warn', title: 'Not sent: too late' };
  return { tone: 'warn', title: 'Not sent: somebody was first', detail: winnerWords(winner, ask, now) };
}

/** Its answer left, and the connection ended before a word came back. */
export const UNCONFIRMED: Said = {
  tone: 'warn',
  title: 'Not confirmed',
  detail:
    'The connection ended before the host replied. Your answer is kept here, and is sent again when the host shows the question.',
};

/** The host that an answer was sent to is no more, and another one shows the question. */
export const UNSURE: Said = {
  tone: 'warn',
  title: 'Not confirmed',
  detail:
    'The host was replaced before it replied. Send it again: if the first one had arrived, it is not taken twice.',
};

/** Why a card cannot be answered at this moment. */
export function waitWords(state: 'live' | 'detached' | 'unconfirmed', hasInput = true): string | undefined {
  if (state === 'detached') return hasInput ? 'Reconnecting; your input is kept.' : 'Reconnecting…';
  return state === 'unconfirmed' ? 'Sent, waiting for the host.' : undefined;
}

/** Says that not every open card is on the page. */
export function moreWords(more: number): string {
  return more === 1
    ? '1 more question is waiting; it appears as you answer.'
    : `${more} more questions are waiting; they appear as you answer.`;
}

/** A reply as one line, for a person; by label, because ids are for machines. */
export function replyText(ask: AskView, reply: Reply): string {
  if (reply.declined === true) return 'I would rather not answer';
  const labels = (reply.selected ?? []).map((id) => ask.options.find((option) => option.id === id)?.label ?? id);
  return [labels.join(', '), reply.text ?? ''].filter((part) => part !== '').join('\n');
}

function conflictWords({ winner, message, ask }: Verdict, now: number): string {
  return winner === undefined ? message : winnerWords(winner, ask, now);
}

function winnerWords(winner: AnswerView, ask: AskView | undefined, now: number): string {
  const words = ask === undefined ? winner.text : replyText(ask, winner.reply);
  return `At ${clock(winner.answeredAt, now)} this was answered${place(winner)} with “${words}”. Your answer was not used.`;
}

function place(answer: AnswerView | undefined): string {
  if (answer?.surface === 'page') return ' in another window';
  if (answer?.surface === 'terminal') return ' in a terminal';
  return '';
}
