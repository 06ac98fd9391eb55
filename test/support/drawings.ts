/** Draws a chart: Graphviz finds the places, what is put there is ours, so that it can be styled and pointed at. */
import { instance } from '@viz-js/viz';
import { boxOf, METRICS } from '../../src/inspect/dot.ts';
import { bundles, head, label, ROOMY, stays, told } from '../../src/inspect/label.ts';
import type { Arrow, Outline, Region, State } from '../../src/inspect/outline.ts';
import { LABEL_LINE, type Laid, type Line, lay } from './drawing-layout.ts';

const MARGIN = 16;
const MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace';
const SANS = 'system-ui, sans-serif';
const SANS_SIGN = 6.6;
const NARROWEST = 330;
const LINE = ' fill="none" stroke="currentColor"';

/** The SVG of one chart: no colour but `currentColor`, no ground, no script, nothing from elsewhere. */
export async function draw(chart: Outline): Promise<string> {
  const viz = await instance();
  const parts = chart.regions.map((region) => ({ region, laid: lay(viz, region) }));
  const top = headOf(chart, Math.max(NARROWEST, ...parts.map(({ laid }) => laid.width)));
  const inner = Math.max(top.width, ...parts.map(({ laid }) => laid.width));
  const width = Math.ceil(inner + 2 * MARGIN);
  let y = top.height;
  const drawn: string[] = [];
  for (const [at, shelf] of shelves(parts, inner).entries()) {
    if (at > 0) drawn.push(border(`M0 ${n(y)}H${width}`));
    const start = y;
    const tops = shelf.map(({ region }) => captionOf(region, 0, start + (at > 0 ? 10 : 0)).y);
    y = Math.max(...shelf.map(({ laid }, column) => (tops[column] ?? 0) + laid.height)) + MARGIN;
    let x = MARGIN;
    for (const [column, { region, laid }] of shelf.entries()) {
      if (column > 0) drawn.push(border(`M${n(x - MARGIN)} ${n(start)}V${n(y)}`));
      drawn.push(
        `<g class="region" data-region="${attribute(region.name ?? '')}">`,
        captionOf(region, x, start + (at > 0 ? 10 : 0)).text,
        `<g transform="translate(${n(x)} ${n(tops[column] ?? 0)})">\n${bodyOf(region, laid)}</g></g>`,
      );
      x += laid.width + 2 * MARGIN;
    }
  }
  const height = Math.ceil(y);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="chart" data-chart="${attribute(chart.id)}" role="group"`,
    ` viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" fill="currentColor"`,
    ` font-family="${MONO}" font-size="${METRICS.small}">`,
    `<title>Statechart ${text(chart.id)}: ${text(chart.description)}</title>\n`,
    `<rect class="frame" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"${LINE}/>\n`,
    top.text,
    drawn.join('\n'),
    '\n</svg>\n',
  ].join('');
}

interface Part {
  readonly region: Region;
  readonly laid: Laid;
}

/** Regions side by side where they fit, in their order. */
function shelves(parts: readonly Part[], room: number): readonly (readonly Part[])[] {
  const rows: Part[][] = [];
  let used = 0;
  for (const part of parts) {
    const row = rows.at(-1);
    const width = part.laid.width + 2 * MARGIN;
    if (row === undefined || used + width > room + 2 * MARGIN) {
      rows.push([part]);
      used = width;
    } else {
      row.push(part);
      used += width;
    }
  }
  return rows;
}

const border = (way: string): string => `<path class="border" d="${way}"${LINE} stroke-dasharray="6 4"/>`;

/** Name, description, and what the chart does in every state. */
function headOf(
  chart: Outline,
  room: number,
): { readonly text: string; readonly width: number; readonly height: number } {
  const words = wrapped(chart.description, Math.floor(room / SANS_SIGN));
  const rows = chart.arrows.map((arrow) => `any state: ${label(arrow, ROOMY)}`);
  let y = 28;
  const out = [
    `<text class="name" x="${MARGIN}" y="${y}" font-family="${SANS}" font-size="16" font-weight="700">${text(chart.id)}</text>`,
  ];
  for (const line of words) {
    y += 16;
    out.push(`<text class="about" x="${MARGIN}" y="${y}" font-family="${SANS}" font-size="12">${text(line)}</text>`);
  }
  y += rows.length > 0 ? 6 : 0;
  for (const [at, arrow] of chart.arrows.entries()) {
    y += METRICS.line;
    out.push(edge(arrow, MARGIN, y, rows[at] ?? ''));
  }
  const widest = Math.max(
    ...words.map((line) => line.length * SANS_SIGN),
    ...rows.map((row) => row.length * METRICS.sign),
  );
  return { text: `${out.join('\n')}\n`, width: Math.ceil(widest), height: y + MARGIN };
}

function captionOf(region: Region, x: number, top: number): { readonly text: string; readonly y: number } {
  if (region.name === undefined) return { text: '', y: top };
  let y = top + 12;
  const out = [
    `<text class="name" x="${n(x)}" y="${n(y)}" font-family="${SANS}" font-size="13" font-weight="700">${text(region.name)}</text>`,
  ];
  for (const arrow of region.arrows) {
    y += METRICS.line;
    out.push(edge(arrow, x, y, `any state: ${label(arrow, ROOMY)}`));
  }
  return { text: out.join(''), y: y + 8 };
}

function bodyOf(region: Region, laid: Laid): string {
  const start = laid.boxes.get(`start ${region.name ?? ''}`) ?? [0, 0];
  const first = laid.lines.get(`start ${region.name ?? ''} ${region.initial}`);
  const out = [
    `<g class="initial"><circle cx="${n(start[0])}" cy="${n(start[1])}" r="4.5"/>${first === undefined ? '' : pathOf(first)}</g>`,
  ];
  for (const { from, to, arrows } of bundles(region.states.flatMap((state) => state.arrows))) {
    const line = laid.lines.get(`${from} ${to}`);
    if (line === undefined) throw new Error(`no line from ${from} to ${to}`);
    out.push(
      `<g class="arrow" data-from="${attribute(from)}" data-to="${attribute(to)}">${pathOf(line)}${labelsOf(arrows, line, laid.room)}</g>`,
    );
  }
  for (const state of region.states) out.push(stateOf(state, laid));
  return `${out.join('\n')}\n`;
}

function labelsOf(arrows: readonly Arrow[], line: Line, room: number): string {
  const [x, y] = line.label ?? [0, 0];
  const rows = arrows.map((arrow) => label(arrow, room));
  const left = x - (Math.max(...rows.map(({ length }) => length)) * METRICS.sign) / 2;
  const top = y - (rows.length * LABEL_LINE) / 2 + METRICS.small * 0.8 + 1;
  return arrows.map((arrow, at) => edge(arrow, left, top + at * LABEL_LINE, rows[at] ?? '')).join('');
}

function stateOf(state: State, { boxes, room }: Laid): string {
  const [x, y] = boxes.get(state.id) ?? [0, 0];
  const { width, height } = boxOf(state, room);
  const { padX, padY, large, line } = METRICS;
  const [left, top] = [x - width / 2, y - height / 2];
  const rows = stays(state.arrows);
  const box = (inset: number, kind: string): string =>
    `<rect class="${kind}" x="${n(left + inset)}" y="${n(top + inset)}" width="${n(width - 2 * inset)}" height="${n(height - 2 * inset)}" rx="${8 - inset}"${LINE}/>`;
  const base = top + padY + large;
  const under = base + padY;
  return [
    `<g class="state${state.isFinal ? ' final' : ''}" data-state="${attribute(state.id)}">`,
    state.description === undefined ? '' : `<title>${text(state.description)}</title>`,
    box(0, 'box'),
    state.isFinal ? box(3, 'inner') : '',
    `<text class="name" x="${n(x)}" y="${n(base)}" text-anchor="middle" font-family="${SANS}" font-size="${large}" font-weight="600">${text(state.name)}</text>`,
    rows.length === 0 ? '' : `<path class="rule" d="M${n(left)} ${n(under)}h${n(width)}"${LINE}/>`,
    ...rows.map((arrow, at) => edge(arrow, left + padX, under + (at + 1) * line - 1, label(arrow, room))),
    '</g>',
  ].join('');
}

/** One transition: its line of text. Where it leads somewhere, the stroke of the arrow that it shares is beside it. */
function edge(arrow: Arrow, x: number, y: number, words: string): string {
  const data = {
    from: arrow.from,
    event: arrow.event,
    guard: arrow.guard ?? '',
    to: arrow.to ?? arrow.from,
    index: String(arrow.index),
    rules: arrow.rules.join(' '),
  };
  const attributes = Object.entries(data).map(([name, value]) => ` data-${name}="${attribute(value)}"`);
  const more = told(arrow);
  const title = more === '' ? '' : `<title>${text(head(arrow))}: ${text(more)}</title>`;
  return `<g class="edge"${attributes.join('')}>${title}<text x="${n(x)}" y="${n(y)}">${text(words)}</text></g>`;
}

function pathOf({ points, tip }: Line): string {
  const [[x, y] = [0, 0], ...rest] = points;
  const curve = rest.map(([a, b]) => `${n(a)} ${n(b)}`).join(' ');
  const end = points.at(-1) ?? [0, 0];
  const length = Math.hypot(tip[0] - end[0], tip[1] - end[1]) || 1;
  // The head is as long as Graphviz left room for it, and a third of that to each side.
  const [dx, dy] = [(end[1] - tip[1]) / 3, (tip[0] - end[0]) / 3];
  const sides =
    length < 1
      ? ''
      : `M${n(tip[0])} ${n(tip[1])}L${n(end[0] + dx)} ${n(end[1] + dy)} ${n(end[0] - dx)} ${n(end[1] - dy)}Z`;
  return `<path class="line" d="M${n(x)} ${n(y)}C${curve}"${LINE}/><path class="head" d="${sides}"/>`;
}

const n = (value: number): string => String(Math.round(value * 10) / 10);
const text = (value: string): string => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const attribute = (value: string): string => text(value).replaceAll('"', '&quot;');

function wrapped(words: string, signs: number): readonly string[] {
  const lines: string[] = [];
  for (const word of words.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > signs) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
