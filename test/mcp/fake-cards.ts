/** Cards of the fake coordinator, and how they look. */
import type { AnswerView, AskView, BatchPlace, Question, Reply } from '../../src/api.ts';

export interface Entry {
  readonly token: string;
  readonly reply: Reply;
  readonly text: string;
  readonly answeredAt: number;
  readonly rides: Set<string>;
  returned: boolean;
  acked: boolean;
  parked: string | undefined;
}

export interface Card {
  readonly askId: string;
  readonly tab: string;
  readonly from: string;
  readonly question: Question;
  readonly openedAt: number;
  readonly batch: BatchPlace | undefined;
  state: AskView['state'];
  why: string | undefined;
  awaited: number;
  entry: Entry | undefined;
  readonly waiters: Set<() => void>;
}

/** One line of what the fake was told, for tests that look at the order of things. */
export interface Told {
  readonly what: 'ack' | 'handBack' | 'handOver' | 'park';
  readonly token: string;
  readonly carrier?: string | undefined;
}

export const textOf = (question: Question, reply: Reply): string => {
  if (reply.declined === true) return reply.text ?? 'no answer given';
  const labels = (reply.selected ?? []).map((id) => question.options?.find((each) => each.id === id)?.label ?? id);
  return [...labels, ...(reply.text === undefined ? [] : [reply.text])].join(', ');
};

export function viewOf(card: Card): AskView {
  const entry = card.entry;
  const receipt = (of: Entry): AnswerView['receipt'] =>
    of.acked ? 'read_back' : of.rides.size > 0 ? 'handed' : 'saved';
  const { askId, tab, from, openedAt, state, question } = card;
  return {
    askId,
    tab,
    state,
    awaited: card.awaited > 0,
    question: question.question,
    header: question.header ?? '',
    options: question.options ?? [],
    multiSelect: question.multiSelect ?? false,
    freeText: question.freeText ?? question.options === undefined,
    from,
    openedAt,
    why: card.why,
    batch: card.batch,
    answers:
      entry === undefined
        ? []
        : [
            {
              token: entry.token,
              reply: entry.reply,
              text: entry.text,
              answeredAt: entry.answeredAt,
              receipt: receipt(entry),
            },
          ],
  };
}
