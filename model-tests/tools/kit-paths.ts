/** Where the paths of a tool tracker come from: random things that happen to it, and how its charts are heard. */
import fc from 'fast-check';
import type { Rows } from '../../machines/shared/lean.ts';
import { callMachine } from '../../machines/tools/call.ts';
import { CALL_TABLE, TRACKER_TABLE } from '../../machines/tools/tables.ts';
import { trackerMachine } from '../../machines/tools/tracker.ts';
import { toolStep } from '../../src/testing/commands.ts';
import { type ToolPath, walkToolPath } from '../../src/testing/tools/paths.ts';
import type { ToolStep } from '../../src/testing/tools/walk.ts';
import { createToolTracker } from '../../src/tools.ts';
import { Ear, type PathSource, type Walked } from '../support/paths.ts';
import { allTransitions } from '../support/tracer.ts';

const SEED = 20_260_101;
const CALM_RUNS = 600;
const WILD_RUNS = 300;

const ear = new Ear('TL', [callMachine, trackerMachine]);
// Both are stepped by their tables, where the first row whose guard holds is the one that is taken.
for (const [machine, table] of [
  [callMachine, CALL_TABLE],
  [trackerMachine, TRACKER_TABLE],
] as const) {
  for (const { key, transition } of allTransitions(machine)) {
    const [place, event, index] = key.split(' ') as [string, string, string];
    const [region, state] = place.split('.') as [string, string];
    const row = (table as Readonly<Record<string, Record<string, Rows>>>)[region]?.[state]?.[event]?.[Number(index)];
    const [guard] = row as unknown as [((...asked: unknown[]) => boolean | undefined) | ''];
    Object.assign(row as object, {
      0: (...asked: unknown[]): boolean => {
        const holds = guard === '' || guard(...asked) === true;
        if (holds) ear.note(transition);
        return holds;
      },
    });
  }
}

/** Why no list of steps takes a transition; undefined: one should. */
function whyNone(name: string): string | undefined {
  const isOfFailure = /^tracker: (?:driver\.(?:healthy on FAIL|failed|inert)|intake\.\w+ on SNAPSHOT\[1\])/.test(name);
  return isOfFailure ? 'follows a defect of the tracker itself, which nothing outside brings about (R-134)' : undefined;
}

const calm = (step: ToolStep): ToolStep => ({ ...step, hurried: false });

const show = (text: string, open: boolean, hurried = false, fate: { result?: true; gated?: true } = {}): ToolStep => ({
  ...{ do: 'push', calls: [{ id: 'a', tool: 'unknown', text, result: false, gated: false, ...fate }] },
  ...{ open, loading: false, hurried },
});
const ask = (by: 'callback' | 'executor', aborted = false): ToolStep => ({
  ...{ do: 'ask', id: 'a', by },
  ...{ aborted, hurried: false },
});
const WHOLE = '{"v":1}';
/** Places that chance alone rarely comes to. */
const PLACES: readonly (readonly ToolStep[])[] = [
  [show(WHOLE, false)],
  [show(WHOLE, false), ask('executor')],
  [show('{', true), ask('callback')],
  [show('{', true), ask('callback'), show(WHOLE, false)],
  [show('{', true), ask('callback', true)],
  [show('{"__proto__":', true), ask('callback'), show('{"__proto__":1}', false)],
  [show('1', true)],
  [show(WHOLE, true), show(WHOLE, false, true)],
];
const NEXT: readonly ToolStep[] = [
  show(WHOLE, false, false, { result: true }),
  show(WHOLE, false, false, { gated: true }),
  show('1.', true),
  ask('callback'),
  ask('executor'),
  ...[true, false].map((discard): ToolStep => ({ do: 'abort', discard, hurried: false })),
  { do: 'end', id: 'a', well: true, hurried: false },
  { do: 'resume', id: 'a', hurried: false },
  { do: 'reset', hurried: false },
];

/** From each of these places, each two things that may happen next. */
function placed(): ToolStep[][] {
  const begun: ToolStep = { do: 'push', calls: [], open: false, loading: false, hurried: false };
  return PLACES.flatMap((place) => NEXT.flatMap((one) => NEXT.map((other) => [begun, ...place, one, other])));
}

/** The simple ones first: of two paths to a transition the one that comes first is kept. */
function samples(): Walked<ToolPath>[] {
  const lists = (step: fc.Arbitrary<ToolStep>, numRuns: number): ToolStep[][] =>
    fc.sample(fc.array(step, { minLength: 3, maxLength: 12, size: 'max' }), { seed: SEED, numRuns });
  const all = [...lists(toolStep(1).map(calm), CALM_RUNS), ...placed(), ...lists(toolStep(), WILD_RUNS)];
  return all.map((steps) => ({ steps }));
}

const subject = { create: createToolTracker };

export const toolPathSource: PathSource<ToolPath> = {
  file: 'src/testing/tools/paths.json',
  ear,
  walk: (path, look) => walkToolPath(subject, path, look),
  samples,
  whyNone,
};
