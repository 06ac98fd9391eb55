import type { Lane, Message, Story } from '../told.ts';
import { LongList, lineOf, writeLine } from './long-list.tsx';
import { clock } from './words.ts';

const LANES: readonly Lane[] = ['person', 'page', 'coordinator', 'agent'];

export interface SequenceProps {
  readonly story: Story;
  /** Audit row of the step where the scrubber stands; later ones are still to come. */
  readonly upTo: number;
  pick(row: number): void;
}

const HOP = lineOf(['span', 'unseen'], ['span', 'said'], ['time']);

function writeHop(
  line: HTMLElement,
  { row, at, from, to, text, token }: Message,
  { story, upTo }: SequenceProps,
): void {
  const [a, b] = [LANES.indexOf(from), LANES.indexOf(to)];
  const way = a === b ? 'own' : a < b ? 'right' : 'left';
  const isOther = token !== undefined && story.machine === 'answer' && token !== story.id;
  const when = row > upTo ? ' later' : row === upTo ? ' here' : '';
  const look = `hop lane-${Math.min(a, b)} over-${Math.max(1, Math.abs(a - b))} ${way}${when}`;
  if (line.className !== look) line.className = look;
  writeLine(line, row === upTo, [
    way === 'own' ? `${from}: ` : `${from} to ${to}: `,
    isOther ? `${text} (${token})` : text,
    `${clock(at)} · row ${row}`,
  ]);
}

/** Who said what to whom, from the audit. */
export function Sequence(props: SequenceProps) {
  const { story, upTo, pick } = props;
  return (
    <div class="sequence">
      <div class="lanes" aria-hidden="true">
        {LANES.map((lane) => (
          <span key={lane}>{lane}</span>
        ))}
      </div>
      <LongList
        items={story.messages}
        line={HOP}
        here={upTo}
        write={(line, message) => writeHop(line, message, props)}
        pick={(at) => pick(story.messages[at]?.row ?? 0)}
      />
    </div>
  );
}
