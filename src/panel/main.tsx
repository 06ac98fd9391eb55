import { render } from 'preact';
import { App } from './app.tsx';
import { Attention } from './attention.ts';
import { Desk } from './desk.ts';
import { FocusKeeper, onKey } from './keys.ts';
import { Link } from './link.ts';

const WINDOW = 'readback.window';

/** The same name for as long as this browser tab lives, over reloads. */
function windowName(): string {
  try {
    const known = sessionStorage.getItem(WINDOW);
    if (known !== null) return known;
    const fresh = crypto.randomUUID();
    sessionStorage.setItem(WINDOW, fresh);
    return fresh;
  } catch {
    return crypto.randomUUID();
  }
}

function start(root: HTMLElement): void {
  const token = new URLSearchParams(location.search).get('token') ?? '';
  const attention = new Attention(token);
  let drawing = false;
  const changed = () => {
    if (drawing) return;
    drawing = true;
    queueMicrotask(() => {
      drawing = false;
      draw();
    });
  };
  const desk = new Desk({
    call: (method, params) => link.call(method, params),
    changed,
    arrived: (ask) => attention.announce(ask, () => document.getElementById(`card-${ask.askId}`)?.focus()),
    settled: (askId) => attention.settle(askId),
    now: () => Date.now(),
  });
  const link = new Link(
    `ws://${location.host}/ws?token=${encodeURIComponent(token)}`,
    windowName(),
    (told) => desk.hear(told),
    (state) => desk.linkMoved(state),
  );
  const focus = new FocusKeeper();
  const draw = () => {
    render(<App desk={desk} attention={attention} hurry={() => link.hurry()} />, root);
    attention.waiting(desk.open.length + desk.more);
    focus.keep();
  };
  document.addEventListener('keydown', (event) => onKey(event, desk));
  window.addEventListener('pagehide', () => desk.drafts.flush());
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) desk.drafts.flush();
    else link.hurry();
  });
  window.addEventListener('online', () => link.hurry());
  draw();
  link.open();
}

const root = document.getElementById('app');
if (root !== null) {
  root.textContent = '';
  start(root);
}
