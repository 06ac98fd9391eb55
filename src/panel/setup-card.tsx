import type { JsonObject } from '../channel.ts';
import { Fields, problemOf } from './fields.tsx';
import { type CardProps, Frame, Problem } from './frame.tsx';
import { isObject, setupPrompt, textOf } from './prompt.ts';
import { replyOf } from './reply.ts';
import type { Said } from './words.ts';

const SKIPPED: Said = { tone: 'over', title: 'Skipped', detail: 'Nothing was chosen.' };

/** Something to be chosen while an app is set up. */
export function SetupCard({ card, desk }: CardProps) {
  const prompt = setupPrompt(card.id, card.params);
  const problem = problemOf(prompt, desk);
  const pick = () => {
    const checked = replyOf(prompt, desk.drafts.get(prompt.key));
    if (!checked.ok) return;
    const { selected = [], text } = checked.reply;
    const picked = prompt.multiSelect ? selected : (text ?? selected[0] ?? '');
    const labels = selected.map((id) => prompt.options.find((option) => option.id === id)?.label ?? id);
    desk.requests.answer(card.id, { picked }, { tone: 'good', title: 'Chosen', detail: text ?? labels.join(', ') });
  };
  return (
    <Frame card={card} desk={desk} title={prompt.question}>
      <div data-prompt={prompt.key}>
        <Fields prompt={prompt} desk={desk} disabled={card.state === 'unconfirmed'} labelledBy={`q-${card.id}`} />
      </div>
      <footer class="actions">
        <button type="button" class="primary" disabled={problem !== undefined || card.state !== 'live'} onClick={pick}>
          {card.state === 'unconfirmed' && desk.connected ? 'Sending…' : 'Choose'}
        </button>
        <Problem card={card} text={problem?.text} />
        <button
          type="button"
          class="quiet decline"
          disabled={card.state !== 'live'}
          onClick={() => desk.requests.answer(card.id, { picked: null }, SKIPPED)}
        >
          Skip it
        </button>
      </footer>
    </Frame>
  );
}

const AGREED: Said = { tone: 'good', title: 'Agreed', detail: 'The server may be set up.' };
const REFUSED: Said = { tone: 'over', title: 'Not agreed', detail: 'The server is not set up.' };

/** A server that may be set up only if a person agrees. */
export function ConsentCard({ card, desk }: CardProps) {
  const { server, consent } = card.params;
  const facts = isObject(server) ? factsOf(server) : [];
  const isLive = card.state === 'live';
  return (
    <Frame card={card} desk={desk} title={textOf(consent) || 'May this server be set up?'}>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
      <footer class="actions choices">
        <button
          type="button"
          class="primary"
          disabled={!isLive}
          onClick={() => desk.requests.answer(card.id, { value: 'accept' }, AGREED)}
        >
          Agree
        </button>
        <button
          type="button"
          class="danger"
          disabled={!isLive}
          onClick={() => desk.requests.answer(card.id, { value: '' }, REFUSED)}
        >
          Do not agree
        </button>
        <Problem card={card} hasInput={false} />
      </footer>
    </Frame>
  );
}

/** Of an object only the names are shown: values of an environment or of headers may be secrets. */
function factsOf(server: JsonObject): [string, string][] {
  return Object.entries(server).map(([name, value]) => {
    if (Array.isArray(value)) return [name, value.map((one) => (isObject(one) ? '…' : String(one))).join(' ')];
    return [name, isObject(value) ? Object.keys(value).join(', ') : String(value)];
  });
}
