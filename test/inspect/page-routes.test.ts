import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import { type Host, startHost } from '../../src/host/index.ts';
import { allCharts } from '../../src/inspect/charts.ts';
import { INSPECT_BOUNDS } from '../../src/inspect/inspect-bounds.ts';
import { findInspectPage, inspectPage } from '../../src/inspect/page-routes.ts';
import type { SeenBurst, SeenChart, SeenRows } from '../../src/inspect/seen.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { call } from '../host/support.ts';
import { ROOT } from '../support/source.ts';

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const SECRET = 'a text that only the person and the agent may see';
const PAGE = { surface: 'page', who: 'w1' };
let coordinator: Coordinator;
let host: Host;
let taps = 0;
let ends: (() => void)[] = [];

beforeEach(async () => {
  coordinator = await openCoordinator({ store: memoryStore(), logger: SILENT, alwaysVisible: true });
  taps = 0;
  const inspected = {
    audit: coordinator.audit.bind(coordinator),
    rows: coordinator.rows.bind(coordinator),
    limits: coordinator.limits,
    tap: (reader: Parameters<Coordinator['tap']>[0]) => {
      const stop = coordinator.tap(reader);
      taps += 1;
      return () => {
        taps -= 1;
        stop();
      };
    },
  };
  host = await startHost({ coordinator, mounts: [inspectPage({ coordinator: inspected })] });
});
afterEach(async () => {
  for (const end of ends) end();
  ends = [];
  await host.close();
  await coordinator.close();
});

async function asked(tab = 'tab-1'): Promise<string> {
  let id = '';
  const question = { question: SECRET, options: [{ id: 'a', label: SECRET }] };
  await coordinator.ask(question, { tab, timeoutMs: 0, attach: () => 'turn-1', onOpen: (askId) => (id = askId) });
  return id;
}

interface Stream {
  readonly status: number;
  /** What came until now. */
  text(): string;
  pause(): void;
  end(): void;
}

/** One open page, as a bare client. */
function stream(): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${host.token}` };
    const req = request({ host: '127.0.0.1', port: host.port, path: '/inspect/live', headers }, (res) => {
      let text = '';
      res.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      res.on('error', () => undefined);
      const end = (): void => void req.destroy();
      ends.push(end);
      resolve({ status: res.statusCode ?? 0, text: () => text, pause: () => void res.pause(), end });
    });
    req.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? undefined : reject(error)));
    req.end();
  });
}

const burstsIn = (text: string): SeenBurst[] =>
  [...text.matchAll(/event: steps\ndata: (.*)\n/g)].map(([, json]) => JSON.parse(json ?? '') as SeenBurst);

describe('the inspect page of a host', () => {
  it('is for holders of the token, and for no other page', async () => {
    for (const path of ['/inspect', '/inspect/rows', '/inspect/live', '/inspect/story?machine=answer&id=aa1']) {
      expect((await call(host, path, { token: null })).status, path).toBe(401);
      expect((await call(host, path, { headers: { origin: 'http://evil.example' } })).status, path).toBe(403);
    }
    expect(taps).toBe(0);
    const locked = await call(host, '/inspect', { token: null, headers: { accept: 'text/html' } });
    expect(locked.text).toContain('not the whole link');
  });

  it('gives every chart with its drawing, in which each state and each transition has its name', async () => {
    const charts = (await call(host, '/inspect/charts')).json<SeenChart[]>();
    expect(charts.map(({ machine }) => machine)).toEqual(allCharts().map(({ outline }) => outline.id));
    for (const { machine, states, arrows } of charts) {
      const drawing = await call(host, `/inspect/charts/${machine}.svg`);
      expect(drawing.headers['content-type']).toContain('image/svg+xml');
      const drawn = [...drawing.text.matchAll(/data-state="([^"]+)"/g)].map(([, name]) => name);
      expect(new Set(drawn), machine).toEqual(new Set(states.map(({ id }) => id)));
      for (const { from, event, index } of arrows) {
        const edge = new RegExp(`data-from="${from}" data-event="${event}"[^>]*data-index="${index}"`);
        expect(drawing.text, `${machine} ${from} ${event} ${index}`).toMatch(edge);
      }
    }
  });

  it('refuses what it cannot answer, and says why', async () => {
    const codes: [path: string, status: number, words: string][] = [
      ['/inspect/story?machine=answer', 400, 'query.id: is missing'],
      [`/inspect/rows?find=${'x'.repeat(300)}`, 400, 'longer than 256'],
      ['/inspect/story?machine=answer&id=aa99', 404, 'answer aa99'],
      ['/inspect/story?machine=__proto__&id=constructor', 404, 'Nothing is on file'],
      ['/inspect/charts/nothing.svg', 404, 'nothing at this path'],
      ['/inspect/charts/../../package.json', 404, 'nothing at this path'],
      ['/inspect/what', 404, 'nothing at this path'],
    ];
    for (const [path, status, words] of codes) {
      const reply = await call(host, path);
      expect([path, reply.status]).toEqual([path, status]);
      expect(reply.text).toContain(words);
    }
    const posted = await call(host, '/inspect/rows', { method: 'POST', body: {} });
    expect([posted.status, posted.headers['allow']]).toEqual([405, 'GET']);
  });

  it('finds rows by token, ask id and tab, and shows no text of anybody', async () => {
    const askId = await asked('tab-1');
    const { token = '' } = await coordinator.answer(askId, { text: SECRET, selected: ['a'] }, PAGE);
    const free = token === '' ? await coordinator.answer(askId, { selected: ['a'] }, PAGE) : { token };
    await asked('tab-2');
    for (const find of [free.token ?? '', askId, askId.slice(0, 9), 'tab-1']) {
      const { rows } = (await call(host, `/inspect/rows?find=${find}`)).json<SeenRows>();
      expect(rows.map(({ machine }) => machine).sort(), find).toEqual(['answer', 'ticket']);
      expect(rows.every((row) => row.askId === askId)).toBe(true);
    }
    expect((await call(host, '/inspect/rows?find=nobody')).json<SeenRows>().rows).toEqual([]);
    const seen = [
      await call(host, '/inspect/rows'),
      await call(host, `/inspect/story?machine=answer&id=${free.token}`),
      await call(host, `/inspect/story?machine=ticket&id=${askId}`),
    ];
    for (const { status, text } of seen) {
      expect(status).toBe(200);
      expect(text).not.toContain(SECRET);
    }
  });
});

describe('an open page', () => {
  it('is told of each step by name, and of no value; without a page nobody reads', async () => {
    expect(taps).toBe(0);
    const page = await stream();
    await expect.poll(() => page.text()).toContain('event: ready');
    expect(taps).toBe(1);
    const askId = await asked();
    await coordinator.answer(askId, { selected: ['a'] }, PAGE);
    const born = { machine: 'answer', event: 'born', before: [], after: ['delivery.pending', 'label.matched'] };
    await expect
      .poll(() => burstsIn(page.text()).flatMap(({ steps }) => steps))
      .toContainEqual(expect.objectContaining(born));
    expect(page.text()).not.toContain(SECRET);
    page.end();
    await expect.poll(() => taps).toBe(0);
  });

  it('is one of few: the next is told to wait, and a page that comes again and again costs nothing that stays', async () => {
    const pages = await Promise.all(Array.from({ length: INSPECT_BOUNDS.viewers }, stream));
    expect(taps).toBe(1);
    expect((await call(host, '/inspect/live')).status).toBe(503);
    for (const page of pages) page.end();
    await expect.poll(() => taps).toBe(0);
    for (let n = 0; n < 3 * INSPECT_BOUNDS.viewers; n += 1) {
      const page = await stream();
      expect(page.status).toBe(200);
      page.end();
      await expect.poll(() => taps).toBe(0);
    }
  });

  it('of a burst is told a part, and how much it missed', async () => {
    const page = await stream();
    await expect.poll(() => page.text()).toContain('event: ready');
    const asks = await Promise.all(Array.from({ length: 1_500 }, (_, n) => asked(`tab-${n}`)));
    await expect.poll(() => burstsIn(page.text()).some(({ missed }) => missed > 0)).toBe(true);
    const bursts = burstsIn(page.text());
    expect(Math.max(...bursts.map(({ steps }) => steps.length))).toBeLessThanOrEqual(INSPECT_BOUNDS.burst);
    expect(asks).toHaveLength(1_500);
  });

  it('ends with the host, in bounded time', async () => {
    const page = await stream();
    await expect.poll(() => page.text()).toContain('event: ready');
    await host.close();
    expect(taps).toBe(0);
  });
});

describe('the weight of the page', () => {
  it('with all its drawings is no more than 150 KB compressed', () => {
    const folder = findInspectPage();
    expect(folder, 'run `npm run build` first').toBeDefined();
    const drawings = join(ROOT, 'src/inspect/generated');
    const files = [folder ?? '', drawings]
      .flatMap((at) => readdirSync(at).map((name) => join(at, name)))
      .filter((file) => !file.endsWith('.svg') || file.startsWith(drawings));
    expect(files.filter((file) => file.endsWith('.svg'))).toHaveLength(allCharts().length);
    expect(files.every((file) => existsSync(file))).toBe(true);
    const bytes = files.map((file) => gzipSync(readFileSync(file)).length).reduce((all, one) => all + one, 0);
    expect(bytes).toBeLessThanOrEqual(150 * 1024);
  });
});
