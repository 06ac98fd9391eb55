import { afterEach, expect, it } from 'vitest';
import type { Author, Surface } from '../../src/api.ts';
import { SIZES } from '../../src/limits.ts';
import { endRigs, FREE, openRig, TAB } from './rig.ts';

afterEach(endRigs);

const WRONG = [
  [undefined, 'surface'],
  [{}, 'surface.kind'],
  [{ kind: '', id: 'w' }, 'surface.kind'],
  [{ kind: 'k'.repeat(SIZES.from + 1), id: 'w' }, 'surface.kind'],
  [{ kind: 'page' }, 'surface.id'],
  [{ kind: 'page', id: 'half \ud800' }, 'surface.id'],
  [{ kind: 'page', id: 'w'.repeat(SIZES.header + 1) }, 'surface.id'],
] as const;

it.each(WRONG)('[I13] what is no surface shows no card, and is refused by its field: %j', async (surface, field) => {
  const rig = await openRig('memory', {}, { page: false });
  expect(() => rig.c.attachSurface(surface as Surface)).toThrow(
    expect.objectContaining({ code: 'invalid_input', field }),
  );
  expect(rig.c.hasSurface()).toBe(false);
  expect(await rig.done(rig.c.ask(FREE, { tab: TAB }))).toMatchObject({ outcome: 'undeliverable' });
});

it('the name of a surface is bounded where an answer comes in, and nothing is taken from one that has none', async () => {
  const rig = await openRig('memory');
  const { id } = await rig.ask(FREE);
  const wrong: readonly [unknown, string][] = [
    [undefined, 'author'],
    [{}, 'author.surface'],
    [{ surface: ' ' }, 'author.surface'],
    [{ surface: 7 }, 'author.surface'],
    [{ surface: 's'.repeat(SIZES.from + 1) }, 'author.surface'],
    [{ surface: 'page', who: 'w'.repeat(SIZES.header + 1) }, 'author.who'],
  ];
  for (const [author, field] of wrong) {
    const refused = { code: 'invalid_input', field };
    await expect(rig.done(rig.c.answer(id, { text: 'Ada' }, author as Author))).rejects.toMatchObject(refused);
    await expect(rig.done(rig.c.withdraw(id, 'enough', author as Author))).rejects.toMatchObject(refused);
    await expect(rig.done(rig.c.supersedeAsks(TAB, author as Author))).rejects.toMatchObject(refused);
  }
  expect(await rig.show(id)).toMatchObject({ state: 'open', answers: [] });
  const own = { surface: 's'.repeat(SIZES.from), who: 'w'.repeat(SIZES.header) };
  expect(await rig.answer(id, 'Ada', own)).toMatchObject({ verdict: 'accepted', saved: true });
});
