import { request } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import type { AskView, Outcome } from '../../src/api.ts';
import { type Host, startHost } from '../../src/host/index.ts';
import { COLOURS, call, openAsk, requestId, startBench, TestSocket, until } from './support.ts';

interface Stream {
  readonly text: () => string;
  readonly ended: Promise<void>;
  close(): void;
}

function stream(host: Host, query = ''): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${host.token}` };
    const req = request({ host: '127.0.0.1', port: host.port, path: `/api/events${query}`, headers }, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      const ended = new Promise<void>((done) => res.on('close', () => done()));
      res.on('error', () => undefined);
      if (res.statusCode === 200) resolve({ text: () => text, ended, close: () => req.destroy() });
      else reject(new Error(`status ${res.statusCode}`));
    });
    req.on('error', reject);
    req.end();
  });
}

test('the event stream brings each change as one event', async () => {
  const bench = await startBench();
  const events = await stream(bench.host);
  const { askId } = await openAsk(bench.rig, COLOURS);
  await bench.rig.asking.withdraw(askId, 'line one\nline two', { surface: 'test' });
  await until(() => events.text().includes('line two'));
  const changes = events
    .text()
    .split('\n\n')
    .filter((part) => part.startsWith('event: ask\n'))
    .map((part) => JSON.parse(part.slice('event: ask\ndata: '.length)) as { ask: AskView; cause: string; now: number });
  expect(changes.map((change) => change.ask.state)).toEqual(['open', 'withdrawn']);
  events.close();
  await bench.close();
});

test('a stream counts as a surface only when it says so, and only while it is open', async () => {
  const bench = await startBench({ seen: false });
  const attached: string[] = [];
  const { attachSurface } = bench.rig.asking;
  bench.rig.asking.attachSurface = (surface) => {
    const detach = attachSurface.call(bench.rig.asking, surface);
    attached.push(surface.kind);
    return () => {
      attached.pop();
      detach();
    };
  };
  const silent = await stream(bench.host);
  expect(attached).toEqual([]);
  const terminal = await stream(bench.host, '?surface=terminal');
  await until(() => attached.length === 1);
  expect(attached).toEqual(['terminal']);
  terminal.close();
  await until(() => attached.length === 0);
  silent.close();
  await bench.close();
});

test('[I1] close ends every call, stream and socket in bounded time; the questions stay', async () => {
  const bench = await startBench();
  const { host, rig } = bench;
  const page = await new TestSocket(host).open();
  const events = await stream(host);
  const waiting = call(host, '/api/asks', { method: 'POST', body: { question: COLOURS } });
  const idle = connect(host.port, '127.0.0.1');
  const idleGone = new Promise((resolve) => idle.on('close', resolve));
  idle.on('error', () => undefined);
  await until(async () => (await rig.asking.list()).length === 1);
  const began = Date.now();
  await host.close();
  expect(Date.now() - began).toBeLessThan(3_000);
  expect(await page.closed).toBe(1001);
  await events.ended;
  await idleGone;
  expect((await waiting).json<Outcome>().outcome).toBe('cancelled');
  expect((await rig.asking.list())[0]?.state).toBe('open');
  await expect(call(host, '/api/health')).rejects.toThrow();
  await host.close();
  await bench.close();
});

test('close cuts a page that never says goodbye, and a mount that never ends', async () => {
  const bench = await startBench({
    mounts: [{ path: '/mcp', handle: async (_req, res) => void res.write('on and on') }],
  });
  const { host } = bench;
  const mute = connect(host.port, '127.0.0.1');
  mute.on('error', () => undefined);
  mute.write(
    `GET /ws?token=${host.token} HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  const endless = call(host, '/mcp').then(
    () => 'ended',
    () => 'cut',
  );
  await new Promise((resolve) => setTimeout(resolve, 150));
  const began = Date.now();
  await bench.close();
  expect(Date.now() - began).toBeLessThan(3_000);
  expect(await endless).toMatch(/ended|cut/);
  mute.destroy();
});

test('[F1] [F10] an open question is shown by the next host as it was', async () => {
  const bench = await startBench();
  const { askId } = await openAsk(bench.rig, COLOURS);
  await bench.host.close();
  const { startHost } = await import('../../src/host/index.ts');
  const next = await startHost({ coordinator: bench.rig.asking });
  const page = await new TestSocket(next).open();
  expect(page.listed.map((one) => [one.id, one.params.ask?.askId, one.params.ask?.state])).toEqual([
    [requestId(askId), askId, 'open'],
  ]);
  expect((await page.answer(askId, { selected: ['g'] })).saved).toBe(true);
  await next.close();
  await bench.close();
});

test.each([undefined, {}, { coordinator: {} }, { coordinator: Promise.resolve() }])(
  'a host without an open coordinator is refused by the name of the option, and listens nowhere: %j',
  async (options) => {
    await expect(startHost(options as never)).rejects.toMatchObject({ code: 'invalid_input', field: 'coordinator' });
  },
);
