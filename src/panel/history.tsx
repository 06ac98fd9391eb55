import type { AskView } from '../api.ts';
import { Answers, Became } from './closed-card.tsx';
import type { Desk } from './desk.ts';
import { kindOf } from './kinds.ts';
import { overWords } from './over-card.tsx';
import type { Over } from './requests.ts';
import { Age } from './ticker.tsx';

/** What is over and was put away, the latest first. */
export function History({ desk }: { desk: Desk }) {
  const list = desk.history;
  if (list.length === 0) return null;
  return (
    <section aria-labelledby="earlier" class="history">
      <h2 id="earlier">Earlier</h2>
      <ol>
        {list.map((one) =>
          'askId' in one ? (
            <li key={one.askId} data-ask={one.askId} data-state={one.state}>
              <PastAsk ask={one} desk={desk} />
            </li>
          ) : (
            <li key={one.id} data-request={one.id} data-why={one.why}>
              <PastRequest over={one} desk={desk} />
            </li>
          ),
        )}
      </ol>
    </section>
  );
}

function PastAsk({ ask, desk }: { ask: AskView; desk: Desk }) {
  return (
    <article>
      <p class="past-head">
        <span class="from" dir="auto">
          {ask.from === '' ? 'An agent' : ask.from}
        </span>
        <Age since={ask.openedAt} now={() => desk.now} />
      </p>
      <p class="question" dir="auto">
        {ask.question}
      </p>
      {ask.state === 'answered' ? null : <Became ask={ask} desk={desk} />}
      <Answers ask={ask} desk={desk} />
    </article>
  );
}

function PastRequest({ over, desk }: { over: Over; desk: Desk }) {
  const { tone, title, detail } = overWords(over);
  const kind = kindOf(over.method);
  return (
    <article>
      <p class="past-head">
        <span class="from">{kind?.name}</span>
        <Age since={over.at} now={() => desk.now} />
      </p>
      <p class="question" dir="auto">
        {over.method === 'approval' ? String(over.params['command']) : kind?.headline(over.params)}
      </p>
      <p class={`became ${tone}`}>
        <strong>{title}</strong>
        {detail === undefined ? null : <span dir="auto"> {detail}</span>}
      </p>
    </article>
  );
}
