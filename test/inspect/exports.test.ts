/** The charts as text for other programs: each says all that the chart says. */
import { instance } from '@viz-js/viz';
import { describe, expect, it } from 'vitest';
import { toDot } from '../../src/inspect/dot.ts';
import { drawChart } from '../../src/inspect/drawing.ts';
import { MACHINES } from '../../src/inspect/machines.ts';
import { toMermaid } from '../../src/inspect/mermaid.ts';
import { type Arrow, arrowsOf, type Outline, outline } from '../../src/inspect/outline.ts';
import { type Element, elementsOf, parseXml } from '../support/xml.ts';

const ALL = MACHINES.map((machine) => [machine.id, outline(machine)] as const);

/** What a reader of SCXML gets: a machine's config again. */
function readBack(scxml: Element): object {
  const statesOf = (element: Element): object =>
    Object.fromEntries(
      element.children
        .filter(({ name }) => name === 'state' || name === 'final')
        .map((one) => [one.attributes.id?.split('.').at(-1), nodeOf(one)]),
    );
  const nodeOf = (element: Element): object => {
    const on: Record<string, object[]> = {};
    for (const one of element.children.filter(({ name }) => name === 'transition')) {
      const { event = 'always', cond, target, 'rb:rules': rules, 'rb:description': description } = one.attributes;
      on[event] ??= [];
      on[event].push({
        guard: cond,
        target: target?.split('.').at(-1),
        actions: one.children.map(({ attributes }) => attributes.action),
        description,
        meta: { rules: rules?.split(' ') ?? [] },
      });
    }
    const { always, ...events } = on;
    const { initial, 'rb:description': description } = element.attributes;
    return {
      description,
      ...(initial === undefined ? {} : { initial: initial.split('.').at(-1) }),
      ...(element.name === 'final' ? { type: 'final' } : {}),
      on: events,
      ...(always === undefined ? {} : { always }),
      states: statesOf(element),
    };
  };
  const [parallel] = scxml.children.filter(({ name }) => name === 'parallel');
  if (parallel === undefined) return nodeOf(scxml);
  return { ...nodeOf(parallel), type: 'parallel', description: scxml.attributes['rb:description'] };
}

/** The orders are known to the machine only, and what a flat chart does everywhere stands in each of its states. */
function comparable({ regions, arrows, ...chart }: Outline): unknown {
  const bare = ({ orders: _orders, ...arrow }: Arrow) => arrow;
  return {
    ...chart,
    arrows: chart.isParallel ? arrows.map(bare) : [],
    regions: regions.map((region) => ({
      ...region,
      arrows: region.arrows.map(bare),
      states: region.states.map((state) => ({
        ...state,
        arrows: [
          ...state.arrows,
          ...(chart.isParallel || state.isFinal ? [] : arrows.map((arrow) => ({ ...arrow, from: state.id }))),
        ].map(bare),
      })),
    })),
  };
}

describe('SCXML', () => {
  it.each(ALL)('%s is read back as the same chart', (id, chart) => {
    const scxml = parseXml(drawChart(id, 'scxml'));
    expect(scxml.attributes).toMatchObject({ xmlns: 'http://www.w3.org/2005/07/scxml', version: '1.0', name: id });
    const again = outline({ id, config: readBack(scxml), implementations: { actions: {} } });
    expect(comparable(again)).toEqual(comparable(chart));
  });

  it.each(ALL)('%s keeps what the standard asks: ids once, targets and first states that are there', (id) => {
    const all = elementsOf(parseXml(drawChart(id, 'scxml')));
    const ids = all.flatMap(({ name, attributes }) => (/^(state|final|parallel)$/.test(name) ? [attributes.id] : []));
    expect(new Set(ids).size).toBe(ids.length);
    const meant = all.flatMap(({ attributes }) => [attributes.target, attributes.initial]);
    expect(meant.filter((one) => one !== undefined && !ids.includes(one))).toEqual([]);
    const known = /^(scxml|state|final|parallel|transition|rb:do)$/;
    expect(all.filter(({ name }) => !known.test(name))).toEqual([]);
    const isRootHeld = all[0]?.children.some(({ name }) => name === 'transition');
    expect(isRootHeld).toBe(false);
  });
});

describe('DOT', () => {
  it.each(ALL)(
    '%s is read by Graphviz without a warning, with every state and a line for each pair',
    async (_id, chart) => {
      const viz = await instance();
      const result = viz.render(toDot(chart), { format: 'json0' });
      // It knows the widths of few signs; that is no fault of the text.
      expect(result.errors.filter(({ message }) => !message.includes('no value for width'))).toEqual([]);
      const graph = JSON.parse(result.output ?? '') as {
        objects: { name: string; nodes?: number[] }[];
        edges: unknown[];
      };
      const names = graph.objects.map(({ name }) => name);
      const states = chart.regions.flatMap((region) => region.states.map(({ id }) => id));
      expect(names).toEqual(expect.arrayContaining(states));
      const pairs = new Set(
        arrowsOf(chart).flatMap(({ from, to }) => (to === undefined || to === from ? [] : [`${from} ${to}`])),
      );
      expect(graph.edges).toHaveLength(pairs.size + chart.regions.length);
    },
  );
});

describe('mermaid', () => {
  it.each(ALL)('%s has a line for each pair of states, and says every guard', (_id, chart) => {
    const text = toMermaid(chart, 'all');
    for (const { guard } of chart.regions.flatMap(({ states }) => states.flatMap(({ arrows }) => arrows))) {
      if (guard !== undefined) expect(text).toContain(guard);
    }
    const lines = text.split('\n').map((line) => line.trim());
    expect(lines[0]).toBe('stateDiagram-v2');
    const arrow = /^(\[\*\]|\w+) --> (\[\*\]|\w+)(: [^:;"]+)?$/;
    const other = /^(stateDiagram-v2|direction LR|state \w+ \{|state "\w+" as \w+|\}|--)$/;
    expect(lines.filter((line) => !arrow.test(line) && !other.test(line))).toEqual([]);
  });

  it('keeps states of the same name in two regions apart', () => {
    const config = (name: string) => ({ initial: name, states: { [name]: {}, same: { on: { E: { target: name } } } } });
    const twins = { type: 'parallel', states: { one: config('a'), two: config('b') } };
    const text = toMermaid(outline({ id: 'twins', config: twins, implementations: { actions: {} } }), 'all');
    expect(text).toContain('state "same" as one_same');
    expect(text).toContain('two_same --> two_b: E');
  });
});
