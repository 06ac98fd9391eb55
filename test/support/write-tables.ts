/** Writes the plain tables of the tool charts: `npm run tables`. A test fails while they are not those of the charts. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tableOf } from '../../machines/shared/lean.ts';
import { callMachine } from '../../machines/tools/call.ts';
import { spendMachine } from '../../machines/tools/spend.ts';
import { trackerMachine } from '../../machines/tools/tracker.ts';
import { ROOT } from './source.ts';

export const TABLES = {
  CALL_TABLE: tableOf(callMachine),
  TRACKER_TABLE: tableOf(trackerMachine),
  SPEND_TABLE: tableOf(spendMachine),
};

const PATH = join(ROOT, 'machines/tools/tables.ts');
const HEADER = `/** Written by \`npm run tables\` from the charts beside it. Do not edit. */
import type { Table } from '../shared/lean.ts';
`;

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const parts = Object.entries(TABLES).map(
    ([name, table]) => `\nexport const ${name}: Table = ${JSON.stringify(table)};\n`,
  );
  writeFileSync(PATH, HEADER + parts.join(''));
  execFileSync('npx', ['biome', 'check', '--write', PATH], { cwd: ROOT, stdio: 'ignore' });
}
