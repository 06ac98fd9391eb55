import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Flags under which the tests run Chromium: without a sandbox (root in CI), and silent on the network. */
export const CHROMIUM_ARGS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Path of the installed Chromium: `READBACK_CHROMIUM` where it is set, otherwise the first on the search path. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env['READBACK_CHROMIUM'];
  if (named !== undefined && named !== '') return executable(named) ? named : undefined;
  const folders = [...(env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'];
  for (const folder of folders) {
    for (const name of NAMES) {
      const path = join(folder, name);
      if (folder !== '' && executable(path)) return path;
    }
  }
  return undefined;
}

/** As `findChromium`, for a browser test that already runs: none found is a failure that says what to do. */
export function chromiumPath(): string {
  const path = findChromium();
  if (path === undefined) {
    throw new Error('No Chromium found. Install one, or set READBACK_CHROMIUM to its path.');
  }
  return path;
}
