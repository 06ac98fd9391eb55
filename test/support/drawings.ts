/** Draws a chart: Graphviz finds the places, what is put there is ours, so that it can be styled and pointed at. */
import { instance, type Viz } from '@viz-js/viz';
import { boxOf, METRICS, type Placing, regionToDot } from '../../src/inspect/dot.ts';
import { bundles, head, label, ROOMY, stays, told } from '../../src/inspect/label.ts';
import type { Arrow, Outline, Region, State } from '../../src/inspect/outline.ts';

type Point = readonly [x: number, y: number];
interface Laid {
  readonly width: number;
  readonly height: number;
  /** Signs in one line of a label. */
  readonly room: number;
  readonly boxes: ReadonlyMap<string, Point>;
  readonly rects: readonly Rect[];
  readonly lines: ReadonlyMap<string, Line>;
}
interface Line {
  readonly points: readonly Point[];
  readonly tip: Point;
  /** Middle, and half the size. */
  readonly label: Point | undefined;
  readonly half: Point;
}

const MARGIN = 16;
const MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace';
const SANS = 'system-ui, sans-serif';
const SANS_SIGN = 6.6;
/** Graphviz gives a line of a label 1.2 times the size of its font. */
const LABEL_LINE = METRICS.small * 1.2;
const NARROWEST = 330;
const WIDEST = 1000;
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
  for (const [at, { region, laid }] of parts.entries()) {
    if (at > 0) drawn.push(`<path class="border" d="M0 ${n(y)}H${width}"${LINE} stroke-dasharray="6 4"/>`);
    const caption = captionOf(region, y + (at > 0 ? 10 : 0));
    drawn.push(
      `<g class="region" data-region="${attribute(region.name ?? '')}">${caption.text}`,
      `<g transform="translate(${MARGIN} ${n(caption.y)})">\n${bodyOf(region, laid)}</g></g>`,
    );
    y = caption.y + laid.height + MARGIN;
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

function captionOf(region: Region, top: number): { readonly text: string; readonly y: number } {
  if (region.name === undefined) return { text: '', y: top };
  let y = top + 12;
  const out = [
    `<text class="name" x="${MARGIN}" y="${n(y)}" font-family="${SANS}" font-size="13" font-weight="700">${text(region.name)}</text>`,
  ];
  for (const arrow of region.arrows) {
    y += METRICS.line;
    out.push(edge(arrow, MARGIN, y, `any state: ${label(arrow, ROOMY)}`));
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

interface Layout {
  readonly bb: string;
  readonly objects: readonly {
    readonly name: string;
    readonly pos: string;
    readonly width: string;
    readonly height: string;
  }[];
  readonly edges?: readonly {
    readonly tail: number;
    readonly head: number;
    readonly pos: string;
    readonly lp?: string;
    readonly label?: string;
  }[];
}

/** Fewer signs make a smaller drawing that says less: what that is worth against its area. */
const ROOMS = [
  { room: ROOMY, dear: 1 },
  { room: 30, dear: 1.2 },
  { room: 0, dear: 1.8 },
] as const;
const TRIES = (['TB', 'LR'] as const).flatMap((rankdir) =>
  ROOMS.flatMap(({ room, dear }) => [0.15, 0.3, 0.5].map((nodesep) => ({ placing: { rankdir, room, nodesep }, dear }))),
);

/** The best of several layouts: small, no wider than a page, and with no line through a word. */
function lay(viz: Viz, region: Region): Laid {
  const tries = TRIES.map(({ placing, dear }) => {
    const laid = clear(read(viz, region, placing));
    const { width, height } = laid;
    const cost = width * height * dear * Math.max(1, width / WIDEST) ** 4 * (1 + struckIn(laid) * 0.6);
    return { laid, cost };
  });
  return tries.reduce((best, one) => (one.cost < best.cost ? one : best)).laid;
}

interface Rect {
  readonly middle: Point;
  readonly half: Point;
}

const meets = (one: Rect, other: Rect): boolean =>
  [0, 1].every(
    (axis) =>
      Math.abs((one.middle[axis] ?? 0) - (other.middle[axis] ?? 0)) < (one.half[axis] ?? 0) + (other.half[axis] ?? 0),
  );

const labelRect = ({ label: middle, half }: Line): Rect | undefined =>
  middle === undefined ? undefined : { middle, half };

/** What a word must not lie on. */
const inkOf = ({ points, tip }: Line): readonly Rect[] =>
  [...points.flatMap((_, at) => (at % 3 === 0 ? curve(points.slice(at, at + 4)) : [])), tip].map((middle) => ({
    middle,
    half: [2, 2],
  }));

/** How far the nearest of some dots is from a rectangle. */
const gap = ({ middle, half }: Rect, ink: readonly Rect[]): number =>
  Math.min(
    ...ink.map(({ middle: [x, y] }) =>
      Math.hypot(Math.max(0, Math.abs(x - middle[0]) - half[0]), Math.max(0, Math.abs(y - middle[1]) - half[1])),
    ),
  );

/** How many labels a line runs through. */
function struckIn(laid: Laid): number {
  const ink = [...laid.lines.values()].flatMap(inkOf);
  const labels = [...laid.lines.values()].flatMap((line) => labelRect(line) ?? []);
  return labels.filter((one) => ink.some((drop) => meets(one, drop))).length;
}

const FARTHEST = 36;
/** Ways to move a label, the shortest first. */
const MOVES: readonly Point[] = Array.from(
  { length: 25 * 25 },
  (_, at): Point => [(at % 25) * 3 - FARTHEST, Math.floor(at / 25) * 3 - FARTHEST],
).sort((one, other) => Math.hypot(...one) - Math.hypot(...other));

const isInside = ({ middle: [x, y], half }: Rect, { width, height }: Laid): boolean =>
  x > half[0] && x + half[0] < width && y > half[1] && y + half[1] < height;

/** Graphviz keeps labels off boxes, not off every line: those that are struck are moved to the nearest free place. */
function clear(laid: Laid): Laid {
  const inks = new Map([...laid.lines].map(([name, line]) => [name, inkOf(line)]));
  const ink = [...inks.values()].flat();
  const lines = new Map(laid.lines);
  for (const [name, line] of lines) {
    const rect = labelRect(line);
    if (rect === undefined || !ink.some((drop) => meets(rect, drop))) continue;
    const others = [...lines].flatMap(([other, one]) => (other === name ? [] : (labelRect(one) ?? [])));
    const taken = [...ink, ...others, ...laid.rects];
    const own = inks.get(name) ?? [];
    const foreign = [...inks].flatMap(([other, one]) => (other === name ? [] : one));
    const free = MOVES.map(([x, y]): Rect => ({ ...rect, middle: [rect.middle[0] + x, rect.middle[1] + y] })).filter(
      (one) => isInside(one, laid) && !taken.some((other) => meets(one, other)),
    );
    // A label nearer to the line of others than to its own would be read as theirs.
    const place = free.find((one) => gap(one, own) < gap(one, foreign)) ?? free[0];
    if (place !== undefined) lines.set(name, { ...line, label: place.middle });
  }
  return { ...laid, lines };
}

/** Points along one Bézier curve. */
function curve([a, b, c, d]: readonly Point[]): readonly Point[] {
  if (a === undefined || b === undefined || c === undefined || d === undefined) return [];
  return Array.from({ length: 33 }, (_, at) => {
    const t = at / 32;
    const s = 1 - t;
    const mix = (axis: 0 | 1): number =>
      s * s * s * a[axis] + 3 * s * s * t * b[axis] + 3 * s * t * t * c[axis] + t * t * t * d[axis];
    return [mix(0), mix(1)];
  });
}

function read(viz: Viz, region: Region, placing: Placing): Laid {
  const result = viz.render(regionToDot(region, placing), { format: 'json' });
  if (result.status !== 'success') throw new Error(result.errors.map(({ message }) => message).join('\n'));
  const layout = JSON.parse(result.output) as Layout;
  const [, , width = 0, height = 0] = layout.bb.split(',').map(Number);
  const point = (pair: string): Point => {
    const [x = 0, y = 0] = pair.split(',').map(Number);
    return [x, height - y];
  };
  const names = layout.objects.map(({ name }) => name);
  const lines = (layout.edges ?? []).map(({ tail, head: to, pos, lp, label: words = '' }) => {
    const [end = '', ...points] = pos.split(' ');
    const line: Line = {
      points: points.map(point),
      tip: point(end.slice(2)),
      label: lp === undefined ? undefined : point(lp),
      half: halfOf(words),
    };
    return [`${names[tail]} ${names[to]}`, line] as const;
  });
  return {
    width,
    height,
    room: placing.room,
    rects: layout.objects.map(({ pos, width: w, height: h }) => ({
      middle: point(pos),
      half: [Number(w) * 36, Number(h) * 36],
    })),
    boxes: new Map(layout.objects.map(({ name, pos }) => [name, point(pos)])),
    lines: new Map(lines),
  };
}

/** Half the size of a label, by its text with its line ends. */
function halfOf(words: string): Point {
  const rows = words.split('\\l').slice(0, -1);
  return [(Math.max(0, ...rows.map(({ length }) => length - 2)) * METRICS.sign) / 2, (rows.length * LABEL_LINE) / 2];
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
