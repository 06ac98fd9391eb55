import { render } from 'preact';
import { Aim } from './aim.ts';
import { App } from './app.tsx';
import { Attention } from './attention.ts';
import { Desk } from './desk.ts';
import { FocusKeeper, onKey } from './keys.ts';
import { createLink } from './link.ts';

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
  const channel = createLink({
    url: `ws://${location.host}/ws?token=${encodeURIComponent(token)}`,
    window: windowName(),
    resumed: (reply) => desk.resumed(reply),
    moved: (state) => desk.linkMoved(state),
  });
  const desk: Desk = new Desk({
    channel,
    changed,
    announce: (key, title, body) => attention.announce(key, title, body),
    settled: (key) => attention.settle(key),
    now: () => Date.now(),
  });
  const focus = new FocusKeeper();
  const draw = () => {
    render(<App desk={desk} attention={attention} hurry={() => channel.hurry()} />, root);
    attention.waiting(desk.waiting);
    focus.keep();
    aim.drawn(document);
  };
  const aim = new Aim(() => desk.missed());
  aim.watch(document);
  document.addEventListener('keydown', (event) => onKey(event, desk));
  window.addEventListener('pagehide', () => desk.drafts.flush());
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) desk.drafts.flush();
    else channel.hurry();
  });
  window.addEventListener('online', () => channel.hurry());
  draw();
  channel.open();
}

const root = document.getElementById('app');
if (root !== null) {
  root.textContent = '';
  start(root);
}
