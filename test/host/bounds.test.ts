import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { HOST_BOUNDS } from '../../src/host/bounds.ts';
import { type PageContext, PageSocket } from '../../src/host/page-socket.ts';
import { eventFrame } from '../../src/wire/jsonrpc.ts';
import { call, startBench, TestSocket, until } from './support.ts';

test('one page more than may be open is refused, and let in when another has gone', { timeout: 60_000 }, async () => {
  const bench = await startBench();
  const pages = await Promise.all(
    Array.from({ length: HOST_BOUNDS.pages }, () => new TestSocket(bench.host).greeted()),
  );
  expect(await new TestSocket(bench.host).refused()).toBe(503);
  await pages[0]?.close();
  await until(async () => {
    const next = new TestSocket(bench.host);
    return Promise.race([next.greeted().then(() => true), next.closed.then(() => false)]);
  });
  expect((await call(bench.host, '/api/health')).json<{ pages: number }>().pages).toBe(0);
  await bench.close();
});

/** A socket that takes everything and gives nothing back. */
class MuteSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  pings = 0;
  sent: string[] = [];
  written: (() => void)[] = [];
  ended = false;

  send(text: string, done?: () => void): void {
    this.sent.push(text);
    if (done !== undefined) this.written.push(done);
  }

  ping(): void {
    this.pings += 1;
  }

  terminate(): void {
    this.ended = true;
    this.readyState = 3;
    this.emit('close');
  }
}

describe('a page that is silent', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function page() {
    const socket = new MuteSocket();
    const context = {
      logger: { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() },
      surfaces: { attach: () => () => undefined },
      receive: () => undefined,
    } as unknown as PageContext;
    const left = vi.fn();
    return { socket, left, one: new PageSocket(socket as unknown as WebSocket, context, left) };
  }
  const READY = eventFrame('gateway.ready', '', {});

  test('and does not take its greeting is dropped in time', () => {
    const { socket, left, one } = page();
    one.greet(READY);
    vi.advanceTimersByTime(HOST_BOUNDS.firstFrame - 1);
    expect(socket.ended).toBe(false);
    vi.advanceTimersByTime(1);
    expect(socket.ended).toBe(true);
    expect(left).toHaveBeenCalledTimes(1);
    expect(one.send(READY)).toBe(false);
  });

  test('but took its greeting stays, as long as it answers pings', () => {
    const { socket, one } = page();
    one.greet(READY);
    socket.written[0]?.();
    for (let n = 0; n < 10; n += 1) {
      vi.advanceTimersByTime(HOST_BOUNDS.ping);
      socket.emit('pong');
    }
    expect([socket.ended, socket.pings]).toEqual([false, 10]);
  });

  test('and answers no ping is dropped', () => {
    const { socket, one } = page();
    one.greet(READY);
    socket.written[0]?.();
    vi.advanceTimersByTime(3 * HOST_BOUNDS.ping);
    expect(socket.ended).toBe(true);
    expect(socket.pings).toBeGreaterThan(0);
  });

  test('and lets what it is sent pile up is dropped beyond the bound', () => {
    const { socket, one } = page();
    socket.bufferedAmount = HOST_BOUNDS.buffered;
    expect(one.send(READY)).toBe(true);
    socket.bufferedAmount += 1;
    expect(one.send(READY)).toBe(false);
    expect(socket.ended).toBe(true);
    expect(one.closed).toBe(true);
  });
});
