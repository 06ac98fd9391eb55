/** Writes the plain tables of the tool charts: `npm run tables`. A test fails while they are not those of the charts. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AnyStateMachine } from 'xstate';
import { type Meaning, tableOf } from '../../machines/shared/lean.ts';
import { callMachine } from '../../machines/tools/call.ts';
import * as callGuards from '../../machines/tools/call-guards.ts';
import * as callWrites from '../../machines/tools/call-writes.ts';
import { spendMachine } from '../../machines/tools/spend.ts';
import { trackerMachine } from '../../machines/tools/tracker.ts';
import * as trackerGuards from '../../machines/tools/tracker-guards.ts';
import * as trackerWrites from '../../machines/tools/tracker-writes.ts';
import { ROOT } from './source.ts';

export const MEANINGS = {
  call: { guards: callGuards, writes: callWrites } as unknown as Meaning,
  tracker: { guards: trackerGuards, writes: trackerWrites } as unknown as Meaning,
  spend: { guards: {}, writes: {} },
};

const HEADER = `/** Written by \`npm run tables\` from the charts beside it. Do not edit. */
import type { Table } from '../shared/lean.ts';
`;
const TRACKER_IMPORTS = `import type { CallContext, CallEvent } from './call-facts.ts';
import * as callGuards from './call-guards.ts';
import * as callWrites from './call-writes.ts';
import type { TrackerContext, TrackerEvent } from './tracker-facts.ts';
import * as trackerGuards from './tracker-guards.ts';
import * as trackerWrites from './tracker-writes.ts';
`;

/** The text of a table, in which a function stands as `callGuards.grows`: a bundler can give it a short name. */
function textOf(noun: keyof typeof MEANINGS, machine: AnyStateMachine): string {
  const { guards, writes } = MEANINGS[noun];
  const names = new Map<unknown, string>([
    ...Object.entries(guards).map(([name, one]) => [one, `${noun}Guards.${name}`] as const),
    ...Object.entries(writes).map(([name, one]) => [one, `${noun}Writes.${name}`] as const),
  ]);
  const json = JSON.stringify(tableOf(machine, MEANINGS[noun]), (_key, value) =>
    typeof value === 'function' ? `<${names.get(value)}>` : value,
  );
  return json.replaceAll(/"<(.*?)>"/g, '$1');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  // The coordinator needs the one and a browser the other two.
  write('tables.ts', [
    TRACKER_IMPORTS,
    `export const CALL_TABLE: Table<CallContext, CallEvent> = ${textOf('call', callMachine)};`,
    `export const TRACKER_TABLE: Table<TrackerContext, TrackerEvent> = ${textOf('tracker', trackerMachine)};`,
  ]);
  write('spend-table.ts', [
    "import type { SpendEvent } from './spend-facts.ts';\n",
    `export const SPEND_TABLE: Table<object, SpendEvent> = ${textOf('spend', spendMachine)};`,
  ]);
}

function write(name: string, parts: readonly string[]): void {
  const path = join(ROOT, 'machines/tools', name);
  writeFileSync(path, HEADER + parts.join('\n'));
  execFileSync('npx', ['biome', 'check', '--write', path], { cwd: ROOT, stdio: 'ignore' });
}
