import { Entered, PutAway } from './closed-card.tsx';
import type { Desk } from './desk.ts';
import { RequestHead } from './frame.tsx';
import { kindOf } from './kinds.ts';
import { clarifyPrompts } from './prompt.ts';
import type { Over } from './requests.ts';
import type { Said } from './words.ts';

interface Props {
  readonly over: Over;
  readonly desk: Desk;
}

/** What became of a request, as far as this window can tell. */
export const overWords = ({ said, words, why, reason, method }: Over): Said => {
  if (said !== undefined) return said;
  if (why === 'elsewhere' && method === 'approval') return DECIDED;
  if (why === 'cancelled' && reason === 'timeout') return { ...words, tone: 'over', title: 'Timed out' };
  if (why === 'cancelled' && reason === 'interrupted') return { ...words, tone: 'over', title: 'Interrupted' };
  return why === 'cancelled' && reason === 'resolved' && method === 'approval' ? DECIDED : words;
};

const DECIDED: Said = {
  tone: 'over',
  title: 'Decided elsewhere',
  detail: 'Another window or another surface decided it.',
};

/** A request that ended before our eyes: what became of it, and nothing left to press but "put away". */
export function OverCard({ over, desk }: Props) {
  const { tone, title, detail } = overWords(over);
  const id = `q-${over.id}`;
  const unsent = unsentOf(over, desk);
  return (
    <article
      class={`card closed ${tone}`}
      id={`card-${over.id}`}
      data-request={over.id}
      data-method={over.method}
      data-why={over.why}
      aria-labelledby={id}
      tabIndex={-1}
    >
      <RequestHead card={over} desk={desk} />
      <p class="question" id={id} dir="auto">
        {kindOf(over.method)?.headline(over.params)}
      </p>
      {over.method === 'approval' ? <pre class="command">{String(over.params['command'])}</pre> : null}
      <p class={`became ${tone}`}>
        <strong>{title}</strong>
        {detail === undefined ? null : <span dir="auto"> {detail}</span>}
      </p>
      {unsent === '' ? null : <Entered text={unsent} />}
      <PutAway id={over.id} desk={desk} />
    </article>
  );
}

function unsentOf({ id, method, params, said }: Over, desk: Desk): string {
  if (said !== undefined || method !== 'clarify') return '';
  const drafts = clarifyPrompts(id, params).map(({ key }) => desk.drafts.get(key));
  return drafts
    .flatMap(({ selected, text }) => [...selected, text])
    .filter((part) => part !== '')
    .join('\n');
}
