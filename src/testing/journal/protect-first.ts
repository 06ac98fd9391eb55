/** Protect, then speak; report, then destroy. */

import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { type Entry, type Harness, makeJournal, OTHER_TAB, QUESTION, TAB } from './harness.ts';

export const protectFirstRules = new Chapter();
const { test } = protectFirstRules;

/** What was on file when the operation made its first call that is not a mere question of who holds a tab. */
function atFirstCall(h: Harness, act: () => unknown): { entries: Entry[]; calls: number } {
  let entries: Entry[] | undefined;
  h.clear();
  h.onCall = (call) => {
    if (call.kind !== 'resolve') entries ??= h.entries();
  };
  act();
  h.heal();
  return { entries: entries ?? [], calls: h.count('log', 'flush', 'revoke', 'attach') };
}
const blurred = { ambiguousId: true, recoverable: false, correlation: { status: 'foreign' } };

test('[J-R006] openAsk: every entry of a reopened id is blurred before anything is called', () => {
  let unread = false;
  const h = makeJournal({ revoker: () => unread });
  const first = h.queued('first');
  const other = h.direct('x', OTHER_TAB, QUESTION, first.askId);
  h.deliver();
  unread = true;
  const { entries, calls } = atFirstCall(h, () => h.open(TAB, 'Another?', first.askId));
  expect(calls).toBeGreaterThan(1);
  expect(entries.map((entry) => entry.token).sort()).toEqual([first.token, other.token].sort());
  for (const entry of entries) expect(entry).toMatchObject({ ...blurred, fingerprint: null });
});

test('[J-R006] record: a second answer is on file, and the earlier ones are blurred, before anything is called', () => {
  const h = makeJournal({ revoker: true, resolver: true });
  h.occupants.set(TAB, 'ann');
  const first = h.queued('first');
  const { entries, calls } = atFirstCall(h, () => h.record(first.askId, 'second'));
  expect(calls).toBeGreaterThan(1);
  expect(entries.map((entry) => entry.answer)).toEqual(['first', 'second']);
  for (const entry of entries) expect(entry).toMatchObject(blurred);
});

test('[J-R006] record: the answer is on file before anything is called, also where it displaces another or is born retired', () => {
  const full = makeJournal({ limits: { entriesPerTab: 1 }, revoker: true });
  full.queued('old');
  const next = full.openAndClose();
  const stale = makeJournal();
  const replaced = stale.openAndClose();
  stale.journal.closeAsks(TAB);
  const stray = makeJournal({ resolver: true });
  for (const [h, askId] of [
    [full, next],
    [stale, replaced],
    [stray, 'pa-stray'],
  ] as const) {
    const { entries, calls } = atFirstCall(h, () => h.record(askId, 'new'));
    expect(calls).toBeGreaterThan(0);
    expect(entries.map((entry) => entry.answer)).toContain('new');
  }
});

for (const operation of ['closeAsks', 'forget'] as const) {
  test(`[J-R006] ${operation}: epoch raised and every entry of the tab retired before anything is called`, () => {
    const h = makeJournal({ attacher: true, revoker: true, resolver: true });
    h.occupants.set(TAB, 'ann');
    h.queued('queued');
    h.riding('riding');
    h.late('pending');
    const open = h.open();
    let live: boolean | undefined;
    const { entries, calls } = atFirstCall(h, () => {
      const look = h.onCall;
      h.onCall = (call) => {
        look?.(call);
        if (call.kind !== 'resolve') live ??= h.journal.askBelongsToLiveConversation(open);
      };
      h.journal[operation](TAB);
    });
    expect(calls).toBeGreaterThan(2);
    expect(live).toBe(false);
    expect(entries).toHaveLength(3);
    for (const entry of entries) expect(entry).toMatchObject({ retired: true, recoverable: false, delivery: 'none' });
  });
}

test('[J-R006] callbacks that deliver or recover in the middle of an operation are shown nothing withdrawn', () => {
  const h = makeJournal({ revoker: true });
  const entry = h.queued('queued');
  h.late('pending');
  const shown: unknown[] = [];
  h.onCall = () => {
    shown.push(...h.deliver().offers);
    const found = h.journal.recover(TAB, entry.fingerprint ?? '');
    if (found.status !== 'none') shown.push(...(found.status === 'recovered' ? [found.entry] : found.others));
  };
  h.journal.closeAsks(TAB);
  h.heal();
  expect(h.revoked).toEqual([entry.token]);
  expect(shown).toEqual([]);
});

test('[J-R007] forget: an answer is on file while it is reported, and stays if the report throws', () => {
  for (let n = 1; n <= 3; n += 1) {
    const h = makeJournal();
    const answers = ['answer-a', 'answer-b', 'answer-c'];
    for (const answer of answers) h.late(answer);
    let failed = '';
    h.clear();
    h.onCall = (call) => {
      if (call.kind !== 'log') return;
      const named = answers.find((answer) => call.text.includes(answer)) ?? '';
      expect(h.entries().map((entry) => entry.answer)).toContain(named);
      if (h.count('log') !== n) return;
      failed = named;
      throw new Error('planted');
    };
    try {
      h.journal.forget(TAB);
    } catch (error) {
      expect(String(error)).toContain('planted');
    }
    h.heal();
    expect(failed).not.toBe('');
    const left = h.entries();
    expect(left.map((entry) => entry.answer)).toContain(failed);
    for (const entry of left) expect(entry).toMatchObject({ retired: true, delivery: 'none' });
    h.clear();
    h.journal.forget(TAB);
    expect(h.entries()).toEqual([]);
    expect(h.at('warn').some((text) => text.includes(failed))).toBe(true);
  }
});

test('[J-R007] forget, closeAsks and retireDebt: a debt is owed while it is reported, and stays if the report throws', () => {
  const ways = [
    (h: Harness) => h.journal.forget(TAB),
    (h: Harness) => h.journal.closeAsks(TAB),
    (h: Harness) => h.journal.retireDebt(TAB, undefined),
  ];
  for (const way of ways) {
    const h = makeJournal({ limits: { entriesPerTab: 1 } });
    for (const answer of ['lost', 'lost too', 'kept']) h.late(answer);
    const owed: number[] = [];
    let fail = true;
    h.onCall = (call) => {
      if (call.kind !== 'log' || call.level !== 'error') return;
      owed.push(h.journal.droppedFor(TAB));
      if (fail) throw new Error('planted');
    };
    expect(() => way(h)).toThrow('planted');
    expect(h.journal.droppedFor(TAB)).toBe(2);
    fail = false;
    way(h);
    expect(owed).toEqual([2, 2]);
    expect(h.journal.droppedFor(TAB)).toBe(0);
  }
});
