import { useState } from 'preact/hooks';
import type { AskView } from '../api.ts';
import type { Attention } from './attention.ts';
import { Answers, ClosedCard } from './closed-card.tsx';
import type { Desk } from './desk.ts';
import { OpenCard } from './open-card.tsx';
import { Age } from './ticker.tsx';
import { closedWords, moreWords } from './words.ts';

interface Props {
  readonly desk: Desk;
  readonly attention: Attention;
  readonly hurry: () => void;
}

/** The whole page. */
export function App({ desk, attention, hurry }: Props) {
  const open = desk.open.length;
  const { more } = desk;
  return (
    <>
      <header class="top">
        <h1>readback</h1>
        <Connection desk={desk} />
        <Bell attention={attention} />
      </header>
      {desk.link.state === 'lost' ? <Banner desk={desk} hurry={hurry} /> : null}
      <main>
        <section aria-labelledby="waiting">
          <h2 id="waiting">{open + more === 0 ? 'Nothing waits for you' : `Waiting for you · ${open + more}`}</h2>
          {more > 0 ? <p class="more">{moreWords(more)}</p> : null}
          {desk.board.map((ask) =>
            ask.state === 'open' ? (
              <OpenCard key={ask.askId} ask={ask} desk={desk} />
            ) : (
              <ClosedCard key={ask.askId} ask={ask} desk={desk} />
            ),
          )}
          {desk.board.length === 0 ? <Empty told={desk.told} /> : null}
        </section>
        <History desk={desk} />
      </main>
      <output class="unseen" aria-live="polite">
        {desk.live}
      </output>
    </>
  );
}

function Connection({ desk }: { desk: Desk }) {
  const words = { connecting: 'Connecting…', open: 'Connected', lost: 'Not connected' } as const;
  return <span class={`connection ${desk.link.state}`}>{words[desk.link.state]}</span>;
}

function Banner({ desk, hurry }: { desk: Desk; hurry: () => void }) {
  return (
    <div class="banner" role="status">
      <p>
        <strong>The connection is lost.</strong> Your drafts are kept; sending waits until it is back.
        {desk.link.failures > 4 ? ' If readback was started again, open the new link that it printed.' : ''}
      </p>
      <button type="button" class="secondary small" onClick={hurry}>
        Try now
      </button>
    </div>
  );
}

function Bell({ attention }: { attention: Attention }) {
  const [, redraw] = useState(0);
  if (!attention.mayAskPermission) return null;
  return (
    <button
      type="button"
      class="secondary small"
      onClick={() => void attention.askPermission().then(() => redraw((n) => n + 1))}
    >
      Notify me
    </button>
  );
}

function Empty({ told }: { told: boolean }) {
  return (
    <div class="empty">
      <svg viewBox="0 0 64 64" aria-hidden="true">
        <rect x="4" y="8" width="56" height="46" rx="14" />
        <path d="M16 32l8 8 15-17M31 38l3 2 15-17" />
      </svg>
      <p>
        {told ? 'Leave this page open. When an agent has a question, it appears here.' : 'Looking for open questions…'}
      </p>
    </div>
  );
}

function History({ desk }: { desk: Desk }) {
  const list = desk.history;
  if (list.length === 0) return null;
  return (
    <section aria-labelledby="earlier" class="history">
      <h2 id="earlier">Earlier</h2>
      <ol>
        {list.map((ask) => (
          <li key={ask.askId} data-ask={ask.askId} data-state={ask.state}>
            <Past ask={ask} desk={desk} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Past({ ask, desk }: { ask: AskView; desk: Desk }) {
  const said = closedWords(ask, desk.isHere(ask.askId));
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
      {ask.state === 'answered' ? null : (
        <p class={`became ${said.tone}`}>
          <strong>{said.title}</strong>
          {said.detail === undefined ? null : <span dir="auto"> {said.detail}</span>}
        </p>
      )}
      <Answers ask={ask} desk={desk} />
    </article>
  );
}
