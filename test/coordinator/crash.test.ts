import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { KeptLog } from '../../src/testing/index.ts';
import { buildChild, type Child, killAtEach, type Run } from './child.ts';
import type { Note } from './crash-child.ts';

const TAB = 'session-1';
/** No honest scenario has so many commits. */
const MOST = 150;

let child: Child<Note>;
beforeAll(async () => {
  child = await buildChild('crash-child.ts');
});
afterAll(() => child.end());

const of = (notes: readonly Note[], what: Note['what']): Note[] => notes.filter((note) => note.what === what);

/** Nothing that was accepted is lost, and nothing that was done is forgotten. */
async function checkKept(c: Coordinator, notes: readonly Note[], said: string): Promise<void> {
  for (const { askId = '', token, text } of of(notes, 'saved')) {
    const view = await c.show(askId);
    expect(
      view?.answers.map((one) => [one.token, one.text]),
      said,
    ).toContainEqual([token, text]);
    const again = await c.answer(askId, { text: text ?? '' }, { surface: 'terminal' });
    expect([again.verdict, again.token], said).toEqual(['duplicate', token]);
  }
  for (const { askId = '' } of of(notes, 'opened')) expect(await c.show(askId), said).toBeDefined();
  const entries = await c.journal.entriesFor(TAB);
  for (const { token } of of(notes, 'acked')) {
    expect(entries.find((one) => one.token === token)?.acked, `${said}: ${token}`).toBe(true);
  }
  const shown = of(notes, 'shown');
  for (const { token } of shown)
    expect(
      entries.map((one) => one.token),
      `${said}: shown and not on file`,
    ).toContain(token);
  for (const { askId = '', state } of of(notes, 'ended')) {
    const now = (await c.show(askId))?.state;
    // A card that was answered may belong to a replaced conversation since; nothing else changes once it has ended.
    expect(now, `${said}: ${askId}`).toBe(state);
  }
}

/** Nothing that was in front of a reader comes again without its label, and nothing of a replaced conversation at all. */
async function checkLabels(c: Coordinator, notes: readonly Note[], said: string): Promise<void> {
  const seen = new Set(of(notes, 'shown').map((note) => note.token));
  const closed = of(notes, 'closed').length > 0;
  const entries = await c.journal.entriesFor(TAB);
  for (const one of await c.unread(TAB)) {
    if (seen.has(one.token)) expect(one.possibleRepeat, `${said}: ${one.text} is unread`).toBe(true);
    if (closed) expect(one.text, said).toBe('for the next');
  }
  const pushed: string[] = [];
  await c.journal.deliverPending(TAB, (payload, token) => {
    const label = payload.possible_repeat === true || payload.replayed === true;
    if (seen.has(token)) expect(label, `${said}: ${payload.ask_answer} is pushed`).toBe(true);
    return pushed.push(token) > 0;
  });
  const owed = entries.filter(
    (one) => !one.acked && !one.retired && one.provenance !== 'unknown' && one.state !== 'none',
  );
  expect(new Set(pushed), `${said}: everything owed comes`).toEqual(new Set(owed.map((one) => one.token)));
}

/** In one run nothing is shown twice without its label either. */
function checkWithin(notes: readonly Note[], said: string): void {
  const seen = new Set<string>();
  for (const { what, token = '', label } of notes) {
    if (what !== 'shown') continue;
    if (seen.has(token)) expect(label, `${said}: ${token} again`).toBe(true);
    seen.add(token);
  }
}

async function check({ path, notes }: Run<Note>, said: string): Promise<void> {
  checkWithin(notes, said);
  const revoked: string[] = [];
  const store = openSqliteStore(path);
  const c = await openCoordinator({ store, logger: new KeptLog(), revoker: (_, token) => revoked.push(token) > 0 });
  try {
    await c.audit();
    await new Promise((resolve) => setImmediate(resolve));
    expect(store.outbox(), said).toEqual([]);
    await checkKept(c, notes, said);
    await checkLabels(c, notes, said);
    const late = notes.at(-1)?.what === 'done' ? [] : (await c.list()).map((ask) => ask.askId);
    for (const askId of late) {
      const verdict = await c.answer(askId, { text: 'after the crash' }, { surface: 'page' });
      expect(verdict.verdict, said).toBe('late_accepted');
      expect(await c.awaitAnswer(askId), said).toMatchObject({ outcome: 'answered', token: verdict.token });
    }
  } finally {
    await c.close();
  }
}

describe('a process that is killed', () => {
  it.each(['before', 'after'] as const)(
    'at each commit, %s it: nothing is lost, forgotten, or repeated without its label',
    async (when) => {
      const whole = await child.run(0, when);
      expect([whole.code, whole.said, whole.notes.at(-1)?.what]).toEqual([0, '', 'done']);
      await check(whole, 'never killed');
      const { killed, last } = await killAtEach(child, when, MOST, check);
      expect(killed).toBeGreaterThan(25);
      expect(last).toBeLessThan(MOST);
    },
    120_000,
  );
});
