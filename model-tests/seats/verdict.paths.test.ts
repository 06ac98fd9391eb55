/** Every transition of the verdict chart, taken by `lineage()` over a log that is built for the path. */
import { describe, expect, it } from 'vitest';
import { findingOf } from '../../machines/seats/finding.ts';
import type { VerdictEvent, VerdictInput } from '../../machines/seats/verdict.ts';
import { start, step } from '../../machines/shared/step.ts';
import { verdictChart } from '../../src/seats/charts.ts';
import { type Finding, lineage, lineages, type ReadEntry } from '../../src/seats.ts';
import { Log, never } from '../../src/testing/lineage/logs.ts';
import { Coverage, coverPaths } from '../support/cover.ts';
import { same } from '../support/same.ts';
import { VERDICT_EVENTS, VERDICT_INPUTS, verdictMachine, verdictPlace } from './samples.ts';

const KINDS = { ordinary: 'message', break: 'compaction', untyped: undefined } as const;
const DOWN = new Error('down');

/** A log in which a walk from `e0` to `anchor` meets exactly these events. */
function logFor(events: readonly VerdictEvent[]): ReadEntry {
  const log = new Log({ anchor: ['above', 'compaction'] });
  const troubles = new Map<string, 'FAILED' | 'TIMEOUT'>();
  for (const event of events) {
    if (event.type === 'ENTRY') {
      const parents = { anchor: 'anchor', root: null, seen: 'e0', further: `e${event.steps + 1}` };
      log.add(event.id, parents[event.parent], KINDS[event.kind]);
    } else if (event.type === 'MALFORMED') log.spoil(event.id, 'no entry');
    else if (event.type === 'FAILED' || event.type === 'TIMEOUT') troubles.set(event.id, event.type);
    else if (event.type === 'ANCHOR_MISSING') log.entries.delete('anchor');
    else if (event.type === 'ANCHOR_UNREAD') troubles.set('anchor', 'FAILED');
  }
  return (id) => {
    const trouble = troubles.get(id);
    if (trouble === 'TIMEOUT') return never(id);
    if (trouble === 'FAILED') throw DOWN;
    return log.read(id);
  };
}

const ARGUMENTS: Readonly<Record<VerdictInput['ask'], readonly [anchor: unknown, leaf: unknown]>> = {
  bad_input: ['', 'e0'],
  null_anchor: [null, 'e0'],
  empty_branch: ['anchor', null],
  leaf_is_anchor: ['e0', 'e0'],
  walk: ['anchor', 'e0'],
};

/** What the chart says when it is stepped for each entry, one by one. */
function chartOf(
  input: VerdictInput,
  events: readonly VerdictEvent[],
  coverage: Coverage<typeof verdictMachine>,
): Finding | undefined {
  let at = start(verdictChart, input).snapshot;
  coverage.start(input);
  let steps = 0;
  for (const event of events) {
    coverage.follow(at, event);
    at = step(verdictChart, at, event).snapshot;
    steps = at.context.steps;
  }
  return at.done ? findingOf(at.value, at.context, steps) : undefined;
}

/** What follows, so that the walk ends: nothing more in the log. */
function ended(events: readonly VerdictEvent[], input: VerdictInput): readonly VerdictEvent[] {
  const last = events.at(-1);
  if (input.ask !== 'walk') return events;
  const steps = last === undefined ? 0 : 'steps' in last ? last.steps + 1 : 0;
  if (last === undefined || last.type === 'ENTRY') {
    if (last?.parent === 'root') return [...events, { type: 'ANCHOR_FOUND' }];
    return [...events, { type: 'MISSING', id: `e${steps}`, steps }];
  }
  return events;
}

describe('every transition of the verdict chart', () => {
  it('[SE-R54] [SE-R55] [SE-R58] [SE-R60] [SE-R63] [SE-R67] is taken by the check', async () => {
    const coverage = new Coverage(verdictMachine);
    const paths = coverPaths(verdictMachine, VERDICT_EVENTS, {
      inputs: VERDICT_INPUTS,
      serialize: verdictPlace,
      allowed: ({ event, before }) => !('steps' in event) || event.steps === before.context.steps,
    });
    for (const { input, events } of [...paths, ...VERDICT_INPUTS.map((one) => ({ input: one, events: [] }))]) {
      const given = input as VerdictInput;
      const all = ended(events as VerdictEvent[], given);
      const expected = chartOf(given, all, coverage);
      const read = logFor(all);
      const [anchor, leaf] = ARGUMENTS[given.ask] as [string, string];
      const { maxSteps, stopAtBreak } = given;
      const options = { maxSteps, stopAtBreak, deadlineMs: all.some(({ type }) => type === 'TIMEOUT') ? 4 : 2_000 };
      const what = JSON.stringify([given, all]);
      same(what, 'at once', await lineage(read, anchor, leaf, options), expected);
      const later: ReadEntry = async (id) => read(id);
      same(what, 'later', await lineage(later, anchor, leaf, options), expected);
      same(what, 'among others', (await lineages(read, [anchor, 'zz'], leaf, options))[0], expected);
    }
    expect(paths.length).toBeGreaterThan(100);
    expect(coverage.untaken).toEqual([]);
  });
});
