/**
 * A chart as SCXML, the W3C's notation of statecharts.
 *
 * Guards are conditions by name; actions are elements of a namespace of their own, as the standard has it for what it
 * does not know. What the chart does in every state stands in each state of a flat chart: the root may hold none.
 */
import { type Arrow, arrowsOf, type Outline, type Region, type State } from './outline.ts';

const OWN = 'urn:readback:chart';

export function toScxml(chart: Outline): string {
  const everywhere = chart.isParallel ? [] : chart.arrows;
  const initial = chart.isParallel ? chart.id : (chart.regions[0]?.initial ?? '');
  const body = chart.isParallel
    ? [
        `<parallel id="${escaped(chart.id)}">`,
        ...indented([...chart.arrows.flatMap(transition), ...chart.regions.flatMap(region)]),
        '</parallel>',
      ]
    : chart.regions.flatMap(({ states }) => states.flatMap((one) => state(one, everywhere)));
  const datamodel = arrowsOf(chart).some(({ guard }) => guard !== undefined) ? 'ecmascript' : 'null';
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<scxml xmlns="http://www.w3.org/2005/07/scxml" xmlns:rb="${OWN}" version="1.0"${attributes({
      name: chart.id,
      initial,
      datamodel,
      'rb:description': chart.description,
    })}>`,
    ...indented(body),
    '</scxml>',
    '',
  ].join('\n');
}

function region({ name, description, initial, states, arrows }: Region): readonly string[] {
  return [
    `<state${attributes({ id: name, initial, 'rb:description': description })}>`,
    ...indented([...arrows.flatMap(transition), ...states.flatMap((one) => state(one, []))]),
    '</state>',
  ];
}

function state({ id, description, isFinal, arrows }: State, everywhere: readonly Arrow[]): readonly string[] {
  const tag = isFinal ? 'final' : 'state';
  const open = `${tag}${attributes({ id, 'rb:description': description })}`;
  // A final state has no transitions in SCXML, and nothing is taken in one here.
  const inner = isFinal ? [] : [...arrows, ...everywhere].flatMap(transition);
  return inner.length === 0 ? [`<${open}/>`] : [`<${open}>`, ...indented(inner), `</${tag}>`];
}

function transition({ event, guard, to, actions, rules, description }: Arrow): readonly string[] {
  const open = `transition${attributes({
    event: event === 'always' ? undefined : event,
    cond: guard,
    target: to,
    'rb:rules': rules.length === 0 ? undefined : rules.join(' '),
    'rb:description': description,
  })}`;
  if (actions.length === 0) return [`<${open}/>`];
  return [`<${open}>`, ...actions.map((action) => `  <rb:do${attributes({ action })}/>`), '</transition>'];
}

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);

const attributes = (values: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : [` ${name}="${escaped(value)}"`]))
    .join('');

const escaped = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
