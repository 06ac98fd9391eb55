/** A client's line over a standard WebSocket: that of a browser, or of `ws`. */
import type { Connect } from './connection.ts';

interface SocketEvent {
  readonly type?: unknown;
  readonly data?: unknown;
  readonly reason?: unknown;
}

/** As much of a WebSocket as is used here. */
export interface StandardSocket {
  readonly readyState: number;
  readonly bufferedAmount: number;
  send(text: string): void;
  close(): void;
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: SocketEvent) => void): void;
}

export interface SocketTransportOptions {
  /** Makes the socket. Default: the WebSocket of the platform, on `url`. */
  readonly open?: ((url: string) => StandardSocket) | undefined;
  /** Bytes that may wait to be sent; beyond it the line counts as dead. Default 8 MiB. */
  readonly bufferedBytes?: number | undefined;
}

const OPEN = 1;
const BUFFERED = 8_388_608;

function platformSocket(url: string): StandardSocket {
  const { WebSocket: Socket } = globalThis as { WebSocket?: new (url: string) => unknown };
  if (Socket === undefined) throw new TypeError('there is no WebSocket here: give `open`, which makes one');
  return new Socket(url) as StandardSocket;
}

/** For `createChannel({ connect })`. */
export function webSocketTransport(url: string, options: SocketTransportOptions = {}): Connect {
  const { open = platformSocket, bufferedBytes = BUFFERED } = options;
  return (handlers) => {
    const socket = open(url);
    socket.addEventListener('open', () => handlers.open());
    socket.addEventListener('message', ({ data }) => handlers.message(data));
    // An error is followed by a close; without a listener it would end a process.
    socket.addEventListener('error', () => undefined);
    socket.addEventListener('close', ({ reason }) =>
      handlers.closed(typeof reason === 'string' && reason !== '' ? reason : undefined),
    );
    return {
      send(text) {
        if (socket.readyState !== OPEN || socket.bufferedAmount > bufferedBytes) return false;
        socket.send(text);
        return true;
      },
      close: () => socket.close(),
    };
  };
}
