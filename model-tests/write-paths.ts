/**
 * Writes the paths that the test kit ships, of each noun in turn: `npm run paths`. With `--check` it writes nothing and
 * fails when a file is another one.
 */
import { journalPathSource } from './journal/kit-paths.ts';
import { lineagePathSource } from './seats/kit-paths.ts';
import { PathWriter } from './support/paths.ts';
import { toolPathSource } from './tools/kit-paths.ts';

const isCheck = process.argv.includes('--check');
for (const writer of [
  new PathWriter(journalPathSource),
  new PathWriter(toolPathSource),
  new PathWriter(lineagePathSource),
])
  await writer.run(isCheck);
