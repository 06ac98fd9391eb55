import type { ChartRow } from '../../api.ts';
import { Drawing } from './drawing.tsx';
import { hashOf, keyOf, type Model } from './model.ts';
import { StoryView } from './story.tsx';
import { home } from './wire.ts';
import { bare, clock, plural, titleOf } from './words.ts';

const LINKS = { connecting: 'Connecting', open: 'Live', lost: 'Connection lost; trying again' } as const;
/** Rows of one chart in the list; a search finds the others. */
const LISTED = 50;

function RowLink({ row, isChosen }: { readonly row: ChartRow; readonly isChosen: boolean }) {
  return (
    <li>
      <a href={hashOf(row)} aria-current={isChosen ? 'true' : undefined}>
        <code title={row.id}>{titleOf(row)}</code>
        <span class="chip">{bare(row.states[0] ?? '')}</span>
        <span class="soft">
          {row.tab ?? ''}
          {row.at === undefined ? '' : ` · ${clock(row.at)}`}
        </span>
      </a>
    </li>
  );
}

function Rows({ model }: { readonly model: Model }) {
  const rows = model.listed();
  const groups = new Map<string, ChartRow[]>();
  for (const row of rows) groups.set(row.machine, [...(groups.get(row.machine) ?? []), row]);
  const chosen = model.choice === undefined ? '' : keyOf(model.choice);
  if (rows.length === 0 && model.found !== undefined)
    return <p class="note">Nothing on file is named {model.search}.</p>;
  if (rows.length === 0) return <p class="soft">{model.isLoading ? 'Loading …' : 'Nothing is on file yet.'}</p>;
  return (
    <>
      {[...groups].map(([machine, all]) => (
        <section key={machine}>
          <h2>
            {plural(machine)} <span class="soft">{all.length}</span>
          </h2>
          <ul>
            {all
              .sort((a, b) => (b.at ?? 0) - (a.at ?? 0))
              .slice(0, LISTED)
              .map((row) => (
                <RowLink key={row.id} row={row} isChosen={keyOf(row) === chosen} />
              ))}
          </ul>
          {all.length > LISTED ? <p class="soft">{all.length - LISTED} more; search for them.</p> : null}
        </section>
      ))}
    </>
  );
}

function AllCharts({ model }: { readonly model: Model }) {
  return (
    <div class="charts">
      <p class="lead">
        Every chart of readback. A lit state has rows in it, as many as its number says; click one on the left to see
        its own way.
      </p>
      {model.charts.map(({ machine }) => (
        <figure key={machine} id={`chart-${machine}`}>
          <figcaption class="unseen">{machine}</figcaption>
          <Drawing machine={machine} on={model.counts(machine)} />
        </figure>
      ))}
    </div>
  );
}

export function App({ model }: { readonly model: Model }) {
  return (
    <>
      <a class="skip" href="#content">
        Skip to the charts
      </a>
      <header class="top">
        <h1>
          <a class="name" href="#charts">
            readback
          </a>{' '}
          <span class="kind">inspect</span>
        </h1>
        <span class={`connection ${model.link}`} role="status">
          {LINKS[model.link]}
        </span>
        <a class="questions" href={home}>
          Questions
        </a>
      </header>
      <div class="columns">
        <nav aria-label="Rows on file">
          <label for="search">Find by token, ask id or tab</label>
          <input
            id="search"
            type="search"
            autocomplete="off"
            spellcheck={false}
            maxLength={256}
            value={model.search}
            onInput={(event) => void model.find(event.currentTarget.value.trim())}
          />
          <div class="rows">
            <Rows model={model} />
          </div>
        </nav>
        <main id="content" tabIndex={-1}>
          {model.problem === undefined ? null : (
            <p class="note" role="alert">
              {model.problem}
            </p>
          )}
          {model.choice === undefined ? <AllCharts model={model} /> : <StoryView model={model} />}
        </main>
      </div>
      <p class="unseen" aria-live="polite">
        {model.live}
      </p>
    </>
  );
}
