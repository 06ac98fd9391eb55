/** A page of one's own that shows where each actor stands, told by the official receiver. Browser code. */
// #region page
import { createWebSocketReceiver } from '@statelyai/inspect';

const lines = new Map<string, HTMLElement>();
// The page is served by the relay, at the same secret path: nothing leaves this machine.
createWebSocketReceiver({ server: location.href.replace('http', 'ws') }).subscribe((event) => {
  const line = lines.get(event.sessionId) ?? document.body.appendChild(document.createElement('p'));
  lines.set(event.sessionId, line);
  if (event.type === '@xstate.actor') line.title = event.definition ?? '';
  if (event.type !== '@xstate.event') line.textContent = `${event.sessionId} ${JSON.stringify(event.snapshot)}`;
});
// #endregion
