import { useEffect, useRef, useState } from 'preact/hooks';
import type { Told } from '../told.ts';
import { readDrawing } from './wire.ts';

const drawings = new Map<string, Promise<SVGElement>>();
/** Each drawing is fetched once. It is shown in one place at a time, and goes from one to the next. */
function drawingOf(machine: string): Promise<SVGElement> {
  const known = drawings.get(machine) ?? readDrawing(machine);
  drawings.set(machine, known);
  known.catch(() => drawings.delete(machine));
  return known;
}

export interface DrawingProps {
  readonly machine: string;
  /** States that something rests in, each with how many do; without a number: the one that is looked at. */
  readonly on: ReadonlyMap<string, number | undefined>;
  /** What has happened up to here; the last one is where it came from just now. */
  readonly path?: readonly Told[] | undefined;
}

/** A large chart is made this much smaller at the most; beyond that it scrolls, so that its words can be read. */
const SMALLEST = 0.75;
const SVG = 'http://www.w3.org/2000/svg';

function light(svg: SVGElement, { on, path = [] }: DrawingProps): void {
  const visited = new Set(path.flatMap(({ before, after }) => [...before, ...after]));
  const edgeOf = (arrow: { from: string; event: string; index: number }): string =>
    `${arrow.from}|${arrow.event}|${arrow.index}`;
  const taken = new Set(path.flatMap((step) => step.taken.map(edgeOf)));
  const last = new Set(path.at(-1)?.taken.map(edgeOf));
  for (const state of svg.querySelectorAll<SVGElement>('.state')) {
    const name = state.dataset['state'] ?? '';
    state.classList.toggle('on', on.has(name));
    state.classList.toggle('visited', visited.has(name));
    count(state, on.get(name));
  }
  for (const edge of svg.querySelectorAll<SVGElement>('.edge')) {
    const { from = '', event = '', index = '' } = edge.dataset;
    const key = `${from}|${event}|${index}`;
    edge.classList.toggle('taken', taken.has(key));
    edge.classList.toggle('last', last.has(key));
  }
  for (const arrow of svg.querySelectorAll<SVGElement>('.arrow')) {
    arrow.classList.toggle('taken', arrow.querySelector('.edge.taken') !== null);
    arrow.classList.toggle('last', arrow.querySelector('.edge.last') !== null);
  }
}

/** A small number on the corner of a state. */
function count(state: SVGElement, number: number | undefined): void {
  state.querySelector('.count')?.remove();
  const box = state.querySelector('.box');
  if (number === undefined || box === null) return;
  const at = (name: string): number => Number(box.getAttribute(name));
  const group = document.createElementNS(SVG, 'g');
  group.setAttribute('class', 'count');
  const width = 10 + 7 * String(number).length;
  const pill = document.createElementNS(SVG, 'rect');
  const sizes = { x: at('x') + at('width') - width + 6, y: at('y') - 8, width, height: 16, rx: 8 };
  for (const [name, value] of Object.entries(sizes)) pill.setAttribute(name, String(value));
  const text = document.createElementNS(SVG, 'text');
  text.setAttribute('x', String(sizes.x + width / 2));
  text.setAttribute('y', String(sizes.y + 12));
  text.setAttribute('text-anchor', 'middle');
  text.textContent = String(number);
  group.append(pill, text);
  state.append(group);
}

/** Where a chart is wider than its frame, what is looked at shall not lie outside. */
function center(svg: SVGElement, frame: HTMLElement | null): void {
  const box = svg.querySelector('.state.on .box')?.getBoundingClientRect();
  if (box === undefined || frame === null) return;
  const { left, width } = frame.getBoundingClientRect();
  frame.scrollLeft += box.left + box.width / 2 - left - width / 2;
}

/** One chart, with its active states lit. On a narrow screen it scrolls within its own frame. */
export function Drawing(props: DrawingProps) {
  const place = useRef<HTMLDivElement>(null);
  const [svg, setSvg] = useState<SVGElement>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let isGone = false;
    drawingOf(props.machine).then(
      (drawn) => {
        if (isGone) return;
        drawn.style.minWidth = `${Math.round(Number(drawn.getAttribute('width')) * SMALLEST)}px`;
        setSvg(drawn);
        place.current?.replaceChildren(drawn);
      },
      (error: unknown) => setProblem(String(error)),
    );
    return () => {
      isGone = true;
    };
  }, [props.machine]);
  if (svg !== undefined) light(svg, props);
  const isOne = props.path !== undefined;
  const states = [...props.on.keys()].join();
  useEffect(() => {
    if (svg !== undefined && isOne) center(svg, place.current);
  }, [svg, isOne, states]);
  const label = `Chart ${props.machine}; lit: ${[...props.on.keys()].join(', ') || 'nothing'}`;
  return (
    <>
      {problem === '' ? null : <p class="note">{problem}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so keys must reach it */}
      <section class="drawing" ref={place} tabIndex={0} aria-label={label} />
    </>
  );
}
