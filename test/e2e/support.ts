/**
 * The shipped program as people run it: processes on a state folder of their own, agents with the SDK's own client,
 * and a person at a page or in a terminal. Everything that was started here is ended here.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Locator, Page } from 'playwright-core';
import type { AskView } from '../../src/api.ts';
import { alive, type HostFile, pageLink } from '../../src/cli/home.ts';
import { pause } from '../../src/cli/io.ts';

/** The program of the package, as `npm run build` leaves it. */
const ENTRY = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
/** Milliseconds that anything may take on a machine that is busy with other things. */
const PATIENCE = 15_000;

export const COLOURS = [
  { id: 'b', label: 'Blue', description: 'calm' },
  { id: 'r', label: 'Red', description: 'loud' },
];

/** Calls back until it gives something; fails with what it was about when that takes too long. */
export async function until<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (const end = Date.now() + PATIENCE; ; await pause(40)) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`in vain waited for ${what}`);
  }
}

export interface Done {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly pid: number;
  readonly done: Promise<Done>;
  /** Resolves once stdout matches. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
}

/** What a tool gave its agent. */
export interface Result {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
}

export interface Ride {
  readonly token: string;
  readonly ask_id: string;
  readonly question: string;
  readonly answer: string;
  readonly late: boolean;
  readonly possible_repeat: boolean;
}

export const ridesOf = (result: Result): readonly Ride[] =>
  (result.data['earlier_answers'] as Ride[] | undefined) ?? [];

/** An agent: the SDK's own client, with the list of tools read, so that it checks each result against its schema. */
export class Agent {
  readonly client: Client;
  readonly transport: StdioClientTransport | StreamableHTTPClientTransport;

  constructor(name: string, transport: StdioClientTransport | StreamableHTTPClientTransport) {
    this.client = new Client({ name, version: '1.0.0' });
    this.transport = transport;
  }

  async connect(): Promise<this> {
    // The SDK's own class does not satisfy its own interface under exactOptionalPropertyTypes.
    await this.client.connect(this.transport as StdioClientTransport);
    await this.client.listTools();
    return this;
  }

  /** Of an agent over stdio: the process that speaks to it. */
  get pid(): number {
    return ('pid' in this.transport ? this.transport.pid : null) ?? 0;
  }

  /** Calls a tool. A call that a failed test leaves behind ends with the client, and is no second failure. */
  tool(name: string, args: Record<string, unknown> = {}, options?: RequestOptions): Promise<Result> {
    const result = this.#call(name, args, options);
    result.catch(() => undefined);
    return result;
  }

  async #call(name: string, args: Record<string, unknown>, options?: RequestOptions): Promise<Result> {
    const result = await this.client.callTool({ name, arguments: args }, undefined, options);
    const content = result.content as { text: string }[];
    return {
      text: content.map(({ text }) => text).join('\n'),
      data: (result.structuredContent ?? {}) as Result['data'],
      failed: result.isError === true,
    };
  }

  /** A question that nobody answers within a second; gives its id. */
  async late(question: string, more: Record<string, unknown> = {}): Promise<string> {
    const { data } = await this.tool('ask_user', { question, options: COLOURS, hold_seconds: 1, ...more });
    if (data['outcome'] !== 'pending') throw new Error(`not pending but ${JSON.stringify(data)}`);
    return String(data['ask_id']);
  }
}

/** One state folder, with its host, its agents and its people. */
export class Home {
  #folder: string | undefined;
  readonly #children: ChildProcess[] = [];
  readonly #agents: Agent[] = [];
  readonly #hosts = new Set<number>();

  constructor() {
    if (!existsSync(ENTRY)) throw new Error('The program is not built: npm run build:js');
  }

  get folder(): string {
    this.#folder ??= mkdtempSync(join(tmpdir(), 'readback-whole-'));
    return this.#folder;
  }

  get env(): Record<string, string> {
    const { DISPLAY: _x, WAYLAND_DISPLAY: _w, ...env } = process.env as Record<string, string>;
    return { ...env, READBACK_HOME: this.folder, NO_COLOR: '1' };
  }

  get host(): HostFile {
    const host = JSON.parse(readFileSync(join(this.folder, 'host.json'), 'utf8')) as HostFile;
    this.#hosts.add(host.pid);
    return host;
  }

  /** The link of the page. */
  get link(): string {
    return pageLink(this.host);
  }

  start(...args: string[]): Running {
    const child = spawn(process.execPath, [ENTRY, ...args], { env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#children.push(child);
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    const done = new Promise<Done>((resolve) => child.once('close', (code) => resolve({ code, out, err })));
    const says = (pattern: RegExp) =>
      until(`${pattern} of ${args.join(' ')}`, () => {
        if (child.exitCode !== null) throw new Error(`${args.join(' ')} ended: ${out}\n${err}`);
        return pattern.exec(out) ?? undefined;
      });
    return { pid: child.pid ?? 0, done, says };
  }

  run(...args: string[]): Promise<Done> {
    return this.start(...args).done;
  }

  async json<T>(...args: string[]): Promise<T> {
    const { out, err } = await this.run(...args, '--json');
    try {
      return JSON.parse(out) as T;
    } catch {
      throw new Error(`${args.join(' ')} gave no JSON:\n${out}\n${err}`);
    }
  }

  async serve(...flags: string[]): Promise<Running> {
    const running = this.start('serve', ...flags);
    await running.says(/is running \(pid/);
    this.#hosts.add(running.pid);
    return running;
  }

  /** Ends the host as a power cut would, and waits until it is gone. */
  async kill(): Promise<void> {
    const { pid } = this.host;
    process.kill(pid, 'SIGKILL');
    await until(`the end of ${pid}`, () => (alive(pid) ? undefined : true));
  }

  /** An agent with a `readback mcp` of its own. */
  stdio(name: string, ...flags: string[]): Promise<Agent> {
    const args = [ENTRY, 'mcp', ...flags];
    const transport = new StdioClientTransport({ command: process.execPath, args, env: this.env, stderr: 'ignore' });
    return this.#agent(name, transport);
  }

  /** An agent at the host's own endpoint. */
  http(name: string): Promise<Agent> {
    const { url, token } = this.host;
    const headers = { authorization: `Bearer ${token}` };
    return this.#agent(name, new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));
  }

  async #agent(name: string, transport: Agent['transport']): Promise<Agent> {
    const agent = new Agent(name, transport);
    this.#agents.push(agent);
    return await agent.connect();
  }

  /** What the host says under /api. */
  async api<T>(path: string): Promise<T> {
    const { url, token } = this.host;
    const response = await fetch(`${url}/api/${path}`, { headers: { authorization: `Bearer ${token}` } });
    return (await response.json()) as T;
  }

  /** The open ask with this question, as soon as there is one. */
  opened(question: string): Promise<AskView> {
    return until(`the open ask “${question}”`, async () => {
      const { asks } = await this.api<{ asks: AskView[] }>('asks');
      return asks.find((ask) => ask.question === question);
    });
  }

  async ask(askId: string): Promise<AskView> {
    return (await this.api<{ ask: AskView }>(`asks/${askId}`)).ask;
  }

  /** Waits until the last answer of an ask has come this far. */
  receipt(askId: string, receipt: string): Promise<AskView> {
    return until(`${askId} to be ${receipt}`, async () => {
      const ask = await this.ask(askId);
      return ask.answers.at(-1)?.receipt === receipt ? ask : undefined;
    });
  }

  async end(): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.client.close().catch(() => undefined)));
    if (existsSync(join(this.folder, 'host.json')) && alive(this.host.pid)) await this.run('stop');
    for (const child of this.#children) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    for (const pid of this.#hosts) if (alive(pid)) process.kill(pid, 'SIGKILL');
    await until('the end of the hosts', () => ([...this.#hosts].some(alive) ? undefined : true));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const card = (page: Page, askId: string): Locator => page.locator(`.card[data-ask="${askId}"]`);

export const send = (page: Page, askId: string): Locator =>
  card(page, askId).getByRole('button', { name: 'Send answer' });

/** Makes a window whose news can be held back, as on a slow line; replies to its own requests come through. */
export async function holdBack(page: Page): Promise<{ hold(): void; release(): void }> {
  let held: string[] | undefined;
  let pass: (text: string) => void = () => undefined;
  await page.routeWebSocket(/\/ws\?/, (socket) => {
    const host = socket.connectToServer();
    pass = (text) => socket.send(text);
    socket.onMessage((message) => host.send(message));
    host.onMessage((message) => {
      const text = String(message);
      if (held !== undefined && 'method' in (JSON.parse(text) as object)) held.push(text);
      else socket.send(text);
    });
  });
  return {
    hold: () => {
      held = [];
    },
    release: () => {
      for (const text of held ?? []) pass(text);
      held = undefined;
    },
  };
}

/** A picture of the whole page for people to look at, where `READBACK_SHOTS` names a folder. */
export async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env['READBACK_SHOTS'];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `e2e-${name}.png`), fullPage: true });
}
