import type { ServerResponse } from 'node:http';
import { ReadbackError } from '../errors.ts';
import type { Logger } from '../runtime.ts';
import { Gone, TooLarge } from './body.ts';

/** An error as it crosses the wire. */
export interface WireError {
  readonly status: 400 | 404 | 413 | 500 | 503;
  readonly code: string;
  readonly message: string;
  readonly field?: string | undefined;
  readonly retry: boolean;
}

/** What a caller is told of `error`. Anything unforeseen is logged here and named `internal` there. */
export function wireError(error: unknown, logger: Logger): WireError {
  if (error instanceof ReadbackError) {
    const status = error.code === 'invalid_input' ? 400 : 503;
    return { status, code: error.code, message: error.message, field: error.field, retry: error.retry };
  }
  if (error instanceof TooLarge) {
    return { status: 413, code: 'too_large', message: error.message, field: 'body', retry: false };
  }
  if (error instanceof Gone) {
    logger.debug(`readback host: ${error.message}`);
    return { status: 400, code: 'gone', message: 'The body did not arrive whole. Nothing was changed.', retry: true };
  }
  logger.error(`readback host: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  const message = 'The host failed. Look at the state of the ask before you send anything again.';
  return { status: 500, code: 'internal', message, retry: false };
}

/** Writes one JSON reply. */
export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  if (res.headersSent || res.destroyed) return;
  res.statusCode = status;
  res.setHeader('content-type', 'application/json; charset=utf-8');
  res.end(JSON.stringify(body));
}
