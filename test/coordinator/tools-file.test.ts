/** The rows of tool calls: their bounds, what is refused when it is read, and a store that fails. */
import { afterEach, describe, expect, it } from 'vitest';
import type { CallLimits } from '../../src/limits.ts';
import { UNKEPT } from '../../src/tools/durable.ts';
import { endRigs, HUMAN, KINDS, type Kind, openRig, type Rig } from './rig.ts';
import { asksFirst, type Chat, call, card, observeAgain, open, rowOf, stateOf } from './tool-chat.ts';

afterEach(endRigs);

const bounded = (kind: Kind, callLimits: Partial<CallLimits>): Promise<Rig> => openRig(kind, { callLimits });
const idsOnFile = (rig: Rig): string[] => rig.store.kept('call').map(({ id }) => (JSON.parse(id) as string[])[1] ?? '');
const lines = (rig: Rig): string[] => rig.log.lines.filter(({ level }) => level === 'warn').map(({ text }) => text);

/** Runs calls one after another, each in a conversation of its own. */
async function calls(rig: Rig, ids: readonly string[], result: unknown = 'done'): Promise<void> {
  for (const id of ids)
    await call(
      rig,
      open(rig, () => () => result),
      id,
    );
}

describe.each(KINDS)('[TL-H08] what is kept of calls, over %s', (kind) => {
  it('loses the oldest outcome first, and its call stays spent', async () => {
    const rig = await bounded(kind, { outcomes: 2 });
    await calls(rig, ['a', 'b', 'c']);
    expect(['a', 'b', 'c'].map((id) => rowOf(rig, id)?.['outcome'] !== undefined)).toEqual([false, true, true]);
    const audit = await rig.done(rig.c.audit());
    expect(audit.filter(({ event }) => event === 'call_outcome_dropped').map(({ token }) => token)).toEqual([
      '["chat-1#0","a"]',
    ]);
    expect(lines(rig)).toEqual([
      expect.stringContaining('bound of 2 outcomes took that of the tool call ["chat-1#0","a"]'),
    ]);
    await rig.restart();
    const again = await observeAgain(
      rig,
      open(rig, () => () => 'again'),
      'a',
    );
    expect([again.runs, again.said]).toEqual([0, [[UNKEPT, true]]]);
  });

  it('then loses the oldest call that is not under way', async () => {
    const rig = await bounded(kind, { kept: 2 });
    const held = await call(
      rig,
      open(rig, () => () => new Promise(() => undefined)),
      'held',
    );
    await calls(rig, ['a', 'b', 'c']);
    expect(idsOnFile(rig)).toEqual(['held', 'b', 'c']);
    expect((await rig.done(rig.c.audit())).map(({ event }) => event)).toContain('call_forgotten');
    expect(lines(rig)).toEqual([expect.stringContaining('bound of 2 tool calls took ["chat-1#0","a"]')]);
    expect(held.runs).toBe(1);
    await rig.restart();
    await calls(rig, ['d']);
    // What has only just come to rest is not the oldest.
    expect(idsOnFile(rig)).toEqual(['held', 'd']);
  });

  it('loses nothing where the commit that would drop it fails', async () => {
    const rig = await bounded(kind, { kept: 1 });
    await calls(rig, ['a']);
    rig.store.plant({ on: 'commit', nth: 2, times: 1_000 });
    await calls(rig, ['b']);
    rig.store.heal();
    expect([idsOnFile(rig), stateOf(rig, 'a'), stateOf(rig, 'b')]).toEqual([['a', 'b'], 'done', 'claimed']);
    expect(lines(rig)).toEqual([expect.stringContaining('is not on file')]);
  });

  it.each([
    ['too long', 'x'.repeat(100), 'too_large'],
    ['no JSON', 12n, 'not_json'],
  ])('reports an outcome that is %s, does not keep it, and says so', async (_what, result, why) => {
    const rig = await bounded(kind, { outcome: 100 });
    const first = await call(
      rig,
      open(rig, () => () => result),
    );
    expect([first.said, stateOf(rig), rowOf(rig)?.['unkept']]).toEqual([[[result, false]], 'done', why]);
    expect(lines(rig)).toHaveLength(1);
    await rig.restart();
    const second = await observeAgain(
      rig,
      open(rig, () => () => 'again'),
    );
    expect([second.runs, second.said]).toEqual([0, [[UNKEPT, true]]]);
  });

  it('an outcome on file cannot be changed by whoever was given it', async () => {
    const rig = await openRig(kind);
    const list = ['as it was'];
    const first = await call(
      rig,
      open(rig, () => () => list),
    );
    list.push('changed');
    const second = await observeAgain(
      rig,
      open(rig, () => () => 'again'),
    );
    (second.said[0]?.[0] as string[] | undefined)?.push('changed');
    const third = await observeAgain(
      rig,
      open(rig, () => () => 'again'),
    );
    expect([first.runs, second.runs, third.said]).toEqual([1, 0, [[['as it was'], false]]]);
  });

  it('no more are let in than may be under way, and none with a name over its bound', async () => {
    const rig = await bounded(kind, { underWay: 2, name: 8 });
    const chat = await call(
      rig,
      open(rig, () => () => new Promise(() => undefined)),
      'a',
      'b',
      'c',
    );
    expect([chat.runs, chat.said]).toEqual([2, [[expect.stringContaining('2 calls are under way'), true]]]);
    await rig.restart();
    const long = await call(
      rig,
      open(rig, () => () => 'ran'),
      'x'.repeat(9),
    );
    expect([long.runs, long.said]).toEqual([0, [[expect.stringContaining('toolCallId'), true]]]);
    expect(() => open(rig, () => () => 'ran', { boundary: '' })).toThrow('boundary');
    expect(() => open(rig, () => () => 'ran', { boundary: 'b'.repeat(513) })).toThrow('boundary');
  });

  it('a call that asks without end is refused at its bound', async () => {
    const rig = await bounded(kind, { questions: 2 });
    const loop =
      (own: () => Chat) =>
      async (_args: never, { human }: { human: (p: unknown) => Promise<unknown> }) => {
        for (let i = 1; ; i++) own().got.push(await human(`Again, ${i}?`));
      };
    const chat = await call(rig, open(rig, loop));
    for (let i = 0; i < 2; i++) await rig.done(rig.c.answer(await card(rig), { text: 'yes' }, HUMAN));
    expect([chat.got.length, chat.said]).toEqual([2, [[expect.stringContaining('asked 2 questions'), true]]]);
  });

  it('names that hold anything are told apart', async () => {
    const rig = await openRig(kind);
    const names: readonly [string, string][] = [
      ['a b', 'c'],
      ['a', 'b c'],
      ['a","b', 'c'],
      ['__proto__', '\ud800'],
    ];
    for (const [boundary, id] of names)
      await call(
        rig,
        open(rig, () => () => id, { boundary }),
        id,
      );
    await rig.restart();
    for (const [boundary, id] of names) {
      const again = await observeAgain(
        rig,
        open(rig, () => () => 'again', { boundary }),
        id,
      );
      expect(again.said).toEqual([[id, false]]);
    }
  });
});

describe.each(KINDS)('a row of a tool call, over %s', (kind) => {
  const ROW = { boundary: 'b', toolCallId: 't', toolName: 'x', state: 'done', asks: [] };
  const BAD: readonly (readonly [string, object])[] = [
    ['a state that the chart does not have', { ...ROW, state: 'toString' }],
    ['no boundary', { ...ROW, boundary: undefined }],
    ['asks that are no list', { ...ROW, asks: 'none' }],
    ['a question of nobody', { ...ROW, asks: [{ by: 'model', number: 1, digest: '', askId: 'pa-1' }] }],
    ['a question without its place', { ...ROW, asks: [{ by: 'executor', digest: '', askId: 'pa-1' }] }],
    ['an outcome that is no object', { ...ROW, outcome: 'done' }],
    ['an unknown reason', { ...ROW, unkept: 'because' }],
  ];

  it.each(BAD)('with %s keeps the store closed', async (_what, row) => {
    const rig = await openRig(kind);
    await calls(rig, ['t']);
    const [{ chart = '' } = {}] = rig.store.kept('call');
    rig.store.keep('call', 'bad', { chart, body: JSON.stringify(row) });
    rig.store.commit();
    await expect(rig.restart()).rejects.toMatchObject({ code: 'store_unreadable' });
  });

  it('of another chart keeps the store closed, and names both', async () => {
    const rig = await openRig(kind);
    rig.store.keep('call', 'other', { chart: 'spend 1 0123456789abcdef', body: JSON.stringify(ROW) });
    rig.store.commit();
    const refused = rig.restart();
    await expect(refused).rejects.toMatchObject({ code: 'store_newer' });
    await expect(refused).rejects.toThrow(/0123456789abcdef.*spend 1 [0-9a-f]{16}/);
  });
});

/** What the world outside has seen of one day with two calls, one of which asks. */
class Day {
  readonly effects: string[] = [];
  readonly rig: Rig;

  constructor(rig: Rig) {
    this.rig = rig;
  }

  open(): Chat {
    return open(this.rig, (own) => async (args, context) => {
      if (context.toolCallId === 'plain') return this.effects.push('plain');
      const said = await asksFirst(own)(args, context);
      this.effects.push(String(said));
      return said;
    });
  }

  async answer(): Promise<void> {
    for (const { askId } of await this.rig.done(this.rig.c.list())) {
      await this.rig.done(this.rig.c.answer(askId, { text: 'yes' }, HUMAN)).catch(() => undefined);
    }
  }
}

describe.each(KINDS)('a store that fails, over %s', (kind) => {
  it.each(['before', 'after'] as const)(
    '[TL-H02, TL-H03] at any commit, %s it: no effect comes twice, and none comes unasked',
    async (when) => {
      let struck = 0;
      for (let nth = 1; nth < 100; nth++) {
        const rig = await openRig(kind);
        const day = new Day(rig);
        rig.store.plant({ on: 'commit', nth, when });
        const chat = await call(rig, day.open(), 'plain', 'asks');
        await day.answer();
        await rig.hand.pass(100);
        const isOver = rig.store.struck === 0;
        rig.store.heal();
        const before = [...day.effects];
        expect(new Set(before).size, `commit ${nth}`).toBe(before.length);
        await rig.restart();
        // What is on file with its outcome does not run again; of everything else the host is asked first.
        const again = day.open();
        again.view.push('s');
        const states = Object.fromEntries(['plain', 'asks'].map((id) => [id, stateOf(rig, id)]));
        await call(rig, again, 'plain', 'asks');
        await day.answer();
        const asked = again.unknown.map(({ toolCallId }) => toolCallId).sort();
        const open = Object.keys(states).filter((id) => ['unknown', 'adjourned'].includes(String(states[id])));
        expect(asked, `commit ${nth}: ${JSON.stringify([states, chat.said])}`).toEqual(open.sort());
        const rerun = day.effects.slice(before.length).map((effect) => (effect === 'plain' ? 'plain' : 'asks'));
        for (const id of rerun) expect(states[id], `commit ${nth}: ${id} ran again`).not.toBe('done');
        endRigs();
        if (isOver) break;
        struck = nth;
      }
      expect(struck).toBeGreaterThan(5);
    },
  );
});
