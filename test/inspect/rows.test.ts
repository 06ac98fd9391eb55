/** Where rows stand: found by every name that they go by, in memory and in a database, and after a restart too. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ChartRow, RowQuery } from '../../src/index.ts';
import { endRigs, KINDS, openRig, type Rig, TAB } from '../coordinator/rig.ts';
import { call, open } from '../coordinator/tool-chat.ts';

const rows = (rig: Rig, query?: RowQuery): Promise<readonly ChartRow[]> => rig.done(rig.c.rows(query));
const names = (found: readonly ChartRow[]): string[] => found.map(({ machine, id }) => `${machine} ${id}`);

afterEach(endRigs);

describe.each(KINDS)('rows of %s', (kind) => {
  it('are all there, each with its state, tab and ask, and are the same after a restart', async () => {
    const rig = await openRig(kind);
    const open = await rig.unattended();
    const { id, token } = await rig.late('g');
    const before = await rows(rig);
    expect(before).toContainEqual({
      machine: 'answer',
      id: token,
      askId: id,
      tab: TAB,
      states: ['delivery.pending', expect.stringMatching(/^label\./)],
      at: expect.any(Number),
    });
    expect(before.find((row) => row.id === open)).toMatchObject({
      machine: 'ticket',
      states: ['unattended'],
      tab: TAB,
    });
    await rig.reopen();
    expect([...(await rows(rig))].sort(byName)).toEqual([...before].sort(byName));
  });

  it('are found by token, ask id, its beginning, and tab, and by nothing else', async () => {
    const rig = await openRig(kind);
    const { id, token } = await rig.late('g');
    await rig.late('b');
    const both = [`answer ${token}`, `ticket ${id}`];
    for (const find of [token, id, id.slice(0, -1)]) expect(names(await rows(rig, { find }))).toEqual(both);
    expect(await rows(rig, { find: TAB })).toHaveLength(4);
    for (const find of ['aa999', 'Green', 'never']) expect(await rows(rig, { find })).toEqual([]);
  });

  it('are of each chart no more than asked for, the newest', async () => {
    const rig = await openRig(kind);
    await rig.late('g');
    const { token } = await rig.late('b');
    const answers = (await rows(rig, { limit: 1 })).filter(({ machine }) => machine === 'answer');
    expect(names(answers)).toEqual([`answer ${token}`]);
    await expect(rows(rig, { limit: -1 })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('of tool calls have the name of the tool, and are found by it', async () => {
    const rig = await openRig(kind);
    await call(
      rig,
      open(rig, () => () => 'done'),
      'call-1',
    );
    const [spend, ...others] = (await rows(rig)).filter(({ machine }) => machine === 'spend');
    expect(others).toEqual([]);
    expect(spend).toMatchObject({ name: 'x', id: '["chat-1#0","call-1"]', states: ['fate.done'], tab: 'chat-1#0' });
    for (const find of ['x', 'chat-1']) expect(await rows(rig, { find })).toEqual([spend]);
  });
});

const byName = (a: ChartRow, b: ChartRow): number => (`${a.machine} ${a.id}` < `${b.machine} ${b.id}` ? -1 : 1);
