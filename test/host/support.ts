import { request } from 'node:http';
import { WebSocket } from 'ws';
import type { AskOptions, AskView, Outcome, Question, Verdict } from '../../src/api.ts';
import { type Host, type HostOptions, startHost } from '../../src/host/index.ts';
import type { Rig } from './fake-coordinator.ts';
import { makeRig } from './rig.ts';

export interface Bench {
  readonly rig: Rig;
  readonly host: Host;
  close(): Promise<void>;
}

/** A coordinator and a host on it; with `seen`, something that shows cards is attached from the start. */
export async function startBench(options: Partial<HostOptions> & { seen?: boolean } = {}): Promise<Bench> {
  const { seen = true, ...rest } = options;
  const rig = await makeRig();
  const detach = seen ? rig.asking.attachSurface({ kind: 'test', id: 'bench' }) : undefined;
  const host = await startHost({ coordinator: rig.asking, ...rest });
  return {
    rig,
    host,
    close: async () => {
      await host.close();
      detach?.();
      await rig.close();
    },
  };
}

export interface Opened {
  readonly askId: string;
  readonly outcome: Promise<Outcome>;
  /** Ends the call, never the question. */
  hangUp(): void;
}

/** Asks, and comes back as soon as the card is open. */
export async function openAsk(rig: Rig, question: Question, options: Partial<AskOptions> = {}): Promise<Opened> {
  const gone = new AbortController();
  const tab = options.tab ?? 'tab-1';
  let opened: (askId: string) => void = () => undefined;
  const open = new Promise<string>((resolve) => {
    opened = resolve;
  });
  const outcome = rig.asking.ask(question, {
    from: 'Claude Code',
    signal: gone.signal,
    attach: () => tab,
    ...options,
    tab,
    onOpen: (askId) => opened(askId),
  });
  const never = outcome.then((early) => Promise.reject(new Error(`the ask never opened: ${early.outcome}`)));
  // An ask that did open ends later without anybody asking whether it had opened.
  never.catch(() => undefined);
  return { askId: await Promise.race([open, never]), outcome, hangUp: () => gone.abort() };
}

export interface Response {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  json<T = { error: { code: string; message: string; field?: string } }>(): T;
}

export interface CallOptions {
  readonly method?: string;
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** One HTTP request as a bare client writes it, free to lie about Host and Origin. */
export function call(host: Host, path: string, options: CallOptions = {}): Promise<Response> {
  const { method = 'GET', token = host.token, headers = {}, body } = options;
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const req = request(
      {
        host: '127.0.0.1',
        port: host.port,
        path,
        method,
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          ...headers,
        },
      },
      (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('error', reject);
        res.on('end', () => {
          const all = Buffer.concat(chunks).toString();
          resolve({ status: res.statusCode ?? 0, headers: res.headers, text: all, json: () => JSON.parse(all) });
        });
      },
    );
    req.on('error', reject);
    req.end(text);
  });
}

interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: {
    open?: AskView[];
    openTotal?: number;
    recent?: AskView[];
    ask?: AskView;
    cause?: string;
    count?: number;
    now?: number;
  };
  readonly result?: unknown;
  readonly error?: { code: number; message: string; data?: { field?: string; code?: string; retry?: boolean } };
}

/** A page's socket without a page. */
export class TestSocket {
  readonly ws: WebSocket;
  readonly messages: Message[] = [];
  readonly closed: Promise<number>;
  #next = 1;

  constructor(host: Host, options: { token?: string | null; origin?: string; headers?: Record<string, string> } = {}) {
    const { token = host.token, origin, headers = {} } = options;
    const query = token === null ? '' : `?token=${token}`;
    this.ws = new WebSocket(`ws://127.0.0.1:${host.port}/ws${query}`, {
      headers,
      ...(origin === undefined ? {} : { origin }),
    });
    this.ws.on('message', (data) => this.messages.push(JSON.parse(String(data)) as Message));
    this.closed = new Promise((resolve) => this.ws.on('close', (code) => resolve(code)));
    this.ws.on('error', () => undefined);
  }

  /** The HTTP status of a refused upgrade. */
  refused(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.ws.on('unexpected-response', (_req, res) => resolve(res.statusCode ?? 0));
      this.ws.on('open', () => reject(new Error('the upgrade was let in')));
    });
  }

  /** The first message, old or new, for which `wanted` holds. */
  async find(wanted: (message: Message) => boolean): Promise<Message> {
    await until(() => this.messages.some(wanted));
    return this.messages.find(wanted) as Message;
  }

  async open(window = 'w1'): Promise<this> {
    await this.find((message) => message.method === 'asks');
    await this.request('hello', { window });
    return this;
  }

  async request(method: string, params: unknown): Promise<Message> {
    const id = this.#next;
    this.#next += 1;
    this.ws.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return await this.find((message) => message.id === id);
  }

  async answer(askId: string, reply: unknown): Promise<Verdict> {
    return (await this.request('answer', { askId, reply })).result as Verdict;
  }

  async close(): Promise<void> {
    this.ws.close();
    await this.closed;
  }
}

/** Waits until `check` holds; fails after `ms`. */
export async function until(check: () => boolean | Promise<boolean>, ms = 5_000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`not within ${ms} ms: ${check}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export const COLOURS: Question = {
  question: 'Which colour shall the button have?\nIt is on the first page.',
  header: 'Colour',
  options: [
    { id: 'b', label: 'Blue', description: 'Calm, and the colour of links.' },
    { id: 'g', label: 'Green' },
    { id: 'r', label: 'Red', description: 'Loud.' },
  ],
};
