/** A chart in the language of Graphviz. The drawings are laid out from the same lines. */
import { bundles, label, ROOMY, stays } from './label.ts';
import type { Arrow, Outline, Region, State } from './outline.ts';

/** Sizes in points, which are the pixels of a drawing. Every sign of the small font is as wide as any other. */
export const METRICS = { sign: 6.05, line: 13, small: 10, large: 13, largeSign: 8.8, padX: 10, padY: 6 } as const;

/** The box of a state: its name, below it what it does without leaving. */
export function boxOf(state: State, room: number): { readonly width: number; readonly height: number } {
  const rows = stays(state.arrows).map((arrow) => label(arrow, room));
  const { sign, line, large, largeSign, padX, padY } = METRICS;
  const widest = Math.max(state.name.length * largeSign, ...rows.map((row) => row.length * sign));
  const below = rows.length === 0 ? 0 : rows.length * line + padY;
  return { width: Math.ceil(widest + 2 * padX), height: Math.ceil(large * 1.3 + 2 * padY + below) };
}

/** Text of the whole chart, one cluster a region, for `dot` and its kin. */
export function toDot(chart: Outline): string {
  const caption = [chart.description, ...chart.arrows.map((arrow) => `any state: ${label(arrow, ROOMY)}`)];
  const inner = chart.isParallel
    ? chart.regions.flatMap((region) => [
        `  subgraph ${quoted(`cluster ${region.name}`)} {`,
        `    label=${quoted(region.name ?? '')}; style="rounded,dashed"; fontname="Helvetica"; fontsize=${METRICS.large};`,
        ...regionLines(region, ROOMY).map((line) => `    ${line}`),
        '  }',
      ])
    : chart.regions.flatMap((region) => regionLines(region, ROOMY).map((line) => `  ${line}`));
  return [
    `digraph ${quoted(chart.id)} {`,
    `  label=${quoted(caption.join('\n'))}; labelloc=t; fontname="Helvetica"; fontsize=${METRICS.large};`,
    ...inner,
    '}',
    '',
  ].join('\n');
}

/** How a region is to be laid out. */
export interface Placing {
  readonly rankdir: 'TB' | 'LR';
  /** Signs in one line of a label. */
  readonly room: number;
  /** Inches between neighbours. */
  readonly nodesep: number;
}

/** Text of one region alone, as it is laid out for a drawing. */
export function regionToDot(region: Region, { rankdir, room, nodesep }: Placing): string {
  const graph = `  rankdir=${rankdir}; ranksep=0.3; nodesep=${nodesep};`;
  return ['digraph {', graph, ...regionLines(region, room).map((line) => `  ${line}`), '}'].join('\n');
}

function regionLines(region: Region, room: number): readonly string[] {
  const start = quoted(`start ${region.name ?? ''}`);
  return [
    `node [shape=Mrecord, fontname="Courier", fontsize=${METRICS.small}, fixedsize=true];`,
    `edge [fontname="Courier", fontsize=${METRICS.small}, arrowsize=0.7];`,
    `${start} [shape=point, width=0.12, label=""];`,
    `${start} -> ${quoted(region.initial)};`,
    ...region.states.map((state) => stateLine(state, room)),
    ...bundles(region.states.flatMap(({ arrows }) => arrows)).map(
      ({ from, to, arrows }) => `${quoted(from)} -> ${quoted(to)} [label=${lines(arrows, room)}];`,
    ),
  ];
}

function stateLine(state: State, room: number): string {
  const { width, height } = boxOf(state, room);
  const rows = stays(state.arrows).map((arrow) => `${record(label(arrow, room))}\\l`);
  const text = rows.length === 0 ? record(state.name) : `{${record(state.name)}|${rows.join('')}}`;
  const twice = state.isFinal ? ', peripheries=2' : '';
  return `${quoted(state.id)} [label="${text}", width=${inches(width)}, height=${inches(height)}${twice}];`;
}

const inches = (points: number): string => (points / 72).toFixed(3);
const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
const quoted = (text: string): string => `"${escaped(text)}"`;
const record = (text: string): string => escaped(text).replace(/[{}|<>]/g, '\\$&');
/** A space to each side keeps the text off the line that it belongs to. */
const lines = (arrows: readonly Arrow[], room: number): string =>
  `"${arrows.map((arrow) => ` ${escaped(label(arrow, room))} \\l`).join('')}"`;
