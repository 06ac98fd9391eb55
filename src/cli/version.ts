import { readFileSync } from 'node:fs';

/** The version of this package: of the nearest package.json that is ours, from the source tree and from a build alike. */
export function packageVersion(): string {
  for (let folder = new URL('.', import.meta.url); ; folder = new URL('..', folder)) {
    const parent = new URL('..', folder);
    try {
      const own = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as {
        name?: string;
        version?: string;
      };
      if (own.name === 'readback') return own.version ?? '0.0.0';
    } catch {
      // Not in this folder; look one up.
    }
    if (parent.href === folder.href) return '0.0.0';
  }
}
