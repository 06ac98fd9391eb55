import { useState } from 'preact/hooks';
import type { Card, JsonValue } from '../channel.ts';
import { type CardProps, Frame, Problem } from './frame.tsx';
import { textOf } from './prompt.ts';
import { Sure } from './sure.tsx';
import type { Said } from './words.ts';

const LABELS: Readonly<Record<string, string>> = {
  once: 'Allow once',
  session: 'Allow for this session',
  always: 'Always allow',
  deny: 'Deny',
};
const SAID: Readonly<Record<string, Said>> = {
  once: { tone: 'good', title: 'Allowed once', detail: 'You allowed it for this one time.' },
  session: { tone: 'good', title: 'Allowed for this session', detail: 'You allowed it until its session ends.' },
  always: { tone: 'good', title: 'Always allowed', detail: 'It will not be asked again.' },
  deny: { tone: 'over', title: 'Denied', detail: 'It does not run.' },
};

/** A command that waits for a decision. */
export function ApprovalCard({ card, desk }: CardProps) {
  const { params } = card;
  const [isCertain, setCertain] = useState(false);
  const [joined, setJoined] = useState('');
  const waiting = desk.approvalsWith(card);
  const ids = waiting.map(({ id }) => id).join(' ');
  // Whatever joined after the box was ticked was not on the screen then.
  const isForAll = joined !== '' && joined === ids;
  const decide = (choice: string) => {
    const digest = typeof params['digest'] === 'string' ? { digest: params['digest'] } : {};
    const said = SAID[choice] ?? { tone: 'calm', title: 'Decided' };
    const others = isForAll ? waiting.filter(({ id }) => id !== card.id).map(({ id }) => id) : [];
    desk.requests.answer(card.id, { choice, ...(isForAll ? { all: true } : {}), ...digest }, said, others);
  };
  const offered = choices(params['choices']);
  return (
    <Frame card={card} desk={desk} title={textOf(params['description']) || 'A command wants to run.'}>
      {textOf(params['tool_name']) === '' ? null : <p class="hint">Tool: {textOf(params['tool_name'])}</p>}
      <pre class="command" dir="ltr">
        {textOf(params['command'])}
      </pre>
      {params['smart_denied'] === true ? <p class="hint warn">An automatic check has refused it before.</p> : null}
      {waiting.length > 1 ? (
        <label class="for-all">
          <input type="checkbox" checked={isForAll} onChange={() => setJoined(isForAll ? '' : ids)} />
          For all {waiting.length} that wait in this session
        </label>
      ) : null}
      {isCertain ? (
        <Sure
          text={`${isForAll ? `All ${waiting.length}` : 'It'} will run from now on without being asked about, in other sessions too.`}
          back={{ label: 'Back', act: () => setCertain(false) }}
          go={{ label: 'Always allow', act: () => decide('always'), disabled: card.state !== 'live' }}
        />
      ) : (
        <Choices card={card} offered={offered} choose={(one) => (one === 'always' ? setCertain(true) : decide(one))} />
      )}
    </Frame>
  );
}

const choices = (value: JsonValue | undefined): readonly string[] =>
  (Array.isArray(value) ? value : []).filter((one): one is string => typeof one === 'string' && one in LABELS);

interface ChoicesProps {
  readonly card: Card;
  readonly offered: readonly string[];
  readonly choose: (choice: string) => void;
}

function Choices({ card, offered, choose }: ChoicesProps) {
  return (
    <footer class="actions choices">
      {offered.map((choice) => (
        <button
          key={choice}
          type="button"
          class={choice === 'once' ? 'primary' : choice === 'deny' ? 'danger' : 'secondary'}
          disabled={card.state !== 'live'}
          onClick={() => choose(choice)}
        >
          {LABELS[choice]}
        </button>
      ))}
      <Problem card={card} hasInput={false} />
    </footer>
  );
}
