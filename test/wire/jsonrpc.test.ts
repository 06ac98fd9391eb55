import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  classify,
  eventFrame,
  failureFrame,
  frameText,
  isOver,
  isResponseFrame,
  parseFrame,
  readError,
  requestFrame,
  successFrame,
} from '../../src/wire/jsonrpc.ts';

describe('[RQ-R62] a response frame', () => {
  it.each([
    [{ id: 'a', result: {} }],
    [{ id: 'a', error: { code: 1, message: '' } }],
    [{ id: 0, result: {} }],
    [{ id: '', result: {} }],
    [{ id: 'a', result: {}, error: null }],
    [{ id: 'a', result: null }],
  ])('is %j', (frame) => {
    expect(isResponseFrame(frame)).toBe(true);
  });

  it.each([
    [null],
    [undefined],
    [[]],
    [[{ id: 'a', result: {} }]],
    ['text'],
    [7],
    [{}],
    [{ id: 'a' }],
    [{ result: {} }],
    [{ id: 'a', error: null }],
    [{ id: 'a', method: 'm', result: {} }],
    [{ id: 'a', method: undefined, result: {} }],
  ])('is not %j', (frame) => {
    expect(isResponseFrame(frame)).toBe(false);
  });
});

describe('[RQ-R116] what a text holds', () => {
  it.each([[''], ['{'], ['[]'], ['[{}]'], ['null'], ['3'], ['"a"'], [undefined], [new Uint8Array(2)]])(
    '%j is no frame',
    (data) => {
      expect(parseFrame(data)).toBeUndefined();
    },
  );

  it('is read up to the bound of bytes, not of letters', () => {
    const text = JSON.stringify({ a: 'ä'.repeat(10) });
    const bytes = new TextEncoder().encode(text).length;
    expect(parseFrame(text, bytes)).toEqual({ a: 'ä'.repeat(10) });
    expect(parseFrame(text, bytes - 1)).toBeUndefined();
    expect(isOver('ääää', 8)).toBe(false);
    expect(isOver('ääää', 7)).toBe(true);
  });

  it('never makes it throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const frame = parseFrame(text);
        if (frame !== undefined) classify(frame);
      }),
    );
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    expect(() => parseFrame(deep)).not.toThrow();
  });
});

describe('[RQ-R117] what a frame is', () => {
  it('a request, with 0 and the empty text for ids', () => {
    expect(classify({ id: 'srq-1', method: 'clarify', params: {} })).toMatchObject({ kind: 'request', id: 'srq-1' });
    expect(classify({ id: 0, method: 'm' })).toEqual({ kind: 'request', id: 0, method: 'm', params: undefined });
    expect(classify({ id: '', method: 'm' })).toMatchObject({ kind: 'request', id: '' });
  });

  it('a response, whose null error is none, and whose strange result is an empty one', () => {
    expect(classify({ id: 0, result: { a: 1 }, error: null })).toEqual({ kind: 'response', id: 0, result: { a: 1 } });
    expect(classify({ id: '', result: [1] })).toEqual({ kind: 'response', id: '', result: {} });
    expect(classify({ id: 1, error: 'boom' })).toMatchObject({ error: { code: -32603, message: 'boom' } });
  });

  it('an event, whatever its payload is', () => {
    const event = { method: 'event', params: { type: 't', session_id: 's', seq: 4, payload: { a: 1 } } };
    expect(classify(event)).toEqual({ kind: 'event', type: 't', sid: 's', seq: 4, payload: { a: 1 } });
    expect(classify({ method: 'event', params: { type: 't', payload: [] } })).toMatchObject({ sid: '', payload: {} });
    expect(classify({ method: 'event', params: { seq: 1 } })).toMatchObject({ kind: 'invalid' });
  });

  it('a notification, or nothing', () => {
    expect(classify({ method: 'm' })).toMatchObject({ kind: 'notification' });
    expect(classify({ id: {}, method: 'm' })).toEqual({ kind: 'invalid', id: null });
    expect(classify({ id: [], result: {} })).toEqual({ kind: 'invalid', id: null });
    expect(classify({ id: 3 })).toEqual({ kind: 'invalid', id: 3 });
  });
});

describe('frames that are built', () => {
  it('are read as what they are', () => {
    expect(classify({ ...requestFrame(0, 'm', {}) } as never)).toMatchObject({ kind: 'request', id: 0 });
    expect(classify({ ...successFrame('', { a: 1 }) } as never)).toMatchObject({ kind: 'response', result: { a: 1 } });
    expect(classify({ ...eventFrame('t', 's', { a: 1 }, 2) } as never)).toMatchObject({ kind: 'event', seq: 2 });
    expect('payload' in eventFrame('t', 's').params).toBe(false);
  });

  it('[RQ-R120] have an error that is an object with a number and a text', () => {
    expect(failureFrame(null, readError(7)).error).toEqual({ code: -32603, message: 'unknown error' });
    expect(failureFrame(1, readError({ code: 'x', message: 3, data: 0 })).error).toEqual({
      code: -32603,
      message: 'unknown error',
      data: 0,
    });
  });

  it('are written once for many', () => {
    const frame = eventFrame('t', 's');
    expect(frameText(frame)).toBe(JSON.stringify(frame));
    expect(frameText({ ...frame, params: { ...frame.params, seq: 3 } })).toContain('"seq":3');
    expect(frameText(frame)).toBe(JSON.stringify(frame));
  });
});
