/** The inspect page in a real browser: its weight, how soon it has drawn, how soon a change is lit, what it costs its host. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type CDPSession, chromium, type Page } from 'playwright-core';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import { type Host, startHost } from '../../src/host/index.ts';
import { allCharts } from '../../src/inspect/charts.ts';
import { drawChart } from '../../src/inspect/drawing.ts';
import { findInspectPage, inspectPage } from '../../src/inspect/page-routes.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { CHROMIUM_ARGS, chromiumPath } from '../support/chromium.ts';
import { median, paired, type Ratio } from './measure.ts';

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const STEPS = 1_000;
const TIMES = 3;
const ROUNDS = 10;
const AT_ONCE = 400;

async function answered(on: Coordinator): Promise<string> {
  let id = '';
  const question = { question: 'Q', options: [{ id: 'a', label: 'A' }] };
  await on.ask(question, { tab: 'tab', timeoutMs: 0, attach: () => 'turn', onOpen: (askId) => (id = askId) });
  return (await on.answer(id, { selected: ['a'] }, { surface: 'page' })).token ?? '';
}

interface Drawn {
  /** From the first byte until all is on the page. */
  readonly ms: number;
  /** Processor time of the page's own thread, which a busy machine does not stretch. */
  readonly busy: number;
}

async function busyMs(of: CDPSession): Promise<number> {
  const { metrics } = await of.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
}

/** Opens the link, and waits until the page has all charts or the whole history on it. */
async function drawn(page: Page, of: CDPSession, link: string, selector: string, count: number): Promise<Drawn> {
  await page.goto('about:blank');
  const from = await busyMs(of);
  await page.goto(link);
  const wanted = { selector, count };
  await page.waitForFunction((want) => document.querySelectorAll(want.selector).length >= want.count, wanted);
  const ms = await page.evaluate(
    () => new Promise<number>((done) => requestAnimationFrame(() => done(performance.now()))),
  );
  return { ms, busy: (await busyMs(of)) - from };
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

const ratio = (name: string, times: readonly number[], limit: number, detail: string): Ratio => ({
  name: `inspect: ${name}`,
  ratio: median(times) / limit,
  pairs: times.map((time) => time / limit),
  limit: 1,
  detail,
});

const drawing = (name: string, all: readonly Drawn[]): Ratio => {
  const times = all.map(({ ms }) => ms);
  const busy = median(all.map((one) => one.busy)).toFixed(0);
  const detail = `${median(times).toFixed(0)} ms, for ${busy} of which the page itself was at work`;
  return ratio(`${name}, of 1000 ms`, times, 1_000, detail);
};

/** All files of the page and all drawings, as they would be sent compressed. */
function weight(): Ratio {
  const folder = findInspectPage() ?? '';
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  const drawings = allCharts().map(({ outline }) => Buffer.from(drawChart(outline.id)));
  const bytes = [...files, ...drawings].reduce((sum, file) => sum + gzipSync(file).length, 0);
  return ratio('weight, of 150 KiB', [bytes], 150 * 1024, `${(bytes / 1024).toFixed(1)} KiB gzipped in all`);
}

async function pageOf(on: Coordinator): Promise<Host> {
  return startHost({ coordinator: on, mounts: [inspectPage({ coordinator: on })] });
}

const opened = (): Promise<Coordinator> =>
  openCoordinator({ store: memoryStore(), logger: SILENT, alwaysVisible: true });

/** Microseconds of processor time of a whole cycle, with many under way: the browser takes turns with this process. */
async function cycles(on: Coordinator): Promise<number> {
  const one = async (): Promise<void> => {
    const onOpen = (askId: string): void => void on.answer(askId, { text: 'One' }, { surface: 'page' });
    const outcome = await on.ask({ question: 'Q?' }, { tab: 'tab', timeoutMs: 60_000, attach: () => 'turn', onOpen });
    if (outcome.outcome === 'answered') await on.ack([outcome.token], 'turn');
  };
  const from = process.cpuUsage();
  for (let n = 0; n < ROUNDS; n += 1) await Promise.all(Array.from({ length: AT_ONCE }, one));
  const { user, system } = process.cpuUsage(from);
  return (user + system) / ROUNDS / AT_ONCE;
}

/** Two coordinators alike; somebody looks at the charts of one. */
async function attached(page: Page): Promise<Ratio> {
  const [seen, unseen] = [await opened(), await opened()];
  const hosts = [await pageOf(seen), await pageOf(unseen)];
  try {
    await page.goto(inspectLink(hosts[0]));
    await page.getByText('Live', { exact: true }).waitFor();
    return await paired('inspect: processor time of an in-memory cycle with a page attached / without', 1.2, [
      () => cycles(seen),
      () => cycles(unseen),
    ]);
  } finally {
    for (const host of hosts) await host.close();
    for (const on of [seen, unseen]) await on.close();
  }
}

const inspectLink = (host: Host | undefined): string => (host?.link ?? '').replace('/?', '/inspect?');

async function drawings(page: Page): Promise<readonly Ratio[]> {
  const on = await opened();
  const host = await pageOf(on);
  try {
    const token = await answered(on);
    for (let n = 0; n < STEPS / 2; n += 1) {
      await on.handOver(token, () => `turn-${n}`);
      await on.handBack(token, `turn-${n}`);
    }
    const link = inspectLink(host);
    const of = await page.context().newCDPSession(page);
    await of.send('Performance.enable', { timeDomain: 'threadTicks' });
    const charts: Drawn[] = [];
    const history: Drawn[] = [];
    const lights: number[] = [];
    for (let n = 0; n < TIMES; n += 1) {
      charts.push(await drawn(page, of, link, 'svg.chart', allCharts().length));
      history.push(await drawn(page, of, `${link}#answer/${token}`, '.steps li', STEPS));
    }
    await page.goto('about:blank');
    await page.goto(link);
    await page.waitForSelector('.state.on[data-state="delivery.pending"]');
    for (let n = 0; n < TIMES; n += 1) {
      lights.push(await lit(page, () => on.handOver(token, () => `light-${n}`), 'delivery.handed_off'));
      lights.push(await lit(page, () => on.handBack(token, `light-${n}`), 'delivery.pending'));
    }
    const light = `${median(lights).toFixed(0)} ms`;
    return [
      drawing(`${allCharts().length} charts drawn`, charts),
      drawing(`a history of ${STEPS} steps drawn`, history),
      ratio('a change of state lit on loopback, of 100 ms', lights, 100, light),
    ];
  } finally {
    await host.close();
    await on.close();
  }
}

export async function inspectBench(): Promise<readonly Ratio[]> {
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: [...CHROMIUM_ARGS] });
  try {
    return [weight(), ...(await drawings(await browser.newPage())), await attached(await browser.newPage())];
  } finally {
    await browser.close();
  }
}
