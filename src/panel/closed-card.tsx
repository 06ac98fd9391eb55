import type { AskView } from '../api.ts';
import type { Desk } from './desk.ts';
import { isEmpty } from './drafts.ts';
import { CardHead } from './open-card.tsx';
import { Note, Receipt } from './receipt.tsx';
import { clock, closedWords, replyText } from './words.ts';

interface Props {
  readonly ask: AskView;
  readonly desk: Desk;
}

/** A card that closed before our eyes: what became of it, in words, and nothing left to press but "put away". */
export function ClosedCard({ ask, desk }: Props) {
  const id = `q-${ask.askId}`;
  const said = closedWords(ask, desk.isHere(ask.askId));
  const note = desk.noteOf(ask.askId);
  return (
    <article
      class={`card closed ${said.tone}`}
      id={`card-${ask.askId}`}
      data-ask={ask.askId}
      data-state={ask.state}
      aria-labelledby={id}
      tabIndex={-1}
    >
      <CardHead ask={ask} desk={desk} />
      <p class="question" id={id} dir="auto">
        {ask.question}
      </p>
      <p class={`became ${said.tone}`}>
        <strong>{said.title}</strong>
        {said.detail === undefined ? null : <span dir="auto"> {said.detail}</span>}
      </p>
      <Answers ask={ask} desk={desk} />
      {note === undefined ? null : <Note said={note} />}
      <Unsent ask={ask} desk={desk} />
      <footer class="actions">
        <button type="button" class="quiet small" onClick={() => desk.putAway(ask.askId)}>
          Put away
        </button>
      </footer>
    </article>
  );
}

/** The answers on file for a card, each with its receipt. */
export function Answers({ ask, desk }: Props) {
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

function Unsent({ ask, desk }: Props) {
  const draft = desk.unsent(ask);
  if (isEmpty(draft)) return null;
  const text = replyText(ask, draft);
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
