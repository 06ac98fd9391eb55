/** What a run of the model tests took of each chart: as lines for a terminal, and as one page. */
import { drawChart } from '../../src/inspect/drawing.ts';
import { type Arrow, arrowsOf, type Outline } from '../../src/inspect/outline.ts';
import type { CoverRecord } from './record.ts';
import { keyOf } from './tracer.ts';

export interface ChartReport {
  readonly chart: Outline;
  readonly paths: number;
  /** Undefined: no test drove this chart. */
  readonly counts: CoverRecord['counts'] | undefined;
  readonly transitions: number;
  readonly taken: number;
  readonly states: number;
  readonly reached: ReadonlySet<string>;
  readonly untaken: readonly Arrow[];
}

export function reportOf(chart: Outline, record: CoverRecord | undefined): ChartReport {
  const arrows = arrowsOf(chart);
  const counts = record?.counts;
  const isTaken = (arrow: Arrow): boolean => (counts?.[keyOf(arrow)] ?? 0) > 0;
  const taken = arrows.filter(isTaken);
  // What is left, entered, or begun in was reached.
  const first = counts === undefined ? [] : chart.regions.map(({ initial }) => initial);
  const ids = chart.regions.flatMap(({ states }) => states.map(({ id }) => id));
  const reached = new Set([...first, ...taken.flatMap(({ from, to }) => (to === undefined ? [from] : [from, to]))]);
  return {
    chart,
    paths: record?.paths ?? 0,
    counts,
    transitions: arrows.length,
    taken: taken.length,
    states: ids.length,
    reached: new Set(ids.filter((id) => reached.has(id))),
    untaken: arrows.filter((arrow) => !isTaken(arrow)),
  };
}

const said = (arrow: Arrow): string =>
  `${arrow.from === '' ? 'any state' : arrow.from} on ${arrow.event}${arrow.guard === undefined ? '' : ` [${arrow.guard}]`}`;

/** `uncovered` where no test drove the chart. */
export function coveredOf({ counts, taken, transitions }: ChartReport): string {
  if (counts === undefined) return 'uncovered';
  return `${taken === transitions ? 100 : Math.floor((100 * taken) / transitions)} %`;
}

export function toLines(reports: readonly ChartReport[]): readonly string[] {
  const row = (cells: readonly string[]): string =>
    cells.map((one, at) => (at === 0 ? one.padEnd(12) : one.padStart(12))).join('');
  return [
    row(['chart', 'states', 'transitions', 'paths', 'covered']),
    ...reports.flatMap((one) => [
      row([
        one.chart.id,
        `${one.reached.size}/${one.states}`,
        `${one.taken}/${one.transitions}`,
        String(one.paths),
        coveredOf(one),
      ]),
      ...(one.counts === undefined ? [] : one.untaken.map((arrow) => `  not taken: ${said(arrow)}`)),
    ]),
  ];
}

/** The drawing with a class on each state and transition: `taken` or `untaken`. */
function coloured({ chart, counts, reached }: ChartReport): string {
  return drawChart(chart.id, 'svg')
    .replace(/<g class="state([^"]*)" data-state="([^"]*)"/g, (whole, more: string, id: string) =>
      whole.replace(`state${more}`, `state${more} ${reached.has(id) ? 'taken' : 'untaken'}`),
    )
    .replace(
      /<g class="edge" data-from="([^"]*)" data-event="([^"]*)"[^>]*data-index="(\d+)"[^>]*>(<title>)?/g,
      (whole, from: string, event: string, index: string, title: string | undefined) => {
        const times = counts?.[keyOf({ from, event, index: Number(index) })] ?? 0;
        const told = title === undefined ? '' : `Taken ${times} times. `;
        return `${whole.replace('class="edge"', `class="edge ${times > 0 ? 'taken' : 'untaken'}"`)}${told}`;
      },
    );
}

const STYLE = `
:root { color-scheme: light dark; --ground: #fff; --ink: #1b1f24; --faint: #59636e; --line: #d1d9e0; --good: #116329; --bad: #b42318; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0d1117; --ink: #e6edf3; --faint: #9198a1; --line: #3d444d; --good: #57d364; --bad: #ff7b72; }
}
body { margin: 2rem auto; max-width: 84rem; padding: 0 1rem; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
table { border-collapse: collapse; } th, td { padding: .3rem .9rem; text-align: right; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; } a { color: inherit; }
h2 { margin: 2.5rem 0 .5rem; } .scroll { overflow-x: auto; } p, li { color: var(--faint); }
.bad { color: var(--bad); font-weight: 600; } .good { color: var(--good); }
.edge.taken text, .state.taken > .name { fill: var(--good); } .edge.untaken text, .state.untaken > .name { fill: var(--bad); font-weight: 700; }
.state.taken > .box { stroke: var(--good); } .state.untaken > .box { stroke: var(--bad); stroke-dasharray: 5 3; }
.arrow > .line, .initial > .line { stroke: var(--faint); } .arrow > .head { fill: var(--faint); }
.arrow:has(.edge.untaken) > .line { stroke: var(--bad); stroke-dasharray: 5 3; }
.chart > .frame, .chart .border { stroke: var(--line); }
`;

/** One page that needs nothing else: a table, and each chart coloured by what was taken. */
export function toPage(reports: readonly ChartReport[]): string {
  const rows = reports.map((one) => {
    const grade = one.untaken.length === 0 ? 'good' : 'bad';
    return `<tr><td><a href="#${one.chart.id}">${one.chart.id}</a></td><td>${one.reached.size}/${one.states}</td><td>${one.taken}/${one.transitions}</td><td>${one.paths}</td><td class="${grade}">${coveredOf(one)}</td></tr>`;
  });
  const charts = reports.map((one) => {
    const left = one.untaken.map((arrow) => `<li>not taken: <code>${escaped(said(arrow))}</code></li>`).join('');
    return `<section id="${one.chart.id}"><h2>${one.chart.id}</h2>${left === '' ? '' : `<ul>${left}</ul>`}<div class="scroll">${coloured(one)}</div></section>`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>readback: what the model tests took of each chart</title>
<style>${STYLE}</style>
<h1>Charts and their tests</h1>
<p>Each path was generated from a chart and run against the real facade. Green was taken; red, with dashes, was not. A transition tells how often when it is pointed at.</p>
<div class="scroll"><table><thead><tr><th>chart</th><th>states</th><th>transitions</th><th>paths</th><th>covered</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>
${charts.join('\n')}
</html>
`;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
