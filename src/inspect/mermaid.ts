/** A chart as a mermaid state diagram, which many readers of Markdown draw. */
import { bundles, head, stays } from './label.ts';
import type { Arrow, Outline, Region, State } from './outline.ts';

/** `moves`: events that lead somewhere, without their guards. `all`: every transition, with its guard. */
export type Detail = 'moves' | 'all';

export function toMermaid(chart: Outline, detail: Detail): string {
  const shown = chart.regions.map((region) => region.states.filter((state) => !isEntry(region, state)));
  const names = shown.flat().map(({ name }) => name);
  const isAmbiguous = new Set(names).size < names.length;
  const idOf = (id: string): string => (isAmbiguous ? id.replace('.', '_') : id.replace(/^.*\./, ''));
  const bodies = chart.regions.map((region) => bodyOf(region, detail, idOf));
  const lines = chart.isParallel
    ? [
        `  [*] --> ${chart.id}`,
        `  state ${chart.id} {`,
        chart.regions
          .map((region, at) =>
            [`  state ${region.name} {`, ...(bodies[at] ?? []).map((line) => `    ${line}`), '  }'].join('\n'),
          )
          .join('\n  --\n'),
        '  }',
      ]
    : bodies.flat().map((line) => `  ${line}`);
  return ['stateDiagram-v2', '  direction LR', ...lines].join('\n');
}

/** A first state that is left by itself is where the way in forks: drawn as the way in. */
const isEntry = (region: Region, state: State): boolean =>
  state.id === region.initial && state.arrows.length > 0 && state.arrows.every(({ event }) => event === 'always');

function bodyOf(region: Region, detail: Detail, idOf: (id: string) => string): readonly string[] {
  const lines = region.states.some((state) => isEntry(region, state)) ? [] : [`[*] --> ${idOf(region.initial)}`];
  const worded = (arrows: readonly Arrow[]): string =>
    [...new Set(arrows.map((arrow) => wordOf(arrow, detail)))].join(', ');
  for (const state of region.states) {
    const from = isEntry(region, state) ? '[*]' : idOf(state.id);
    if (idOf(state.id) !== state.name && from !== '[*]') lines.push(`state "${state.name}" as ${from}`);
    for (const { to, arrows } of bundles(state.arrows)) lines.push(`${from} --> ${idOf(to)}: ${worded(arrows)}`);
    const staying = detail === 'all' ? stays(state.arrows) : [];
    if (staying.length > 0) lines.push(`${from} --> ${from}: ${worded(staying)}`);
    if (state.isFinal && detail === 'all') lines.push(`${from} --> [*]`);
  }
  return lines;
}

function wordOf(arrow: Arrow, detail: Detail): string {
  if (arrow.event === 'always') return arrow.guard ?? 'otherwise';
  return detail === 'moves' ? arrow.event : head(arrow);
}
