import { useState } from 'preact/hooks';
import type { AskOption, AskView } from '../api.ts';
import { SIZES } from '../limits.ts';
import type { Desk } from './desk.ts';
import { Note } from './receipt.tsx';
import { count, replyOf, toggle } from './reply.ts';
import { Age, Left } from './ticker.tsx';

interface Props {
  readonly ask: AskView;
  readonly desk: Desk;
}

/** A card that waits for an answer. */
export function OpenCard({ ask, desk }: Props) {
  const id = `q-${ask.askId}`;
  const note = desk.noteOf(ask.askId);
  return (
    <article class="card open" id={`card-${ask.askId}`} data-ask={ask.askId} aria-labelledby={id} tabIndex={-1}>
      <CardHead ask={ask} desk={desk} />
      <p class="question" id={id} dir="auto">
        {ask.question}
      </p>
      {ask.awaited ? null : (
        <p class="hint">
          The agent does not wait at this moment. Your answer is kept; it gets it when its conversation asks for it.
        </p>
      )}
      {ask.options.length > 0 ? <Options ask={ask} desk={desk} labelledBy={id} /> : null}
      {ask.freeText ? <FreeText ask={ask} desk={desk} /> : null}
      {note === undefined ? null : <Note said={note} />}
      <Actions ask={ask} desk={desk} />
    </article>
  );
}

/** Who asks, how long ago, and what the question is about. */
export function CardHead({ ask, desk }: Props) {
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

function Options({ ask, desk, labelledBy }: Props & { labelledBy: string }) {
  return (
    <fieldset class="options" aria-labelledby={labelledBy} disabled={desk.isSending(ask.askId)}>
      {ask.multiSelect ? <p class="hint">Choose one or more.</p> : null}
      {ask.options.map((option, index) => (
        <Option key={option.id} ask={ask} desk={desk} option={option} index={index} />
      ))}
    </fieldset>
  );
}

function Option({ ask, desk, option, index }: Props & { option: AskOption; index: number }) {
  const draft = desk.drafts.get(ask.askId);
  const chosen = draft.selected.includes(option.id);
  const choose = () => desk.edit(ask.askId, toggle(ask, desk.drafts.get(ask.askId), option.id));
  // A radio button cannot be taken back by the browser alone; a second click does it here.
  const takeBack = () => {
    if (!ask.multiSelect && desk.drafts.get(ask.askId).selected.includes(option.id)) choose();
  };
  const descriptionId = `d-${ask.askId}-${index}`;
  return (
    <label class={chosen ? 'option chosen' : 'option'}>
      <input
        type={ask.multiSelect ? 'checkbox' : 'radio'}
        name={`o-${ask.askId}`}
        value={option.id}
        checked={chosen}
        data-number={index + 1}
        aria-describedby={option.description === undefined ? undefined : descriptionId}
        onChange={ask.multiSelect ? choose : undefined}
        onClick={ask.multiSelect ? undefined : takeBack}
        onInput={ask.multiSelect ? undefined : choose}
      />
      <span class="option-text">
        <span class="option-label" dir="auto">
          {option.label}
        </span>
        {option.description === undefined ? null : (
          <span class="option-description" id={descriptionId} dir="auto">
            {option.description}
          </span>
        )}
      </span>
      {index < 9 ? (
        <span class="key" aria-hidden="true">
          {index + 1}
        </span>
      ) : null}
    </label>
  );
}

/** UTF-16 units from which a text field no longer grows with its text: browsers take seconds to measure it. */
const LONG = 20_000;

/** Refuses what would pass the limit before the browser takes it in; a field with megabytes of lines stands still. */
function beforeInput(event: InputEvent & { currentTarget: HTMLTextAreaElement }, ask: AskView, desk: Desk): void {
  const added = event.data?.length ?? 0;
  if (added < LONG) return;
  const { value, selectionStart, selectionEnd, classList } = event.currentTarget;
  const length = value.length - (selectionEnd - selectionStart) + added;
  if (length <= SIZES.answerText) {
    classList.add('long');
    return;
  }
  event.preventDefault();
  desk.tooLong(ask.askId, length);
}

function FreeText({ ask, desk }: Props) {
  const draft = desk.drafts.get(ask.askId);
  const id = `t-${ask.askId}`;
  const near = draft.text.length > SIZES.answerText * 0.8;
  return (
    <div class="free">
      <label for={id}>{ask.options.length > 0 ? 'In your own words' : 'Your answer'}</label>
      <textarea
        id={id}
        dir="auto"
        class={draft.text.length >= LONG ? 'long' : ''}
        rows={ask.options.length > 0 ? 1 : 3}
        value={draft.text}
        disabled={desk.isSending(ask.askId)}
        placeholder={ask.options.length > 0 ? 'Instead of a choice, or added to it' : ''}
        onBeforeInput={(event) => beforeInput(event, ask, desk)}
        onInput={(event) => desk.edit(ask.askId, { ...desk.drafts.get(ask.askId), text: event.currentTarget.value })}
      />
      {near ? (
        <p class="hint">
          {count(draft.text.length)} of {count(SIZES.answerText)} characters
          {desk.drafts.fleeting(ask.askId) ? '. This draft is too large to be kept across a reload.' : ''}
        </p>
      ) : null}
    </div>
  );
}

function Actions({ ask, desk }: Props) {
  const [sure, setSure] = useState(false);
  const connected = desk.link.state === 'open';
  const sending = desk.isSending(ask.askId);
  const checked = replyOf(ask, desk.drafts.get(ask.askId));
  const problemId = `p-${ask.askId}`;
  const alarm = !checked.ok && checked.alarm;
  const problem = alarm ? checked.problem : connected ? (checked.ok ? undefined : checked.problem) : 'Not connected.';
  if (sure) {
    return (
      <Sure
        connected={connected}
        decline={() => desk.decline(ask.askId)}
        back={() => setSure(false)}
        sending={sending}
      />
    );
  }
  return (
    <footer class="actions">
      <button
        type="button"
        class="primary"
        disabled={!checked.ok || !connected || sending}
        aria-describedby={problem === undefined ? undefined : problemId}
        onClick={() => desk.submit(ask.askId)}
      >
        {sending ? 'Sending…' : 'Send answer'}
      </button>
      <p class={alarm ? 'problem alarm' : 'problem'} id={problemId} role={alarm ? 'alert' : undefined}>
        {problem ?? (sending ? '' : <span class="shortcut">{COMMAND}+Enter sends</span>)}
      </p>
      <button type="button" class="quiet decline" disabled={!connected || sending} onClick={() => setSure(true)}>
        I would rather not answer
      </button>
    </footer>
  );
}

function Sure(props: { connected: boolean; sending: boolean; decline: () => void; back: () => void }) {
  return (
    <footer class="actions sure">
      <p>The agent will be told that you chose not to answer.</p>
      <button
        type="button"
        class="secondary"
        ref={(button) => button?.focus()}
        onClick={props.back}
        disabled={props.sending}
      >
        Keep the question
      </button>
      <button type="button" class="danger" onClick={props.decline} disabled={!props.connected || props.sending}>
        Do not answer
      </button>
    </footer>
  );
}

const COMMAND = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
