/** The inspect page in a real browser: how soon it has drawn, and how soon a change of state is lit. */
import { chromium, type Page } from 'playwright-core';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import { startHost } from '../../src/host/index.ts';
import { allCharts } from '../../src/inspect/charts.ts';
import { inspectPage } from '../../src/inspect/page-routes.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { CHROMIUM_ARGS, chromiumPath } from '../support/chromium.ts';
import { median, type Ratio } from './measure.ts';

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const STEPS = 1_000;
const TIMES = 3;

async function answered(on: Coordinator): Promise<string> {
  let id = '';
  const question = { question: 'Q', options: [{ id: 'a', label: 'A' }] };
  await on.ask(question, { tab: 'tab', timeoutMs: 0, attach: () => 'turn', onOpen: (askId) => (id = askId) });
  return (await on.answer(id, { selected: ['a'] }, { surface: 'page' })).token ?? '';
}

/** Milliseconds, from its first byte, until the page has all charts or the whole history on it. */
async function drawn(page: Page, link: string, selector: string, count: number): Promise<number> {
  await page.goto('about:blank');
  await page.goto(link);
  const wanted = { selector, count };
  await page.waitForFunction((want) => document.querySelectorAll(want.selector).length >= want.count, wanted);
  return page.evaluate(() => new Promise<number>((done) => requestAnimationFrame(() => done(performance.now()))));
}

/** Milliseconds from a commit until the state is lit, both by the clock of this machine. */
async function lit(page: Page, change: () => Promise<unknown>, state: string): Promise<number> {
  const seen = page
    .waitForFunction((name) => {
      const found = document.querySelector(`.state.on[data-state="${name}"]`);
      return found === null ? 0 : Date.now();
    }, state)
    .then((handle) => handle.jsonValue());
  // The browser looks by now.
  await page.evaluate(() => undefined);
  await change();
  const from = Date.now();
  return (await seen) - from;
}

const ratio = (name: string, times: readonly number[], limitMs: number): Ratio => ({
  name: `inspect: ${name}, of ${limitMs} ms`,
  ratio: median(times) / limitMs,
  pairs: times.map((time) => time / limitMs),
  limit: 1,
  detail: `${median(times).toFixed(0)} ms`,
});

export async function inspectBench(): Promise<readonly Ratio[]> {
  const on = await openCoordinator({ store: memoryStore(), logger: SILENT, alwaysVisible: true });
  const host = await startHost({ coordinator: on, mounts: [inspectPage({ coordinator: on })] });
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: [...CHROMIUM_ARGS] });
  const page = await browser.newPage();
  const token = await answered(on);
  const turn = async (n: number): Promise<void> => {
    await on.handOver(token, () => `turn-${n}`);
    await on.handBack(token, `turn-${n}`);
  };
  for (let n = 0; n < STEPS / 2; n += 1) await turn(n);
  const link = host.link.replace('/?', '/inspect?');
  const charts: number[] = [];
  const history: number[] = [];
  const lights: number[] = [];
  for (let n = 0; n < TIMES; n += 1) {
    charts.push(await drawn(page, link, 'svg.chart', allCharts().length));
    history.push(await drawn(page, `${link}#answer/${token}`, '.steps li', STEPS));
  }
  await page.goto('about:blank');
  await page.goto(link);
  await page.waitForSelector('.state.on[data-state="delivery.pending"]');
  for (let n = 0; n < TIMES; n += 1) {
    lights.push(await lit(page, () => on.handOver(token, () => `light-${n}`), 'delivery.handed_off'));
    lights.push(await lit(page, () => on.handBack(token, `light-${n}`), 'delivery.pending'));
  }
  await browser.close();
  await host.close();
  await on.close();
  return [
    ratio(`${allCharts().length} charts drawn`, charts, 1_000),
    ratio(`a history of ${STEPS} steps drawn`, history, 1_000),
    ratio('a change of state lit on loopback', lights, 100),
  ];
}
