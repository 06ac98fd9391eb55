import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import { connectStately, type StatelyConnection } from '../../src/inspect/index.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { launch } from '../host/browser.ts';
import { bundled } from '../support/bundle.ts';

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const SECRET = 'a text that only the person and the agent may see';
const PATH = '/a-secret-path';
const foreign: string[] = [];
const complaints: string[] = [];
const ends: (() => unknown)[] = [];
let page: Page;
let stately: StatelyConnection;
let coordinator: Coordinator;

/** The page and the relay of its messages, on one port of loopback. */
async function relay(): Promise<string> {
  const { code } = await bundled(fileURLToPath(new URL('../examples/stately-page.ts', import.meta.url)));
  const html = `<!doctype html><link rel="icon" href="data:,"><body><script type="module">${code}</script>`;
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html));
  const sockets = new WebSocketServer({ server, path: PATH });
  sockets.on('connection', (socket) =>
    socket.on('message', (data) => {
      for (const other of sockets.clients) if (other !== socket) other.send(String(data));
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
}

beforeAll(async () => {
  const [address, browser] = await Promise.all([relay(), launch()]);
  ends.push(() => browser.close());
  page = await browser.newPage();
  page.setDefaultTimeout(15_000);
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith('data:') && new URL(request.url()).hostname !== '127.0.0.1')
      foreign.push(request.url());
  });
  const connected = page.waitForEvent('websocket');
  await page.goto(`http://${address}`);
  await connected;
  stately = await connectStately(`ws://${address}`, { rows: ['pa-1'] });
  coordinator = await openCoordinator({ store: memoryStore(), inspect: stately.inspect, logger: SILENT });
}, 60_000);
afterAll(async () => {
  stately?.stop();
  await coordinator?.close();
  for (const end of ends.reverse()) await end();
});

it('an own page with the official receiver shows the actors of a coordinator, as they move', async () => {
  const { journal } = coordinator;
  await journal.openAsk('pa-1', { tabId: 'chat-1', fingerprint: 'f', question: SECRET });
  const root = page.getByText('coordinator:coordinator');
  const card = page.getByText('ticket:pa-1');
  await card.filter({ hasText: '"awaited"' }).waitFor();
  await root.waitFor();
  for (const actor of [root, card]) {
    expect(JSON.parse((await actor.getAttribute('title')) ?? '')).toHaveProperty('states');
  }
  await journal.closeAsk('pa-1');
  await card.filter({ hasText: '"unattended"' }).waitFor();
  const { token } = await journal.record('pa-1', SECRET, { tabId: 'chat-1' });
  stately.follow(token);
  await journal.closeAsks('chat-1');
  await page.getByText(`answer:${token}`).filter({ hasText: '"retired"' }).waitFor();
  expect(await page.locator('body').innerText()).not.toContain(SECRET);
  expect([foreign, complaints]).toEqual([[], []]);
}, 60_000);
