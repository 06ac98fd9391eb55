import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
  type ViewportSize,
} from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import type { HostOptions } from '../../src/host/index.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { CHROMIUM_ARGS, chromiumPath } from '../support/chromium.ts';
import { buildPanel } from './panel-build.ts';
import { type Bench, startBench } from './support.ts';

/** Headless Chromium, with everything in it that the tests need to be over when they are. */
export async function launch(): Promise<Browser> {
  return await chromium.launch({ executablePath: chromiumPath(), headless: true, args: [...CHROMIUM_ARGS] });
}

/** One window, with all that it complained about. */
export interface Window {
  readonly page: Page;
  readonly complaints: string[];
}

/** Windows that go from test to test: to make one costs a browser more than most tests do with it. */
const plain = new WeakMap<Page, ViewportSize | null>();
const spare = new WeakMap<BrowserContext, Page>();

async function plainPage(context: BrowserContext): Promise<Page> {
  const kept = spare.get(context);
  spare.delete(context);
  const page = kept ?? (await context.newPage());
  plain.set(page, page.viewportSize());
  return page;
}

/** Ends a test in this context: its windows are closed, but for one that nothing was changed in, which shows nothing. */
export async function leaveWindows(context: BrowserContext): Promise<void> {
  const pages = context.pages();
  const kept = pages.find((page) => plain.has(page));
  await Promise.all(pages.map((page) => (page === kept ? undefined : page.close())));
  if (kept === undefined) return;
  kept.removeAllListeners();
  await kept.goto('about:blank');
  const size = plain.get(kept);
  if (size) await kept.setViewportSize(size);
  spare.set(context, kept);
}

/** Opens the page and waits until it is connected. `prepare` is given a new page before it loads anything. */
export async function openWindow(
  context: BrowserContext,
  link: string,
  prepare?: (page: Page) => Promise<unknown>,
): Promise<Window> {
  const page = prepare === undefined ? await plainPage(context) : await context.newPage();
  await prepare?.(page);
  page.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  const foreign = new URL(link).host;
  page.on('request', (request) => {
    if (new URL(request.url()).host !== foreign) complaints.push(`foreign request: ${request.url()}`);
  });
  await page.goto(link);
  await page.getByText('Connected', { exact: true }).waitFor();
  return { page, complaints };
}

/** A window's line to the host, which a test can break in every way. */
export class Wire {
  /** Texts of frames, whether or not they arrived. */
  readonly sent: string[] = [];
  readonly received: string[] = [];
  /** Frames of the page get lost. */
  isMute = false;
  /** Frames of the host get lost. */
  isDeaf = false;
  /** New connections are refused at once. */
  isDown = false;
  /** What the host calls itself, where it shall seem to be another one. */
  epoch: string | undefined;
  readonly #ends = new Set<() => void>();

  /** Takes the place of the network for this page; before it loads. */
  readonly attach = async (page: Page): Promise<void> => {
    await page.routeWebSocket(/\/ws\?/, (socket) => {
      if (this.isDown) {
        void socket.close();
        return;
      }
      const host = socket.connectToServer();
      this.#ends.add(() => {
        void socket.close();
        void host.close();
      });
      socket.onMessage((message) => {
        this.sent.push(String(message));
        if (!this.isMute) host.send(message);
      });
      host.onMessage((message) => {
        this.received.push(String(message));
        if (!this.isDeaf) socket.send(this.#disguised(String(message)));
      });
    });
  };

  #disguised(text: string): string {
    if (this.epoch === undefined || !text.includes('"gateway.ready"')) return text;
    return text.replace(/"epoch":"[^"]*"/, `"epoch":"${this.epoch}"`);
  }

  /** Ends every connection; the next one is whole, unless the line is down. */
  cut(): void {
    this.isMute = false;
    this.isDeaf = false;
    for (const end of this.#ends) end();
    this.#ends.clear();
  }
}

const LOOKS = [
  { look: 'light', colorScheme: 'light', width: 1_200 },
  { look: 'dark', colorScheme: 'dark', width: 1_200 },
  { look: 'narrow', colorScheme: 'light', width: 360 },
  { look: 'narrow-dark', colorScheme: 'dark', width: 360 },
] as const;

/** What must hold in every state and look: nothing is wider than the window. Pictures where `READBACK_SHOTS` names a folder. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['READBACK_SHOTS'];
  for (const { look, colorScheme, width } of LOOKS) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(wide, `${name}, ${look}`).toBeLessThanOrEqual(0);
    if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage: true });
  }
}

/** Presses a button as a hand does, which moves between two presses: what lies still is not believed at once. */
export async function press(where: Locator, name: string): Promise<void> {
  await where.page().mouse.move(0, 0);
  await where.getByRole('button', { name, exact: true }).click();
}

/** Puts a large text into a field at once, as a restored draft would be; typing it would take the browser minutes. */
export async function put(box: Locator, text: string): Promise<void> {
  await box.evaluate((element, value) => {
    (element as HTMLTextAreaElement).value = value;
    element.dispatchEvent(new Event('input', { bubbles: true }));
  }, text);
}

/** Pastes by the real clipboard and the real keys. The context needs the clipboard permissions. */
export async function paste(page: Page, box: Locator, text: string): Promise<void> {
  await page.evaluate((value) => navigator.clipboard.writeText(value), text);
  await box.focus();
  await page.keyboard.press('Control+v');
}

/** A browser, and for each test a fresh host with one connected window; a complaint in its console fails the test. */
export class PageBench {
  browser!: Browser;
  panelDir!: string;
  bench!: Bench;
  context!: BrowserContext;
  window!: Window;

  get page(): Page {
    return this.window.page;
  }

  card(askId: string, on: Page = this.page): Locator {
    return on.locator(`.card[data-ask="${askId}"]`);
  }

  send(askId: string, on: Page = this.page): Locator {
    return this.card(askId, on).getByRole('button', { name: 'Send answer' });
  }

  async stateOf(askId: string): Promise<string | undefined> {
    return (await this.bench.rig.asking.show(askId))?.state;
  }

  /** A browser reports each refused connection by itself; nothing in the page can keep it from doing so. */
  forgiveLostConnection(): void {
    const { complaints } = this.window;
    const rest = complaints.filter((text) => !/WebSocket connection to .* failed/.test(text));
    complaints.splice(0, complaints.length, ...rest);
  }
}

/** Registers the hooks of a `PageBench` in the calling test file. `options`: of the host, made anew for each test. */
export function usePage(options: () => Partial<HostOptions> | Promise<Partial<HostOptions>> = () => ({})): PageBench {
  const t = new PageBench();
  beforeAll(async () => {
    [t.browser, t.panelDir] = await Promise.all([launch(), buildPanel()]);
    t.context = await t.browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  });
  afterAll(async () => {
    await t.browser.close();
    await rm(t.panelDir, { recursive: true });
  });
  beforeEach(async () => {
    t.bench = await startBench({ panelDir: t.panelDir, ...(await options()) });
    t.window = await openWindow(t.context, t.bench.host.link);
  });
  afterEach(async () => {
    await leaveWindows(t.context);
    await t.bench.close();
    expect(t.window.complaints).toEqual([]);
  });
  return t;
}

/** As `usePage`, on a coordinator in memory that is made anew for each test. */
export function useCoordinator(): { readonly t: PageBench; readonly coordinator: () => Coordinator } {
  const quiet = () => undefined;
  const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  let coordinator: Coordinator;
  const t = usePage(async () => {
    coordinator = await openCoordinator({ store: memoryStore(), logger });
    coordinator.attachSurface({ kind: 'test', id: 'bench' });
    return { coordinator };
  });
  afterEach(() => coordinator.close());
  return { t, coordinator: () => coordinator };
}
