/** The result of `list_asks`. */
import type { AskView, ReceiptState } from '../api.ts';
import { answerOf } from '../outcome.ts';
import { ago, count, iso, quote, type Worded } from './wording.ts';

export function wordList(asks: readonly AskView[], tab: string, now: number): Worded {
  const rows = asks.map((ask) => {
    const last = answerOf(ask);
    return {
      ask_id: ask.askId,
      state: ask.state,
      question: ask.question,
      from: ask.from,
      opened_at: iso(ask.openedAt),
      own: ask.tab === tab,
      answers: ask.answers.length,
      ...(last === undefined ? {} : { receipt: last.receipt }),
      ...(ask.why === undefined ? {} : { why: ask.why }),
      ...(ask.batch === undefined ? {} : { batch: ask.batch }),
    };
  });
  const lines = asks.map((ask, at) => {
    const has = fetchable(answerOf(ask)?.receipt, ask.why);
    return `${rows[at]?.ask_id ?? ''}: ${ask.state}, asked ${ago(ask.openedAt, now)}${ask.tab === tab ? '' : ` by ${ask.from}`}${placeOf(ask)}: ${quote(ask.question)}.${has}`;
  });
  const head = asks.length === 0 ? 'No question matches.' : `${count(asks.length, 'question')}:`;
  return { text: [head, ...lines].join('\n'), data: { outcome: 'listed', asks: rows } };
}

const placeOf = ({ batch }: AskView): string => (batch === undefined ? '' : ` (${batch.index} of ${batch.of})`);

/** What there is to know or to fetch of an ask that is listed. */
function fetchable(receipt: ReceiptState | undefined, why: string | undefined): string {
  if (receipt === undefined) return why === undefined ? '' : ` ${why}`;
  if (receipt === 'read_back') return ' Its answer was read back; await_answer still gives it.';
  return ' An answer is on file: call await_answer with this ask_id.';
}
