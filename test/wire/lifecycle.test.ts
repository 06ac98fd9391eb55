import { describe, expect, it } from 'vitest';
import { timersOf } from '../../src/testing/channel/hand.ts';
import { HandRuntime } from '../../src/testing/hand-runtime.ts';
import { Channel } from '../../src/wire/channel.ts';
import { Heartbeat } from '../../src/wire/heartbeat.ts';
import { linked } from '../../src/wire/linked.ts';
import { Gateway, windowOn } from './gateway.ts';
import { Hand } from './hand.ts';

describe('connecting again', () => {
  it('pauses longer after each failure, up to a bound, and from the start after a good connection', () => {
    const hand = new Hand({ reconnect: { firstMs: 100, longestMs: 400 } }).greet();
    hand.cut();
    hand.isUp = false;
    const pauses: number[] = [];
    for (let i = 0; i < 5; i += 1) {
      const { failures } = hand.channel.state;
      const from = hand.runtime.now();
      while (hand.channel.state.failures === failures) hand.runtime.advance(10);
      pauses.push(hand.runtime.now() - from);
    }
    expect(pauses).toEqual([100, 200, 400, 400, 400]);
    hand.isUp = true;
    hand.channel.hurry();
    hand.event('gateway.ready', {}, { session_id: '' });
    expect(hand.channel.state).toMatchObject({ state: 'ready', failures: 0 });
  });

  it('spreads the pauses', () => {
    const pauseAt = (random: number): number => {
      const runtime = new HandRuntime();
      const channel = new Channel({
        connect: () => {
          throw new Error('no server');
        },
        timers: { ...timersOf(runtime), random: () => random },
        reconnect: { firstMs: 1_000 },
      });
      channel.open();
      const from = runtime.now();
      while (channel.state.failures < 2) runtime.advance(1);
      channel.close();
      expect(runtime.timers).toBe(0);
      return runtime.now() - from;
    };
    expect([pauseAt(0), pauseAt(0.5), pauseAt(0.999)]).toEqual([750, 1_000, 1_250]);
  });

  it('gives up a socket that never becomes ready, and hears no dead one', () => {
    const hand = new Hand({ patienceMs: 1_000 });
    hand.channel.open();
    const dead = hand.handlers;
    hand.runtime.advance(1_000);
    expect(hand.channel.state.state).toBe('lost');
    dead?.message('{"method":"event","params":{"type":"gateway.ready"}}');
    dead?.closed('again');
    expect(hand.channel.state).toMatchObject({ state: 'lost', failures: 1 });
  });

  it('[RQ-R129] is not begun by a channel that was closed while it said so, and no timer stays', () => {
    const hand = new Hand({
      onState: ({ state }) => {
        if (state === 'connecting') hand.channel.close();
      },
    });
    const { lines } = hand;
    hand.channel.open();
    expect([hand.channel.state.state, hand.lines - lines, hand.runtime.timers]).toEqual(['closed', 0, 0]);
  });

  it('is left to the caller where that is asked for, and over when the channel is closed', () => {
    const hand = new Hand({ reconnect: false }).greet();
    hand.cut();
    hand.runtime.advance(100_000);
    expect(hand.lines).toBe(1);
    hand.channel.hurry();
    expect(hand.lines).toBe(2);
    hand.channel.close();
    hand.channel.open();
    hand.channel.hurry();
    expect(hand.lines).toBe(2);
    expect(hand.channel.state.state).toBe('closed');
    expect(hand.runtime.timers).toBe(0);
  });
});

describe('[RQ-R131] the heartbeat', () => {
  const beat = (mode: 'any' | 'response') => {
    const runtime = new HandRuntime();
    const log: string[] = [];
    const heart = new Heartbeat(
      { everyMs: 10, deadlineMs: 25, mode },
      timersOf(runtime),
      () => log.push('ping'),
      () => log.push('dead'),
    );
    heart.start();
    return { runtime, heart, log };
  };

  it('pings, and says once that nothing lives', () => {
    const { runtime, log } = beat('any');
    runtime.advance(24);
    expect(log).toEqual(['ping', 'ping']);
    runtime.advance(200);
    expect(log).toEqual(['ping', 'ping', 'dead']);
  });

  it.each([
    ['any', 'frame', true],
    ['any', 'response', true],
    ['response', 'frame', false],
    ['response', 'response', true],
  ] as const)('in the mode %s takes a %s for a sign of life: %s', (mode, what, lives) => {
    const { runtime, heart, log } = beat(mode);
    for (let i = 0; i < 10; i += 1) {
      runtime.advance(10);
      heart.heard(what);
    }
    expect(log.includes('dead')).toBe(!lives);
    heart.stop();
    expect(runtime.timers).toBe(0);
  });

  it('drops a connection that nobody closed, and keeps one that replies', () => {
    const gateway = new Gateway();
    const channel = windowOn(gateway, { heartbeat: { everyMs: 1_000, deadlineMs: 3_000, mode: 'response' } });
    channel.open();
    for (let i = 0; i < 20; i += 1) {
      gateway.wire.settle();
      gateway.runtime.advance(500);
    }
    expect(channel.state).toMatchObject({ state: 'ready', generation: 1 });
    gateway.line.cut({ notice: 'server' });
    gateway.runtime.advance(3_000);
    expect(channel.state.generation).toBe(2);
    channel.close();
  });
});

describe('linked lines', () => {
  const rig = () => {
    const up: unknown[] = [];
    const down: unknown[] = [];
    const log: string[] = [];
    const wire = linked({
      accept: ({ number }) => {
        log.push(`open ${number}`);
        return () => void log.push(`gone ${number}`);
      },
      onFrame: (frame) => void up.push(frame),
      greets: false,
    });
    const transport = wire.connect({
      open: () => undefined,
      message: (text) => void down.push(JSON.parse(String(text))),
      closed: (why) => void log.push(`closed ${why}`),
    });
    return { wire, transport, up, down, log, line: wire.line };
  };

  it('move only when they are flushed, and as many frames as were asked for', () => {
    const { transport, up, line } = rig();
    for (const n of [1, 2, 3]) transport.send(JSON.stringify({ n }));
    expect([up, line.waiting('up')]).toEqual([[], 3]);
    expect(line.flush('up', 2)).toBe(2);
    expect(up).toEqual([{ n: 1 }, { n: 2 }]);
    expect(line.peek('up')).toEqual([{ n: 3 }]);
  });

  it('lose and double frames', () => {
    const { transport, up, line } = rig();
    for (const n of [1, 2]) transport.send(JSON.stringify({ n }));
    line.drop('up');
    line.duplicate('up');
    line.flush('up');
    expect(up).toEqual([{ n: 2 }, { n: 2 }]);
  });

  it('are cut at both ends, or at one that learns of it first', () => {
    const { transport, line, log, up } = rig();
    transport.send('{"n":1}');
    line.cut({ notice: 'client', keep: 'up' });
    expect(log).toEqual(['open 1', 'closed cut']);
    expect(transport.send('{"n":2}')).toBe(false);
    // What was in the network arrives all the same.
    line.flush('up');
    expect(up).toEqual([{ n: 1 }]);
    // The server does not know: it writes into nothing.
    expect([line.peer.closed, line.peer.send({ jsonrpc: '2.0', id: 1, result: {} })]).toEqual([false, true]);
    line.cut();
    expect(log).toEqual(['open 1', 'closed cut', 'gone 1']);
    expect([line.peer.closed, line.isOpen]).toEqual([true, false]);
  });
});
