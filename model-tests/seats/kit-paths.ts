/** Where the paths of lineage come from: random logs, and what the chart of a verdict says of each entry. */
import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { findingOf } from '../../machines/seats/finding.ts';
import { type Parent, type VerdictEvent, verdictMachine } from '../../machines/seats/verdict.ts';
import { start, step } from '../../machines/shared/step.ts';
import { verdictChart } from '../../src/seats/charts.ts';
import { askOf } from '../../src/seats/lineage.ts';
import { lineage } from '../../src/seats.ts';
import { lineageStep } from '../../src/testing/commands.ts';
import { type LineagePath, walkLineagePath } from '../../src/testing/lineage/paths.ts';
import type { CheckStep, LineageSight, LineageStep, Trouble } from '../../src/testing/lineage/walk.ts';
import { Ear, type PathSource, type Walked } from '../support/paths.ts';
import { Tracer } from '../support/tracer.ts';

const SEED = 20_260_101;
const RUNS = 4_000;

type Written = Extract<LineageStep, { do: 'add' }> | Trouble | undefined;

const ear = new Ear('SE', [verdictMachine]);
const tracer = new Tracer(verdictMachine);

/** What the chart hears of an entry. */
function eventOf(written: Written, id: string, steps: number, parent: (of: string | null) => Parent): VerdictEvent {
  if (written === undefined || written === 'gone') return { type: 'MISSING', id, steps };
  if (written === 'malformed') return { type: 'MALFORMED', id, steps };
  if (written === 'fails') return { type: 'FAILED', id, steps };
  if (written === 'hangs') return { type: 'TIMEOUT', id, steps };
  return { type: 'ENTRY', id, steps, kind: written.kind, parent: parent(written.parent) };
}

function anchorEvent(written: Written): VerdictEvent {
  if (written === undefined || written === 'gone') return { type: 'ANCHOR_MISSING' };
  return { type: written === 'fails' || written === 'hangs' ? 'ANCHOR_UNREAD' : 'ANCHOR_FOUND' };
}

/** A check passes over entries that decide nothing; the chart is told of each here, and must come to the same. */
function judge(log: ReadonlyMap<string, Written>, check: CheckStep, { finding }: LineageSight): void {
  const { anchor, leaf, maxSteps, stopAtBreak } = check;
  const input = { ask: askOf(lineage, anchor, leaf), maxSteps, stopAtBreak };
  for (const taken of tracer.ofStart(input)) ear.note(taken);
  let at = start(verdictChart, input).snapshot;
  const send = (event: VerdictEvent): void => {
    ear.hear(verdictMachine.id, at, event);
    at = step(verdictChart, at, event).snapshot;
  };
  const seen = new Set<string | null>();
  const parentOf = (id: string | null): Parent => {
    if (id === anchor) return 'anchor';
    return id === null ? 'root' : seen.has(id) ? 'seen' : 'further';
  };
  for (let id = leaf; at.value === 'reading' && id !== null; ) {
    seen.add(id);
    const written = log.get(id);
    send(eventOf(written, id, at.context.steps, parentOf));
    id = typeof written === 'object' ? written.parent : null;
  }
  if (at.value === 'classifying') send(anchorEvent(log.get(anchor as string)));
  deepStrictEqual(finding, findingOf(at.value, at.context, at.context.steps), JSON.stringify([...log, check]));
}

/** Why no list of steps takes a transition: each has one. */
const whyNone = (): undefined => undefined;

function samples(): Walked<LineagePath>[] {
  const lists = fc.array(lineageStep, { minLength: 1, maxLength: 9, size: 'max' });
  return fc.sample(lists, { seed: SEED, numRuns: RUNS }).map((steps) => ({ steps }));
}

export const lineagePathSource: PathSource<LineagePath> = {
  file: 'src/testing/lineage/paths.json',
  ear,
  walk(path, look) {
    const log = new Map<string, Written>();
    return walkLineagePath({ lineage }, path, (seen, at) => {
      const one = path.steps[at] as LineageStep;
      if (one.do === 'check') judge(log, one, seen);
      else log.set(one.id, one.do === 'add' ? one : one.how);
      look(seen);
    });
  },
  samples,
  whyNone,
};
