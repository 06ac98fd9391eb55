import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { nextMoves } from '../next-moves.ts';
import type { SeenChart } from '../seen.ts';
import type { Story, Told } from '../told.ts';
import { Drawing } from './drawing.tsx';
import { LongList, lineOf, writeLine } from './long-list.tsx';
import type { Model } from './model.ts';
import { Sequence } from './sequence.tsx';
import { bare, clock, titleOf, when } from './words.ts';

/** Milliseconds of one step while the history plays by itself. */
const PACE = 700;

/** Why it is where it is: one sentence, the rule, and the row that did it. */
function Because({ story }: { readonly story: Story }) {
  const { text, rules, row, at } = story.why;
  return (
    <section class="why" aria-label="Why">
      <p>{text}</p>
      {row === undefined ? null : (
        <p class="proof">
          {rules.length === 0 ? null : `${rules.length === 1 ? 'Rule' : 'Rules'} ${rules.join(', ')} · `}
          audit row {row}
          {at === undefined ? null : ` · ${when(at)}`}
        </p>
      )}
      {story.isWhole ? null : (
        <p class="note">
          The audit does not tell the whole way: by its rows it would be elsewhere than it is. Older rows may have been
          removed.
        </p>
      )}
      {story.now === undefined ? <p class="note">It has left the files. This is told from the audit.</p> : null}
    </section>
  );
}

function Scrubber({ model, story }: { readonly model: Model; readonly story: Story }) {
  const [isPlaying, setPlaying] = useState(false);
  const last = story.steps.length;
  const step = story.steps[model.at - 1];
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setTimeout(() => {
      if (model.at >= last) setPlaying(false);
      else model.scrub(model.at + 1);
    }, PACE);
    return () => clearTimeout(timer);
  }, [isPlaying, model.at, last]);
  const play = () => {
    if (!isPlaying && model.at >= last) model.scrub(0);
    setPlaying(!isPlaying);
  };
  const where = step === undefined ? 'before it began' : `${step.event}, ${clock(step.at)}`;
  return (
    <div class="scrubber">
      <button type="button" onClick={() => model.scrub(model.at - 1)} disabled={model.at === 0} aria-label="Step back">
        ◀
      </button>
      <input
        type="range"
        min={0}
        max={last}
        value={model.at}
        aria-label="Replay the history"
        aria-valuetext={`Step ${model.at} of ${last}: ${where}`}
        onInput={(event) => model.scrub(Number(event.currentTarget.value))}
      />
      <button type="button" onClick={() => model.scrub(model.at + 1)} disabled={model.at >= last} aria-label="Step on">
        ▶
      </button>
      <button type="button" onClick={play}>
        {isPlaying ? 'Stop' : 'Replay'}
      </button>
      <output>
        Step {model.at} of {last}: {where}
      </output>
    </div>
  );
}

function Next({ chart, states }: { readonly chart: SeenChart; readonly states: readonly string[] }) {
  const moves = nextMoves(chart.arrows, states).filter(({ event }) => event !== 'always');
  if (moves.length === 0) return <p class="soft">Nothing: from here nothing leads on.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on a narrow screen, so keys must reach it
    <section class="scroll" tabIndex={0} aria-label="Transitions that are left">
      <table>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">and if</th>
            <th scope="col">it goes to</th>
            <th scope="col">by rule</th>
          </tr>
        </thead>
        <tbody>
          {moves.map(({ from, event, index, guard, to, rules, description }) => (
            <tr key={`${from} ${event} ${index}`} title={description}>
              <td>
                <code>{event}</code>
              </td>
              <td>{guard === undefined ? index === 0 ? '—' : 'none of the above' : <code>{guard}</code>}</td>
              <td>{to === undefined ? 'stays' : to}</td>
              <td>{rules.join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const STEP = lineOf(['time'], ['code'], ['span'], ['span', 'soft']);

function writeStep(line: HTMLElement, step: Told, isHere: boolean): void {
  const rules = [...new Set(step.taken.flatMap((arrow) => arrow.rules))].join(', ');
  const row = step.row === 0 ? '' : ` · row ${step.row}`;
  writeLine(line, isHere, [clock(step.at), step.event, ways(step), rules + row]);
}

function Steps({ story, at, pick }: { readonly story: Story; readonly at: number; pick(at: number): void }) {
  return (
    <LongList
      class="steps"
      items={story.steps}
      line={STEP}
      here={at}
      write={(line, step, i) => writeStep(line, step, at === i + 1)}
      pick={(i) => pick(i + 1)}
    />
  );
}

function ways({ before, after }: Told): string {
  const moved = after.filter((state) => !before.includes(state));
  if (before.length === 0) return after.map(bare).join(', ');
  if (moved.length === 0) return `stays ${after.map(bare).join(', ')}`;
  const left = before.filter((state) => !after.includes(state));
  return `${left.map(bare).join(', ')} → ${moved.map(bare).join(', ')}`;
}

interface PartProps {
  readonly title: string;
  /** Of a list that may be long: how many lines it has. */
  readonly lines?: number | undefined;
  readonly children: ComponentChildren;
}

function Part({ title, lines, children }: PartProps) {
  return (
    <section class={lines === undefined ? 'part' : 'part long'} style={{ '--lines': lines }} aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** Of a story without steps there is nothing to replay: all that was said has been said. */
const rowOf = ({ steps }: Story, path: readonly Told[]): number =>
  steps.length === 0 ? Number.POSITIVE_INFINITY : (path.at(-1)?.row ?? 0);

/** One row: where it is, why, how it came there, and what can still happen. */
export function StoryView({ model }: { readonly model: Model }) {
  const { choice, story } = model;
  if (choice === undefined) return null;
  const chart = model.chart(choice.machine);
  const row = model.rows.get(`${choice.machine}/${choice.id}`);
  const path = story?.steps.slice(0, model.at) ?? [];
  const isNow = story === undefined || model.at >= story.steps.length;
  const states = isNow ? (row?.states ?? story?.now ?? path.at(-1)?.after ?? []) : (path.at(-1)?.after ?? []);
  const pickRow = (id: number) =>
    model.scrub(story === undefined ? 0 : story.steps.filter((one) => one.row <= id).length);
  return (
    <article class="story">
      <header>
        <h2>
          {choice.machine} <code>{titleOf(row ?? choice)}</code>
        </h2>
        <p class="chips">
          {states.map((state) => (
            <span class="chip" key={state}>
              {bare(state)}
            </span>
          ))}
          {isNow ? null : <span class="soft">at this step of its history</span>}
        </p>
        {story === undefined ? null : (
          <Names story={story} name={row?.name} hasBranch={model.rows.has(`fence/${story.askId}`)} />
        )}
      </header>
      {story === undefined ? null : <Because story={story} />}
      {story === undefined || story.steps.length === 0 ? null : <Scrubber model={model} story={story} />}
      <Part title="Where it stands, and the way it came">
        <Drawing machine={choice.machine} on={new Map(states.map((state) => [state, undefined]))} path={path} />
      </Part>
      {chart === undefined ? null : (
        <Part title={isNow ? 'What can still happen from here' : 'What could happen at this step'}>
          <Next chart={chart} states={states} />
        </Part>
      )}
      {story === undefined || story.messages.length === 0 ? null : (
        <Part title="Who said what to whom" lines={story.messages.length}>
          <Sequence story={story} upTo={rowOf(story, path)} pick={pickRow} />
        </Part>
      )}
      {story === undefined || story.steps.length === 0 ? null : (
        <Part title="Its steps" lines={story.steps.length}>
          <Steps story={story} at={model.at} pick={(at) => model.scrub(at)} />
        </Part>
      )}
    </article>
  );
}

interface NamesProps {
  readonly story: Story;
  readonly name: string | undefined;
  /** Its conversation has a log that says where it belongs. */
  readonly hasBranch: boolean;
}

/** What else belongs to the same ask. */
function Names({ story, name, hasBranch }: NamesProps) {
  const { askId, tab, machine, messages, id } = story;
  const tokens = [...new Set(messages.flatMap(({ token }) => token ?? []))].filter((token) => /^aa\d/.test(token));
  const to = (other: string, name: string) => `#${other}/${encodeURIComponent(name)}`;
  return (
    <p class="names">
      {name === undefined ? null : (
        <span>
          call <code>{id}</code>
        </span>
      )}
      {tab === undefined ? null : (
        <span>
          on <code>{tab}</code>
        </span>
      )}
      {askId === undefined || machine === 'ticket' ? null : <a href={to('ticket', askId)}>its ask {askId}</a>}
      {!hasBranch || machine === 'fence' ? null : <a href={to('fence', askId ?? '')}>its branch</a>}
      {tokens
        .filter((token) => token !== id)
        .map((token) => (
          <a key={token} href={to('answer', token)}>
            {machine === 'answer' ? 'another answer' : 'its answer'} {token}
          </a>
        ))}
    </p>
  );
}
