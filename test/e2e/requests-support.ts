/** An embedder in a process of its own, the browser windows of its page, and what both leave behind. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { SendOptions, Settlement } from '../../src/requests/api.ts';
import type { JsonObject } from '../../src/wire/json.ts';
import { launch, leaveWindows, openWindow, press, type Window } from '../host/browser.ts';
import { buildPanel } from '../host/panel-build.ts';
import type { Report, Work } from './embedder.ts';
import { until } from './support.ts';

/** The embedder as one file in a new folder, so that it starts in a tenth of a second however often it is killed. */
async function buildEmbedder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'readback-embedder-'));
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: join(import.meta.dirname, 'embedder.ts'),
      outDir: join(folder, 'child'),
      target: 'node20',
      rolldownOptions: { external: [/^[^./]/], output: { entryFileNames: 'embedder.mjs' } },
    },
  });
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Where the program and its page lie. */
interface Built {
  readonly programDir: string;
  readonly panelDir: string;
}

/** One folder with its database, its address, and one process at a time that owns both. */
export class Embedder {
  readonly folder = mkdtempSync(join(tmpdir(), 'readback-embedder-'));
  readonly token = randomBytes(24).toString('base64url');
  readonly #built: Built;
  readonly #calls = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #port = 0;
  #next = 1;
  #child: ChildProcess | undefined;
  #gone: Promise<void> = Promise.resolve();
  #said = '';

  constructor(built: Built) {
    this.#built = built;
  }

  get link(): string {
    return `http://127.0.0.1:${this.#port}/?token=${this.token}`;
  }

  /** What its process has written on its standard streams. */
  get said(): string {
    return this.#said;
  }

  /** Starts it; where it ran before, it is the same host at the same address. `graceMs`: of peers that say nothing. */
  async start(graceMs = 2_000): Promise<void> {
    const args = [this.folder, String(this.#port), this.token, this.#built.panelDir, String(graceMs)];
    const child = fork(join(this.#built.programDir, 'child/embedder.mjs'), args, { execArgv: [], silent: true });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        this.#said += String(chunk);
      });
    }
    this.#gone = new Promise((resolve) => child.once('close', () => resolve()));
    void this.#gone.then(() => this.#forsake());
    const port = new Promise<number>((resolve) => {
      child.on('message', (report: Report) => ('port' in report ? resolve(report.port) : this.#settle(report)));
    });
    const ended = this.#gone.then(() => Promise.reject(new Error(`the embedder ended: ${this.#said}`)));
    this.#port = await Promise.race([port, ended]);
  }

  /** Calls an operation of the process, say `requests.cancel`. Rejects when the process ends before it replies. */
  call<T = unknown>(path: string, ...args: unknown[]): Promise<T> {
    const n = this.#next;
    this.#next += 1;
    const reply = new Promise<unknown>((resolve, reject) => this.#calls.set(n, { resolve, reject }));
    // Whoever looks at it later gets its error then; until then it is no unhandled one.
    reply.catch(() => undefined);
    this.#child?.send({ n, path, args });
    return reply as Promise<T>;
  }

  send(method: string, params: JsonObject, options: Partial<SendOptions> = {}): Promise<Settlement> {
    return this.call('requests.send', method, 's1', params, { timeoutMs: null, ...options });
  }

  work(work: Work): Promise<{ verdict: JsonObject; claim?: JsonObject }> {
    return this.call('own.work', work);
  }

  /** What commands have run, over all its lives. */
  get ran(): string[] {
    const path = join(this.folder, 'ran');
    return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  }

  /** Stops it between two instructions; what is sent to it waits in the socket. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  /** Ends it as a power failure would. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#gone;
  }

  /** Resolves when it has ended by itself. */
  dead(): Promise<void> {
    return this.#gone;
  }

  /** Ends it as its user would. */
  async stop(): Promise<void> {
    await this.call('own.close');
    await this.kill();
  }

  /** All bytes that it keeps on disk: database, write-ahead log, its own log. */
  files(): { name: string; bytes: Buffer }[] {
    return readdirSync(this.folder).map((name) => ({ name, bytes: readFileSync(join(this.folder, name)) }));
  }

  async end(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #settle(report: Exclude<Report, { port: number }>): void {
    const call = this.#calls.get(report.n);
    this.#calls.delete(report.n);
    if ('error' in report) call?.reject(Object.assign(new Error(report.error), { code: report.code }));
    else call?.resolve(report.value);
  }

  #forsake(): void {
    for (const { reject } of this.#calls.values()) reject(new Error('the process ended before it replied'));
    this.#calls.clear();
  }
}

export const open = (page: Page, method: string): Locator => page.locator(`.card.open[data-method="${method}"]`);
export const over = (page: Page, method: string): Locator => page.locator(`.card.closed[data-method="${method}"]`);
/** One question of a clarification. */
export const part = (page: Page, qid: string): Locator => page.locator(`[data-qid="${qid}"]`);
export const tick = (where: Locator): Locator => where.getByRole('img', { name: 'Answered', exact: true });
export const connected = (page: Page): Promise<void> => page.getByText('Connected', { exact: true }).waitFor();
export const lost = (page: Page): Promise<void> => page.getByText('The connection is lost.').waitFor();
/** The ids of the cards that wait, as the page has them. */
export const ids = (page: Page): Promise<string[]> =>
  page.locator('.card.open').evaluateAll((all) => all.map((one) => one.getAttribute('data-request') ?? ''));

/** A promise that has not come to anything within a short while. */
export async function stillWaits(promise: Promise<unknown>): Promise<boolean> {
  const pause = new Promise<'waits'>((resolve) => setTimeout(() => resolve('waits'), 150));
  return (await Promise.race([promise, pause])) === 'waits';
}

/** A window that notes each notification which it would show; it never has the focus. */
export function watched(notes: string[]): (page: Page) => Promise<void> {
  return async (page) => {
    await page.exposeFunction('noted', (text: string) => void notes.push(text));
    await page.addInitScript(() => {
      class Recorder extends EventTarget {
        static readonly permission = 'granted';
        constructor(title: string, options?: { body?: string }) {
          super();
          (window as unknown as { noted(text: string): void }).noted(`${title}: ${options?.body ?? ''}`);
        }
        close(): void {}
      }
      Object.assign(window, { Notification: Recorder });
      document.hasFocus = () => false;
    });
  };
}

/** For each test an embedder with two windows of one browser; a complaint in a console fails the test. */
export class RequestsBench {
  browser!: Browser;
  context!: BrowserContext;
  embedder!: Embedder;
  readonly windows: Window[] = [];

  /** One more window. */
  async window(prepare?: (page: Page) => Promise<unknown>): Promise<Page> {
    const window = await openWindow(this.context, this.embedder.link, prepare);
    this.windows.push(window);
    return window.page;
  }

  /** What the windows complained about, but for refused connections, which a browser reports by itself. */
  get complaints(): string[] {
    return this.windows
      .flatMap(({ complaints }) => complaints)
      .filter((text) => !/WebSocket connection to .* failed|net::ERR_CONNECTION_(?:REFUSED|RESET)/.test(text));
  }
}

/** Registers the hooks of a `RequestsBench` in the calling test file. */
export function useEmbedder(): RequestsBench {
  const t = new RequestsBench();
  let built: Built;
  beforeAll(async () => {
    const [browser, panelDir, programDir] = await Promise.all([launch(), buildPanel(), buildEmbedder()]);
    t.browser = browser;
    built = { panelDir, programDir };
    t.context = await browser.newContext({ viewport: { width: 800, height: 900 } });
  });
  afterAll(async () => {
    await t.browser.close();
    for (const folder of Object.values(built)) rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    t.windows.length = 0;
    t.embedder = new Embedder(built);
    await t.embedder.start();
  });
  afterEach(async () => {
    await leaveWindows(t.context);
    await t.embedder.end();
    expect(t.complaints).toEqual([]);
  });
  return t;
}

export const BATCH: JsonObject = {
  questions: [
    { qid: 'way', question: 'Which way?', choices: ['Left', 'Right'], multi_select: false },
    { qid: 'depth', question: 'How deep?', choices: null, multi_select: false },
    { qid: 'name', question: 'What is it called?', choices: null, multi_select: false },
  ],
};
export const QIDS = ['way', 'depth', 'name'];

/** Saves one answer of the batch early. */
export async function saveLeft(page: Page): Promise<void> {
  await part(page, 'way').getByText('Left').click();
  await press(part(page, 'way'), 'Save this one');
  await tick(part(page, 'way')).waitFor();
}

/** Resolves once this many notifications were shown. */
export const noted = (notes: readonly string[], count: number): Promise<true> =>
  until(`${count} notifications`, () => (notes.length >= count ? true : undefined));
