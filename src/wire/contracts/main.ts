/** `npm run contracts [-- --check]`: writes the generated files, or names those that are stale. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultPack } from './default-pack.ts';
import { generate } from './generate.ts';

const folder = join(import.meta.dirname, '..', 'generated');

function current(name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return undefined;
  }
}

const stale = Object.entries(generate(defaultPack)).filter(([name, text]) => current(name) !== text);
if (process.argv.includes('--check')) {
  for (const [name] of stale) console.error(`stale: src/wire/generated/${name}; run \`npm run contracts\``);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of stale) {
    writeFileSync(join(folder, name), text);
    process.stdout.write(`wrote src/wire/generated/${name}\n`);
  }
}
