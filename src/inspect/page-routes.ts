/** The inspect page, and what it reads: charts, drawings, rows, stories and live steps. A host mounts it. */
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { invalid } from '../errors.ts';
import { type Logger, nodeRuntime } from '../runtime.ts';
import { guarded } from '../wire/contracts/policy.ts';
import { allCharts, chartOf } from './charts.ts';
import { drawChart } from './drawing.ts';
import { INSPECT_BOUNDS } from './inspect-bounds.ts';
import type { SeenChart, SeenRows } from './seen.ts';
import { type Readable, readStory } from './story.ts';
import { type Tapping, Viewers } from './viewers.ts';

/** What is looked at. Take the one of `openCoordinator`. */
export interface Inspected extends Readable {
  readonly tap: Tapping;
}

export interface InspectPageOptions {
  readonly coordinator: Inspected;
  readonly logger?: Logger | undefined;
  /** Folder of the built page. Default: the one of this package. */
  readonly folder?: string | undefined;
}

/** Give it to `startHost` among its mounts: the host checks token, `Host` and `Origin` before it. */
export interface InspectPage {
  readonly path: '/inspect';
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Ends the open pages. */
  close(): void;
}

const SILENT: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '': ['index.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
};
const MISSING = 'The inspect page is not built. Run `npm run build`, then open this link again.\n';

const name = z.string().min(1, 'is empty').max(INSPECT_BOUNDS.find, `is longer than ${INSPECT_BOUNDS.find} characters`);
const queries = {
  rows: z.object({ find: name.optional() }),
  story: z.object({ machine: name, id: name }),
};

/** Where the bundle lies, seen from a built package and from its sources. */
export function findInspectPage(): string | undefined {
  return ['../inspect-page/', '../../dist/inspect-page/']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((folder) => existsSync(join(folder, 'page.js')));
}

/**
 * The live page under `/inspect`: every chart, where each row stands, and how it came there.
 *
 * Shows ids, states, rules and times, never an answer, a question or a secret. Reads only: it promises to change nothing,
 * and not to show every step of a burst, of which it says how many it left out.
 */
export function inspectPage(options: InspectPageOptions): InspectPage {
  const logger = guarded(options.logger ?? SILENT);
  const folder = options.folder ?? findInspectPage();
  const viewers = new Viewers((reader) => options.coordinator.tap(reader), logger);
  return {
    path: '/inspect',
    handle: async (req, res) => {
      const url = new URL(`http://host${req.url ?? '/'}`);
      const path = url.pathname.slice('/inspect'.length).replace(/\/$/, '');
      if (req.method !== 'GET')
        sendError(res, 405, 'method_not_allowed', 'This path takes GET only. Nothing was changed.');
      else if (path === '/live') {
        if (!viewers.open(req, res)) {
          sendError(
            res,
            503,
            'busy',
            'Too many inspect pages are open, or the host is closing. Close one, then try again.',
          );
        }
      } else if (!sendFile(res, folder, path, url)) await sendData(res, options.coordinator, path, url);
    },
    close: () => viewers.close(),
  };
}

/** False for a path that is none of the page's own files. They are read at each request: it is opened rarely. */
function sendFile(res: ServerResponse, folder: string | undefined, path: string, url: URL): boolean {
  const drawn = /^\/charts\/([a-z-]+)\.svg$/.exec(path)?.[1];
  const [file, type] = FILES[path] ?? [];
  if (drawn !== undefined && chartOf(drawn) !== undefined)
    send(res, 'image/svg+xml; charset=utf-8', () => drawChart(drawn));
  else if (file !== undefined && type !== undefined) {
    send(res, type, () => {
      const body = readFileSync(join(folder ?? '', file), 'utf8');
      // The guard has let the request in by this very token.
      return path === '' ? body.replaceAll('__TOKEN__', encodeURIComponent(tokenIn(url))) : body;
    });
  } else return false;
  return true;
}

function send(res: ServerResponse, type: string, read: () => string): void {
  let body: string | undefined;
  try {
    body = read();
  } catch {
    res.writeHead(503, { 'content-type': 'text/plain; charset=utf-8' });
    res.end(MISSING);
    return;
  }
  res.writeHead(200, { 'content-type': type });
  res.end(body);
}

const tokenIn = (url: URL): string => url.searchParams.get('token') ?? '';

async function sendData(res: ServerResponse, from: Readable, path: string, url: URL): Promise<void> {
  const { token: _secret, ...query } = Object.fromEntries(url.searchParams);
  if (path === '/charts') sendJson(res, 200, allCharts().map(seenChart));
  else if (path === '/rows') {
    const { find } = parse(queries.rows, query);
    const rows = await from.rows({ find, limit: INSPECT_BOUNDS.listed });
    sendJson(res, 200, { rows, now: nodeRuntime.now() } satisfies SeenRows);
  } else if (path === '/story') {
    const { machine, id } = parse(queries.story, query);
    const story = await readStory(from, machine, id);
    if (story !== undefined) sendJson(res, 200, story);
    else sendError(res, 404, 'unknown_row', `Nothing is on file, or in the audit, of ${machine} ${id.slice(0, 64)}.`);
  } else sendError(res, 404, 'not_found', 'There is nothing at this path.');
}

const seenChart = ({ outline, arrows }: ReturnType<typeof allCharts>[number]): SeenChart => ({
  machine: outline.id,
  description: outline.description,
  states: outline.regions.flatMap(({ states }) =>
    states.map(({ id, description, isFinal }) => ({ id, description, isFinal })),
  ),
  arrows,
});

function parse<T>(schema: z.ZodType<T>, query: unknown): T {
  const read = schema.safeParse(query);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw invalid(
    `query.${issue?.path.join('.') ?? ''}`,
    issue?.code === 'invalid_type' ? 'is missing' : (issue?.message ?? 'is wrong'),
  );
}

function sendError(res: ServerResponse, status: number, code: string, message: string): void {
  if (status === 405) res.setHeader('allow', 'GET');
  sendJson(res, status, { error: { code, message, retry: status === 503 } });
}

function sendJson(res: ServerResponse, status: number, body: unknown): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  res.end(JSON.stringify(body));
}
