import type { AskView } from '../api.ts';
import { AskActions, AskBody, type AskProps, CardHead, Waits } from './ask-parts.tsx';
import { Answers, Became, Unsent } from './closed-card.tsx';
import type { Desk } from './desk.ts';
import { COMMAND } from './fields.tsx';
import { Note } from './receipt.tsx';
import { Tick } from './tick.tsx';

/** A question that waits for an answer. */
export function AskCard({ ask, desk }: AskProps) {
  return (
    <article
      class={`card open ${desk.asks.reach(ask.askId)}`}
      id={`card-${ask.askId}`}
      data-ask={ask.askId}
      data-prompt={ask.askId}
      aria-labelledby={`q-${ask.askId}`}
      tabIndex={-1}
    >
      <CardHead ask={ask} desk={desk} />
      <AskBody ask={ask} desk={desk} hint={true} />
      <AskActions ask={ask} desk={desk} label="Send answer" isMain={true} shortcut={`${COMMAND}+Enter sends`} />
    </article>
  );
}

interface BatchProps {
  readonly id: string;
  readonly asks: readonly AskView[];
  readonly desk: Desk;
}

/** Questions that were put together. Each has an answer of its own, and stays open until it has one. */
export function BatchCard({ id, asks, desk }: BatchProps) {
  const [first] = asks;
  if (first === undefined) return null;
  const open = asks.filter((ask) => ask.state === 'open');
  return (
    <article class="card open batch" id={`card-${id}`} data-batch={id} aria-labelledby={`b-${id}`} tabIndex={-1}>
      <CardHead ask={{ ...(open[0] ?? first), header: '' }} desk={desk} />
      <p class="hint" id={`b-${id}`}>
        {asks.length} questions that belong together. Each is answered by itself.
      </p>
      <Waits isAwaited={open.some((ask) => ask.awaited)} />
      <ol class="parts">{asks.map((ask) => (ask.state === 'open' ? openPart(ask, desk) : closedPart(ask, desk)))}</ol>
      {open.length > 1 ? <SendAll open={open} desk={desk} /> : null}
    </article>
  );
}

function openPart(ask: AskView, desk: Desk) {
  return (
    <li key={ask.askId} class="part" data-ask={ask.askId} data-prompt={ask.askId} data-state="open">
      <PartHead ask={ask} />
      <AskBody ask={ask} desk={desk} hint={false} />
      <AskActions
        ask={ask}
        desk={desk}
        label="Send this one"
        isMain={false}
        shortcut={`${COMMAND}+Enter sends this one`}
      />
    </li>
  );
}

function closedPart(ask: AskView, desk: Desk) {
  const note = desk.asks.noteOf(ask.askId, desk.connected);
  return (
    <li key={ask.askId} class="part done" data-ask={ask.askId} data-state={ask.state}>
      <PartHead ask={ask} />
      <p class="question" dir="auto">
        {ask.question}
      </p>
      <Became ask={ask} desk={desk} />
      <Answers ask={ask} desk={desk} />
      {note === undefined ? null : <Note said={note} />}
      <Unsent ask={ask} desk={desk} />
    </li>
  );
}

function PartHead({ ask }: { ask: AskView }) {
  return (
    <header class="part-head">
      <Tick isOn={ask.state === 'answered'} />
      <span>
        {ask.batch?.index ?? 1} of {ask.batch?.of ?? 1}
      </span>
      {ask.header === '' ? null : (
        <span class="chip" dir="auto">
          {ask.header}
        </span>
      )}
    </header>
  );
}

function SendAll({ open, desk }: { open: readonly AskView[]; desk: Desk }) {
  const ready = open.filter((ask) => desk.asks.ready(ask.askId) !== undefined).length;
  const isLive = open.some((ask) => desk.asks.reach(ask.askId) === 'live');
  return (
    <footer class="actions all">
      <button
        type="button"
        class="primary"
        disabled={ready < open.length}
        onClick={() => {
          for (const ask of open) desk.submit(ask.askId);
        }}
      >
        Send all {open.length}
      </button>
      <p class="problem">{ready < open.length && isLive ? `${ready} of ${open.length} are filled in.` : null}</p>
    </footer>
  );
}
