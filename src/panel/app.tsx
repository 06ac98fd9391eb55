import { useState } from 'preact/hooks';
import { AskCard, BatchCard } from './ask-card.tsx';
import type { Attention } from './attention.ts';
import type { Item } from './board.ts';
import { ClosedCard } from './closed-card.tsx';
import type { Desk } from './desk.ts';
import { History } from './history.tsx';
import { OverCard } from './over-card.tsx';
import { RequestCard } from './views.tsx';
import { moreWords } from './words.ts';

interface Props {
  readonly desk: Desk;
  readonly attention: Attention;
  readonly hurry: () => void;
}

/** The whole page. */
export function App({ desk, attention, hurry }: Props) {
  const { board, waiting } = desk;
  const more = desk.more(board);
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
          <h2 id="waiting">{waiting === 0 ? 'Nothing waits for you' : `Waiting for you · ${waiting}`}</h2>
          {more > 0 ? <p class="more">{moreWords(more)}</p> : null}
          {board.map((item) => (
            <Place key={item.key} item={item} desk={desk} />
          ))}
          {board.length === 0 ? <Empty told={desk.told} /> : null}
        </section>
        <History desk={desk} />
      </main>
      <output class={desk.isForAll ? 'toast' : 'unseen'} aria-live="polite">
        {desk.live}
      </output>
    </>
  );
}

function Place({ item, desk }: { item: Item; desk: Desk }) {
  if (item.kind === 'over') return <OverCard over={item.over} desk={desk} />;
  if (item.kind === 'request') return <RequestCard card={item.card} desk={desk} />;
  const { key, asks, isOpen } = item;
  if (!isOpen) return <ClosedCard id={key} asks={asks} desk={desk} />;
  const [first] = asks;
  if (first === undefined) return null;
  return asks.length > 1 ? <BatchCard id={key} asks={asks} desk={desk} /> : <AskCard ask={first} desk={desk} />;
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
