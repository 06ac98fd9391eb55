/** The caller's side of the idle proof: whatever is not proven is busy. */

import type { IdleAnswer, IdleDetail } from './api.ts';
import { nodeRuntime } from './runtime.ts';

/** Bounds of one question to a host, with their units. Hitting one means busy. */
export const IDLE_CLIENT_BOUNDS = Object.freeze({
  /** Milliseconds for the whole reply. Some seconds more than a host gives its slowest ledgers. */
  reply: 10_000,
  /** Bytes of the reply. */
  body: 65_536,
});

/** No answer of the idle proof came back. It means busy, as every answer but `true` does. */
export interface NoAnswer {
  readonly idle: null;
  readonly reason: 'unreachable';
  /** What came instead, in words. */
  readonly why: string;
}

export interface AskIdleOptions {
  /** Milliseconds for the whole reply. Default `IDLE_CLIENT_BOUNDS.reply`. */
  readonly timeoutMs?: number | undefined;
}

/**
 * True only when the host at `url` says now, over its own route, that it is idle.
 *
 * False for everything else: busy, not proven, a host without the route, a wrong token, any other status, a reply that
 * makes no sense, a network error, a reply that takes too long. Never rejects. True is a snapshot, not a permission.
 */
export async function isProvenIdle(url: string, token: string, options?: AskIdleOptions): Promise<boolean> {
  return (await askIdle(url, token, options)).idle === true;
}

/** What the host at `url` says of itself, or why it says nothing. Never rejects. */
export async function askIdle(
  url: string,
  token: string,
  { timeoutMs = IDLE_CLIENT_BOUNDS.reply }: AskIdleOptions = {},
): Promise<IdleAnswer | NoAnswer> {
  const given = new AbortController();
  const cancel = nodeRuntime.after(timeoutMs, () => given.abort(new Error(`no reply within ${timeoutMs} ms`)));
  try {
    const question = questionTo(url, token, given.signal);
    if (question === undefined) return noAnswer('its address or token is none that can be sent');
    const response = await fetch(question);
    if (response.status !== 200) return refusal(response, given);
    return readIdle(JSON.parse(await textOf(response))) ?? noAnswer('what it answered is no answer of an idle proof');
  } catch (error) {
    return noAnswer(reasonOf(given.signal.aborted ? given.signal.reason : error));
  } finally {
    cancel();
  }
}

/** Undefined where an address or a token does not fit: what the platform says of that quotes them. */
function questionTo(url: string, token: string, signal: AbortSignal): Request | undefined {
  try {
    return new Request(new URL('/api/health/idle', url), {
      headers: { authorization: `Bearer ${token}` },
      // Wherever a redirection leads, it is not the host that was asked.
      redirect: 'manual',
      cache: 'no-store',
      signal,
    });
  } catch {
    return undefined;
  }
}

/** The answer that a reply holds; undefined where it is none, above all where it contradicts itself. */
export function readIdle(body: unknown): IdleAnswer | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { ok, idle, reason, detail } = body as Readonly<Record<string, unknown>>;
  if (ok !== true) return undefined;
  if (idle === true) return reason === null ? { idle, reason } : undefined;
  const more = detailIn(detail);
  if (idle === false && (reason === 'turn_in_flight' || reason === 'awaiting_human_input')) {
    return { idle, reason, ...more };
  }
  if (idle === null && (reason === 'turn_probe_unavailable' || reason === 'input_probe_unavailable')) {
    return { idle, reason, ...more };
  }
  return undefined;
}

/** It only explains, so one that makes no sense is left out. */
function detailIn(detail: unknown): { detail?: IdleDetail } {
  if (typeof detail !== 'object' || detail === null) return {};
  const { ledger, count, owners } = detail as Readonly<Record<string, unknown>>;
  if (typeof ledger !== 'string') return {};
  const ids = Array.isArray(owners) ? owners.filter((owner): owner is string => typeof owner === 'string') : undefined;
  return {
    detail: {
      ledger,
      ...(typeof count === 'number' ? { count } : {}),
      ...(ids === undefined ? {} : { owners: ids }),
    },
  };
}

function refusal(response: Response, given: AbortController): NoAnswer {
  const { status } = response;
  // Its body is not read; without this the connection would wait for a reader.
  given.abort();
  if (status === 401 || status === 403) return noAnswer(`it refused the token (status ${status})`);
  if (status === 404) return noAnswer('it has no idle proof (status 404)');
  return noAnswer(`it answered with status ${status}`);
}

async function textOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let size = 0;
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    size += part.value.byteLength;
    if (size > IDLE_CLIENT_BOUNDS.body) {
      await reader?.cancel();
      throw new Error(`the reply is larger than ${IDLE_CLIENT_BOUNDS.body} bytes`);
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}

/** fetch hides the reason in the cause. */
function reasonOf(error: unknown): string {
  const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return code ?? message;
}

function noAnswer(why: string): NoAnswer {
  return { idle: null, reason: 'unreachable', why };
}
