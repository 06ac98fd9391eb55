import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import { type Host, startHost } from '../../src/host/index.ts';
import { allCharts } from '../../src/inspect/charts.ts';
import { inspectPage } from '../../src/inspect/page-routes.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { launch } from '../host/browser.ts';

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const QUESTION = { question: 'Which colour?', options: [{ id: 'a', label: 'Blue' }] };
const PERSON = { surface: 'page', who: 'w1' };
let browser: Browser;
let coordinator: Coordinator;
let host: Host;
let context: BrowserContext;
let page: Page;
let complaints: string[];

async function asked(tab: string): Promise<string> {
  let id = '';
  await coordinator.ask(QUESTION, { tab, timeoutMs: 0, attach: () => 'turn-1', onOpen: (askId) => (id = askId) });
  return id;
}

async function answered(tab: string): Promise<string> {
  return (await coordinator.answer(await asked(tab), { selected: ['a'] }, PERSON)).token ?? '';
}

async function open(
  hash = '',
  options: Parameters<Browser['newContext']>[0] = {},
  query = '',
  before: (page: Page) => Promise<void> = async () => undefined,
): Promise<Page> {
  context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (new URL(request.url()).host !== new URL(host.url).host) complaints.push(`foreign request: ${request.url()}`);
  });
  await before(page);
  await page.goto(`${host.link.replace('/?', '/inspect?')}${query}${hash}`);
  await page.getByText('Live', { exact: true }).waitFor();
  return page;
}

/** A picture for people to look at, where `READBACK_SHOTS` names a folder. */
async function shot(name: string, fullPage = false): Promise<void> {
  const folder = process.env['READBACK_SHOTS'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/inspect-${name}.png`, fullPage });
}

const lit = (chart: string, state: string) =>
  page.locator(`svg[data-chart="${chart}"] .state.on[data-state="${state}"]`);

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());
beforeEach(async () => {
  complaints = [];
  coordinator = await openCoordinator({ store: memoryStore(), logger: SILENT, alwaysVisible: true });
  host = await startHost({ coordinator, mounts: [inspectPage({ coordinator })] });
});
afterEach(async () => {
  await context.close();
  await host.close();
  await coordinator.close();
  expect(complaints).toEqual([]);
});

describe('the inspect page in a browser', () => {
  it('draws every chart and lights the states that rows stand in, as they change', async () => {
    await open();
    await expect.poll(() => page.locator('svg.chart').count()).toBe(allCharts().length);
    await lit('coordinator', 'open').waitFor();
    const token = await answered('tab-1');
    await lit('answer', 'delivery.pending').waitFor();
    await coordinator.handOver(token, () => 'turn-2');
    await lit('answer', 'delivery.handed_off').waitFor();
    await expect.poll(() => lit('answer', 'delivery.pending').count()).toBe(0);
    await coordinator.ack([token], 'turn-2');
    await lit('answer', 'delivery.acked').waitFor();
  });

  it('[J-R187] of one answer says why it was retired, and what can still happen, by itself and in one sentence', async () => {
    const token = await answered('tab-1');
    await open(`#answer/${token}`);
    await page.getByText('Waiting to be delivered because').waitFor();
    await coordinator.journal.closeAsks('tab-1');
    const why = page.getByRole('region', { name: 'Why' });
    await why.getByText('Retired because the conversation that asked was replaced before any agent').waitFor();
    const row = (await coordinator.audit()).find(({ event }) => event === 'boundary')?.id;
    expect(await why.textContent()).toContain(`Rules J-R188, J-R191 · audit row ${row}`);
    const next = page.getByRole('region', { name: 'What can still happen from here' });
    await next.getByText('provesLateCopy').waitFor();
    const said = page.getByRole('region', { name: 'Who said what to whom' });
    await said.getByText('a new conversation begins').waitFor();
    expect(await said.textContent()).toContain('person to page: answers');
    await expect
      .poll(() => page.locator('.edge.last[data-event="BOUNDARY"][data-from="delivery.pending"]').count())
      .toBe(1);
  });

  it('finds a row by token, ask id and tab, and is used by keys alone', async () => {
    const token = await answered('tab-one');
    await answered('tab-two');
    await open();
    await page.getByLabel('Find by token, ask id or tab').focus();
    await page.keyboard.type('tab-one');
    const rows = page.getByRole('navigation').getByRole('link');
    await expect.poll(() => rows.count()).toBe(2);
    for (let n = 0; n < 4; n += 1) {
      await page.keyboard.press('Tab');
      if ((await page.locator(':focus').getAttribute('href')) === `#answer/${token}`) break;
    }
    expect(await page.locator(':focus').evaluate((link) => getComputedStyle(link).outlineStyle)).toBe('solid');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `answer ${token}` }).waitFor();
    const scrubber = page.getByLabel('Replay the history');
    await scrubber.waitFor();
    await scrubber.focus();
    expect(await scrubber.getAttribute('aria-valuetext')).toContain('Step 1 of 1: born');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => scrubber.getAttribute('aria-valuetext')).toContain('Step 0 of 1: before it began');
    await expect.poll(() => page.locator('.state.on').count()).toBe(0);
    await page.keyboard.press('ArrowRight');
    await lit('answer', 'delivery.pending').waitFor();
  });

  it('opens with what the link asks it to find', async () => {
    const token = await answered('tab one & two');
    await answered('tab-three');
    await open('', {}, `&find=${encodeURIComponent('tab one & two')}`);
    const rows = page.getByRole('navigation').getByRole('link');
    await expect.poll(() => rows.count()).toBe(2);
    expect(await page.getByLabel('Find by token, ask id or tab').inputValue()).toBe('tab one & two');
    expect(await rows.first().getAttribute('href')).toBe(`#answer/${token}`);
  });

  it('shows at once the one row that the link asks to find, and says so when there is none', async () => {
    const token = await answered('tab-1');
    await open('', {}, `&find=${token}`);
    await page.getByRole('heading', { name: `answer ${token}` }).waitFor();
    await page.getByText('Waiting to be delivered because').waitFor();
    expect(await page.getByRole('navigation').locator('[aria-current]').getAttribute('href')).toBe(`#answer/${token}`);
    await shot('found');
    await context.close();
    await open('', {}, '&find=aa99');
    await page.getByText('Nothing on file is named aa99.').waitFor();
    await shot('not-found');
  });

  it('says that it is loading until the host has said what is on file', async () => {
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await open('', {}, '', async (on) => {
      await on.route(/\/inspect\/rows/, async (route) => {
        await held;
        await route.continue();
      });
    });
    const rows = page.getByRole('navigation');
    await rows.getByText('Loading …').waitFor();
    expect(await rows.textContent()).not.toContain('Nothing is on file');
    await shot('loading');
    answer();
    await rows.getByText('Nothing is on file yet.').waitFor();
    expect(await rows.textContent()).not.toContain('Loading');
  });

  it('replays an answer from the database, state by state', async () => {
    const token = await answered('tab-1');
    await coordinator.handOver(token, () => 'turn-2');
    await coordinator.handBack(token, 'turn-2');
    await coordinator.handOver(token, () => 'turn-3');
    await coordinator.ack([token], 'turn-3');
    await open(`#answer/${token}`);
    const scrubber = page.getByLabel('Replay the history');
    const states: (string | null)[] = [];
    await scrubber.focus();
    await page.keyboard.press('Home');
    for (let n = 0; n < 5; n += 1) {
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => scrubber.getAttribute('aria-valuetext')).toContain(`Step ${n + 1} of 5`);
      states.push(await page.locator('.state.on[data-state^="delivery."]').getAttribute('data-state'));
    }
    const names = ['pending', 'handed_off', 'pending', 'handed_off', 'acked'];
    expect(states).toEqual(names.map((name) => `delivery.${name}`));
  });

  it('of what nobody knows says so, and of one that is gone tells from the audit', async () => {
    const token = await answered('tab-1');
    await coordinator.journal.forget('tab-1');
    await open(`#answer/${token}`);
    await page.getByText('It has left the files.').waitFor();
    await page.evaluate(() => {
      location.hash = '#answer/aa99';
    });
    await page.getByText('Nothing is known of answer aa99').waitFor();
    // A browser reports each 404 by itself.
    complaints = complaints.filter((text) => !text.includes('404'));
  });

  it.each(['light', 'dark'] as const)('fits 360 pixels, and can be read in %s', async (colorScheme) => {
    const token = await answered('tab-with-a-name-that-is-much-longer-than-a-narrow-screen-has-room-for');
    await coordinator.handOver(token, () => 'turn-2');
    await open(`#answer/${token}`, { colorScheme, viewport: { width: 360, height: 740 } });
    await lit('answer', 'delivery.handed_off').waitFor();
    await page.getByText('puts it into a tool result').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    const place = await lit('answer', 'delivery.handed_off').locator('.box').boundingBox();
    expect(place?.x).toBeGreaterThanOrEqual(0);
    expect((place?.x ?? 0) + (place?.width ?? 999)).toBeLessThanOrEqual(360);
    await page.evaluate(() => {
      location.hash = '';
    });
    await expect.poll(() => page.locator('svg.chart').count()).toBe(allCharts().length);
    expect(await page.evaluate(() => document.querySelector('main')?.scrollWidth)).toBeLessThanOrEqual(360);
    await page.goBack();
    await page.getByText('puts it into a tool result').waitFor();
    await shot(`narrow-${colorScheme}`, true);
    const { ground, ink } = await page.evaluate(() => {
      const { backgroundColor, color } = getComputedStyle(document.body);
      return { ground: backgroundColor, ink: color };
    });
    const light = (colour: string): number => Number(/\d+/.exec(colour)?.[0]);
    expect(light(ground) > light(ink)).toBe(colorScheme === 'light');
  });

  it('comes back by itself when the host was away, and reads everything anew', async () => {
    await open();
    const { port, token } = host;
    await host.close();
    await page.getByText('Connection lost').waitFor();
    await answered('tab-1');
    host = await startHost({ coordinator, port, token, mounts: [inspectPage({ coordinator })] });
    await page.getByText('Live', { exact: true }).waitFor();
    await lit('answer', 'delivery.pending').waitFor();
    complaints = complaints.filter((text) => !/ERR_CONNECTION|net::/.test(text));
  });
});
