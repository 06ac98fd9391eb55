/** A tiny host that speaks the routes of the command line, with asks in a map. For tests of the CLI alone. */

import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnswerView, AskView, AuditRow, Outcome, Question, Reply, Verdict } from '../../src/api.ts';

export interface FakeHost {
  readonly home: string;
  readonly url: string;
  readonly token: string;
  readonly asks: Map<string, AskView>;
  readonly acked: string[];
  readonly clients: { name: string; version: string; limitMs?: number }[];
  readonly audit: AuditRow[];
  /** `METHOD path` of every request that was let in. */
  readonly seen: string[];
  /** Open event streams with the surface they named. */
  readonly streams: Map<ServerResponse, string | null>;
  pages: number;
  /** Refuses every new call but the one for its health, as a host that is closing. */
  closing: boolean;
  put(ask: Partial<AskView> & { question: string }): AskView;
  answerNow(askId: string, reply: Reply): Verdict;
  change(askId: string, patch: Partial<AskView>, cause: string): void;
  /** Ends all waiting calls the way a closing host does. */
  cancelCalls(): void;
  writeHostFile(patch?: Record<string, unknown>): void;
  close(): Promise<void>;
}

type Waiter = { askId: string; res: ServerResponse; timer: NodeJS.Timeout };

export async function fakeHost(options: { home?: string; pid?: number } = {}): Promise<FakeHost> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'readback-cli-'));
  const host = new Fake(home, options.pid ?? process.pid);
  await host.listen();
  return host;
}

class Fake implements FakeHost {
  readonly home: string;
  readonly token = randomBytes(32).toString('base64url');
  readonly asks = new Map<string, AskView>();
  readonly acked: string[] = [];
  readonly clients: { name: string; version: string; limitMs?: number }[] = [];
  readonly audit: AuditRow[] = [];
  readonly seen: string[] = [];
  readonly streams = new Map<ServerResponse, string | null>();
  pages = 1;
  closing = false;
  url = '';
  readonly #pid: number;
  readonly #waiters = new Set<Waiter>();
  readonly #server = createServer((req, res) => void this.#serve(req, res));

  constructor(home: string, pid: number) {
    this.home = home;
    this.#pid = pid;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    this.writeHostFile();
  }

  writeHostFile(patch: Record<string, unknown> = {}): void {
    const file = {
      url: this.url,
      token: this.token,
      pid: this.#pid,
      version: '0.1.0',
      startedAt: Date.now(),
      ...patch,
    };
    writeFileSync(join(this.home, 'host.json'), JSON.stringify(file), { mode: 0o600 });
  }

  put(ask: Partial<AskView> & { question: string }): AskView {
    const whole: AskView = {
      askId: `pa-${randomUUID()}`,
      tab: 'mcp:1',
      state: 'open',
      awaited: true,
      header: '',
      options: [],
      multiSelect: false,
      freeText: true,
      from: 'agent',
      openedAt: Date.now(),
      answers: [],
      ...ask,
    };
    this.asks.set(whole.askId, whole);
    this.#row('opened', whole.askId);
    return whole;
  }

  change(askId: string, patch: Partial<AskView>, cause: string): void {
    const ask = { ...(this.asks.get(askId) as AskView), ...patch };
    this.asks.set(askId, ask);
    for (const res of this.streams.keys())
      res.write(`event: ask\ndata: ${JSON.stringify({ ask, cause, now: Date.now() })}\n\n`);
  }

  answerNow(askId: string, reply: Reply): Verdict {
    const ask = this.asks.get(askId);
    if (ask === undefined) return { verdict: 'unknown', askId, saved: false, message: 'No ask has this id.' };
    const before = ask.answers[0];
    if (before !== undefined) {
      const same = JSON.stringify(before.reply) === JSON.stringify(reply);
      return same
        ? { verdict: 'duplicate', askId, saved: true, token: before.token, message: 'It is on file already.', ask }
        : {
            verdict: 'conflict',
            askId,
            saved: false,
            winner: before,
            message: 'Another answer was accepted before.',
            ask,
          };
    }
    if (ask.state !== 'open')
      return { verdict: ask.state as 'withdrawn', askId, saved: false, message: `It is ${ask.state}.`, ask };
    const answer: AnswerView = {
      token: `an-${randomUUID()}`,
      reply,
      answeredAt: Date.now(),
      receipt: 'saved',
      surface: 'terminal',
      text: reply.declined === true ? 'declined' : [...(reply.selected ?? []), reply.text ?? ''].join(' ').trim(),
    };
    this.change(askId, { state: 'answered', awaited: false, answers: [answer] }, 'answered');
    this.#row('answered', askId, answer.token);
    for (const waiter of [...this.#waiters]) if (waiter.askId === askId) this.#settle(waiter);
    return {
      verdict: 'accepted',
      askId,
      saved: true,
      token: answer.token,
      message: 'Saved.',
      ask: this.asks.get(askId),
    };
  }

  cancelCalls(): void {
    for (const waiter of [...this.#waiters]) {
      this.#drop(waiter);
      send(waiter.res, 200, { outcome: 'cancelled', askId: waiter.askId, reason: 'The host is closing.' });
    }
  }

  async close(): Promise<void> {
    for (const waiter of [...this.#waiters]) this.#drop(waiter);
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(join(this.home, 'host.json'), { force: true });
  }

  #row(event: string, askId: string, token?: string): void {
    this.audit.push({
      id: this.audit.length + 1,
      at: Date.now(),
      event,
      askId,
      surface: 'terminal',
      who: 'cli',
      ...(token ? { token } : {}),
    });
  }

  #outcome(askId: string): Outcome {
    const ask = this.asks.get(askId) as AskView;
    const answer = ask.answers[0];
    if (answer === undefined) {
      if (ask.state === 'open') return { outcome: 'pending', askId, openedAt: ask.openedAt, others: [], withheld: 0 };
      const outcome = ask.state === 'withdrawn' ? 'cancelled' : (ask.state as 'expired');
      return { outcome, askId, reason: ask.why ?? ask.state };
    }
    const { token, text, reply, answeredAt } = answer;
    const base = { askId, text, token, question: ask.question, answeredAt, possibleRepeat: false, readBack: false };
    return reply.declined === true ? { outcome: 'declined', ...base } : { outcome: 'answered', reply, ...base };
  }

  #wait(askId: string, ms: number, res: ServerResponse): void {
    const now = this.#outcome(askId);
    if (now.outcome !== 'pending' || ms === 0) return void send(res, 200, now);
    const waiter: Waiter = { askId, res, timer: setTimeout(() => this.#settle(waiter), ms) };
    this.#waiters.add(waiter);
    res.on('close', () => this.#drop(waiter));
  }

  #settle(waiter: Waiter): void {
    this.#drop(waiter);
    send(waiter.res, 200, this.#outcome(waiter.askId));
  }

  #drop(waiter: Waiter): void {
    clearTimeout(waiter.timer);
    this.#waiters.delete(waiter);
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '/', this.url);
    if (req.headers.authorization !== `Bearer ${this.token}`) {
      return void send(res, 401, { error: { code: 'unauthorized', message: 'The token is missing or wrong.' } });
    }
    this.seen.push(`${req.method} ${url.pathname}`);
    if (this.closing && url.pathname !== '/api/health') {
      return void send(res, 503, { error: { code: 'closed', message: 'The host is closing.' } });
    }
    let text = '';
    for await (const part of req) text += String(part);
    const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    const [, , noun, id, verb] = url.pathname.split('/').map(decodeURIComponent);
    if (noun === 'asks') return void this.#asks(req.method ?? '', url, body, res, id, verb);
    if (noun === 'health') return void send(res, 200, this.#health());
    if (noun === 'events') return void this.#events(url, res);
    if (noun === 'ack') return void this.#ack(body.tokens as string[], res);
    if (noun === 'audit') return void this.#audit(url, res);
    if (noun === 'stop') return void send(res, 200, { ok: true });
    send(res, 404, { error: { code: 'not_found', message: 'There is nothing at this path.' } });
  }

  #asks(
    method: string,
    url: URL,
    body: Record<string, unknown>,
    res: ServerResponse,
    id?: string,
    verb?: string,
  ): void {
    if (id === undefined && method === 'GET') {
      const open = url.searchParams.get('what') !== 'recent';
      return void send(res, 200, { asks: [...this.asks.values()].filter((ask) => (ask.state === 'open') === open) });
    }
    if (id === undefined) return void this.#ask(body, res);
    const ask = this.asks.get(id);
    if (verb === undefined) {
      if (ask !== undefined) return void send(res, 200, { ask });
      return void send(res, 404, { error: { code: 'unknown_ask', message: 'No ask with this id is on file.' } });
    }
    if (verb === 'answer') return void send(res, 200, this.answerNow(id, body.reply as Reply));
    if (verb === 'await') return void this.#wait(id, Number(body.timeoutMs ?? 50_000), res);
    if (ask?.state !== 'open')
      return void send(res, 200, {
        verdict: 'conflict',
        askId: id,
        saved: false,
        message: 'It is not open any more.',
        ask,
      });
    this.change(id, { state: 'withdrawn', why: String(body.reason) }, 'withdrawn');
    for (const waiter of [...this.#waiters]) if (waiter.askId === id) this.#settle(waiter);
    send(res, 200, {
      verdict: 'withdrawn',
      askId: id,
      saved: false,
      message: 'The card is off every surface.',
      ask: this.asks.get(id),
    });
  }

  #ask(body: Record<string, unknown>, res: ServerResponse): void {
    if (this.pages === 0 && this.streams.size === 0) {
      return void send(res, 200, { outcome: 'undeliverable', askId: `pa-${randomUUID()}`, reason: 'No page is open.' });
    }
    const { options, header, multiSelect, freeText, question } = body.question as Question;
    const from = typeof body.from === 'string' ? body.from : 'a shell';
    const ask = this.put({
      question,
      from,
      header: header ?? '',
      options: options ?? [],
      multiSelect: multiSelect ?? false,
      freeText: freeText ?? true,
    });
    this.change(ask.askId, {}, 'opened');
    this.#wait(ask.askId, Number(body.timeoutMs), res);
  }

  #health(): unknown {
    return {
      ok: true,
      pid: this.#pid,
      version: '0.1.0',
      pages: this.pages,
      open: this.asks.size,
      store: 'fake',
      startedAt: Date.now(),
      clients: this.clients,
    };
  }

  #events(url: URL, res: ServerResponse): void {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write('event: ready\ndata: {}\n\n');
    this.streams.set(res, url.searchParams.get('surface'));
    res.on('close', () => this.streams.delete(res));
  }

  #ack(tokens: string[], res: ServerResponse): void {
    this.acked.push(...tokens);
    send(res, 200, { acks: tokens.map((token) => ({ token, accepted: true })) });
  }

  #audit(url: URL, res: ServerResponse): void {
    const after = Number(url.searchParams.get('after') ?? 0);
    const askId = url.searchParams.get('askId');
    send(res, 200, { rows: this.audit.filter((row) => row.id > after && (askId === null || row.askId === askId)) });
  }
}

function send(res: ServerResponse, status: number, body: unknown): void {
  if (res.destroyed) return;
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify(body));
}
