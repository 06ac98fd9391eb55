import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { WebSocket } from 'ws';
import type { AskOptions, AskView, Outcome, Question, Verdict } from '../../src/api.ts';
import { hostPack } from '../../src/host/contracts.ts';
import { type Host, type HostOptions, startHost } from '../../src/host/index.ts';
import { SIZES } from '../../src/limits.ts';
import { faultText } from '../../src/wire/contracts/paths.ts';
import { isOver } from '../../src/wire/jsonrpc.ts';
import type { Rig } from './fake-coordinator.ts';
import { makeRig } from './rig.ts';

export interface Bench {
  readonly rig: Rig;
  readonly host: Host;
  close(): Promise<void>;
}

/** A coordinator and a host on it; with `seen`, something that shows cards is attached from the start. */
export async function startBench(options: Partial<HostOptions> & { seen?: boolean; rig?: Rig } = {}): Promise<Bench> {
  const { seen = true, rig = await makeRig(), ...rest } = options;
  const detach = seen ? rig.asking.attachSurface({ kind: 'test', id: 'bench' }) : undefined;
  const host = await startHost({ coordinator: rig.asking, policy: 'strict', ...rest });
  return {
    rig,
    host,
    close: async () => {
      await host.close();
      detach?.();
      await rig.close();
      const found = violations.splice(0);
      if (found.length > 0) throw new Error(`frames that violate their contracts:\n${found.join('\n')}`);
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

export interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: {
    readonly type?: string;
    readonly session_id?: string;
    readonly payload?: Payload;
    readonly ask?: AskView;
  };
  readonly result?: Record<string, unknown>;
  readonly error?: { code: number; message: string; data?: { field?: string; code?: string; retry?: boolean } };
}

export interface Payload {
  readonly [key: string]: unknown;
  readonly ask?: AskView;
  readonly id?: string;
  readonly reason?: string;
}

export interface OpenEntry {
  readonly id: string;
  readonly method: string;
  readonly params: { readonly session_id: string; readonly ask?: AskView };
}

export interface Part {
  readonly open_requests: readonly OpenEntry[];
  readonly more?: string;
  readonly recent?: readonly AskView[];
  readonly open_total: number;
  readonly now: number;
}

/** Frames of the host that violate the contracts of the page socket, since they were last looked at. */
const violations: string[] = [];

/** The request id of an ask, as any page may reckon it. */
export const requestId = (askId: string): string =>
  `srq-${createHash('sha256').update(askId).digest('hex').slice(0, 12)}`;

/** A page's socket without a page: raw JSON-RPC. Each frame that comes is checked against its contract. */
export class TestSocket {
  readonly ws: WebSocket;
  readonly messages: Message[] = [];
  readonly closed: Promise<number>;
  /** What the last resume told, all parts of it. */
  parts: Part[] = [];
  readonly #asked = new Map<number | string, string>();
  #next = 1;

  constructor(host: Host, options: { token?: string | null; origin?: string; headers?: Record<string, string> } = {}) {
    const { token = host.token, origin, headers = {} } = options;
    const query = token === null ? '' : `?token=${token}`;
    this.ws = new WebSocket(`ws://127.0.0.1:${host.port}/ws${query}`, {
      headers,
      ...(origin === undefined ? {} : { origin }),
    });
    this.ws.on('message', (data) => {
      const message = JSON.parse(String(data)) as Message;
      if (isOver(String(data), SIZES.frame)) violations.push('a frame of the host is larger than a page reads');
      violations.push(...faultsOf(message, this.#asked.get(message.id ?? '')));
      this.messages.push(message);
    });
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

  /** Waits for the greeting only: a client that says nothing. */
  async greeted(): Promise<this> {
    await this.find((message) => message.params?.type === 'gateway.ready');
    return this;
  }

  /** Becomes a page: says that it answers requests, and reads all that is open. */
  async open(window = 'w1'): Promise<this> {
    await this.greeted();
    await this.request('client.capabilities', { server_requests: true });
    await this.resume(window);
    return this;
  }

  async resume(window: string): Promise<Part[]> {
    this.parts = [];
    for (let cursor: string | undefined, at = 0; at === 0 || cursor !== undefined; at += 1) {
      const { result, error } = await this.request('desk.resume', { window, ...(at === 0 ? {} : { cursor }) });
      if (error !== undefined) throw new Error(`desk.resume: ${error.message}`);
      const part = result as unknown as Part;
      this.parts.push(part);
      cursor = part.more;
    }
    return this.parts;
  }

  /** What the last resume listed. */
  get listed(): OpenEntry[] {
    return this.parts.flatMap((part) => part.open_requests);
  }

  /** Server requests that came live, in order. */
  get asked(): OpenEntry[] {
    return this.messages.filter((one) => one.method !== undefined && one.id !== undefined) as unknown as OpenEntry[];
  }

  /** Payloads of the events of one type, in order. */
  events(type: string): Payload[] {
    return this.messages.filter((one) => one.params?.type === type).map((one) => one.params?.payload ?? {});
  }

  async event(type: string, wanted: (payload: Payload) => boolean = () => true): Promise<Payload> {
    await until(() => this.events(type).some(wanted));
    return this.events(type).find(wanted) ?? {};
  }

  async request(method: string, params: unknown, id: number | string = this.#next): Promise<Message> {
    if (id === this.#next) this.#next += 1;
    this.#asked.set(id, method);
    const before = this.messages.length;
    this.send({ jsonrpc: '2.0', id, method, params });
    const isReply = (message: Message) => message.id === id && message.method === undefined;
    await until(() => this.messages.slice(before).some(isReply));
    return this.messages.slice(before).find(isReply) as Message;
  }

  send(frame: unknown): void {
    this.ws.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** Answers a card, and gives its verdict. */
  async answer(askId: string, reply: unknown): Promise<Verdict> {
    const { result, error } = await this.request('request.answer', { id: requestId(askId), result: reply });
    if (error !== undefined) throw new Error(`${error.code} ${error.message}`);
    return result?.['verdict'] as Verdict;
  }

  async close(): Promise<void> {
    this.ws.close();
    await this.closed;
  }
}

function faultsOf(message: Message, asked: string | undefined): string[] {
  const { id, method, params, result, error } = message;
  const name = method === 'event' ? (params?.type ?? '') : (method ?? asked ?? '');
  const side =
    method === 'event'
      ? hostPack.events.get(name)?.payload?.wrong(params?.payload)
      : method !== undefined
        ? hostPack.requests.get(name)?.params.wrong(params)
        : error !== undefined
          ? []
          : hostPack.methods.get(name)?.result.wrong(result);
  if (side === undefined) return [`no contract for ${name} (${String(id)})`];
  return side.map((fault) => `${name}: ${faultText(fault)}`);
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
