import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { SIZES } from '../limits.ts';
import { MCP_BOUNDS } from './bounds.ts';

/** Header by which a forwarder says how long its calls shall hold, in milliseconds. */
export const HOLD_HEADER = 'x-readback-hold';

/** A response outside any session, in the form the protocol gives to errors. */
export class Refused extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Reads a body of bounded size as JSON. */
export async function readJson(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // A stream that is destroyed takes the socket with it, and the refusal has to leave by that.
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > SIZES.frame) break;
      chunks.push(chunk);
    }
  } catch {
    throw new Refused(400, -32700, 'The body did not arrive whole.');
  }
  if (size > SIZES.frame) throw new Refused(413, -32000, `The body has more than ${SIZES.frame} bytes.`);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    throw new Refused(400, -32700, 'The body is not JSON.');
  }
}

function messagesOf(body: unknown): readonly Record<string, unknown>[] {
  const all: readonly unknown[] = Array.isArray(body) ? body : [body];
  return all.filter((one): one is Record<string, unknown> => typeof one === 'object' && one !== null);
}

export const isInitialize = (body: unknown): boolean =>
  messagesOf(body).some((message) => message.method === 'initialize');

/** The ids of the requests in a message or a batch. */
export function requestIds(body: unknown): RequestId[] {
  return messagesOf(body).flatMap((message) => {
    const id = message.id;
    return 'method' in message && (typeof id === 'string' || typeof id === 'number') ? [id] : [];
  });
}

export function header(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function holdOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = Number(text);
  if (!Number.isInteger(ms) || ms < 0 || ms > MCP_BOUNDS.hold) {
    throw new Refused(
      400,
      -32600,
      `${HOLD_HEADER}: must be a whole number of milliseconds from 0 to ${MCP_BOUNDS.hold}.`,
    );
  }
  return ms;
}

export function refuse(res: ServerResponse, refused: Refused): void {
  if (res.headersSent || res.destroyed) return;
  // After an early refusal the rest of the body is not read, so the connection cannot be used again.
  const headers = { 'content-type': 'application/json', ...(refused.status === 413 ? { connection: 'close' } : {}) };
  res.writeHead(refused.status, headers);
  res.end(JSON.stringify({ jsonrpc: '2.0', error: { code: refused.code, message: refused.message }, id: null }));
}
