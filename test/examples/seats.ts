/** A cache of what was read, kept over the turns of a session, and used only where the log proves it. */
import { ok, strictEqual } from 'node:assert';
// #region seats
import { claudeCodeLog, createSeatCache, startLeg } from 'readback/seats';

type FilesRead = Map<string, number>; // path → version

const cache = createSeatCache<FilesRead>();

async function turn(session: string, file: string) {
  return startLeg<FilesRead, readonly [string, number]>({
    kind: 'continuation',
    session,
    cache,
    ...claudeCodeLog(file), // read, leaf, lineage
    empty: () => new Map(),
    itemsOf: (state) => state,
    put: (state, [path, version]) => state.set(path, version),
    replay: () => [], // read them out of the present branch: always right, never free
  });
}
// #endregion

const line = (uuid: string, parentUuid: string | null, more: object = {}): string =>
  JSON.stringify({ uuid, parentUuid, type: 'user', ...more });
const lines = [line('u1', null)];
const first = await turn('s', lines.join('\n'));
strictEqual(first.source, 'replay');
first.state.set('notes.md', 1);
lines.push(line('a1', 'u1', { type: 'assistant' }));
first.settle('a1');

lines.push(line('u2', 'a1'));
const second = await turn('s', lines.join('\n'));
strictEqual(second.source, 'seat');
ok(second.state.has('notes.md'));
lines.push(line('a2', 'u2', { type: 'assistant' }));
second.settle('a2');

lines.push(line('b1', null, { type: 'system', subtype: 'compact_boundary', logicalParentUuid: 'a2' }));
const third = await turn('s', lines.join('\n'));
strictEqual(third.finding?.reason, 'compaction');
strictEqual(third.state.size, 0);
