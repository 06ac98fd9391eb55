/** `readback graph`: the charts as drawings and as text. Needs no host. */

import { CHART_FORMATS, type ChartFormat, charts, drawChart } from '../inspect/drawing.ts';
import { type Global, type Io, json, paint } from './io.ts';
import { EXIT, usage } from './problem.ts';
import { brief } from './text.ts';

export interface GraphFlags extends Global {
  readonly format?: string | undefined;
}

export async function graph(io: Io, name: string | undefined, flags: GraphFlags): Promise<number> {
  const format = flags.format ?? 'svg';
  if (!isFormat(format)) {
    throw usage('--format', `"${brief(format, 60)}" is no format`, `there are: ${CHART_FORMATS.join(', ')}`);
  }
  const all = charts();
  if (name === undefined) {
    if (flags.json === true) return await done(json(io, all));
    const widest = Math.max(...all.map((one) => one.name.length));
    const bold = paint(io);
    const lines = all.map((one) => `${bold('bold', one.name.padEnd(widest))}  ${one.description}\n`);
    return await done(io.out(lines.join('')));
  }
  if (!all.some((one) => one.name === name)) {
    throw usage('chart', `"${brief(name, 60)}" is no chart`, `there are: ${all.map((one) => one.name).join(', ')}`);
  }
  const text = drawChart(name, format);
  return await done(flags.json === true ? json(io, { chart: name, format, text }) : io.out(text));
}

const isFormat = (format: string): format is ChartFormat => (CHART_FORMATS as readonly string[]).includes(format);

async function done(written: Promise<void>): Promise<number> {
  await written;
  return EXIT.ok;
}
