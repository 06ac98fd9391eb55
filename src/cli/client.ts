/**
 * Talks to the running host over loopback HTTP.
 *
 * node:http rather than fetch: it is loaded in half the time, and it does not give up a long wait after five minutes.
 */

import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { AskChange, AskView, AuditRow, Outcome, Question, Reply, Verdict } from '../api.ts';
import { alive, type HostFile, hostFilePath, readHostFile } from './home.ts';
import { EXIT, Problem } from './problem.ts';
import { events } from './sse.ts';

export interface Health {
  readonly ok: boolean;
  readonly pid: number;
  readonly version: string;
  /** Open pages. */
  readonly pages: number;
  /** Open asks. */
  readonly open: number;
  readonly store?: string | undefined;
  readonly startedAt?: number | string | undefined;
  readonly clients: readonly {
    readonly name: string;
    readonly version: string;
    readonly limitMs?: number | undefined;
  }[];
}

interface Call {
  readonly body?: unknown;
  /** Milliseconds until this call is given up. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A long wait gets this much more than it asked for before the connection counts as dead. */
const SLACK_MS = 15_000;
const CALL_MS = 30_000;

/** What a host that is closing says to whoever comes now: it has done nothing. */
export const isClosing = (error: unknown): boolean => error instanceof Problem && error.code === 'closed';

/** The host went away, is just going, or is not there: try again later, or start one. */
export function isGone(error: unknown): boolean {
  return isClosing(error) || (error instanceof Problem && (error.code === 'host_gone' || error.code === 'no_host'));
}

export class Client {
  readonly host: HostFile;

  constructor(host: HostFile) {
    this.host = host;
  }

  health(timeoutMs = 3_000): Promise<Health> {
    return this.#json('GET', '/api/health', { timeoutMs });
  }

  async list(what: 'open' | 'recent', limit: number): Promise<readonly AskView[]> {
    return (await this.#json<{ asks: AskView[] }>('GET', `/api/asks?what=${what}&limit=${limit}`, {})).asks;
  }

  /** Undefined when the host knows no such id. */
  async show(askId: string): Promise<AskView | undefined> {
    try {
      return (await this.#json<{ ask: AskView }>('GET', `/api/asks/${encodeURIComponent(askId)}`, {})).ask;
    } catch (error) {
      if (error instanceof Problem && error.code === 'unknown') return undefined;
      throw error;
    }
  }

  ask(
    body: { question: Question; timeoutMs: number; expiresInMs?: number | undefined; from?: string | undefined },
    signal?: AbortSignal,
  ): Promise<Outcome> {
    return this.#json('POST', '/api/asks', { body, signal, timeoutMs: body.timeoutMs + SLACK_MS });
  }

  awaitAnswer(askId: string, timeoutMs: number, signal?: AbortSignal): Promise<Outcome> {
    const path = `/api/asks/${encodeURIComponent(askId)}/await`;
    return this.#json('POST', path, { body: { timeoutMs }, signal, timeoutMs: timeoutMs + SLACK_MS });
  }

  answer(askId: string, reply: Reply): Promise<Verdict> {
    return this.#json('POST', `/api/asks/${encodeURIComponent(askId)}/answer`, { body: { reply } });
  }

  withdraw(askId: string, reason: string): Promise<Verdict> {
    return this.#json('POST', `/api/asks/${encodeURIComponent(askId)}/withdraw`, { body: { reason } });
  }

  async ack(tokens: readonly string[]): Promise<readonly { token: string; accepted: boolean }[]> {
    const reply = await this.#json<{ acks: { token: string; accepted: boolean }[] }>('POST', '/api/ack', {
      body: { tokens },
    });
    return reply.acks;
  }

  async audit(query: { after?: number; askId?: string; limit?: number }): Promise<readonly AuditRow[]> {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
    return (await this.#json<{ rows: AuditRow[] }>('GET', `/api/audit?${search}`, {})).rows;
  }

  /** Whether the live charts find anything by this name; undefined where the host does not say, as one without charts. */
  async charted(name: string): Promise<boolean | undefined> {
    const response = await this.#send('GET', `/inspect/rows?find=${encodeURIComponent(name)}`, {});
    const body = await text(response);
    return response.statusCode === 200 ? (JSON.parse(body) as { rows: unknown[] }).rows.length > 0 : undefined;
  }

  /** The status of a page route, for the doctor. */
  async status(path: string): Promise<number> {
    const response = await this.#send('GET', path, { timeoutMs: 5_000 });
    response.resume();
    return response.statusCode ?? 0;
  }

  stop(): Promise<unknown> {
    return this.#json('POST', '/api/stop', { body: {} });
  }

  /** Changes of asks, from the moment this resolves until the signal or the end of the host. */
  async events(signal: AbortSignal, surface?: string): Promise<AsyncGenerator<AskChange>> {
    const query = surface === undefined ? '' : `?surface=${encodeURIComponent(surface)}`;
    const response = await this.#send('GET', `/api/events${query}`, { signal, timeoutMs: 0 });
    if (response.statusCode !== 200) throw refusal(response.statusCode ?? 0, await text(response));
    return changes(this.host, response, signal);
  }

  async #json<T>(method: string, path: string, call: Call): Promise<T> {
    const response = await this.#send(method, path, call);
    const body = await text(response).catch((cause: unknown) => {
      throw gone(this.host, call, cause);
    });
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) throw refusal(status, body);
    try {
      return JSON.parse(body) as T;
    } catch (cause) {
      throw new Problem({
        code: 'bad_reply',
        message: `${method} ${path.split('?')[0]} was answered with something that is no JSON`,
        remedy: 'check with: readback doctor',
        cause,
      });
    }
  }

  #send(method: string, path: string, call: Call): Promise<IncomingMessage> {
    const payload = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body));
    return new Promise((resolve, reject) => {
      const headers: Record<string, string | number> = { authorization: `Bearer ${this.host.token}` };
      if (payload !== undefined) {
        headers['content-type'] = 'application/json';
        headers['content-length'] = payload.length;
      }
      // No agent: a kept-alive socket would hold the process for seconds after its work is done.
      const sent: ClientRequest = request(new URL(path, this.host.url), {
        method,
        headers,
        agent: false,
        ...(call.signal === undefined ? {} : { signal: call.signal }),
      });
      const limit = call.timeoutMs ?? CALL_MS;
      if (limit > 0) sent.setTimeout(limit, () => sent.destroy(new Error(`no reply within ${limit} ms`)));
      sent.on('response', resolve);
      sent.on('error', (error) => reject(gone(this.host, call, error)));
      sent.end(payload);
    });
  }
}

async function* changes(host: HostFile, response: IncomingMessage, signal: AbortSignal): AsyncGenerator<AskChange> {
  try {
    for await (const event of events(response, signal)) {
      if (event.event === 'ask') yield JSON.parse(event.data) as AskChange;
    }
  } catch (error) {
    // A host that is killed cuts the stream in the middle.
    throw gone(host, { signal }, error);
  }
}

async function text(response: IncomingMessage): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of response) parts.push(part as Uint8Array);
  return Buffer.concat(parts).toString('utf8');
}

function gone(host: HostFile, call: Call, cause: unknown): Problem {
  if (call.signal?.aborted) {
    return new Problem({ code: 'interrupted', message: 'interrupted', remedy: 'run it again', exit: 130, cause });
  }
  const why = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
  return new Problem({
    code: 'host_gone',
    message: `the host at ${host.url} (pid ${host.pid}) does not answer (${why})`,
    remedy: 'start one with: readback serve; or see what is wrong with: readback doctor',
    exit: EXIT.noHost,
    cause,
  });
}

/** A refusal of the host as a problem of ours, with the host's own words where it has any. */
function refusal(status: number, body: string): Problem {
  let said: { code?: unknown; message?: unknown; field?: unknown } = {};
  try {
    said = (JSON.parse(body) as { error?: typeof said }).error ?? {};
  } catch {
    // Not our host, or a proxy in between: the status alone has to do.
  }
  const message = typeof said.message === 'string' ? said.message : `the host answered with status ${status}`;
  const field = typeof said.field === 'string' ? said.field : undefined;
  if (said.code === 'unknown_ask') {
    return new Problem({ code: 'unknown', field, message, remedy: 'see: readback list', exit: EXIT.unknown });
  }
  if (status === 401 || status === 403) {
    return new Problem({
      code: 'refused',
      message: `the host refused the token of host.json: ${message}`,
      remedy: 'host.json may be stale; end that host and start another with: readback serve',
    });
  }
  const code = typeof said.code === 'string' ? said.code : `http_${status}`;
  const input = status === 400 || status === 413 || status === 422;
  const remedy = input ? 'nothing was changed; correct the input and run it again' : 'see: readback doctor';
  return new Problem({ code, field, message, remedy, exit: input ? EXIT.usage : EXIT.error });
}

/** The running host, or a problem that says how to start one. */
export function connect(folder: string): Client {
  const host = readHostFile(folder);
  if (host !== undefined && alive(host.pid)) return new Client(host);
  const why =
    host === undefined ? `there is no ${hostFilePath(folder)}` : `pid ${host.pid} of host.json is no longer running`;
  throw new Problem({
    code: 'no_host',
    message: `no host is running: ${why}`,
    remedy: 'start one in another terminal with: readback serve',
    exit: EXIT.noHost,
  });
}
