import { copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const SOURCE = fileURLToPath(new URL('../../src/panel/', import.meta.url));

/** Bundles the page from its sources into a new temporary folder, so that a test never sees an old build. */
export async function buildPanel(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'readback-panel-'));
  await build({
    configFile: false,
    logLevel: 'error',
    root: SOURCE,
    build: {
      outDir: folder,
      minify: false,
      rolldownOptions: { input: join(SOURCE, 'main.tsx'), output: { entryFileNames: 'panel.js' } },
    },
  });
  for (const name of ['index.html', 'panel.css']) await copyFile(join(SOURCE, name), join(folder, name));
  return folder;
}
