import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalid } from '../errors.ts';

/** Why a request is not let in. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 413;
  readonly code: string;
  readonly message: string;
}

/** What is left of a request once it was let in: its path, and its query without the secret token. */
export interface Admitted {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** A secret token of 32 random bytes, safe in a link. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Takes a caller's token; one that is short or needs escaping in a link is refused. */
export function checkedToken(token: string): string {
  if (!/^[\w-]{16,256}$/.test(token)) throw invalid('token', 'wants 16 to 256 characters of A-Z a-z 0-9 _ -');
  return token;
}

/**
 * Decides who may talk to the host: a loopback `Host` with our port (against DNS rebinding), no foreign `Origin`,
 * and the secret token. Names neither the token nor what was sent in its place.
 */
export class Guard {
  readonly #digest: Buffer;
  readonly #hosts: ReadonlySet<string>;

  constructor(token: string, port: number) {
    this.#digest = sha256(token);
    this.#hosts = new Set(LOOPBACK.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])));
  }

  check(req: IncomingMessage): Refusal | Admitted {
    const host = req.headers.host;
    if (host === undefined || !this.#hosts.has(host)) {
      return refuse(403, 'forbidden_host', 'This address is not the one the host listens on. Use the printed link.');
    }
    const origin = req.headers.origin;
    if (origin !== undefined && origin !== `http://${host}`) {
      return refuse(403, 'forbidden_origin', 'Another web page may not talk to this host. Use the printed link.');
    }
    const target = req.url ?? '/';
    if (!target.startsWith('/')) return refuse(400, 'invalid_input', 'The request target is not a path.');
    const url = new URL(`http://host${target}`);
    if (!this.#known(tokenOf(req, url))) {
      return refuse(
        401,
        'unauthorized',
        'The token is missing or wrong. Use the printed link, or the token in host.json.',
      );
    }
    url.searchParams.delete('token');
    return { path: url.pathname, query: Object.fromEntries(url.searchParams) };
  }

  #known(token: string | undefined): boolean {
    // Digests have one length, so the comparison takes the same time whatever was sent.
    return token !== undefined && timingSafeEqual(sha256(token), this.#digest);
  }
}

/** Headers of every reply: nothing is cached, nothing leaks a link, and nothing foreign runs. */
export function secureHeaders(res: ServerResponse, host: string | undefined): void {
  const socket = host !== undefined && /^[\w.:[\]-]+$/.test(host) ? ` ws://${host}` : '';
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self'${socket}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ];
  res.setHeader('content-security-policy', policy.join('; '));
  res.setHeader('cache-control', 'no-store');
  res.setHeader('referrer-policy', 'no-referrer');
  res.setHeader('x-content-type-options', 'nosniff');
  res.setHeader('x-frame-options', 'DENY');
  res.setHeader('cross-origin-opener-policy', 'same-origin');
  res.setHeader('cross-origin-resource-policy', 'same-origin');
}

function tokenOf(req: IncomingMessage, url: URL): string | undefined {
  const bearer = /^Bearer ([\w-]+)$/i.exec(req.headers.authorization ?? '');
  return bearer?.[1] ?? url.searchParams.get('token') ?? undefined;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function refuse(status: Refusal['status'], code: string, message: string): Refusal {
  return { status, code, message };
}
