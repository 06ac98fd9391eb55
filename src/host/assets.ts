import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One file of the page. */
export interface Asset {
  readonly type: string;
  readonly body: string;
}

const MISSING = 'The page is not built. Run `npm run build`, then open this link again.\n';
/** What a browser is shown that comes without the token: static, and the same for everybody. */
export const LOCKED = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>readback: open the printed link</title>
  </head>
  <body>
    <h1>This address is not the whole link</h1>
    <p>The readback page opens only with its secret link. In a terminal, run <code>readback serve</code> and open the link
    that it prints. If readback is running already, the same command prints the link of the one that runs.</p>
  </body>
</html>
`;
const FILES: ReadonlyMap<string, string> = new Map([
  ['panel.js', 'text/javascript; charset=utf-8'],
  ['panel.css', 'text/css; charset=utf-8'],
]);

/** Where the bundle lies, seen from a built host and from its sources. */
export function findPanel(): string | undefined {
  return ['../panel/', './panel/', '../../dist/panel/']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((folder) => existsSync(join(folder, 'panel.js')) && existsSync(join(folder, 'index.html')));
}

/**
 * The files of the page by path. They are read at each request: the page is small, opened rarely, and a rebuilt one
 * should need no restart. Returns undefined for a path that is none of the page's, and a message where it is not built.
 */
export function pageAsset(folder: string | undefined, path: string, token: string): Asset | string | undefined {
  if (path === '/icon.svg') return { type: 'image/svg+xml', body: icon(false) };
  if (path === '/icon-dot.svg') return { type: 'image/svg+xml', body: icon(true) };
  const name = path === '/' ? 'index.html' : path.slice(1);
  const type = path === '/' ? 'text/html; charset=utf-8' : FILES.get(name);
  if (type === undefined) return undefined;
  if (folder === undefined) return MISSING;
  try {
    const body = readFileSync(join(folder, name), 'utf8');
    return { type, body: path === '/' ? body.replaceAll('__TOKEN__', token) : body };
  } catch {
    return MISSING;
  }
}

function icon(dot: boolean): string {
  const badge = dot ? '<circle cx="50" cy="14" r="13" fill="#e5484d" stroke="#fff" stroke-width="3"/>' : '';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect x="4" y="8" width="56" height="50" rx="16" fill="#0f766e"/><path d="M15 34l8 8 15-17M30 40l3 2 15-17" fill="none" stroke="#fff" stroke-width="5" stroke-linecap="round" stroke-linejoin="round"/>${badge}</svg>`;
}
