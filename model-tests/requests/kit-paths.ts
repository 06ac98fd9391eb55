/** Where the paths of requests come from: random sequences of calls, and how the charts that they step are heard. */
import fc from 'fast-check';
import { approvalMachine } from '../../machines/requests/approval.ts';
import { cardMachine } from '../../machines/requests/card.ts';
import { followerMachine } from '../../machines/requests/follower.ts';
import { grantMachine } from '../../machines/requests/grant.ts';
import { mirrorMachine } from '../../machines/requests/mirror.ts';
import { requestMachine } from '../../machines/requests/request.ts';
import type { Tell } from '../../machines/shared/tap.ts';
import { createChannel } from '../../src/channel.ts';
import { createMirror, createServerRequests } from '../../src/requests.ts';
import { type CardPath, walkCardPath } from '../../src/testing/channel/paths.ts';
import { cardStep, mirrorStep, requestStep } from '../../src/testing/commands.ts';
import { type MirrorPath, walkMirrorPath } from '../../src/testing/requests/mirror-paths.ts';
import { type RequestPath, walkRequestPath } from '../../src/testing/requests/paths.ts';
import type { RequestsSubject } from '../../src/testing/requests/rig.ts';
import type { RequestStep } from '../../src/testing/requests/walk.ts';
import { Ear, type PathSource, type Walked } from '../support/paths.ts';

const SEED = 20_260_101;
const RUNS = 10_000;
const MIRROR_RUNS = 4_000;
const CARD_RUNS = 10_000;

const telling = (ear: Ear): Tell => {
  return (chart, _id, before, event) => {
    if (before !== undefined) ear.hear(chart, before as { value: unknown; context: unknown }, event);
  };
};
const OTHERS = [approvalMachine, followerMachine, grantMachine];
const ears = {
  request: new Ear('RQ', [requestMachine, ...OTHERS]),
  mirror: new Ear('RQ', [mirrorMachine]),
  card: new Ear('RQ', [cardMachine]),
};

const subject: RequestsSubject = {
  create: (options) => createServerRequests({ ...options, watch: { tell: telling(ears.request) } }),
  mirror: (options) => createMirror({ ...options, watch: { tell: telling(ears.mirror) } }),
};

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
  ear: ears.request,
  walk: (path, look) => walkRequestPath(subject, path, look),
  samples,
  whyNone: (name) => {
    if (/^request: \w+ on UNSEEN/.test(name)) return 'of a question that no client shows, and the watcher shows all';
    return name.startsWith('request: ') ? undefined : 'of a desk of approvals, which the contract is not given';
  },
};

const mirrored = fc.record({ steps: fc.array(mirrorStep, { minLength: 2, maxLength: 10, size: 'max' }) });

export const mirrorPathSource: PathSource<MirrorPath> = {
  file: 'src/testing/requests/mirror-paths.json',
  ear: ears.mirror,
  walk: (path, look) => walkMirrorPath(subject, path, look),
  samples: () => fc.sample(mirrored, { seed: SEED, numRuns: MIRROR_RUNS }),
  whyNone: () => undefined,
};

const shown = fc.record({ steps: fc.array(cardStep, { minLength: 2, maxLength: 10, size: 'max' }) });

export const cardPathSource: PathSource<CardPath> = {
  file: 'src/testing/channel/paths.json',
  ear: ears.card,
  walk: (path, look) =>
    walkCardPath(
      { create: (options) => createChannel({ ...options, watch: { tell: telling(ears.card) } }) },
      path,
      look,
    ),
  samples: () => fc.sample(shown, { seed: SEED, numRuns: CARD_RUNS }),
  whyNone: () => undefined,
};
