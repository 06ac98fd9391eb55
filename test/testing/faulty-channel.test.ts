import { describe, expect, it } from 'vitest';
import { faultyChannel, type LineFault } from '../../src/testing/channel/faulty.ts';

/** A line with both ends in the hand, with one fault planted. */
function line(...plan: LineFault[]) {
  const heard: string[] = [];
  const told: string[] = [];
  let server: { message(text: string): void } | undefined;
  const faulty = faultyChannel(
    (handlers) => {
      server = handlers;
      return {
        send: (text) => heard.push(text) > 0,
        close: () => void heard.push('closed'),
      };
    },
    ...plan,
  );
  const open = () =>
    faulty.connect({
      message: (text) => void told.push(String(text)),
      closed: (reason) => void told.push(`closed: ${reason}`),
    } as Parameters<typeof faulty.connect>[0]);
  return { faulty, heard, told, open, say: (text: string) => server?.message(text) };
}

describe('a faulty channel', () => {
  it('says of a frame without a fault what the line beneath says, and of one that is lost that it left', () => {
    const connect = () => ({ send: () => false, close: () => undefined });
    const handlers = {} as Parameters<ReturnType<typeof faultyChannel>['connect']>[0];
    const { send } = faultyChannel(connect, { on: 'out', nth: 2, how: 'drop' }).connect(handlers);
    expect(['a', 'b', 'c'].map(send)).toEqual([false, true, false]);
  });

  it('drops the n-th frame of one way, and no other', () => {
    const { open, heard, told, say, faulty } = line({ on: 'out', nth: 2, how: 'drop' });
    const { send } = open();
    expect(['a', 'b', 'c'].map(send)).toEqual([true, true, true]);
    say('x');
    expect([heard, told, faulty.struck]).toEqual([['a', 'c'], ['x'], 1]);
  });

  it('delays a frame until it is let go, behind those that came later', () => {
    const { open, told, say, faulty } = line({ on: 'in', nth: 1, how: 'delay' });
    open();
    for (const text of ['x', 'y']) say(text);
    faulty.flush();
    expect(told).toEqual(['y', 'x']);
  });

  it('repeats a frame', () => {
    const { open, heard } = line({ on: 'out', nth: 1, how: 'repeat' });
    open().send('a');
    expect(heard).toEqual(['a', 'a']);
  });

  it('cuts: the frame is gone, both ends hear of it once, and nothing passes after', () => {
    const { open, heard, told, say, faulty } = line(
      { on: 'in', nth: 1, how: 'delay' },
      { on: 'out', nth: 1, how: 'cut' },
    );
    const { send } = open();
    say('late');
    send('a');
    expect(send('b')).toBe(false);
    say('x');
    faulty.flush();
    expect([heard, told]).toEqual([['closed'], ['closed: a planted cut']]);
    open().send('c');
    expect(heard).toEqual(['closed', 'c']);
  });

  it('is healed of what has not struck', () => {
    const { open, heard, faulty } = line({ on: 'out', nth: 1, how: 'drop' });
    faulty.heal();
    open().send('a');
    expect([heard, faulty.struck]).toEqual([['a'], 0]);
  });
});
