/** `readback inspect`: the link of the live charts, and the page behind it. */

import type { Mount } from '../host/index.ts';
import type { InspectPage, InspectPageOptions } from '../inspect/page-routes.ts';
import { openBrowser } from './browser.ts';
import { connect } from './client.ts';
import { inspectLink, stateFolder } from './home.ts';
import { type Global, type Io, json } from './io.ts';
import { EXIT } from './problem.ts';
import { brief } from './text.ts';

export interface InspectFlags extends Global {
  readonly open?: boolean | undefined;
}

export async function inspect(io: Io, id: string | undefined, flags: InspectFlags): Promise<number> {
  const folder = stateFolder(flags.home, io.env);
  const client = connect(folder);
  // A host that is gone is said here, not by a browser that finds nobody.
  await client.health();
  const link = inspectLink(client.host, id);
  await (flags.json === true ? json(io, { link }) : io.out(`${link}\n`));
  if (flags.open === true && !openBrowser(link, io.env, folder))
    io.err('readback: no browser could be started here; open the link above yourself\n');
  // After the link, which is good whatever the search says and however long it takes.
  if (id !== undefined && (await client.charted(id).catch(() => undefined)) === false)
    io.err(`readback: nothing on file is known as "${brief(id, 60)}"; the link opens the charts without it\n`);
  return EXIT.ok;
}

/** The page as a mount that loads it, and the charts that nobody else needs, when somebody first looks. */
export function inspectMount(options: InspectPageOptions): Mount {
  let page: Promise<InspectPage> | undefined;
  return {
    path: '/inspect',
    handle: async (req, res) => {
      page ??= import('../inspect/page-routes.ts').then(({ inspectPage }) => inspectPage(options));
      await (await page).handle(req, res);
    },
    close: () => void page?.then((loaded) => loaded.close()),
  };
}
