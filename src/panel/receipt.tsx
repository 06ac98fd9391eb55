import type { AnswerView, ReceiptState } from '../api.ts';
import { receiptWords, type Said } from './words.ts';

const SHAPES: Record<ReceiptState, string> = {
  saved: 'M6 12.5l4 4 8-9',
  handed: 'M2.5 12.5l4 4 8-9M11 15.5l1.2 1 8.3-9',
  read_back: 'M2.5 12.5l4 4 8-9M11 15.5l1.2 1 8.3-9',
  parked: 'M9 7v10M15 7v10',
  retired: 'M7 7l10 10M17 7L7 17',
};

/** One answer's receipt, as messengers show it: a mark and words, never a colour alone. */
export function Receipt({ answer, awaited }: { answer: AnswerView; awaited: boolean }) {
  const { tone, title, detail } = receiptWords(answer, awaited);
  return (
    <p class={`receipt ${tone}`} data-receipt={answer.receipt}>
      <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
        <path d={SHAPES[answer.receipt]} />
      </svg>
      <span>
        <strong>{title}</strong>
        {detail === undefined ? null : <span class="why"> {detail}</span>}
      </span>
    </p>
  );
}

/** Something said about a card, with its tone. */
export function Note({ said }: { said: Said }) {
  return (
    <p class={`note ${said.tone}`}>
      <strong>{said.title}</strong>
      {said.detail === undefined ? null : <span> {said.detail}</span>}
    </p>
  );
}
