/** A window of before server requests: it reads its socket, calls methods it knows, and has no handler for questions. */
import { WebSocket } from 'ws';
import type { JsonObject } from '../../src/wire/json.ts';
import { until } from './support.ts';

export interface Reply {
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string };
}

type Frame = Reply & {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: JsonObject & { readonly type?: string; readonly payload?: JsonObject };
};

export class OldClient {
  readonly #socket: WebSocket;
  readonly #frames: Frame[] = [];
  #next = 1;

  private constructor(url: string) {
    this.#socket = new WebSocket(url);
    this.#socket.on('message', (data) => this.#frames.push(JSON.parse(String(data)) as Frame));
    this.#socket.on('error', () => undefined);
  }

  /** Connects to the host behind the link of its page, and says nothing. */
  static async connect(link: string): Promise<OldClient> {
    const { host, search } = new URL(link);
    const client = new OldClient(`ws://${host}/ws${search}`);
    await until('the greeting of the host', () =>
      client.#frames.some(({ params }) => params?.type === 'gateway.ready') ? true : undefined,
    );
    return client;
  }

  /** Methods of the server requests that were written to it, in order. */
  get asked(): string[] {
    return this.#frames.flatMap(({ id, method }) => (id === undefined || method === undefined ? [] : [method]));
  }

  /** Why questions were taken back from it, in order. */
  get cancelled(): unknown[] {
    return this.#frames
      .filter(({ params }) => params?.type === 'request.cancel')
      .map(({ params }) => params?.payload?.['reason']);
  }

  /** A call of its own. */
  async call(method: string, params: JsonObject = {}): Promise<Reply> {
    const id = this.#next;
    this.#next += 1;
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return until(`the reply to ${method}`, () => this.#frames.find((frame) => frame.id === id && !frame.method));
  }

  /** Leaves, and resolves when it has left. */
  close(): Promise<void> {
    const gone = new Promise<void>((resolve) => this.#socket.once('close', () => resolve()));
    this.#socket.close();
    return gone;
  }
}
