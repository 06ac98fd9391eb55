/**
 * Writes the paths that the test kit ships, of each noun in turn: `npm run paths`. With `--check` it writes nothing and
 * fails when a file is another one.
 */
import { journalPathSource } from './journal/kit-paths.ts';
import { cardPathSource, mirrorPathSource, requestPathSource } from './requests/kit-paths.ts';
import { lineagePathSource } from './seats/kit-paths.ts';
import { PathWriter } from './support/paths.ts';
import { toolPathSource } from './tools/kit-paths.ts';

const isCheck = process.argv.includes('--check');
const writers = [
  new PathWriter(journalPathSource),
  new PathWriter(requestPathSource),
  new PathWriter(mirrorPathSource),
  new PathWriter(cardPathSource),
  new PathWriter(toolPathSource),
  new PathWriter(lineagePathSource),
];
for (const writer of writers) await writer.run(isCheck);
