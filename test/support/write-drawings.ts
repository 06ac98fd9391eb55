/** `npm run drawings [-- --check]`: writes the drawing of every chart, or names those that are stale. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MACHINES } from '../../src/inspect/machines.ts';
import { outline } from '../../src/inspect/outline.ts';
import { draw } from './drawings.ts';
import { ROOT } from './source.ts';

const FOLDER = 'src/inspect/generated';
const folder = join(ROOT, FOLDER);
mkdirSync(folder, { recursive: true });

const wanted = new Map<string, string>();
for (const machine of MACHINES) wanted.set(`${machine.id}.svg`, await draw(outline(machine)));
const present = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
const stale = [...wanted].filter(([name, svg]) => present.get(name) !== svg);
const left = [...present.keys()].filter((name) => !wanted.has(name));

if (process.argv.includes('--check')) {
  for (const name of [...stale.map(([one]) => one), ...left]) {
    console.error(`stale: ${FOLDER}/${name}; run \`npm run drawings\``);
    process.exitCode = 1;
  }
} else {
  for (const name of left) rmSync(join(folder, name));
  for (const [name, svg] of stale) {
    writeFileSync(join(folder, name), svg);
    console.log(`wrote ${FOLDER}/${name}`);
  }
}
