import { render } from 'preact';
import { App } from './app.tsx';
import { type Choice, Model } from './model.ts';
import { clock } from './words.ts';

/** What is looked at stands behind the hash, so that reload, back and a link work as everywhere. */
function choiceIn(hash: string): Choice | undefined {
  const [, machine, id] = /^#([a-z-]+)\/(.+)$/.exec(hash) ?? [];
  if (machine === undefined || id === undefined) return undefined;
  try {
    return { machine, id: decodeURIComponent(id) };
  } catch {
    return undefined;
  }
}

function start(root: HTMLElement): void {
  let drawing = false;
  const draw = () => {
    drawing = false;
    render(<App model={model} />, root);
  };
  const model = new Model(() => {
    if (drawing) return;
    drawing = true;
    queueMicrotask(draw);
  });
  const follow = () => {
    if (location.hash === '#content') return;
    model.choose(choiceIn(location.hash));
    if (model.choice !== undefined) document.querySelector('main')?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  };
  window.addEventListener('hashchange', follow);
  draw();
  model.choose(choiceIn(location.hash));
  void model.start();
  const find = new URLSearchParams(location.search).get('find');
  if (find !== null) void model.find(find);
  // The host is asked by now: what the first time costs is paid while it answers.
  clock(0);
}

const root = document.getElementById('app');
if (root !== null) {
  root.textContent = '';
  start(root);
}
