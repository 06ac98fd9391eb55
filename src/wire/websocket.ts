/** The server's end of a WebSocket: one connected client, bounded in what it may send and in what may wait for it. */
import type { RawData, WebSocket } from 'ws';
import { attempt } from '../../machines/shared/heed.ts';
import { SIZES } from '../limits.ts';
import type { Peer } from '../requests/api.ts';
import { type Logger, nodeRuntime, type Runtime } from '../runtime.ts';
import { Heartbeat, type HeartbeatOptions } from './heartbeat.ts';
import type { RpcFrame } from './json.ts';
import { failureFrame, frameText } from './jsonrpc.ts';

/** A client behind a socket. */
export interface SocketPeer extends Peer {
  readonly kind: 'websocket';
  /** Ends the connection at once; the reason goes to the log. */
  drop(why: string): void;
  /** Says goodbye, and ends the connection when the client does, or after a second. */
  close(why?: string): void;
}

export interface PeerOptions {
  /** Any JSON value that arrived: whether it is a frame is for the dispatcher to say. */
  onFrame(frame: unknown, peer: SocketPeer): void;
  /** Called once. Nothing is sent, and nothing arrives, any more. */
  onGone?(peer: SocketPeer): void;
  readonly author?: Peer['author'];
  /** Bytes of one inbound frame; a larger one ends the connection with 1009. Give the server `maxPayload` too. */
  readonly frameBytes?: number | undefined;
  /** Bytes that may wait for a client that does not read. Beyond it the client is dropped. Default 8 MiB. */
  readonly bufferedBytes?: number | undefined;
  /** Default: a ping every 15 s, dropped after 40 s without a sign of life. */
  readonly heartbeat?: HeartbeatOptions | false | undefined;
  readonly runtime?: Pick<Runtime, 'now' | 'after'> | undefined;
  readonly logger?: Logger | undefined;
}

const BUFFERED = 8_388_608;
const HEARTBEAT: HeartbeatOptions = Object.freeze({ everyMs: 15_000, deadlineMs: 40_000 });
/** Milliseconds that a goodbye may take. */
const GOODBYE = 1_000;
const TOO_LARGE = 1009;

const NOT_JSON = failureFrame(null, {
  code: -32700,
  message: 'The frame is no JSON text. Send one JSON-RPC 2.0 frame as one text message.',
});

const sizeOf = (data: RawData): number =>
  Array.isArray(data) ? data.reduce((sum, part) => sum + part.byteLength, 0) : data.byteLength;

/** A close frame holds no longer reason, and half a character would be refused by the client. */
const LONGEST_REASON = 123;

function wholeReason(why: string): string {
  const { read } = new TextEncoder().encodeInto(why, new Uint8Array(LONGEST_REASON));
  return why.slice(0, read);
}

class Served implements SocketPeer {
  readonly kind = 'websocket';
  readonly author: Peer['author'];
  readonly #socket: WebSocket;
  readonly #options: PeerOptions;
  readonly #runtime: Pick<Runtime, 'now' | 'after'>;
  readonly #heartbeat: Heartbeat | undefined;
  #isGone = false;

  constructor(socket: WebSocket, options: PeerOptions) {
    this.#socket = socket;
    this.#options = options;
    this.author = options.author;
    this.#runtime = options.runtime ?? nodeRuntime;
    if (options.heartbeat !== false) this.#heartbeat = this.#beat(options.heartbeat ?? HEARTBEAT);
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('pong', () => this.#heartbeat?.heard('response'));
    socket.on('close', () => this.#gone());
    // A broken frame or a reset is followed by `close`; without a listener it would end the process.
    socket.on('error', () => socket.terminate());
    this.#heartbeat?.start();
  }

  get closed(): boolean {
    return this.#isGone || this.#socket.readyState !== this.#socket.OPEN;
  }

  send(frame: RpcFrame): boolean {
    if (this.closed) return false;
    if (this.#socket.bufferedAmount > (this.#options.bufferedBytes ?? BUFFERED)) {
      this.drop('does not read what it is sent');
      return false;
    }
    this.#socket.send(frameText(frame));
    return true;
  }

  drop(why: string): void {
    if (this.#isGone) return;
    this.#say('warn', `a client ${why}; its connection was ended`);
    this.#socket.terminate();
    // `close` of the socket comes later; whoever asks from now on must know.
    this.#gone();
  }

  close(why = ''): void {
    if (this.#isGone) return;
    this.#socket.close(1000, wholeReason(why));
    this.#runtime.after(GOODBYE, () => this.#socket.terminate(), 'quiet');
  }

  #beat(options: HeartbeatOptions): Heartbeat {
    const timers = {
      now: () => this.#runtime.now(),
      after: (ms: number, callback: () => void) => this.#runtime.after(ms, callback, 'quiet'),
      random: () => 0,
    };
    const ping = (): void => {
      if (!this.closed) this.#socket.ping();
    };
    return new Heartbeat(options, timers, ping, () => this.drop('gave no sign of life'));
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (this.#isGone) return;
    this.#heartbeat?.heard('frame');
    if (sizeOf(data) > (this.#options.frameBytes ?? SIZES.frame)) {
      this.#say('warn', 'a client sent a frame over the limit; its connection was ended');
      this.#socket.close(TOO_LARGE, 'frame too large');
      this.#gone();
      return;
    }
    let frame: unknown;
    try {
      if (isBinary) throw new TypeError('binary');
      frame = JSON.parse(String(data));
    } catch {
      this.send(NOT_JSON);
      return;
    }
    // One frame must not end the process, whoever sent it.
    this.#host('a frame; the connection goes on', () => this.#options.onFrame(frame, this));
  }

  /** Calls the host. What it throws, now or later, is a line; the message stays out, for it may quote a frame. */
  #host(what: string, call: () => unknown): void {
    attempt(call, (error) =>
      this.#say('error', `the host threw ${error instanceof Error ? error.name : typeof error} at ${what}`),
    );
  }

  /** A logger that fails, now or later, changes nothing. */
  #say(level: 'warn' | 'error', text: string): void {
    attempt(
      () => this.#options.logger?.[level](`readback wire: ${text}`),
      () => undefined,
    );
  }

  #gone(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#heartbeat?.stop();
    this.#host('the end of a connection', () => this.#options.onGone?.(this));
  }
}

/**
 * Serves one client that connected. The peer that it returns is what a registry attaches and a dispatcher replies to.
 *
 * A client that never reads is dropped, as is one that gives no sign of life. Greeting it is left to the host.
 */
export function servePeer(socket: WebSocket, options: PeerOptions): SocketPeer {
  return new Served(socket, options);
}
