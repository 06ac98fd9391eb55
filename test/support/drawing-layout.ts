/** Where the states, the lines and the words of a region lie: Graphviz finds it, from the lines of the text export. */
import type { Viz } from '@viz-js/viz';
import { METRICS, type Placing, regionToDot } from '../../src/inspect/dot.ts';
import { ROOMY } from '../../src/inspect/label.ts';
import type { Region } from '../../src/inspect/outline.ts';

export type Point = readonly [x: number, y: number];
export interface Laid {
  readonly width: number;
  readonly height: number;
  /** Signs in one line of a label. */
  readonly room: number;
  readonly boxes: ReadonlyMap<string, Point>;
  readonly rects: readonly Rect[];
  readonly lines: ReadonlyMap<string, Line>;
}
export interface Line {
  readonly points: readonly Point[];
  readonly tip: Point;
  /** Middle, and half the size. */
  readonly label: Point | undefined;
  readonly half: Point;
}

/** Graphviz gives a line of a label 1.2 times the size of its font. */
export const LABEL_LINE = METRICS.small * 1.2;
const WIDEST = 1000;

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
export function lay(viz: Viz, region: Region): Laid {
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
  Math.abs(one.middle[0] - other.middle[0]) < one.half[0] + other.half[0] &&
  Math.abs(one.middle[1] - other.middle[1]) < one.half[1] + other.half[1];

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

const FARTHEST = 60;
const STEP = 3;
const STEPS = (2 * FARTHEST) / STEP + 1;
/** Ways to move a label, the shortest first. */
const MOVES: readonly Point[] = Array.from(
  { length: STEPS * STEPS },
  (_, at): Point => [(at % STEPS) * STEP - FARTHEST, Math.floor(at / STEPS) * STEP - FARTHEST],
).sort((one, other) => Math.hypot(...one) - Math.hypot(...other));

const isInside = ({ middle: [x, y], half }: Rect, { width, height }: Laid): boolean =>
  x > half[0] && x + half[0] < width && y > half[1] && y + half[1] < height;

/** Graphviz keeps labels off boxes, not off every line: those that are struck are moved to the nearest free place. */
function clear(laid: Laid): Laid {
  const inks = new Map([...laid.lines].map(([name, line]) => [name, inkOf(line)]));
  const lines = new Map(laid.lines);
  for (const [name, line] of lines) {
    const rect = labelRect(line);
    if (rect === undefined) continue;
    const around: Rect = { middle: rect.middle, half: [rect.half[0] + 2 * FARTHEST, rect.half[1] + 2 * FARTHEST] };
    const near = (ink: readonly Rect[]): readonly Rect[] => ink.filter((drop) => meets(around, drop));
    const own = near(inks.get(name) ?? []);
    const foreign = near([...inks].flatMap(([other, one]) => (other === name ? [] : one)));
    const ink = [...own, ...foreign];
    if (!ink.some((drop) => meets(rect, drop))) continue;
    const others = [...lines].flatMap(([other, one]) => (other === name ? [] : (labelRect(one) ?? [])));
    const taken = [...ink, ...near([...others, ...laid.rects])];
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
