import { useState } from 'preact/hooks';
import type { AskView } from '../api.ts';
import type { Desk } from './desk.ts';
import { Fields, problemOf } from './fields.tsx';
import { promptOf } from './prompt.ts';
import { Note } from './receipt.tsx';
import { Sure } from './sure.tsx';
import { Age, Left } from './ticker.tsx';
import { NOBODY_WAITS, WAITING, WILL_DECLINE, waitWords } from './words.ts';

export interface AskProps {
  readonly ask: AskView;
  readonly desk: Desk;
}

/** Who asks, how long ago, and what the question is about. */
export function CardHead({ ask, desk }: AskProps) {
  const now = () => desk.now;
  return (
    <header class="card-head">
      {ask.header === '' ? null : (
        <span class="chip" dir="auto">
          {ask.header}
        </span>
      )}
      <span class="from" dir="auto">
        {ask.from === '' ? 'An agent' : ask.from}
      </span>
      <span class="times">
        {ask.state === 'open' && ask.expiresAt !== undefined ? <Left until={ask.expiresAt} now={now} /> : null}
        <Age since={ask.openedAt} now={now} />
      </span>
    </header>
  );
}

/** One open question with its fields and what is said of it. */
export function AskBody({ ask, desk, hint }: AskProps & { hint: boolean }) {
  const id = `q-${ask.askId}`;
  const note = desk.asks.noteOf(ask.askId, desk.connected);
  return (
    <>
      <p class="question" id={id} dir="auto">
        {ask.question}
      </p>
      {hint ? <Waits isAwaited={ask.awaited} /> : null}
      <Fields
        prompt={promptOf(ask)}
        desk={desk}
        disabled={desk.asks.reach(ask.askId) === 'unconfirmed'}
        labelledBy={id}
      />
      {note === undefined ? null : <Note said={note} />}
    </>
  );
}

/** Whether somebody waits. Either line keeps the place of both: a button must not move while it is pressed. */
export function Waits({ isAwaited }: { isAwaited: boolean }) {
  return (
    <div class="hint waits">
      <p class={isAwaited ? undefined : 'off'}>{WAITING}</p>
      <p class={isAwaited ? 'off' : undefined}>{NOBODY_WAITS}</p>
    </div>
  );
}

interface ActionsProps extends AskProps {
  readonly label: string;
  /** The one button that is meant to be pressed. */
  readonly isMain: boolean;
  readonly shortcut: string;
}

/** Sending one question, or not answering it. */
export function AskActions({ ask, desk, label, isMain, shortcut }: ActionsProps) {
  const [sure, setSure] = useState(false);
  const reach = desk.asks.reach(ask.askId);
  const problem = problemOf(promptOf(ask), desk);
  const alarm = problem?.alarm === true;
  const said = alarm ? problem.text : (waitWords(reach) ?? problem?.text);
  const problemId = `p-${ask.askId}`;
  if (sure) {
    return (
      <Sure
        text={WILL_DECLINE}
        back={{ label: 'Keep the question', act: () => setSure(false) }}
        go={{ label: 'Do not answer', act: () => desk.decline(ask.askId), disabled: reach !== 'live' }}
      />
    );
  }
  return (
    <footer class="actions">
      <button
        type="button"
        class={isMain ? 'primary' : 'secondary small'}
        disabled={problem !== undefined || reach !== 'live'}
        aria-describedby={said === undefined ? undefined : problemId}
        onClick={() => desk.submit(ask.askId)}
      >
        {reach === 'unconfirmed' && desk.connected ? 'Sending…' : label}
      </button>
      <p class={alarm ? 'problem alarm' : 'problem'} id={problemId} role={alarm ? 'alert' : undefined}>
        {said ?? <span class="shortcut">{shortcut}</span>}
      </p>
      <button
        type="button"
        class={isMain ? 'quiet decline' : 'quiet small decline'}
        disabled={reach !== 'live'}
        onClick={() => setSure(true)}
      >
        I would rather not answer
      </button>
    </footer>
  );
}
