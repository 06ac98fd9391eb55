/** What the page asks of its host. The token is in the page's own address, and goes nowhere else. */
import type { SeenBurst, SeenChart, SeenRows } from '../seen.ts';
import type { Story } from '../told.ts';

const token = new URLSearchParams(location.search).get('token') ?? '';
const AGAIN_MS = 2_000;

const address = (path: string, query: Readonly<Record<string, string>> = {}): string =>
  `/inspect/${path}?${new URLSearchParams({ ...query, token })}`;

/** The page of questions, of the same host. */
export const home = `/?token=${encodeURIComponent(token)}`;

async function read<T>(path: string, query?: Readonly<Record<string, string>>): Promise<T | undefined> {
  const reply = await fetch(address(path, query));
  if (reply.status === 404) return undefined;
  if (!reply.ok) throw new Error(`The host answered with ${reply.status}.`);
  return (await reply.json()) as T;
}

export const readCharts = (): Promise<readonly SeenChart[] | undefined> => read('charts');
export const readRows = (find?: string): Promise<SeenRows | undefined> =>
  read('rows', find === undefined ? {} : { find });
export const readStory = (machine: string, id: string): Promise<Story | undefined> => read('story', { machine, id });

/** A drawing comes as a document, so that no text is ever read as markup of this page. */
export function readDrawing(machine: string): Promise<SVGElement> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.responseType = 'document';
    request.open('GET', address(`charts/${machine}.svg`));
    request.onerror = () => reject(new Error('The drawing did not arrive.'));
    request.onload = () => {
      const root = request.responseXML?.documentElement;
      if (request.status === 200 && root instanceof SVGElement) resolve(document.adoptNode(root));
      else reject(new Error('The drawing is not built.'));
    };
    request.send();
  });
}

export interface Listening {
  ready(): void;
  burst(burst: SeenBurst): void;
  lost(): void;
}

/** Follows the steps for as long as the page is open; a lost connection is made again. */
export function listen({ ready, burst, lost }: Listening): void {
  const source = new EventSource(address('live'));
  source.addEventListener('ready', ready);
  source.addEventListener('steps', ({ data }: MessageEvent<string>) => burst(JSON.parse(data) as SeenBurst));
  source.addEventListener('error', () => {
    lost();
    // One that was refused is not tried again by the browser itself.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => listen({ ready, burst, lost }), AGAIN_MS);
  });
}
