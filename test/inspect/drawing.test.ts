/** The drawings as they ship: whole, of these charts, and fit to be put into any page. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type ChartFormat, charts, drawChart } from '../../src/inspect/drawing.ts';
import { MACHINES } from '../../src/inspect/machines.ts';
import { arrowsOf, outline } from '../../src/inspect/outline.ts';
import { ROOT } from '../support/source.ts';
import { elementsOf, parseXml } from '../support/xml.ts';

const ALL = MACHINES.map((machine) => [machine.id, outline(machine)] as const);
const drawn = (id: string) => elementsOf(parseXml(drawChart(id)));
const isKind = (one: { readonly attributes: Readonly<Record<string, string>> }, kind: string): boolean =>
  one.attributes.class?.split(' ').includes(kind) === true;

describe('the drawings', () => {
  it('are of every chart and of no other', () => {
    const files = readdirSync(join(ROOT, 'src/inspect/generated')).sort();
    expect(files).toEqual(MACHINES.map(({ id }) => `${id}.svg`).sort());
    expect(charts().map(({ name }) => name)).toEqual(MACHINES.map(({ id }) => id));
    expect(charts().filter(({ description }) => description.length < 10)).toEqual([]);
  });

  it('are small enough for one page', () => {
    const bytes = ALL.map(([id]) => gzipSync(drawChart(id)).length).reduce((sum, one) => sum + one, 0);
    expect(bytes).toBeLessThan(60_000);
  });

  it.each(ALL)('%s has every state, where it begins, and what it is', (id, chart) => {
    const all = drawn(id);
    const states = all.filter((one) => isKind(one, 'state'));
    const wanted = chart.regions.flatMap((region) => region.states);
    expect(states.map(({ attributes }) => attributes['data-state'])).toEqual(wanted.map((state) => state.id));
    expect(states.map((one) => isKind(one, 'final'))).toEqual(wanted.map(({ isFinal }) => isFinal));
    expect(all.filter((one) => isKind(one, 'initial'))).toHaveLength(chart.regions.length);
    expect(all.find(({ name }) => name === 'title')?.text).toBe(`Statechart ${id}: ${chart.description}`);
  });

  it.each(ALL)('%s has every transition, once, with its guard and its rules', (id, chart) => {
    const edges = drawn(id).filter((one) => isKind(one, 'edge'));
    const told = edges.map(({ attributes: one }) =>
      ['from', 'event', 'guard', 'to', 'index', 'rules'].map((name) => one[`data-${name}`]).join(' | '),
    );
    const wanted = arrowsOf(chart).map(({ from, event, guard = '', to = from, index, rules }) =>
      [from, event, guard, to, String(index), rules.join(' ')].join(' | '),
    );
    expect([...told].sort()).toEqual([...wanted].sort());
    for (const { attributes, children } of edges) {
      const words = children.find(({ name }) => name === 'text')?.text ?? '';
      if (attributes['data-guard'] !== '') expect(words).toContain(`[${attributes['data-guard']}]`);
      if (attributes['data-event'] !== 'always') expect(words).toContain(attributes['data-event']);
    }
  });

  it.each(ALL)('%s is safe to put into a page, and takes its colours', (id) => {
    const all = drawn(id);
    expect(new Set(all.map(({ name }) => name))).not.toContain('script');
    const shapes = new Set(['svg', 'g', 'title', 'text', 'rect', 'path', 'circle']);
    expect(all.filter(({ name }) => !shapes.has(name))).toEqual([]);
    const values = all.flatMap(({ attributes }) => Object.entries(attributes));
    expect(values.filter(([name]) => /^on|href|^style$/.test(name))).toEqual([]);
    const colours = values.filter(([name]) => name === 'fill' || name === 'stroke').map(([, value]) => value);
    expect([...new Set(colours)].sort()).toEqual(['currentColor', 'none']);
  });

  it.each(ALL)('%s lies within its frame', (id) => {
    const all = drawn(id);
    const [, , width = 0, height = 0] = (all[0]?.attributes.viewBox ?? '').split(' ').map(Number);
    for (const { attributes } of all.filter(({ name }) => name === 'text' || name === 'rect')) {
      expect(Number(attributes.x)).toBeGreaterThanOrEqual(0);
      expect(Number(attributes.x)).toBeLessThan(width);
      expect(Number(attributes.y)).toBeLessThan(height);
    }
  });
});

describe('a chart or a format that is none', () => {
  it('is refused with what there is', () => {
    expect(() => drawChart('answr')).toThrow(/^chart: "answr" is none; there are coordinator, retirement, ticket, /);
    expect(() => drawChart('answer', 'png' as ChartFormat)).toThrow(
      /^format: "png" is none; there are svg, mermaid, json, scxml, dot/,
    );
    expect(() => drawChart('answer', 'constructor' as ChartFormat)).toThrow(/^format: /);
    expect(() => drawChart('../../../package')).toThrow(/^chart: /);
  });
});
