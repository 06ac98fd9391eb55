import type { Lane, Story } from '../told.ts';
import { clock } from './words.ts';

const LANES: readonly Lane[] = ['person', 'page', 'coordinator', 'agent'];

export interface SequenceProps {
  readonly story: Story;
  /** Audit row of the step where the scrubber stands; later ones are still to come. */
  readonly upTo: number;
  pick(row: number): void;
}

/** Who said what to whom, from the audit. */
export function Sequence({ story, upTo, pick }: SequenceProps) {
  return (
    <div class="sequence">
      <div class="lanes" aria-hidden="true">
        {LANES.map((lane) => (
          <span key={lane}>{lane}</span>
        ))}
      </div>
      <ol>
        {story.messages.map(({ row, at, from, to, text, token }, i) => {
          const [a, b] = [LANES.indexOf(from), LANES.indexOf(to)];
          const way = a === b ? 'own' : a < b ? 'right' : 'left';
          const others = token !== undefined && story.machine === 'answer' && token !== story.id;
          const when = row > upTo ? ' later' : row === upTo ? ' here' : '';
          return (
            <li
              key={`${row}.${i}`}
              class={`hop lane-${Math.min(a, b)} over-${Math.max(1, Math.abs(a - b))} ${way}${when}`}
            >
              <button type="button" onClick={() => pick(row)} aria-current={row === upTo ? 'step' : undefined}>
                <span class="unseen">{way === 'own' ? `${from}: ` : `${from} to ${to}: `}</span>
                <span class="said">
                  {text}
                  {others ? ` (${token})` : ''}
                </span>
                <time>
                  {clock(at)} · row {row}
                </time>
              </button>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
