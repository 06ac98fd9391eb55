/** The examples at the edge, as a table: what each sequence of snapshots starts and reports. */

import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { live, macrotask, part, Rig, type RigOptions } from './rig.ts';

export const edgeRules = new Chapter();
const { describe, test: it } = edgeRules;

type Step = (rig: Rig) => unknown;
interface Example {
  readonly name: string;
  readonly ids: string;
  readonly steps: readonly Step[];
  readonly starts: number;
  readonly reports: number;
  readonly fresh?: boolean;
  readonly options?: RigOptions;
  readonly args?: unknown;
}

const r =
  (text: string, options = {}): Step =>
  (rig) =>
    rig.push('r', part(text, options));
const s =
  (text: string, options = {}): Step =>
  (rig) =>
    rig.push('s', part(text, options));
const wait: Step = () => macrotask();
const discard: Step = (rig) => rig.tracker.abort({ discardPending: true });
const abort: Step = (rig) => rig.tracker.abort();

/** At once: nothing is awaited between the steps, only at the end. */
const EXAMPLES: readonly Example[] = [
  { name: '{} r, {} s', ids: '[TL-R50]', steps: [r('{}'), wait, s('{}')], starts: 1, reports: 1 },
  {
    name: '{} r, owner client',
    ids: '[TL-R50, TL-R55]',
    steps: [r('{}')],
    options: { owner: () => 'client' },
    starts: 1,
    reports: 1,
  },
  {
    name: '{} r, {} s, owner provider',
    ids: '[TL-R62]',
    steps: [r('{}'), wait, s('{}')],
    options: { owner: () => 'provider' },
    starts: 0,
    reports: 0,
  },
  { name: '{} r, gate s', ids: '[TL-R61]', steps: [r('{}'), wait, s('{}', { approval: {} })], starts: 0, reports: 0 },
  { name: '{} r, discard, {} s', ids: '[TL-R103]', steps: [r('{}'), wait, discard, s('{}')], starts: 0, reports: 0 },
  { name: '{} r, abort, {} s', ids: '[TL-R102]', steps: [r('{}'), wait, abort, s('{}')], starts: 1, reports: 1 },
  { name: '{} s, at once discard', ids: '[TL-R53, TL-R104]', steps: [s('{}'), discard], starts: 0, reports: 0 },
  {
    name: '{} s, at once a result',
    ids: '[TL-R53, TL-R60]',
    steps: [s('{}'), s('{}', { result: 1 })],
    starts: 0,
    reports: 0,
  },
  {
    name: 'old s, at once reset, empty, new s',
    ids: '[TL-R112, TL-T03]',
    steps: [s('{"v":"old"}'), (rig) => rig.tracker.reset(), (rig) => rig.push('s'), s('{"v":"new"}')],
    starts: 1,
    reports: 1,
    args: { v: 'new' },
  },
  { name: 'divergent at the end', ids: '[TL-R42]', steps: [r('{"a":1'), s('{"a":2}')], starts: 0, reports: 0 },
  {
    name: 'keys reordered',
    ids: '[TL-R43]',
    steps: [s('{"a":1,"b":2}'), wait, s('{"b":2,"a":1}')],
    starts: 1,
    reports: 1,
  },
  {
    name: 'history loses its result',
    ids: '[TL-R34, TL-T07]',
    fresh: true,
    steps: [s('{}', { result: 1 }), wait, s('{}')],
    starts: 0,
    reports: 0,
  },
  {
    name: 'history is reordered',
    ids: '[TL-R33, TL-T08]',
    fresh: true,
    steps: [s('{"a":1,"b":2}'), wait, s('{"b":2,"a":1}')],
    starts: 0,
    reports: 0,
  },
  {
    name: 'history, discarded, completed',
    ids: '[TL-R104, TL-T04]',
    fresh: true,
    steps: [r('{"a":'), wait, discard, s('{"a":1}')],
    starts: 0,
    reports: 0,
  },
  {
    name: 'history, completed',
    ids: '[TL-R32]',
    fresh: true,
    steps: [r('{"a":'), wait, s('{"a":1}')],
    starts: 1,
    reports: 1,
    args: { a: 1 },
  },
  {
    name: 'disappears and comes back',
    ids: '[TL-R14]',
    steps: [s('{}'), wait, (rig) => rig.push('s'), wait, s('{}')],
    starts: 1,
    reports: 1,
  },
  { name: 'result null', ids: '[TL-R60]', steps: [s('{}', { result: null })], starts: 0, reports: 0 },
  {
    name: 'a part without argument text before a good one',
    ids: '[TL-R22, TL-R23, TL-T05]',
    steps: [(rig) => rig.push('s', part(undefined, { id: 'bad' }), part('{}'))],
    starts: 1,
    reports: 1,
  },
];

describe('examples at the edge', () => {
  it.each(EXAMPLES)('$ids $name: $starts starts, $reports reports', async (example) => {
    const rig = example.fresh === true ? new Rig(example.options) : live(example.options);
    for (const step of example.steps) {
      const made = step(rig);
      if (step === wait) await made;
    }
    await macrotask();
    await macrotask();
    expect(rig.started.map(({ id }) => id)).toEqual(Array(example.starts).fill('t'));
    expect(rig.results.map(({ toolCallId }) => toolCallId)).toEqual(Array(example.reports).fill('t'));
    if (example.args !== undefined) expect(rig.started[0]?.args).toEqual(example.args);
    expect(rig.tracker.statuses().size).toBe(0);
  });
});
