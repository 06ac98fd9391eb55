/** Where the paths of requests come from: random sequences of calls, and how the chart that they step is heard. */
import fc from 'fast-check';
import { requestMachine } from '../../machines/requests/request.ts';
import type { Tell } from '../../machines/shared/tap.ts';
import { createServerRequests } from '../../src/requests.ts';
import { requestStep } from '../../src/testing/commands.ts';
import { type RequestPath, walk } from '../../src/testing/requests/paths.ts';
import type { RequestsSubject } from '../../src/testing/requests/rig.ts';
import type { RequestStep } from '../../src/testing/requests/walk.ts';
import { Ear, type PathSource, type Walked } from '../support/paths.ts';

const SEED = 20_260_101;
const RUNS = 10_000;

const ear = new Ear('RQ', [requestMachine]);
const tell: Tell = (chart, _id, before, event) => {
  if (before !== undefined) ear.hear(chart, before as { value: unknown; context: unknown }, event);
};
const subject: RequestsSubject = { create: (options) => createServerRequests({ ...options, watch: { tell } }) };

const WINDOWS: readonly RequestStep[] = [
  { do: 'attach', peer: 'a', sid: 's', able: true },
  { do: 'attach', peer: 'b', sid: 's', able: true },
];
const LOCK: RequestStep = { do: 'lock', card: 0, qid: 'q0', text: 'yes' };
const ASKED = [
  { method: 'window.title', qids: [] },
  { method: 'terminal.read', qids: [] },
  { method: 'sudo', qids: [] },
  { method: 'clarify', qids: ['q0', 'q1'] },
  { method: 'window.form', qids: ['q0', 'q1'] },
] as const;
/** Asks the question of the story once more, under its key. */
const AGAIN = 'again';

/** Two windows get a question, one says that it is not theirs, one answer is locked: chance rarely goes on from there. */
const stories = fc
  .record({
    asked: fc.constantFrom(...ASKED),
    wait: fc.constantFrom(null, 1_000),
    hasWindows: fc.boolean(),
    isLocked: fc.boolean(),
    declines: fc.constantFrom(null, -32_004, -32_601),
    rest: fc.array(fc.oneof({ weight: 4, arbitrary: requestStep }, { weight: 1, arbitrary: fc.constant(AGAIN) }), {
      ...{ minLength: 1, maxLength: 5, size: 'max' },
    }),
  })
  .map(({ asked, wait, hasWindows, isLocked, declines, rest }): RequestStep[] => {
    const ask: RequestStep = { do: 'ask', ...asked, sid: 's', wait, key: 'k', write: 'takes' };
    return [
      ...(hasWindows ? WINDOWS : []),
      ask,
      ...(isLocked ? [LOCK] : []),
      ...(declines === null ? [] : [{ do: 'fail', card: 0, from: 'a', code: declines } as const]),
      ...rest.map((one) => (one === AGAIN ? ask : one)),
    ];
  });

function samples(): Walked<RequestPath>[] {
  const random = fc.array(requestStep, { minLength: 2, maxLength: 10, size: 'max' });
  const whole = fc.record({ steps: fc.oneof(random, stories), errorQuorum: fc.boolean() });
  return fc.sample(whole, { seed: SEED, numRuns: RUNS });
}

export const requestPathSource: PathSource<RequestPath> = {
  file: 'src/testing/requests/paths.json',
  ear,
  walk: (path, look) => walk(subject, path, look),
  samples,
  whyNone: () => undefined,
};
