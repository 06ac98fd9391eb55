/** A process is killed at each commit of one answer that follows its branch, and the next one goes on with the story. */
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCoordinator } from '../../src/coordinator.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { KeptLog } from '../../src/testing/index.ts';
import { buildChild, type Child, killAtEach, type Run } from '../coordinator/child.ts';
import type { Note } from './crash-child.ts';
import { OFF, STEPS, Story, TAB } from './story.ts';

/** No honest story has so many commits. */
const MOST = 40;

let child: Child<Note>;
beforeAll(async () => {
  child = await buildChild('../fences/crash-child.ts');
});
afterAll(() => child.end());

/** Takes the story up in the step in which the process was killed, with the answer that it had saved. */
async function check({ path, notes }: Run<Note>, said: string): Promise<void> {
  const of = (what: Note['what']): Note[] => notes.filter((note) => note.what === what);
  const story = new Story();
  for (const { id: token = '', isRepeat = false, isOn = false } of of('pushed'))
    story.pushes.push({ token, isRepeat, isOn });
  const left = of('begun').length - 1;
  story.log.at = ['b', 'q', 'q', 'q', 'b', 'q', 'q', 'd', 'q'][left] ?? 'q';
  const c = await openCoordinator({
    ...{ store: openSqliteStore(path), ...story.options, alwaysVisible: true, logger: new KeptLog() },
  });
  story.c = c;
  try {
    const known = await c.list({ what: 'recent' }).then(async (recent) => [...recent, ...(await c.list())]);
    story.id = known[0]?.askId ?? '';
    for (const { id } of of('asked')) expect(story.id, said).toBe(id);
    for (let i = story.id === '' ? 0 : Math.max(left, 1); i < STEPS.length; i += 1) {
      await STEPS[i]?.(story);
      await setTimeout(5);
      if (i === OFF) expect([...story.queue], said).toEqual([]);
    }
    await setTimeout(10);
    const view = await c.show(story.id);
    const entries = await c.journal.entriesFor(TAB);
    expect([view?.answers[0]?.receipt, entries.map(({ answer }) => answer)], said).toEqual(['handed', ['green']]);
    expect(
      story.pushes.map(({ isOn }) => isOn),
      said,
    ).not.toContain(false);
    expect(story.pushes.filter(({ isRepeat }) => !isRepeat).length, said).toBeLessThanOrEqual(2);
  } finally {
    await c.close();
  }
}

describe('a process with an answer that follows its branch', () => {
  it.each(['before', 'after'] as const)(
    '[SE-R90] [SE-R91] [F1] [F9] that is killed at each commit, %s it: the answer is kept, and never on another branch',
    async (when) => {
      const whole = await child.run(0, when);
      expect([whole.code, whole.said, whole.notes.at(-1)?.what]).toEqual([0, '', 'done']);
      const { killed, last } = await killAtEach(child, when, MOST, check);
      expect(killed).toBeGreaterThan(12);
      expect(last).toBeLessThan(MOST);
    },
    120_000,
  );
});
