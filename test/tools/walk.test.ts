import { describe, expect, it } from 'vitest';
import { message, part } from '../../src/testing/tools/rig.ts';
import { walk } from '../../src/tools/walk.ts';

/** What is read out of one message with these parts: id, name, text, and the fate of the call. */
function readOf(...parts: unknown[]): unknown[] {
  const calls: unknown[] = [];
  walk(
    [{ role: 'assistant', parts }],
    (id, name, text, { result, approval, ...raw }) => {
      calls.push([id, name, text, { result, approval, isError: (raw as { isError?: boolean }).isError }]);
    },
    (error) => calls.push(error),
  );
  return calls;
}
const ai = (more: object): object => ({ type: 'tool-x', toolCallId: 't', ...more });

describe('which parts are calls', () => {
  it('[TL-R20] reads the name from the type, or beside it', () => {
    const fate = { result: undefined, approval: undefined, isError: undefined };
    expect(readOf(ai({ input: {} }))).toEqual([['t', 'x', '{}', fate]]);
    expect(readOf(ai({ type: 'dynamic-tool', toolName: 'y', input: {} }))).toEqual([['t', 'y', '{}', fate]]);
    expect(readOf(part('{', { result: 1, approval: 2, isError: true }))).toEqual([
      ['t', 'x', '{', { result: 1, approval: 2, isError: true }],
    ]);
  });

  it.each(['source', 'text', 'my-tool-x', 'dynamic-tools', 'my-dynamic-tool', 'tool', ['tool-x'], undefined])(
    '[TL-R20] takes a part of type %j for none',
    (type) => {
      expect(readOf(ai({ type, toolName: 'x', input: {} }))).toEqual([]);
    },
  );

  it('[TL-R20, TL-R21] takes a part without an id for none, and reads nothing below what is no call', () => {
    const messages = [message(part('{}'))];
    expect(readOf({ type: 'tool-x', input: {} }, { type: 'text', messages }, { type: 'tool-x', messages })).toEqual([]);
    expect(readOf(ai({ input: {}, messages }))).toHaveLength(2);
  });
});

describe('the arguments of a part of the AI SDK', () => {
  it.each<[string, object]>([
    ['', {}],
    ['{', { input: {} }],
    ['{"city":"Mü', { input: { city: 'Mü' } }],
    ['{"n":12', { input: { n: 12 } }],
    ['{"l":[1,{"a":"b', { input: { l: [1, { a: 'b' }] } }],
    ['{"s":"a', { input: { s: 'a\ud83d' } }],
    ['{"s":"\\ud83da', { input: { s: '\ud83da' } }],
    ['{"s":"😀', { input: { s: '😀' } }],
    ['{"s":"\\udc00', { input: { s: '\udc00' } }],
  ])('[TL-R40] while they stream: %s', (text, more) => {
    expect(readOf(ai({ state: 'input-streaming', rawInput: 'raw', ...more }))).toMatchObject([['t', 'x', text, {}]]);
  });

  it.each<[string, object]>([
    ['{"a":"b"}', { input: { a: 'b' } }],
    ['{"a":1}', { input: { a: 1 }, rawInput: 'raw' }],
    ['{"a":', { rawInput: '{"a":' }],
    ['', { rawInput: { a: 1 } }],
    ['', {}],
  ])('[TL-R50] when they have come: %s', (text, more) => {
    expect(readOf(ai({ state: 'input-available', ...more }))).toMatchObject([['t', 'x', text, {}]]);
  });
});

describe('the fate of a part of the AI SDK', () => {
  const none = { result: undefined, approval: undefined, isError: undefined };
  it.each<[string, object, object]>([
    ['input-available', { output: 1, errorText: 'no' }, none],
    ['approval-requested', { approval: { id: 1 } }, { ...none, approval: { id: 1 } }],
    ['output-available', { output: { a: 1 } }, { ...none, result: { a: 1 } }],
    ['output-available', { output: undefined, approval: 1 }, { ...none, result: null, approval: 1 }],
    ['output-available', { output: 1, preliminary: true }, none],
    ['output-available', { output: 1, preliminary: false }, { ...none, result: 1 }],
    ['output-error', { errorText: 'no' }, { ...none, result: 'no', isError: true }],
    ['output-error', { approval: 1 }, { result: null, approval: 1, isError: true }],
    ['output-denied', {}, { ...none, approval: null }],
    ['output-denied', { approval: { id: 1 } }, { ...none, approval: { id: 1 } }],
  ])('[TL-R60, TL-R61] %s with %j', (state, more, fate) => {
    expect(readOf(ai({ state, input: {}, ...more }))).toEqual([['t', 'x', '{}', fate]]);
  });
});
