import type { IncomingMessage, Server } from 'node:http';
import { afterResponses } from '../responses.ts';

/** Whether it wants a WebSocket; Node hands over whatever offers any other protocol in the same way. */
export const wantsWebSocket = ({ headers }: IncomingMessage): boolean =>
  (headers.upgrade ?? '').split(',').some((offer) => offer.trim().toLowerCase() === 'websocket');

/**
 * Serves a request as if it had offered no other protocol, which a server may always do: some clients offer HTTP/2 with
 * each request and go on in HTTP/1.1. Node has ended its parser by now, so the connection begins anew, without the offer:
 * once all that came before it is answered, for Node would never write a response to what follows.
 */
export function serveWithoutOffer(server: Server, req: IncomingMessage, head: Buffer): void {
  const { socket } = req;
  const lines = [`${req.method} ${req.url} HTTP/${req.httpVersion}`];
  for (let at = 0; at < req.rawHeaders.length; at += 2) {
    const [name = '', value = ''] = req.rawHeaders.slice(at, at + 2);
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${value}`);
  }
  const text = Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]);
  afterResponses(socket, () => {
    // The time in which a next request has to begin: it has.
    socket.setTimeout(0);
    socket.unshift(text);
    server.emit('connection', socket);
  });
}
