/** Whatever stands beside a good call: nothing throws, the good one runs once, and nobody hears the same notice twice. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { macrotask, message, part } from '../../src/testing/tools/rig.ts';
import type { ToolSpec } from '../../src/tools/types.ts';
import { live, type Rig } from '../../test/tools/rig.ts';
import '../../test/support/seed.ts';

const RUNS = Number(process.env['READBACK_RUNS'] ?? 120);
const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeAll(() => void process.on('unhandledRejection', note));
beforeEach(() => {
  unhandled.length = 0;
});
afterAll(() => void process.off('unhandledRejection', note));

const boom = (): never => {
  throw new Error('boom');
};
const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'x', ''];
const FIELDS = ['type', 'role', 'content', 'parts', 'messages', 'toolCallId', 'toolName', 'argsText', 'result'];
const SHAPED = [...FIELDS, 'approval', 'isError', 'artifact', 'modelContent', 'state', 'input', 'output', 'errorText'];

const trap = new Proxy(
  {},
  { get: boom, has: boom, ownKeys: boom, getOwnPropertyDescriptor: boom, getPrototypeOf: boom },
);
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();
// biome-ignore lint/suspicious/noThenProperty: what hosts return may be one
const thenable = { then: boom };

/** Fields that throw when they are read, on top of a call that is otherwise good. */
const mined = (fields: readonly string[]): object =>
  Object.defineProperties(
    part('{}', { id: 'mined' }),
    Object.fromEntries(fields.map((field) => [field, { get: boom, enumerable: true, configurable: true }])),
  );
const cyclic = (): object => {
  const one: Record<string, unknown> = { role: 'assistant' };
  const nested: Record<string, unknown> = part('{}', { id: 'cyclic', messages: [one, one] });
  nested['result'] = nested;
  one['content'] = [nested, one, nested];
  return one;
};
const deep = (levels: number): object => {
  let one = message(part('{}', { id: 'bottom' }));
  for (let at = 0; at < levels; at += 1) one = message(part('{}', { id: `level${at}`, messages: [one] }));
  return one;
};

/** What is drawn must bear to be looked at, so these stand for what does not. */
const MARKS = new Map<unknown, unknown>([
  ['(trap)', trap],
  ['(revoked)', revoked],
  ['(thenable)', thenable],
  ['(cyclic)', cyclic()],
  ...[1, 40, 10_000].map((levels) => [`(deep ${levels})`, deep(levels)] as const),
]);
function real(value: unknown, depth = 0): unknown {
  if (MARKS.has(value)) return MARKS.get(value);
  if (typeof value === 'string' && value.startsWith('(mined)')) return mined(value.slice(7).split(','));
  if (Array.isArray(value)) return value.map((one) => real(one, depth + 1));
  if (typeof value !== 'object' || value === null || depth > 6) return value;
  const fields = Object.entries(Object.getOwnPropertyDescriptors(value));
  if (Object.getPrototypeOf(value) !== Object.prototype || fields.some(([, { get }]) => get !== undefined))
    return value;
  return Object.fromEntries(fields.map(([key, field]) => [key, real(field.value, depth + 1)]));
}

const id = fc.oneof(
  fc.constantFrom<unknown>(...NAMES),
  fc.string(),
  fc.constantFrom<unknown>(null, 7, Symbol('s'), {}, '(trap)'),
);
const text = fc.oneof(
  fc.constantFrom<unknown>(
    '{}',
    '{',
    '}',
    '[]]',
    '',
    '"',
    'nul',
    '{"__proto__":{"a":1}}',
    '{"a":{"constructor":{"prototype":1}}}',
  ),
  fc.constantFrom<unknown>(
    '['.repeat(10_000) + ']'.repeat(10_000),
    '['.repeat(10_000),
    '\ud800',
    '"\\ud800"',
    '\0',
    null,
    1n,
    '(trap)',
  ),
  fc.json(),
  fc.string(),
);
const anything = fc.oneof(
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withSparseArray: true }),
  fc.constantFrom<unknown>(...MARKS.keys(), boom, Symbol('s')),
);
const shaped = fc.dictionary(
  fc.constantFrom(...SHAPED),
  fc.oneof(anything, fc.constantFrom('tool-call', 'assistant', 'tool-x')),
  {
    noNullPrototype: true,
  },
);
const called = fc.record({ id, name: fc.constantFrom<unknown>(...NAMES, null, 7, '(trap)'), text, more: shaped });
const badPart: fc.Arbitrary<unknown> = fc.oneof(
  anything,
  shaped,
  called.map(({ id: toolCallId, name: toolName, text: argsText, more }) => ({
    ...more,
    type: 'tool-call',
    toolCallId,
    toolName,
    argsText,
  })),
  called.map(({ id: toolCallId, more }) => ({ ...more, type: 'tool-x', toolCallId })),
  fc.subarray(FIELDS, { minLength: 1 }).map((fields) => `(mined)${fields.join(',')}`),
);
const badMessage: fc.Arbitrary<unknown> = fc.oneof(
  badPart,
  fc.array(badPart, { maxLength: 4 }).map((parts) => message(...parts)),
  shaped.map((one) => ({ ...one, role: 'assistant' })),
  fc.constantFrom('(cyclic)', '(deep 1)', '(deep 40)', '(deep 10000)'),
);

/** Of tools that misbehave each in its own way. */
const BAD_TOOLS: Readonly<Record<string, unknown>> = {
  throws: { execute: boom },
  rejects: { execute: () => Promise.reject(new Error('boom')) },
  hangs: { execute: () => new Promise(() => undefined) },
  thenable: { execute: () => thenable },
  trapped: trap,
  revoked,
  number: 7,
  getter: Object.defineProperty({}, 'execute', { get: boom }),
  callback: { streamCall: boom, execute: () => 1 },
  rejectingCallback: { streamCall: () => Promise.reject(new Error('boom')), execute: () => 1 },
  schema: { parameters: { '~standard': { validate: boom } }, execute: () => 1 },
  oddSchema: { parameters: { '~standard': { validate: () => null } }, execute: () => 1 },
  trappedSchema: { parameters: trap, execute: () => 1 },
  oddIssues: { parameters: { '~standard': { validate: () => ({ issues: 7 }) } }, execute: () => 1 },
  handler: { parameters: { '~standard': { validate: () => ({ issues: [] }) } }, execute: () => 1, onInvalid: boom },
  model: { execute: () => 1, toModelOutput: boom },
  rejectingModel: { execute: () => 1, toModelOutput: () => Promise.reject(new Error('boom')) },
  throwsOddly: { execute: () => Promise.reject(trap) },
  brokenResponse: {
    execute: () => Object.defineProperty({ [Symbol.for('aui.tool-response')]: true }, 'result', { get: boom }),
  },
  modelGetter: Object.defineProperty({ execute: () => 1 }, 'toModelOutput', { get: boom }),
  callbackGetter: Object.defineProperty({ execute: () => 1 }, 'streamCall', { get: boom }),
  asks: { execute: (_args: unknown, { human }: { human(payload: unknown): unknown }) => human(trap) },
};

const good = (name: string): ToolSpec | undefined =>
  Object.hasOwn(BAD_TOOLS, name) ? (BAD_TOOLS[name] as ToolSpec) : undefined;

function rigWith(more: Parameters<typeof live>[0] = {}): Rig {
  const rig: Rig = live({
    tools: (name) => (name === 'x' ? { execute: (args: unknown, context) => rig.execute(args, context) } : good(name)),
    ...more,
  });
  return rig;
}

/** Once for a call and a kind. */
function expectNoNoticeTwice({ notices }: Rig): void {
  const marks = notices.map(([kind, { toolCallId }]) => `${kind} ${JSON.stringify(toolCallId)}`);
  expect(marks.filter((mark, at) => marks.indexOf(mark) !== at)).toEqual([]);
}
const goodRuns = ({ started }: Rig): number => started.filter((one) => one.id === 'good').length;
const GOOD = message(part('{}', { id: 'good' }));

describe('beside whatever stands there', () => {
  it('[TL-R20, TL-R22, TL-R23, TL-R140] [TL-I12, TL-I13] a good call runs, and nothing is thrown', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(badMessage, { maxLength: 5 }),
        fc.array(badPart, { maxLength: 5 }),
        async (before, beside) => {
          const rig = rigWith();
          for (let again = 0; again < 3; again += 1) {
            const [around, at] = [real(before) as unknown[], real(beside) as unknown[]];
            const messages = [...around, message(...at, part('{}', { id: 'good' }), ...at), ...around];
            rig.tracker.push({ messages, isRunning: false });
            await macrotask();
          }
          expect(goodRuns(rig)).toBe(1);
          expect(rig.results.filter(({ toolCallId }) => toolCallId === 'good')).toHaveLength(1);
          expect(rig.tracker.place.value).toEqual({ driver: 'healthy', intake: 'live' });
          expectNoNoticeTwice(rig);
          await rig.tracker.abort({ discardPending: true });
          rig.tracker.reset();
          expect(rig.tracker.statuses().size).toBe(0);
        },
      ),
      { numRuns: RUNS },
    );
    await macrotask();
    expect(unhandled).toEqual([]);
  }, 60_000);

  it('[TL-R140, TL-I12] no method throws, whatever it is given', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(4), anything, anything), { maxLength: 12 }), async (calls) => {
        const rig = rigWith();
        for (const [which, drawnA, drawnB] of calls) {
          const [a, b] = [real(drawnA), real(drawnB)];
          if (which === 0) rig.tracker.push(a as never);
          else if (which === 1) rig.tracker.push({ messages: a, isRunning: b, isLoading: b } as never);
          else if (which === 2) await expect(rig.tracker.abort(a as never)).resolves.toBeUndefined();
          else if (which === 3) expect(rig.tracker.resume(a as never, b)).toBe(false);
          else expect(rig.tracker.adopt(a as never)).toBe(false);
        }
        rig.tracker.push({ messages: [GOOD], isRunning: false, isLoading: false });
        rig.tracker.push({ messages: [], isRunning: false });
        rig.tracker.push({ messages: [message(part('{}', { id: 'new' }))], isRunning: false });
        await macrotask();
        expect(rig.started.at(-1)?.id).toBe('new');
      }),
      { numRuns: RUNS },
    );
    expect(unhandled).toEqual([]);
  }, 60_000);

  it.each(Object.keys(BAD_TOOLS))(
    '[TL-R134, TL-I13] a tool that misbehaves (%s) costs its own call only',
    async (name) => {
      const rig = rigWith();
      for (let again = 0; again < 3; again += 1) {
        rig.push('s', part('{}', { id: 'bad', name }), part('{}', { id: 'good' }), part('{}', { id: 'worse', name }));
        await macrotask();
      }
      expect(goodRuns(rig)).toBe(1);
      expect(rig.tracker.place.value['driver']).toBe('healthy');
      expectNoNoticeTwice(rig);
      await rig.tracker.abort({ discardPending: true });
      for (const bad of ['bad', 'worse']) {
        expect(rig.results.filter(({ toolCallId }) => toolCallId === bad).length).toBeLessThanOrEqual(1);
      }
      expect(rig.tracker.statuses().size).toBe(0);
      await macrotask();
      expect(unhandled).toEqual([]);
    },
  );

  it.each([
    ['owner', { owner: boom }, 'owner-threw'],
    ['tools', { tools: boom }, 'tools-threw'],
    ['onResult', { onResult: boom }, 'handler-threw'],
    ['onStatuses', { onStatuses: boom }, 'handler-threw'],
    ['onResult, later', { onResult: () => Promise.reject(new Error('boom')) }, 'handler-threw'],
    ['onStatuses, later', { onStatuses: () => Promise.reject(new Error('boom')) }, 'handler-threw'],
    ['onResult, oddly', { onResult: () => thenable }, 'handler-threw'],
    ['project', { project: boom }, 'broke-off'],
  ] as const)(
    '[TL-R44, TL-R91, TL-R134] a callback that throws (%s) is one notice for each call',
    async (_what, more, kind) => {
      const rig = rigWith(more as never);
      const ids = ['a', 'b', 'c'];
      for (let again = 0; again < 3; again += 1) {
        rig.push('s', ...ids.map((one) => part('{}', { id: one })));
        await macrotask();
      }
      expect(new Set(rig.kinds)).toEqual(new Set([kind]));
      expectNoNoticeTwice(rig);
      const runs = kind === 'broke-off' || kind === 'tools-threw' ? [] : ids;
      expect(rig.started.map((one) => one.id)).toEqual(runs);
      expect(unhandled).toEqual([]);
    },
  );

  it('[TL-R24, TL-R140] a thousand calls in one message, each told twice, run once each', async () => {
    const rig = rigWith({ limits: { executors: 2_000 } });
    const parts = Array.from({ length: 1_000 }, (_, at) => part(`{"at":${at}}`, { id: `c${at}` }));
    rig.push('s', ...parts, ...parts.map((one) => ({ ...one })));
    await macrotask();
    expect(rig.started.map(({ args }) => args)).toEqual(parts.map((_, at) => ({ at })));
    expect(rig.results).toHaveLength(1_000);
  });

  it.each(NAMES.filter((name) => name !== ''))(
    '[TL-R03, TL-I19] an id such as %s is an id like any other',
    async (hostile) => {
      const rig = rigWith();
      rig.push('s', part('{"a":1}', { id: hostile }), part('{"a":2}', { id: 'good' }));
      await macrotask();
      expect(rig.started.map((one) => [one.id, one.args])).toEqual([
        [hostile, { a: 1 }],
        ['good', { a: 2 }],
      ]);
      rig.push('s', part('{"a":1}', { id: hostile }), part('{"a":2}', { id: 'good' }));
      await macrotask();
      expect(rig.results.map(({ toolCallId }) => toolCallId)).toEqual([hostile, 'good']);
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
  );
});
