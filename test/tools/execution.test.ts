import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { macrotask, microtasks, part } from '../../src/testing/tools/rig.ts';
import { Deferred } from '../../src/tools/reader.ts';
import type { ToolReader, ToolSpec } from '../../src/tools/types.ts';
import { toolResponse } from '../../src/tools.ts';
import { live, Rig } from './rig.ts';

describe('closing and hand-over', () => {
  it('[TL-R51, TL-R52] closes in one pass all that may', async () => {
    const rig = live();
    const parts = ['a', 'b', 'c'].map((id) => part('{}', { id }));
    rig.push('r', ...parts);
    expect(rig.record('a')?.phase).toBe('waitingForRun');
    rig.push('s', ...parts);
    expect(['a', 'b', 'c'].map((id) => rig.record(id)?.phase)).toEqual(Array(3).fill('handedOver'));
    await macrotask();
    expect(rig.started.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });

  it('[TL-R54] starts within the task, and not within push', async () => {
    const rig = live();
    rig.push('s', part('{}'));
    expect(rig.started).toEqual([]);
    await microtasks(3);
    expect(rig.started).toHaveLength(1);
  });
});

describe('what withholds', () => {
  it('[TL-R60] drops the outcome of a running executor, and the first result stays', async () => {
    const rig = live({ execute: 'hang' });
    rig.push('s', part('{}'));
    await macrotask();
    rig.push('s', part('{}', { result: 'theirs' }));
    expect(rig.status()).toBe('executing');
    rig.push('s', part('{}'));
    rig.started[0]?.resolve('ours');
    await macrotask();
    expect(rig.results).toEqual([]);
    expect(rig.status()).toBeUndefined();
    expect(rig.record()?.phase).toBe('settledByProvider');
  });

  it('[TL-R63, TL-T06] takes a throwing predicate for unknown, and goes on', async () => {
    const rig = live({
      owner: ({ id }) => {
        if (id === 'bad') throw new Error('owner');
        return 'client';
      },
    });
    rig.push('r', part('{}', { id: 'bad' }), part('{}'));
    rig.push('r', part('{} ', { id: 'bad' }), part('{}'));
    await macrotask();
    expect(rig.started.map(({ id }) => id)).toEqual(['t']);
    expect(rig.notices).toEqual([['owner-threw', { toolCallId: 'bad', error: new Error('owner') }]]);
    rig.push('s', part('{} ', { id: 'bad' }), part('{}'));
    await macrotask();
    expect(rig.started.map(({ id }) => id)).toEqual(['t', 'bad']);
  });

  it('[TL-R65, TL-R66, TL-T14] runs nothing of a withheld tool but its callback, which hears the answer', async () => {
    const ran: string[] = [];
    let reader: ToolReader | undefined;
    const tool: ToolSpec = {
      parameters: z.object({ n: z.number() }).transform(() => ran.push('validate')),
      execute: () => ran.push('execute'),
      onInvalid: () => ran.push('invalid'),
      toModelOutput: () => ran.push('model'),
      streamCall: (given) => {
        reader = given;
      },
    };
    const rig = live({ tool, owner: () => 'provider' });
    rig.push('r', part('{"n":"no"}'));
    rig.push('s', part('{"n":"no"}'));
    await macrotask();
    rig.push('s', part('{"n":"no"}', { result: 5 }));
    expect(await reader?.response.get()).toEqual({ result: 5, isError: false });
    expect(await reader?.args.get('n')).toBe('no');
    expect(ran).toEqual([]);
  });
});

describe('what is said of a provider’s call', () => {
  it('[TL-R62] is said when a tool here would run it, unless it is answered or withheld for another reason', async () => {
    const rig = new Rig({ owner: () => 'provider' });
    rig.push('r', part('{', { id: 'gated', approval: 1 }));
    rig.push(
      'r',
      part('{}', { id: 'gated' }),
      part('{}', { id: 'answered', result: 1 }),
      part('{}', { id: 'none', name: 'y' }),
      part('{}'),
    );
    await macrotask();
    expect(rig.notices).toEqual([['provider-owned', { toolCallId: 't', name: 'x' }]]);
  });
});

describe('execution', () => {
  it('[TL-R70] runs nothing without a tool or an executor, also when one comes later', async () => {
    let tool: ToolSpec | undefined;
    const rig = live({ tools: (name) => (name === 'x' ? tool : { parameters: {} }) });
    rig.push('s', part('{}'), part('{}', { id: 'u', name: 'y' }));
    await macrotask();
    tool = { execute: () => 'late' };
    rig.push('s', part('{}'), part('{}', { id: 'u', name: 'y' }));
    rig.push('r', part('{}'));
    rig.push('s', part('{}'));
    await macrotask();
    expect(rig.log).toEqual([]);
    expect(rig.record()?.phase).toBe('idle');
    rig.push('s', part('{}', { result: 1 }));
    expect(rig.record()?.phase).toBe('settledByProvider');
  });

  it.each(['result', 'reset'])('[TL-R65, TL-R70, TL-R92] tells a callback without an executor of a %s', async (end) => {
    let heard: unknown;
    const tool: ToolSpec = {
      streamCall: ({ response }) => {
        heard = response.get().then(
          ({ result }) => result,
          (error: Error) => error.message,
        );
      },
    };
    const rig = live({ tool });
    rig.push('s', part('{}'));
    await macrotask();
    if (end === 'result') rig.push('s', part('{}', { result: 'theirs' }));
    rig.tracker.reset();
    expect(await heard).toBe(end === 'result' ? 'theirs' : 'Tool execution aborted');
  });

  it('[TL-R71] goes in that order for each of several calls of one snapshot', async () => {
    const rig: Rig = live({
      tool: {
        streamCall: (_reader, { toolCallId }) => void rig.log.push(`call ${toolCallId}`),
        execute: (args: unknown, context) => rig.execute(args, context, 'hang'),
      },
    });
    rig.push('s', part('{}'), part('{}', { id: 'u' }), part('{}', { id: 'v' }));
    await macrotask();
    for (const id of ['t', 'u', 'v']) {
      expect(rig.log.filter((line) => line.endsWith(` ${id}`))).toEqual([`call ${id}`, `run ${id}`]);
    }
  });

  it('[TL-R72] validates: the value goes in, and what is refused names its issues', async () => {
    const schema = z.object({ n: z.coerce.number(), deep: z.array(z.string()).optional() });
    const rig: Rig = live({
      tool: { parameters: schema, execute: (args: unknown, context) => rig.execute(args, context) },
    });
    rig.push('s', part('{"n":"5","more":1}'), part('{"n":1,"deep":[7]}', { id: 'bad' }));
    await macrotask();
    expect(rig.started.map(({ args }) => args)).toEqual([{ n: 5 }]);
    const bad = rig.results.find(({ toolCallId }) => toolCallId === 'bad');
    expect(bad?.isError).toBe(true);
    expect(bad?.result).toContain('deep.0');
  });

  it('[TL-R72] takes an asynchronous schema, an own handler, and leaves other schemas alone', async () => {
    const later = z.object({ n: z.number().refine(async (n) => n > 1) });
    const rig: Rig = live({
      tools: (name) => ({
        parameters: { x: later, y: { type: 'object', required: ['n'] }, z: { '~standard': {} } }[name],
        execute: (args: unknown, context) => rig.execute(args, context),
        onInvalid: (args, { toolCallId }, issues) => `${toolCallId} ${JSON.stringify(args)} ${issues.length}`,
      }),
    });
    rig.push(
      's',
      part('{"n":2}'),
      part('{"n":1}', { id: 'low' }),
      part('{}', { id: 'plain', name: 'y' }),
      part('{}', { id: 'bare', name: 'z' }),
    );
    await macrotask();
    expect(rig.started.map(({ id }) => id).sort()).toEqual(['bare', 'plain', 't']);
    expect(rig.results.find(({ toolCallId }) => toolCallId === 'low')?.result).toBe('low {"n":1} 1');
    const at = (line: string): number => rig.log.indexOf(line);
    expect(at('run t')).toBeLessThan(rig.log.findIndex((line) => line.includes('t=executing')));
  });

  it('[TL-R72, TL-R74] names each issue with its path, and shows the model what an own handler made of the arguments', async () => {
    const issues = [{ message: 'no' }, { message: 'bad', path: ['a', { key: 0 }] }];
    const parameters = { '~standard': { validate: () => ({ issues }) } };
    const rig = live({
      tools: (name) => ({
        parameters,
        execute: () => 'never',
        ...(name === 'x' ? {} : { onInvalid: () => 'mended' }),
        toModelOutput: ({ input, output }) => [input, output],
      }),
    });
    rig.push('s', part('{"n":1}'), part('{"n":2}', { id: 'own', name: 'y' }));
    await macrotask();
    expect(rig.results.map(({ result, isError, modelContent }) => [result, isError, modelContent])).toEqual([
      ['Invalid arguments: no; a.0: bad', true, undefined],
      ['mended', false, [{ n: 2 }, 'mended']],
    ]);
  });

  it('[TL-R53, TL-R72] looks again when an asynchronous schema has taken its time', async () => {
    for (const change of ['result', 'gate', 'reset', 'abort'] as const) {
      const validating = new Deferred<{ value: unknown }>();
      const parameters = {
        '~standard': { validate: () => validating.promise },
      };
      const rig: Rig = live({ tool: { parameters, execute: (args: unknown, context) => rig.execute(args, context) } });
      rig.push('s', part('{}'));
      await macrotask();
      if (change === 'result') rig.push('s', part('{}', { result: 1 }));
      if (change === 'gate') rig.push('s', part('{}', { approval: 1 }));
      if (change === 'reset') rig.tracker.reset();
      if (change === 'abort') void rig.tracker.abort();
      validating.resolve({ value: {} });
      await macrotask();
      expect(rig.started).toEqual([]);
      expect(rig.results.map(({ isError }) => isError)).toEqual(change === 'abort' ? [true] : []);
      expect(rig.tracker.statuses().size).toBe(0);
    }
  });

  const OUTCOMES: readonly (readonly [string, () => unknown, object])[] = [
    [
      'an error thrown',
      () => {
        throw new Error('at once');
      },
      { result: 'at once', isError: true },
    ],
    ['a rejection', () => Promise.reject(new Error('later')), { result: 'later', isError: true }],
    ['a thrown string', () => Promise.reject('text'), { result: 'text', isError: true }],
    ['nothing', () => undefined, { result: '<no result>', isError: false }],
    ['what has no words', () => Promise.reject(Object.create(null)), { result: 'unknown error', isError: true }],
    ['null', () => null, { result: null, isError: false }],
    ['a response with a result alone', () => toolResponse({ result: 1 }), { result: 1, isError: false }],
    [
      'a response',
      () => toolResponse({ result: 1, isError: true, artifact: 'a', modelContent: ['m'] }),
      { result: 1, isError: true, artifact: 'a', modelContent: ['m'] },
    ],
    // Another copy of this package may have made it, or the library that has the other brand.
    ...['readback.tool-response', 'aui.tool-response'].map(
      (brand) =>
        [
          `a response of brand ${brand}`,
          () => ({ [Symbol.for(brand)]: true, result: 1 }),
          { result: 1, isError: false },
        ] as const,
    ),
    [
      'a value with such fields',
      () => ({ result: 1, isError: true }),
      { result: { result: 1, isError: true }, isError: false },
    ],
  ];
  it.each(OUTCOMES)('[TL-R73, TL-R90] reports %s', async (_what, execute, expected) => {
    const rig = live({ tool: { execute } });
    rig.push('s', part('{}'));
    await macrotask();
    rig.push('s', part('{}', { result: 'echo' }));
    await macrotask();
    expect(rig.results).toStrictEqual([{ type: 'add-tool-result', toolCallId: 't', toolName: 'x', ...expected }]);
    expect(rig.tracker.statuses().size).toBe(0);
  });

  it('[TL-R74] asks for model output after a plain success only, and survives what it throws', async () => {
    const asked: unknown[] = [];
    const outputs: Record<string, () => unknown> = {
      plain: () => 'v',
      failed: () => Promise.reject(new Error('no')),
      own: () => toolResponse({ result: 1, modelContent: ['own'] }),
      throws: () => 'throws',
      rejects: () => 'rejects',
    };
    const rig = live({
      tools: (name) => ({
        execute: () => outputs[name]?.(),
        toModelOutput: ({ output, input, toolCallId }) => {
          asked.push([toolCallId, input, output]);
          if (output === 'throws') throw new Error('now');
          return output === 'rejects' ? Promise.reject(new Error('later')) : [output];
        },
      }),
    });
    rig.push('s', ...Object.keys(outputs).map((name) => part('{}', { id: name, name })));
    await macrotask();
    expect(asked.map((one) => (one as unknown[])[0]).sort()).toEqual(['plain', 'rejects', 'throws']);
    const content = Object.fromEntries(rig.results.map(({ toolCallId, modelContent }) => [toolCallId, modelContent]));
    expect(content).toEqual({ plain: ['v'], failed: undefined, own: ['own'], throws: undefined, rejects: undefined });
    expect(rig.kinds).toEqual(['model-output-threw', 'model-output-threw']);
  });
});
