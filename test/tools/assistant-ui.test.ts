import { beforeEach, describe, expect, it, vi } from 'vitest';
import { macrotask, message, microtasks, type PartOptions, part } from '../../src/testing/tools/rig.ts';
import { type ToolExecutionStatus, ToolInvocationTracker } from '../../src/tools/assistant-ui.ts';
import type { ToolContext, ToolReader, ToolResultCommand } from '../../src/tools/types.ts';

type Tools = Readonly<Record<string, unknown>> | undefined;
type Shown = Record<string, ToolExecutionStatus>;

/** A host of that family: a record of tools, two callbacks, and perhaps a predicate. */
function host(tools: Tools | (() => Tools), isClientToolCall?: (call: never) => boolean | undefined) {
  const getTools = vi.fn(typeof tools === 'function' ? tools : () => tools);
  const onResult = vi.fn<(command: ToolResultCommand) => unknown>();
  const shown: Shown[] = [];
  const onStatusesChange = vi.fn((statuses: ReadonlyMap<string, ToolExecutionStatus>) => {
    shown.push(Object.fromEntries(statuses));
  });
  const tracker = new ToolInvocationTracker(getTools, { onResult, onStatusesChange }, isClientToolCall);
  const show = (isRunning: boolean, ...parts: unknown[]): void =>
    tracker.setState({ messages: parts.length === 0 ? [] : [message(...parts)], isRunning });
  return { tracker, getTools, onResult, onStatusesChange, shown, show };
}
type Host = ReturnType<typeof host>;

/** Its history is over. */
function live(tools: Tools | (() => Tools), isClientToolCall?: (call: never) => boolean | undefined): Host {
  const made = host(tools, isClientToolCall);
  made.show(false);
  return made;
}

const call = (argsText: unknown, options: PartOptions = {}) => part(argsText, { name: 'weather', ...options });
const heard = (promise: Promise<unknown> | undefined): Promise<unknown> =>
  (promise ?? Promise.resolve()).catch((error: Error) => error.message);
const hang = (): Promise<never> => new Promise(() => undefined);

const quiet = () => vi.spyOn(console, 'warn').mockImplementation(() => undefined);
let warn = quiet();
beforeEach(() => {
  warn = quiet();
});
const warned = (text: string): unknown[][] => warn.mock.calls.filter(([first]) => String(first).includes(text));

describe('the surface of a tool-invocation tracker', () => {
  it('[TL-R01] calls nothing while it is made, and asks for the tools anew', async () => {
    const execute = vi.fn(() => 'sunny');
    let tools: Tools;
    const { show, getTools, onResult, onStatusesChange } = host(() => tools);
    expect([getTools, onResult, onStatusesChange].map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0]);
    show(false);
    tools = { weather: { parameters: {}, execute } };
    show(false, call('{"city":"Rome"}'));
    expect(execute).not.toHaveBeenCalled();
    await macrotask();
    expect(execute).toHaveBeenCalledOnce();
    expect(execute).toHaveBeenCalledWith(
      { city: 'Rome' },
      { toolCallId: 't', abortSignal: expect.any(AbortSignal), human: expect.any(Function) },
    );
    expect(onResult.mock.calls).toEqual([
      [{ type: 'add-tool-result', toolCallId: 't', toolName: 'weather', result: 'sunny', isError: false }],
    ]);
  });

  it('[TL-R71, TL-R87] tells statuses as a map that makes an object, new for each change', async () => {
    const { show, shown, tracker, onStatusesChange } = live({ weather: { execute: async () => 1 } });
    show(false, call('{}'));
    await macrotask();
    expect(shown).toEqual([{ t: { type: 'executing' } }, {}]);
    expect(onStatusesChange.mock.calls[0]?.[0]).not.toBe(onStatusesChange.mock.calls[1]?.[0]);
    expect(tracker.getStatuses()).toEqual(new Map());
  });

  it('[TL-R80, TL-R120, TL-R121, TL-R125] shows a question as the human’s, and resumes it once', async () => {
    const execute = vi.fn(async (_args: unknown, { human }: ToolContext) => human({ sure: true }));
    const { show, shown, tracker, onResult } = live({ weather: { execute } });
    show(false, call('{}'));
    await macrotask();
    const asked = { type: 'interrupt', payload: { type: 'human', payload: { sure: true } } };
    expect(shown.at(-1)).toEqual({ t: asked });
    expect(tracker.getStatuses()).toEqual(new Map([['t', asked]]));
    expect(tracker.resume('nobody', 1)).toBe(false);
    expect(tracker.resume('t', 'yes')).toBe(true);
    expect(shown.at(-1)).toEqual({ t: { type: 'executing' } });
    expect(tracker.resume('t', 'again')).toBe(false);
    await macrotask();
    expect(onResult.mock.lastCall?.[0]).toMatchObject({ toolCallId: 't', result: 'yes' });
  });

  it('gives a callback its reader and a way to ask', async () => {
    const values: unknown[] = [];
    let query: Promise<unknown> | undefined;
    let response: Promise<unknown> | undefined;
    let isHuman = false;
    const streamCall = vi.fn(async (reader: ToolReader, { human }: ToolContext) => {
      isHuman = typeof human === 'function';
      query = reader.args.get('query');
      response = reader.response.get();
      for await (const value of reader.args.streamValues()) values.push(value);
    });
    const { show } = live({ weather: { parameters: {}, streamCall } });
    for (const text of ['{"query":"Lon', '{"query":"London"', '{"query":"London"}']) {
      show(true, call(text));
      await macrotask();
    }
    expect([isHuman, await query]).toEqual([true, 'London']);
    expect(values).toEqual([{ query: 'Lon' }, { query: 'London' }, { query: 'London' }]);
    show(false, call('{"query":"London"}', { result: 'rain', isError: true }));
    expect(await response).toMatchObject({ result: 'rain', isError: true });
    expect(streamCall).toHaveBeenCalledOnce();
  });

  it('[TL-R75, TL-R102] aborts what runs, and leaves what waits', async () => {
    const signals: AbortSignal[] = [];
    const execute = vi.fn((_args: unknown, { abortSignal }: ToolContext) => {
      signals.push(abortSignal);
      return hang();
    });
    const { show, tracker, onResult } = live({ weather: { execute } });
    show(false, call('{}'));
    await macrotask();
    show(true, call('{}'), call('{}', { id: 'waits' }));
    expect(await tracker.abort()).toBeUndefined();
    expect(signals[0]?.aborted).toBe(true);
    const [reported] = onResult.mock.calls[0] ?? [];
    expect(reported).toMatchObject({ toolCallId: 't', isError: true });
    expect(reported?.result).toContain('Tool execution aborted');
    show(false, call('{}'), call('{}', { id: 'waits' }));
    await macrotask();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  it('[TL-R53, TL-R103, TL-R104] discards on demand what waits and what was handed over', async () => {
    const execute = vi.fn();
    const { show, tracker } = live({ weather: { execute } });
    show(true, call('{}', { id: 'waits' }));
    await tracker.abort({ discardPending: true });
    show(false, call('{}', { id: 'waits' }), call('{}', { id: 'given' }));
    await tracker.abort({ discardPending: true });
    show(false, call('{}', { id: 'waits' }), call('{}', { id: 'given' }), call('{}', { id: 'new' }));
    await macrotask();
    expect(execute.mock.calls.map(([, { toolCallId }]) => toolCallId)).toEqual(['new']);
  });

  it('[TL-R83, TL-R110] resets: the question is rejected, statuses go at once, and history comes first again', async () => {
    let asked: Promise<unknown> | undefined;
    const execute = vi.fn((_args: unknown, { human }: ToolContext) => {
      asked = heard(human('?'));
      return asked;
    });
    const { show, shown, tracker, onResult } = live({ weather: { execute } });
    show(false, call('{}'));
    await macrotask();
    expect(tracker.reset()).toBeUndefined();
    expect(shown.at(-1)).toEqual({});
    expect(await asked).toBe('Tool execution aborted');
    show(false, call('{}'));
    await macrotask();
    expect(execute).toHaveBeenCalledOnce();
    expect(onResult).not.toHaveBeenCalled();
  });

  it('[TL-R11] reads isLoading', async () => {
    const execute = vi.fn();
    const { tracker } = live({ weather: { execute } });
    const messages = [message(call('{}'))];
    tracker.setState({ messages, isRunning: false, isLoading: true });
    tracker.setState({ messages, isRunning: false });
    await macrotask();
    expect(execute).not.toHaveBeenCalled();
  });

  it('[TL-R130, TL-R131] restarts with the snapshot after the pipeline was declared dead, and once only', async () => {
    const streamCall = vi.fn();
    const execute = vi.fn();
    const { tracker, show } = live({ weather: { streamCall, execute } });
    const last = { messages: [message(call('{"a":'), call('{}', { id: 'done' }))], isRunning: false };
    tracker.setState(last);
    await macrotask();
    tracker._pipelineDead = false;
    tracker.setState({ ...last });
    await macrotask();
    expect(streamCall).toHaveBeenCalledTimes(2);
    tracker._pipelineDead = true;
    expect(warned('failed')).toEqual([[expect.any(String), { error: new Error('the pipeline was declared dead') }]]);
    tracker.setState(last);
    await macrotask();
    // What had not closed starts afresh; what had is history.
    expect(streamCall.mock.calls.map(([, { toolCallId }]) => toolCallId)).toEqual(['t', 'done', 't']);
    show(false, call('{"a":1}'), call('{}', { id: 'done' }));
    await macrotask();
    expect(execute.mock.calls.map(([, { toolCallId }]) => toolCallId)).toEqual(['done', 't']);
    tracker._pipelineDead = true;
    show(false, call('{}', { id: 'later' }));
    await macrotask();
    expect(execute).toHaveBeenCalledTimes(2);
    tracker.reset();
    show(false);
    show(false, call('{}', { id: 'later' }));
    await macrotask();
    expect(execute).toHaveBeenCalledTimes(3);
  });
});

describe('what it warns of', () => {
  it('[TL-R41, TL-R44] a text that regressed, within setState, once, with the id', () => {
    const { show } = live({ weather: { execute: vi.fn() } });
    show(true, call('{"city":"Lon'));
    for (let i = 0; i < 5; i += 1) {
      show(true, call('{"x":'));
      show(true, call('{"city":"Lon'));
    }
    expect(warned('regressed mid-stream')).toEqual([[expect.any(String), { toolCallId: 't' }]]);
    expect(warn).toHaveBeenCalledOnce();
  });

  it('[TL-R43] a text that changed after its end, within setState, with both texts', async () => {
    const execute = vi.fn();
    const { show } = live({ weather: { execute } });
    show(false, call('{"a":1}'));
    await macrotask();
    show(false, call('{ "a": 1 }'));
    expect(warn).not.toHaveBeenCalled();
    show(false, call('{"a":2}'));
    const texts = { previous: '{ "a": 1 }', next: '{"a":2}' };
    expect(warned('changed after first completion')).toEqual([[expect.any(String), texts]]);
    await macrotask();
    expect(execute).toHaveBeenCalledOnce();
  });

  it('[TL-R62] exactly once that the provider owns what a tool here would run', async () => {
    const execute = vi.fn();
    const predicate = vi.fn(() => false);
    const { show } = live({ weather: { execute } }, predicate);
    for (const isRunning of [true, true, false, false]) show(isRunning, call('{}'));
    await macrotask();
    expect(execute).not.toHaveBeenCalled();
    expect(predicate).toHaveBeenCalledOnce();
    expect(warn.mock.calls).toEqual([
      ['[ToolInvocationTracker] provider-owned', expect.objectContaining({ toolCallId: 't' })],
    ]);
  });

  it('[TL-R91] what a callback throws, and goes on', async () => {
    const { show, onResult, onStatusesChange } = live({ weather: { execute: () => 1 } });
    onResult.mockImplementation(() => {
      throw new Error('result');
    });
    onStatusesChange.mockImplementation(() => {
      throw new Error('statuses');
    });
    show(false, call('{}'), call('{}', { id: 'u' }));
    await macrotask();
    expect(onResult).toHaveBeenCalledTimes(2);
    expect(warned('handler-threw').map(([, detail]) => (detail as { message: string }).message)).toContain('statuses');
  });
});

describe('who answers', () => {
  it.each([
    ['true: the client, at once', true, true, 1],
    ['undefined: unknown, so not while the run is open', undefined, true, 0],
    ['undefined: unknown, and the run is closed', undefined, false, 1],
    ['anything else is no promise', 'client', true, 0],
    ['null is no denial', null, false, 1],
    ['false: the provider', false, false, 0],
  ])('[TL-R50, TL-R62] %s', async (_what, answer, isRunning, runs) => {
    const execute = vi.fn();
    const { show } = live({ weather: { execute } }, () => answer as boolean);
    show(isRunning, call('{}'));
    await macrotask();
    expect(execute).toHaveBeenCalledTimes(runs);
  });

  it('is asked with the part itself', async () => {
    const predicate = vi.fn(() => true);
    const { show } = live({ weather: {} }, predicate);
    const shown = call('{}', { artifact: 'own field' });
    show(true, shown);
    expect(predicate).toHaveBeenCalledWith(shown);
  });

  it('[TL-R63] without a predicate, or with one that throws, is unknown', async () => {
    const execute = vi.fn();
    const throws = (): never => {
      throw new Error('predicate');
    };
    for (const predicate of [undefined, throws]) {
      const { show } = live({ weather: { execute } }, predicate);
      show(true, call('{}'));
      await macrotask();
      expect(execute).not.toHaveBeenCalled();
      show(false, call('{}'));
      await macrotask();
      expect(execute).toHaveBeenCalledOnce();
      execute.mockClear();
    }
  });
});

describe('tools as hosts of that family hold them', () => {
  const refusing = { '~standard': { validate: () => ({ issues: [{ message: 'no', path: ['a'] }] }) } };

  it('[TL-R72] hand what the schema refuses to their own handler, with the tool as `this`', async () => {
    const tool = {
      parameters: refusing,
      word: 'handled',
      execute: vi.fn(),
      experimental_onSchemaValidationError(args: unknown, { toolCallId }: ToolContext) {
        return { word: this.word, args, toolCallId };
      },
    };
    const { show, onResult } = live({ weather: tool });
    show(false, call('{"a":1}'));
    await macrotask();
    expect(tool.execute).not.toHaveBeenCalled();
    expect(onResult.mock.calls[0]?.[0].result).toEqual({ word: 'handled', args: { a: 1 }, toolCallId: 't' });
  });

  it('[TL-R72] without a handler are an error that names the issue', async () => {
    const { show, onResult } = live({ weather: { parameters: refusing, execute: vi.fn() } });
    show(false, call('{"a":1}'));
    await macrotask();
    expect(onResult.mock.calls[0]?.[0]).toMatchObject({ isError: true, result: 'Invalid arguments: a: no' });
  });

  it('keep themselves as `this`, with a handler and without', async () => {
    class Tool {
      readonly word = 'mine';
      execute(): string {
        return this.word;
      }
    }
    class Handling extends Tool {
      experimental_onSchemaValidationError(): void {}
    }
    for (const tool of [new Tool(), new Handling()]) {
      const { show, onResult } = live({ weather: tool });
      show(false, call('{}'));
      await macrotask();
      expect(onResult.mock.calls[0]?.[0].result).toBe('mine');
    }
  });

  it.each([
    ['no record', undefined],
    ['null', null],
    ['a tool that is no object', { weather: 'sunny', u: null }],
    ['a name of the prototype', {}],
  ])('[TL-R03, TL-R70] find nothing in %s', async (_what, tools) => {
    const { show, onResult, onStatusesChange } = live(tools as Tools);
    const names = ['weather', 'u', 'constructor', '__proto__', 'toString'];
    show(false, ...names.map((name) => call('{}', { name, id: name })));
    await microtasks(20);
    await macrotask();
    expect([onResult.mock.calls, onStatusesChange.mock.calls, warn.mock.calls]).toEqual([[], [], []]);
  });

  it('[TL-R140] throw nothing out of it, whatever comes', async () => {
    const { tracker } = live({ weather: { execute: () => 1 } });
    for (const junk of [null, undefined, 7, 'x', [], { messages: 1 }, () => 1]) {
      expect(() => tracker.setState(junk as never)).not.toThrow();
      expect(tracker.resume(junk as never, 1)).toBe(false);
      await expect(tracker.abort(junk as never)).resolves.toBeUndefined();
    }
  });
});
