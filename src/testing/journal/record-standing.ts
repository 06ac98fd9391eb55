/** record(): provenance, boundary, occupant, place in the pipeline, and what is logged (journal.md 4.8). */

import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { type Harness, makeJournal, newId, OTHER_TAB, only, QUESTION, TAB } from './harness.ts';

export const recordStandingRules = new Chapter();
const { test } = recordStandingRules;

const closeAll = (h: Harness, askId: string): void => {
  for (let i = 0; i < 5; i += 1) h.journal.closeAsk(askId);
};
/** An id opened once on each of these tabs, with no handler left. */
function reusedOn(h: Harness, ...tabs: string[]): string {
  const askId = newId();
  for (const tab of tabs) h.open(tab, QUESTION, askId);
  closeAll(h, askId);
  return askId;
}

test('[J-R061] a ticket whose openings on the tab agree gives provenance', () => {
  const h = makeJournal();
  expect(h.late().provenance).toBe('ticket');
  expect(h.direct().provenance).toBe('ticket');
  expect(h.record(reusedOn(h, TAB, TAB)).provenance).toBe('ticket');
  const both = reusedOn(h, TAB, OTHER_TAB);
  expect(h.record(both, 'here', TAB)).toMatchObject({ provenance: 'ticket', key: TAB, state: 'pending' });
  expect(h.record(both, 'there', OTHER_TAB)).toMatchObject({ provenance: 'ticket', key: OTHER_TAB, state: 'pending' });
});

test('[J-R061] all openings of replaced conversations agree as well', () => {
  const h = makeJournal();
  const askId = reusedOn(h, TAB, TAB);
  h.journal.closeAsks(TAB);
  expect(h.record(askId)).toMatchObject({ provenance: 'ticket', retired: true });
});

test('[J-R061] no opening on the tab, a mixture, other occupants or a lost history give none', () => {
  const h = makeJournal({ resolver: true });
  h.occupants.set(TAB, 'ann').set(OTHER_TAB, 'ann').set('tab-three', 'ann');
  const elsewhere = h.record(reusedOn(h, OTHER_TAB, OTHER_TAB), 'a', TAB);

  const mixed = newId();
  h.open(TAB, QUESTION, mixed);
  h.journal.closeAsks(TAB);
  h.open(TAB, QUESTION, mixed);
  const mixture = h.record(mixed, 'b', TAB);

  const shared = newId();
  h.open('tab-three', QUESTION, shared);
  h.occupants.set('tab-three', 'bob');
  h.open('tab-three', QUESTION, shared);
  const occupants = h.record(shared, 'c', 'tab-three');

  const forgotten = h.late('d').askId;
  h.open(TAB, QUESTION, forgotten);
  closeAll(h, forgotten);
  const lost = h.record(forgotten, 'e', TAB);

  for (const entry of [elsewhere, mixture, occupants, lost]) {
    expect(entry).toMatchObject({ provenance: 'unknown', retired: false, delivery: 'none' });
    expect(h.journal.mayDisclose(entry)).toBe(false);
  }
});

test('[J-R061] an occupant seen at one opening and unknown at another disagree', () => {
  const h = makeJournal({ resolver: true });
  const askId = h.open();
  h.occupants.set(TAB, 'ann');
  h.open(TAB, QUESTION, askId);
  expect(h.record(askId).provenance).toBe('unknown');
});

test('[J-R061] a boundary or an occupant elsewhere does not matter to the openings of this tab', () => {
  const h = makeJournal({ resolver: true });
  h.occupants.set(TAB, 'ann').set(OTHER_TAB, 'bob');
  const askId = reusedOn(h, TAB, OTHER_TAB);
  h.journal.closeAsks(OTHER_TAB);
  expect(h.record(askId, 'a', TAB)).toMatchObject({ provenance: 'ticket', retired: false, incarnation: 'ann' });
});

test('[J-R062] without a ticket an earlier entry of known provenance on that tab vouches', () => {
  const h = makeJournal();
  const first = h.late('first');
  expect(h.record(first.askId, 'second')).toMatchObject({ provenance: 'sibling', key: TAB, state: 'pending' });
  expect(h.record(first.askId, 'third')).toMatchObject({ provenance: 'sibling', state: 'pending' });
  expect(h.record(first.askId, 'fourth', OTHER_TAB)).toMatchObject({ provenance: 'unknown', key: OTHER_TAB });

  const stray = h.record(newId(), 'stray');
  expect(stray.provenance).toBe('unknown');
  expect(h.record(stray.askId, 'again').provenance).toBe('unknown');
});

test('[J-R063] an attributable answer to a replaced conversation is born retired, and still matched', () => {
  for (const end of ['closeAsks', 'forget'] as const) {
    const h = makeJournal();
    const late = h.openAndClose();
    const awaited = h.open();
    h.journal[end](TAB);
    for (const askId of [late, awaited]) {
      expect(h.record(askId)).toMatchObject({
        retired: true,
        recoverable: false,
        question: QUESTION,
        correlation: { status: 'matched' },
        delivery: 'none',
        state: 'retired',
      });
    }
    expect(h.record(h.openAndClose()).retired).toBe(false);
  }
});

test('[J-R064] a reused id is judged by its openings on the tab of the entry', () => {
  const h = makeJournal();
  const askId = newId();
  h.open(TAB, QUESTION, askId);
  h.journal.closeAsks(TAB);
  h.open(OTHER_TAB, QUESTION, askId);
  closeAll(h, askId);
  expect(h.record(askId, 'stale', TAB)).toMatchObject({ provenance: 'ticket', retired: true, state: 'retired' });
  expect(h.record(askId, 'live', OTHER_TAB)).toMatchObject({ provenance: 'ticket', retired: false, state: 'pending' });

  const back = reusedOn(h, TAB, OTHER_TAB);
  h.journal.closeAsks(OTHER_TAB);
  expect(h.record(back, 'live', TAB).retired).toBe(false);
  expect(h.record(back, 'stale', OTHER_TAB).retired).toBe(true);
});

test('[J-R064] an answer vouched for by a retired sibling is born retired', () => {
  const h = makeJournal();
  const first = h.late('first');
  h.journal.closeAsks(TAB);
  expect(h.record(first.askId, 'second')).toMatchObject({ provenance: 'sibling', retired: true, delivery: 'none' });
});

test('[J-R065] the occupant is the one seen when the card was opened on the tab', () => {
  const h = makeJournal({ resolver: true });
  h.occupants.set(TAB, 'ann').set(OTHER_TAB, 'bob');
  const plain = h.openAndClose();
  const reused = reusedOn(h, TAB, OTHER_TAB);
  h.occupants.set(TAB, 'cat').set(OTHER_TAB, 'dan');
  expect(h.record(plain, 'a', OTHER_TAB)).toMatchObject({ key: TAB, incarnation: 'ann' });
  expect(h.record(reused, 'a', TAB).incarnation).toBe('ann');
  expect(h.record(reused, 'b', OTHER_TAB).incarnation).toBe('bob');
});

test('[J-R065] if that was unknown it is the one seen on arrival, on the tab of the entry', () => {
  const h = makeJournal({ resolver: true });
  const askId = h.openAndClose();
  h.occupants.set(TAB, 'ann').set(OTHER_TAB, 'bob');
  expect(h.record(askId, 'a', OTHER_TAB)).toMatchObject({ key: TAB, incarnation: 'ann' });
  expect(h.record(newId(), 'stray', OTHER_TAB).incarnation).toBe('bob');
  h.occupants.clear();
  expect(h.late('nobody').incarnation).toBeUndefined();
});

test('[J-R065] for a sibling it is that of the sibling', () => {
  const h = makeJournal({ resolver: true });
  h.occupants.set(TAB, 'ann');
  const first = h.late('first');
  h.occupants.set(TAB, 'bob');
  expect(h.record(first.askId, 'second')).toMatchObject({ provenance: 'sibling', incarnation: 'ann' });
});

test('[J-R066] place at birth: retired, then unknown provenance, then awaited, then pending', () => {
  const h = makeJournal();
  const stale = h.open();
  h.journal.closeAsks(TAB);
  const elsewhere = h.open(OTHER_TAB);
  h.open(OTHER_TAB, QUESTION, elsewhere);
  const half = h.open();
  h.open(TAB, QUESTION, half);
  h.journal.closeAsk(half);
  const place = (askId: string) => {
    const { delivery, channel, state } = h.record(askId, 'x', TAB);
    return [delivery, channel, state];
  };
  expect(place(stale)).toEqual(['none', 'none', 'retired']);
  expect(place(newId())).toEqual(['none', 'none', 'none']);
  expect(place(elsewhere)).toEqual(['none', 'none', 'none']);
  expect(place(h.open())).toEqual(['none', 'none', 'none']);
  expect(place(half)).toEqual(['none', 'none', 'none']);
  expect(place(h.openAndClose())).toEqual(['pending', 'none', 'pending']);
  expect(place(reusedOn(h, TAB, TAB))).toEqual(['pending', 'none', 'pending']);
});

test('[J-R066] an answer of unknown provenance is never armed later', () => {
  const h = makeJournal({ attacher: true });
  const askId = h.open(OTHER_TAB);
  h.open(OTHER_TAB, QUESTION, askId);
  const unknown = h.record(askId, 'x', TAB);
  closeAll(h, askId);
  h.journal.release(unknown.token);
  h.journal.markReturned(unknown.token);
  h.journal.release(unknown.token, { carrier: 'turn-1' });
  expect(h.entry(unknown.token)).toMatchObject({ provenance: 'unknown', delivery: 'none' });
  expect(h.deliver(TAB).offers).toEqual([]);
});

test('[J-R058] logs: a second answer is one warn with the id, the new text, and the old one', () => {
  const h = makeJournal();
  const askId = h.open();
  h.record(askId, 'old-text');
  expect(h.lines).toEqual([]);
  h.record(askId, 'new-text');
  const line = h.at('warn').find((text) => text.includes('old-text'));
  expect(line).toContain(askId.slice(0, 12));
  expect(line).toContain('new-text');
});

test('[J-R063] logs: an answer to a replaced conversation is a warn with the id, the tab and the text', () => {
  const h = makeJournal();
  const askId = h.openAndClose();
  h.journal.closeAsks(TAB);
  h.clear();
  h.record(askId, 'too-late-text');
  const line = only(h.lines);
  expect(line.level).toBe('warn');
  for (const part of [askId.slice(0, 8), TAB.slice(0, 8), 'too-late-text']) expect(line.text).toContain(part);
});

test('[J-R055] logs: an answer that is not attributed is a warn with the id, the cause and the text', () => {
  const h = makeJournal();
  const reused = h.open();
  h.open(TAB, QUESTION, reused);
  h.clear();
  const lineOf = (askId: string): string => {
    h.clear();
    h.record(askId, 'stray-text');
    const line = h.at('warn').find((text) => text.includes('stray-text')) ?? '';
    expect(line).toContain(askId.slice(0, 8));
    return line.replaceAll(askId, 'ID').replaceAll(askId.slice(0, 12), 'ID').replaceAll(askId.slice(0, 8), 'ID');
  };
  const missing = lineOf(newId());
  const other = lineOf(reused);
  expect(missing).toContain('stray-text');
  expect(other).toContain('stray-text');
  expect(other).not.toBe(missing);
});

test('[J-R036] logs: an unknown occupant where a resolver is wired is a warn with the tab and the text', () => {
  const h = makeJournal({ resolver: true });
  h.late('nobodys-text');
  const line = h.at('warn').find((text) => text.includes('nobodys-text'));
  expect(line).toContain(TAB.slice(0, 8));

  const unwired = makeJournal();
  unwired.late('nobodys-text');
  expect(unwired.lines).toEqual([]);
});

test('[J-R054] logs: an ordinary answer says nothing', () => {
  const h = makeJournal({ resolver: true });
  h.occupants.set(TAB, 'ann');
  h.late();
  h.direct();
  expect(h.lines).toEqual([]);
});
