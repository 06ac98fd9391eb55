/** Frames of JSON-RPC 2.0 as both ends read and build them. Nothing here throws at what a stranger sends. */
import { SIZES } from '../limits.ts';
import type { JsonObject, RpcError, RpcEvent, RpcFailure, RpcFrame, RpcId, RpcRequest, RpcSuccess } from './json.ts';

/** What one end received. */
export type Inbound =
  /** A request: it wants a reply under its id. */
  | { readonly kind: 'request'; readonly id: RpcId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'response'; readonly id: RpcId; readonly result: JsonObject; readonly error?: undefined }
  | { readonly kind: 'response'; readonly id: RpcId; readonly error: RpcError; readonly result?: undefined }
  | {
      readonly kind: 'event';
      readonly type: string;
      readonly sid: string;
      readonly seq: number | undefined;
      readonly payload: JsonObject;
    }
  /** A method without an id that is no event: heard, and not replied to. */
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  /** None of these. `id` is what a refusal can name. */
  | { readonly kind: 'invalid'; readonly id: RpcId | null };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isId = (value: unknown): value is RpcId =>
  typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));

/** A member that is null stands for one that is not there. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** An object without `method`, with an `id`, and with a `result` or an `error`. `error: null` is none. */
export function isResponseFrame(value: unknown): value is JsonObject {
  if (!isJsonObject(value) || 'method' in value || !('id' in value)) return false;
  return ('result' in value && value['result'] !== undefined) || isGiven(value['error']);
}

const encoder = new TextEncoder();

/** Whether a text has more bytes than that, in UTF-8. */
export function isOver(text: string, bytes: number): boolean {
  // One unit is one to three bytes: most texts need not be counted.
  if (text.length > bytes) return true;
  return text.length * 3 > bytes && encoder.encode(text).length > bytes;
}

/** The object that a text holds; undefined for anything else, and for what is over the bound. Never throws. */
export function parseFrame(data: unknown, bytes: number = SIZES.frame): JsonObject | undefined {
  if (typeof data !== 'string' || isOver(data, bytes)) return undefined;
  try {
    const value: unknown = JSON.parse(data);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What an error member says; whatever it is, it becomes a number and a text. */
export function readError(error: unknown): RpcError {
  if (!isJsonObject(error)) return { code: -32603, message: typeof error === 'string' ? error : 'unknown error' };
  const { code, message, data } = error;
  return {
    code: typeof code === 'number' ? code : -32603,
    message: typeof message === 'string' ? message : 'unknown error',
    ...(data === undefined ? {} : { data }),
  };
}

/** Says what a frame is, for either end. */
export function classify(frame: JsonObject): Inbound {
  const { id, method, params } = frame;
  if (isResponseFrame(frame)) {
    if (!isId(id)) return { kind: 'invalid', id: null };
    if (isGiven(frame['error'])) return { kind: 'response', id, error: readError(frame['error']) };
    return { kind: 'response', id, result: isJsonObject(frame['result']) ? frame['result'] : {} };
  }
  if (typeof method !== 'string') return { kind: 'invalid', id: isId(id) ? id : null };
  if (method === 'event') return readEvent(params) ?? { kind: 'invalid', id: isId(id) ? id : null };
  if (!('id' in frame)) return { kind: 'notification', method, params };
  return isId(id) ? { kind: 'request', id, method, params } : { kind: 'invalid', id: null };
}

/** The params of an event frame; undefined where they name no type. */
export function readEvent(params: unknown): Extract<Inbound, { kind: 'event' }> | undefined {
  if (!isJsonObject(params) || typeof params['type'] !== 'string') return undefined;
  const { type, session_id: sid, seq, payload } = params;
  return {
    kind: 'event',
    type,
    sid: typeof sid === 'string' ? sid : '',
    seq: typeof seq === 'number' && Number.isFinite(seq) ? seq : undefined,
    payload: isJsonObject(payload) ? payload : {},
  };
}

export const requestFrame = (id: RpcId, method: string, params: JsonObject): RpcRequest => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

export const successFrame = (id: RpcId, result: JsonObject): RpcSuccess => ({ jsonrpc: '2.0', id, result });

/** The error is always an object with a number and a text. */
export const failureFrame = (id: RpcId | null, { code, message, data }: RpcError): RpcFailure => ({
  jsonrpc: '2.0',
  id,
  error: data === undefined ? { code, message } : { code, message, data },
});

export function eventFrame(type: string, sid: string, payload?: JsonObject, seq?: number): RpcEvent {
  const params = { type, session_id: sid, ...(seq === undefined ? {} : { seq }) };
  return { jsonrpc: '2.0', method: 'event', params: payload === undefined ? params : { ...params, payload } };
}

let lastFrame: RpcFrame | undefined;
let lastText = '';

/** A frame as text. One frame that goes to many peers in turn is written once. */
export function frameText(frame: RpcFrame): string {
  if (frame !== lastFrame) {
    lastText = JSON.stringify(frame);
    lastFrame = frame;
  }
  return lastText;
}
