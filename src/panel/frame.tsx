import type { ComponentChildren } from 'preact';
import type { Card } from '../channel.ts';
import type { Desk } from './desk.ts';
import { kindOf } from './kinds.ts';
import { Note } from './receipt.tsx';
import { Age } from './ticker.tsx';
import { waitWords } from './words.ts';

export interface CardProps {
  readonly card: Card;
  readonly desk: Desk;
}

/** What every card of a request has: its kind, whose it is, what it is about, and what is said of it. */
export function Frame({ card, desk, title, children }: CardProps & { title: string; children: ComponentChildren }) {
  const id = `q-${card.id}`;
  const note = desk.requests.noteOf(card, desk.connected);
  return (
    <article
      class={`card open ${card.state}`}
      id={`card-${card.id}`}
      data-request={card.id}
      data-method={card.method}
      aria-labelledby={id}
      tabIndex={-1}
    >
      <RequestHead card={card} desk={desk} />
      <p class="question" id={id} dir="auto">
        {title}
      </p>
      {children}
      {note === undefined ? null : <Note said={note} />}
    </article>
  );
}

type HeadProps = { readonly card: Pick<Card, 'id' | 'sid' | 'method'>; readonly desk: Desk };

export function RequestHead({ card, desk }: HeadProps) {
  const since = desk.requests.since(card.id);
  return (
    <header class="card-head">
      <span class="chip">{kindOf(card.method)?.name ?? card.method}</span>
      <span class="from" dir="auto">
        {card.sid === '' ? 'This computer' : card.sid}
      </span>
      {since === undefined ? null : (
        <span class="times">
          <Age since={since} now={() => desk.now} />
        </span>
      )}
    </header>
  );
}

interface ProblemProps {
  readonly card: Card;
  readonly text?: string | undefined;
  /** False: a person only presses a button on it. */
  readonly hasInput?: boolean;
}

/** Why nothing can be pressed just now, or what is missing. */
export function Problem({ card, text, hasInput = true }: ProblemProps) {
  return <p class="problem">{waitWords(card.state, hasInput) ?? text}</p>;
}
