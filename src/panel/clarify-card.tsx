import { useState } from 'preact/hooks';
import type { Card, JsonObject } from '../channel.ts';
import type { Desk } from './desk.ts';
import { EMPTY, isEmpty } from './drafts.ts';
import { COMMAND, Fields, problemOf } from './fields.tsx';
import { type CardProps, Frame, Problem } from './frame.tsx';
import { type ClarifyPrompt, clarifyPrompts } from './prompt.ts';
import { clarifyText, draftOf, readableAnswer, replyOf } from './reply.ts';
import { Sure } from './sure.tsx';
import { Tick } from './tick.tsx';
import { DECLINED, WILL_DECLINE } from './words.ts';

/** Questions of one call. Each can be saved early and changed until all have an answer. */
export function ClarifyCard({ card, desk }: CardProps) {
  const [isSure, setSure] = useState(false);
  const prompts = clarifyPrompts(card.id, card.params);
  const [only] = prompts;
  const isBatch = prompts.length > 1;
  const title = isBatch ? `${prompts.length} questions that belong together.` : (only?.question ?? '');
  return (
    <Frame card={card} desk={desk} title={title}>
      {isBatch ? (
        <ol class="parts">
          {prompts.map((prompt, index) => (
            <Part key={prompt.key} {...{ prompt, card, desk }} place={`${index + 1} of ${prompts.length}`} />
          ))}
        </ol>
      ) : only === undefined ? null : (
        <div data-prompt={only.key}>
          <Fields prompt={only} desk={desk} disabled={card.state === 'unconfirmed'} labelledBy={`q-${card.id}`} />
        </div>
      )}
      {isSure ? (
        <Sure
          text={`${WILL_DECLINE} What was saved on this card is not used.`}
          back={{ label: 'Keep the questions', act: () => setSure(false) }}
          go={{
            label: 'Do not answer',
            act: () => desk.requests.answer(card.id, {}, DECLINED),
            disabled: card.state !== 'live',
          }}
        />
      ) : (
        <Finish {...{ card, desk, prompts }} decline={() => setSure(true)} />
      )}
    </Frame>
  );
}

/** What stands for a question: an answer that would be sent, null for skipped, undefined where nothing does. */
function entryOf(prompt: ClarifyPrompt, desk: Desk): string | null | undefined {
  const draft = desk.drafts.get(prompt.key);
  if (draft.skipped === true) return null;
  const checked = replyOf(prompt, draft);
  return checked.ok ? clarifyText(prompt, checked.reply) : undefined;
}

const isLocked = ({ qid }: ClarifyPrompt, { locks }: Card): boolean => qid !== undefined && Object.hasOwn(locks, qid);

const isDone = (prompt: ClarifyPrompt, card: Card, desk: Desk): boolean =>
  isEmpty(desk.drafts.get(prompt.key)) ? isLocked(prompt, card) : entryOf(prompt, desk) !== undefined;

interface FinishProps extends CardProps {
  readonly prompts: readonly ClarifyPrompt[];
  readonly decline: () => void;
}

function Finish({ card, desk, prompts, decline }: FinishProps) {
  const done = prompts.filter((prompt) => isDone(prompt, card, desk)).length;
  const isBatch = prompts.length > 1;
  const alarm = prompts.map((prompt) => problemOf(prompt, desk)).find((problem) => problem?.alarm === true);
  const first = prompts.map((prompt) => problemOf(prompt, desk)).find((problem) => problem !== undefined);
  const missing = isBatch ? `${done} of ${prompts.length} have an answer.` : first?.text;
  return (
    <footer class="actions all">
      <button
        type="button"
        class="primary"
        disabled={done < prompts.length || card.state !== 'live'}
        onClick={() => sendAll(card, desk, prompts)}
      >
        {card.state === 'unconfirmed' && desk.connected
          ? 'Sending…'
          : isBatch
            ? `Send all ${prompts.length}`
            : 'Send answer'}
      </button>
      {alarm === undefined ? (
        <Problem card={card} text={done < prompts.length ? missing : undefined} />
      ) : (
        <p class="problem alarm" role="alert">
          {alarm.text}
        </p>
      )}
      <button type="button" class="quiet decline" disabled={card.state !== 'live'} onClick={decline}>
        I would rather not answer
      </button>
    </footer>
  );
}

/** What is saved and was not touched again stays as it is saved. */
function sendAll(card: Card, desk: Desk, prompts: readonly ClarifyPrompt[]): void {
  const answers: Record<string, string | null> = {};
  for (const prompt of prompts) {
    const entry = entryOf(prompt, desk);
    if (entry !== undefined && !isEmpty(desk.drafts.get(prompt.key))) answers[prompt.qid ?? ''] = entry;
  }
  const isOld = prompts.some(({ qid }) => qid === undefined);
  const result: JsonObject = isOld ? { answer: answers[''] ?? '' } : { answers };
  const lines = prompts.map((prompt) => {
    const answer = answers[prompt.qid ?? ''] ?? card.locks[prompt.qid ?? ''] ?? null;
    return `${prompts.length > 1 ? `${prompt.question} ` : ''}${shown(answer === null ? null : String(answer))}`;
  });
  desk.requests.answer(card.id, result, { tone: 'good', title: 'Answered', detail: lines.join('\n') });
}

const shown = (answer: string | null): string => (answer === null ? 'Skipped' : `“${readableAnswer(answer)}”`);

function Part({ prompt, card, desk, place }: CardProps & { prompt: ClarifyPrompt; place: string }) {
  const { key } = prompt;
  const draft = desk.drafts.get(key);
  const locked = isLocked(prompt, card);
  const isClosed = locked && isEmpty(draft);
  const id = `q-${key}`;
  return (
    <li class={isClosed ? 'part done' : 'part'} data-qid={prompt.qid} {...(isClosed ? {} : { 'data-prompt': key })}>
      <header class="part-head">
        <Tick isOn={locked} />
        <span>{place}</span>
      </header>
      <p class="question" id={id} dir="auto">
        {prompt.question}
      </p>
      {isClosed ? (
        <Saved {...{ prompt, card, desk }} />
      ) : draft.skipped === true ? (
        <p class="became over">
          <strong>To be skipped</strong>
        </p>
      ) : (
        <Fields prompt={prompt} desk={desk} disabled={card.state === 'unconfirmed'} labelledBy={id} />
      )}
      {isClosed ? null : <PartActions {...{ prompt, card, desk }} />}
    </li>
  );
}

function Saved({ prompt, card, desk }: CardProps & { prompt: ClarifyPrompt }) {
  const saved = card.locks[prompt.qid ?? ''] ?? null;
  const change = () =>
    desk.edit(prompt.key, saved === null ? { ...EMPTY, skipped: true } : draftOf(prompt, String(saved)));
  return (
    <footer class="actions">
      <p class="became good" dir="auto">
        <strong>Saved</strong> <span>{shown(saved === null ? null : String(saved))}</span>
      </p>
      <button type="button" class="quiet small" disabled={card.state !== 'live'} onClick={change}>
        Change
      </button>
    </footer>
  );
}

function PartActions({ prompt, card, desk }: CardProps & { prompt: ClarifyPrompt }) {
  const { key } = prompt;
  const isLive = card.state === 'live';
  const isSkipped = desk.drafts.get(key).skipped === true;
  const isReady = entryOf(prompt, desk) !== undefined;
  return (
    <footer class="actions">
      <button
        type="button"
        class="secondary small"
        disabled={!isReady || !isLive}
        title={`${COMMAND}+Enter`}
        onClick={() => desk.submit(key)}
      >
        Save this one
      </button>
      <button
        type="button"
        class="quiet small"
        onClick={() => desk.edit(key, isSkipped ? EMPTY : { ...EMPTY, skipped: true })}
      >
        {isSkipped ? 'Answer it after all' : 'Skip it'}
      </button>
    </footer>
  );
}
