import type { AskView, Verdict } from '../api.ts';

/** What the host tells every page, and what a page may ask of it. JSON-RPC 2.0 over one WebSocket. */
export type Told =
  | {
      readonly method: 'asks';
      readonly params: { open: AskView[]; openTotal?: number; recent: AskView[]; now: number };
    }
  | { readonly method: 'more'; readonly params: { count: number; now: number } }
  | { readonly method: 'ask'; readonly params: { ask: AskView; cause: string; now: number } };

export interface Calls {
  hello: { result: { window: string; now: number } };
  answer: { result: Verdict };
  show: { result: { ask: AskView | null } };
}

/** The host said no to the request itself; nothing was changed. */
export class Refused extends Error {}

/** The socket died, or stayed silent, before the host replied: whether the request arrived is not known. */
export class Unsure extends Error {}

export interface Frame {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message?: unknown };
}

/** One frame of the host; undefined for anything that is no JSON object. */
export function readFrame(data: unknown): Frame | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null ? (value as Frame) : undefined;
  } catch {
    return undefined;
  }
}

/** The frame as something told to every page; undefined where it is something else. */
export function toldBy(frame: Frame): Told | undefined {
  if (frame.method !== 'asks' && frame.method !== 'ask' && frame.method !== 'more') return undefined;
  return typeof frame.params === 'object' && frame.params !== null ? (frame as Told) : undefined;
}
