import type { AskView } from '../api.ts';
import { type AskProps, CardHead } from './ask-parts.tsx';
import type { Desk } from './desk.ts';
import { isEmpty } from './drafts.ts';
import { Note, Receipt } from './receipt.tsx';
import { Tick } from './tick.tsx';
import { clock, closedWords, replyText } from './words.ts';

interface ClosedProps {
  readonly id: string;
  readonly asks: readonly AskView[];
  readonly desk: Desk;
}

/** A card that closed before our eyes: what became of it, in words, and nothing left to press but "put away". */
export function ClosedCard({ id, asks, desk }: ClosedProps) {
  const [first] = asks;
  if (first === undefined) return null;
  const isBatch = asks.length > 1;
  const { tone } = closedWords(first, desk.asks.isHere(first.askId));
  const single = isBatch ? { 'data-batch': id } : { 'data-ask': first.askId, 'data-state': first.state };
  return (
    <article
      class={`card closed ${tone}`}
      id={`card-${id}`}
      {...single}
      aria-labelledby={`q-${first.askId}`}
      tabIndex={-1}
    >
      <CardHead ask={isBatch ? { ...first, header: '' } : first} desk={desk} />
      {asks.map((ask) => (
        <ClosedAsk key={ask.askId} ask={ask} desk={desk} isPart={isBatch} />
      ))}
      <PutAway id={id} desk={desk} />
    </article>
  );
}

function ClosedAsk({ ask, desk, isPart }: AskProps & { isPart: boolean }) {
  const note = desk.asks.noteOf(ask.askId, desk.connected);
  const part = isPart ? { class: 'part', 'data-ask': ask.askId, 'data-state': ask.state } : {};
  return (
    <div {...part}>
      <p class={isPart ? 'question ticked' : 'question'} id={`q-${ask.askId}`} dir="auto">
        {isPart ? <Tick isOn={ask.state === 'answered'} /> : null}
        {ask.question}
      </p>
      <Became ask={ask} desk={desk} />
      <Answers ask={ask} desk={desk} />
      {note === undefined ? null : <Note said={note} />}
      <Unsent ask={ask} desk={desk} />
    </div>
  );
}

/** What became of a card. */
export function Became({ ask, desk }: AskProps) {
  const { tone, title, detail } = closedWords(ask, desk.asks.isHere(ask.askId));
  return (
    <p class={`became ${tone}`}>
      <strong>{title}</strong>
      {detail === undefined ? null : <span dir="auto"> {detail}</span>}
    </p>
  );
}

export function PutAway({ id, desk }: { id: string; desk: Desk }) {
  return (
    <footer class="actions">
      <button type="button" class="quiet small" onClick={() => desk.putAway(id)}>
        Put away
      </button>
    </footer>
  );
}

/** The answers on file for a card, each with its receipt. */
export function Answers({ ask, desk }: AskProps) {
  return (
    <>
      {ask.answers.map((answer) => (
        <div class="answer" key={answer.token}>
          <p class="bubble" dir="auto">
            {replyText(ask, answer.reply) || answer.text}
          </p>
          <div class="under">
            <Receipt answer={answer} awaited={ask.awaited} />
            <time dateTime={new Date(answer.answeredAt).toISOString()}>{clock(answer.answeredAt, desk.now)}</time>
          </div>
        </div>
      ))}
    </>
  );
}

export function Unsent({ ask, desk }: AskProps) {
  const draft = desk.asks.unsent(ask);
  return isEmpty(draft) ? null : <Entered text={replyText(ask, draft)} />;
}

/** What was entered and never sent, to be taken elsewhere. */
export function Entered({ text }: { text: string }) {
  return (
    <div class="unsent">
      <p class="hint">You had entered:</p>
      <p class="bubble" dir="auto">
        {text}
      </p>
      <button type="button" class="secondary small" onClick={() => void navigator.clipboard.writeText(text)}>
        Copy
      </button>
    </div>
  );
}
