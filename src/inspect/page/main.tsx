import { render } from 'preact';
import { App } from './app.tsx';
import { type Choice, hashOf, Model } from './model.ts';
import { clock } from './words.ts';

/** What is looked at, as `hashOf` writes it. */
function choiceIn(hash: string): Choice | undefined {
  const [, machine, id] = /^#([a-z-]+)\/(.+)$/.exec(hash) ?? [];
  if (machine === undefined || id === undefined) return undefined;
  try {
    return { machine, id: decodeURIComponent(id) };
  } catch {
    return undefined;
  }
}

/** What a link asks to find is shown at once where it is one row, unless the person looks at something by then. */
async function open(model: Model, find: string): Promise<void> {
  await model.find(find);
  const found = model.found === undefined ? [] : model.listed();
  // An answer is found together with its ask: the one that bears the name itself is meant.
  const named = found.filter(({ id }) => id === find);
  const [only, ...others] = named.length > 0 ? named : found;
  if (only === undefined || others.length > 0 || model.search !== find || model.choice !== undefined) return;
  location.replace(hashOf(only));
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
  if (find !== null) void open(model, find);
  // The host is asked by now: what the first time costs is paid while it answers.
  clock(0);
}

const root = document.getElementById('app');
if (root !== null) {
  root.textContent = '';
  start(root);
}
