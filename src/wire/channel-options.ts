/** What a channel may be told, and its bounds. */
import type { Watch } from '../../machines/shared/tap.ts';
import { SIZES } from '../limits.ts';
import type { Connect, ConnectionState, ReconnectOptions } from './connection.ts';
import type { HeartbeatOptions } from './heartbeat.ts';
import type { RpcError } from './json.ts';
import type { Timers } from './platform.ts';
import type { Question } from './question.ts';
import type { ResumeOptions } from './replay.ts';

export interface ChannelOptions {
  /** Opens one line to the server; `webSocketTransport(url)` and `linked().connect` are two. */
  readonly connect: Connect;
  /** Default: the clock and timers of the platform. */
  readonly timers?: Timers | undefined;
  /** `gateway.ready`: the server greets with this event. `open`: it reads as soon as the socket is open. */
  readonly ready?: 'gateway.ready' | 'open' | undefined;
  /** Whether this client answers questions. Default true. */
  readonly answers?: boolean | undefined;
  readonly reconnect?: ReconnectOptions | false | undefined;
  /** Sent as `ping` calls. Default: every 15 s, dropped after 40 s without a sign of life. */
  readonly heartbeat?: HeartbeatOptions | false | undefined;
  /** One snapshot of every session for each connection. */
  readonly resume?: ResumeOptions | undefined;
  /** Whether missed events are asked for, by session. Default: unless `resume` is given. */
  readonly eventReplay?: boolean | undefined;
  /** Milliseconds for a socket to become ready, and for a call to be replied to. Default 15 000. */
  readonly patienceMs?: number | undefined;
  readonly limits?: Partial<ChannelLimits> | undefined;
  /** Where the steps of its cards are told: `createTap().watch` of `readback/inspect`. Names only, never an answer. */
  readonly watch?: Watch | undefined;
  readonly onState?: ((state: ChannelState) => void) | undefined;
  readonly onUnhandledRequest?: ((question: Question) => void) | undefined;
  readonly onRequestHandlerError?: ((question: Question, error: unknown) => void) | undefined;
  /** Some callback of this channel's user threw; nothing else was harmed. */
  readonly onCallbackError?: ((error: unknown) => void) | undefined;
  /** Events of this session may have been missed. */
  readonly onGap?: ((sid: string, error: RpcError | undefined) => void) | undefined;
}

export interface ChannelLimits {
  /** Bytes of one frame, in either direction. A larger one is ignored; sending one throws RangeError. */
  readonly frameBytes: number;
  /** Calls that may wait for the connection to become ready. One more is refused as lost. */
  readonly queued: number;
  /** Event frames of one session that may wait for its replay. */
  readonly parked: number;
  /**
   * Sessions of which the number of the last event is remembered. The one heard longest ago goes first: after a
   * reconnect it is asked about only while it is shown or has a question.
   */
  readonly sessions: number;
  /** Ended ids that are remembered. */
  readonly tombstones: number;
  /** Bare answers that are kept to be sent again until it is known what became of them. The oldest goes first. */
  readonly unconfirmed: number;
  /** Questions known at once; one more is declined. */
  readonly questions: number;
}

export interface ChannelState {
  readonly state: ConnectionState;
  readonly generation: number;
  /** Attempts that failed since the last good connection. */
  readonly failures: number;
  /** The server has shown on this connection what is open. */
  readonly caughtUp: boolean;
}

export const CHANNEL_LIMITS: ChannelLimits = Object.freeze({
  frameBytes: SIZES.frame,
  queued: 1_024,
  parked: 10_000,
  sessions: 10_000,
  tombstones: 4_096,
  unconfirmed: 256,
  questions: 10_000,
});
export const HEARTBEAT: HeartbeatOptions = Object.freeze({ everyMs: 15_000, deadlineMs: 40_000 });
/** Milliseconds. */
export const PATIENCE = 15_000;
/** Room in a frame around the params or the result that it carries. */
export const ENVELOPE = 1_024;
