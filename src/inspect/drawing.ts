/** Every chart as a drawing and as text: for a reader, for a file, for another program. */
import { readFileSync } from 'node:fs';
import { invalid } from '../errors.ts';
import { toDot } from './dot.ts';
import { MACHINES } from './machines.ts';
import { toMermaid } from './mermaid.ts';
import { type ChartSource, outline } from './outline.ts';
import { toScxml } from './scxml.ts';

export type ChartFormat = 'svg' | 'mermaid' | 'json' | 'scxml' | 'dot';

const WRITERS: Readonly<Record<ChartFormat, (machine: ChartSource) => string>> = {
  svg: ({ id }) => readFileSync(new URL(`../inspect/generated/${id}.svg`, import.meta.url), 'utf8'),
  mermaid: (machine) => `${toMermaid(outline(machine), 'all')}\n`,
  json: ({ config }) => `${JSON.stringify(config, null, 2)}\n`,
  scxml: (machine) => toScxml(outline(machine)),
  dot: (machine) => toDot(outline(machine)),
};

/** The formats that `drawChart` knows. */
export const CHART_FORMATS: readonly ChartFormat[] = Object.keys(WRITERS) as ChartFormat[];

/** The name of every chart, with what it is about in one sentence. */
export function charts(): readonly { readonly name: string; readonly description: string }[] {
  return MACHINES.map((machine) => ({ name: machine.id, description: outline(machine).description }));
}

/**
 * One chart as text: an SVG without colours of its own, a mermaid diagram, the machine's config as JSON, SCXML, or DOT.
 *
 * The JSON is what `createMachine` takes; functions are not in it, so a first context that is computed must be given again.
 * Throws `invalid_input`, with the names there are, for a chart or a format that is none.
 */
export function drawChart(name: string, format: ChartFormat = 'svg'): string {
  const machine = MACHINES.find(({ id }) => id === name);
  if (machine === undefined) {
    throw invalid('chart', `"${name.slice(0, 60)}" is none; there are ${MACHINES.map(({ id }) => id).join(', ')}`);
  }
  if (!Object.hasOwn(WRITERS, format)) {
    throw invalid('format', `"${String(format).slice(0, 60)}" is none; there are ${CHART_FORMATS.join(', ')}`);
  }
  return WRITERS[format](machine);
}
