/** Responses that wait in line on their connection, behind those to requests that came before: what Node tells nobody of them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** For each connection, the responses that have not ended. */
const lines = new WeakMap<Socket, Set<ServerResponse>>();

/**
 * Has the response say `close` however it ends. Node says nothing of one that still waits in line when its connection is
 * gone, and what it was to carry would count as on its way for ever.
 */
export function watchResponse({ socket }: IncomingMessage, res: ServerResponse): void {
  const line = lines.get(socket) ?? newLine(socket);
  if (line.has(res)) return;
  line.add(res);
  res.once('close', () => line.delete(res));
}

function newLine(socket: Socket): Set<ServerResponse> {
  const line = new Set<ServerResponse>();
  lines.set(socket, line);
  socket.once('close', () => {
    for (const res of line) {
      // The one at the front is told by Node.
      if (res.socket !== null || res.writableFinished) continue;
      res.destroy();
      res.emit('close');
    }
  });
  return line;
}

/** Goes on once no response waits on this connection, which Node has let go of meanwhile; never when it ends before. */
export function afterResponses(socket: Socket, goOn: () => void): void {
  const line = lines.get(socket);
  if (line === undefined || line.size === 0) {
    goOn();
    return;
  }
  const drained = (): void => {
    for (const res of line) if (res.writableNeedDrain) res.emit('drain');
  };
  const failed = (): void => void socket.destroy();
  socket.on('drain', drained).on('error', failed);
  const ended = (): void => {
    if (line.size > 0) return;
    socket.off('drain', drained).off('error', failed);
    if (socket.writable) goOn();
  };
  for (const res of line) res.once('close', ended);
}
