import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { type Harness, makeJournal, newId, OTHER_TAB, print, QUESTION, TAB } from './harness.ts';

export const recoverRules = new Chapter();
const { test } = recoverRules;

const asked = print(QUESTION);
const found = (h: Harness, tab = TAB, fingerprint = asked, asker?: string): string | undefined => {
  const result = h.journal.recover(tab, fingerprint, asker);
  return result.status === 'recovered' ? result.entry.token : undefined;
};

test('[J-R093] it changes nothing, logs nothing, and calls only the resolver', () => {
  const h = makeJournal({ attacher: true, revoker: true, resolver: true });
  h.occupants.set(TAB, 'ann');
  h.late();
  h.queued('b');
  const asker = h.open();
  h.clear();
  const before = h.visible();
  h.journal.recover(TAB, asked, asker);
  h.journal.recover(TAB, 'nothing like it');
  h.journal.recover('tab-nobody-knows', asked);
  expect(h.calls.length).toBe(h.count('resolve'));
  expect(h.visible()).toEqual(before);
});

test('[J-R094] none exactly if no entry has this tab', () => {
  const h = makeJournal();
  const asker = h.open();
  expect(h.journal.recover(TAB, asked)).toEqual({ status: 'none' });
  h.late('elsewhere', OTHER_TAB);
  expect(h.journal.recover(TAB, asked)).toEqual({ status: 'none' });
  h.journal.closeAsks(TAB);
  expect(h.journal.recover(TAB, asked, asker)).toEqual({ status: 'none' });
  h.record(newId());
  expect(h.journal.recover(TAB, asked).status).toBe('unattributed');
  h.journal.forget(TAB);
  expect(h.journal.recover(TAB, asked)).toEqual({ status: 'none' });
});

test('[J-R095] the entry with this tab and fingerprint is recovered', () => {
  const h = makeJournal();
  const entry = h.late('green');
  h.late('other question', TAB, 'Which roof?');
  h.late('other tab', OTHER_TAB);
  expect(h.journal.recover(TAB, asked)).toEqual({ status: 'recovered', entry: h.entry(entry.token) });
  expect(found(h, TAB, print('Which door?'))).toBeUndefined();
  expect(found(h, 'tab-three')).toBeUndefined();
});

test("[J-R095] foreign, unlicensed, retired, unattributed or another occupant's entries are not", () => {
  const second = makeJournal();
  const first = second.late('first');
  second.record(first.askId, 'second');
  const retired = makeJournal();
  retired.late();
  retired.journal.closeAsks(TAB);
  const reopened = makeJournal();
  reopened.open(TAB, QUESTION, reopened.late().askId);
  const stray = makeJournal();
  stray.record(newId());
  const born = makeJournal();
  const stale = born.openAndClose();
  born.journal.closeAsks(TAB);
  born.record(stale);
  const other = makeJournal({ resolver: true });
  other.occupants.set(TAB, 'ann');
  other.late();
  other.occupants.set(TAB, 'bob');
  for (const h of [second, retired, reopened, stray, born, other]) {
    expect(h.journal.recover(TAB, asked).status).toBe('unattributed');
  }
  other.occupants.set(TAB, 'ann');
  expect(found(other)).toBeDefined();
});

test('[J-R095] an answer too old to recover is still disclosed', () => {
  const h = makeJournal();
  const entry = h.late();
  h.now += 600_001;
  expect(h.journal.recover(TAB, asked)).toEqual({
    status: 'unattributed',
    others: [h.entry(entry.token)],
    withheld: 0,
  });
});

test('[J-R096] a clock set back makes no age negative: what was just answered can be recovered', () => {
  const h = makeJournal();
  const entry = h.late();
  h.now -= 10_000_000;
  expect(found(h)).toBe(entry.token);
});

test('[J-R096] a clock set back makes no answer younger again', () => {
  const h = makeJournal();
  const old = h.late('old');
  h.now += 600_001;
  const recent = h.late('recent', TAB, 'Which roof?');
  h.now -= 600_001;
  expect(found(h)).toBeUndefined();
  expect(h.find(old.token)).toBeDefined();
  expect(found(h, TAB, print('Which roof?'))).toBe(recent.token);
});

test('[J-R097] an entry that is not eligible does not hide an earlier one that is', () => {
  const h = makeJournal();
  const good = h.late('good');
  const blurred = h.late('a');
  h.record(blurred.askId, 'b');
  expect(found(h)).toBe(good.token);
});

test('[J-R098] where the entry is in the pipeline, or what proof there is, does not matter', () => {
  const made = [
    (h: Harness) => h.direct(),
    (h: Harness) => h.late(),
    (h: Harness) => h.queued(),
    (h: Harness) => h.riding(),
    (h: Harness) => h.returned(),
    (h: Harness) => {
      const entry = h.queued();
      h.journal.ack(entry.token);
      return entry;
    },
  ];
  for (const make of made) {
    const h = makeJournal({ attacher: true });
    const entry = make(h);
    expect(found(h)).toBe(entry.token);
    expect(found(h, TAB, asked, entry.askId)).toBe(entry.token);
  }
});

test('[J-R099] with nothing eligible: those that may be shown, in arrival order, and the number of the rest', () => {
  const h = makeJournal({ resolver: true });
  h.occupants.set(TAB, 'ann');
  h.late('retired');
  h.journal.closeAsks(TAB);
  const first = h.late('first', TAB, 'Which roof?');
  h.record(newId(), 'stray');
  h.occupants.set(TAB, 'bob');
  h.late('bobs');
  h.occupants.set(TAB, 'ann');
  const second = h.record(first.askId, 'second');
  const third = h.direct('third', TAB, 'Which roof?');
  const result = h.journal.recover(TAB, asked);
  expect(result).toEqual({
    status: 'unattributed',
    others: [first, second, third].map((entry) => h.entry(entry.token)),
    withheld: 3,
  });
  h.occupants.delete(TAB);
  expect(h.journal.recover(TAB, asked)).toEqual({ status: 'unattributed', others: [], withheld: 6 });
});

test('[J-R100] an asker of a replaced conversation is given and shown nothing', () => {
  const h = makeJournal();
  const stale = h.open();
  h.journal.closeAsks(TAB);
  h.late('new');
  h.late('other', TAB, 'Which roof?');
  expect(h.journal.recover(TAB, asked, stale)).toEqual({ status: 'unattributed', others: [], withheld: 2 });
  expect(h.journal.recover(TAB, 'nothing like it', stale)).toEqual({ status: 'unattributed', others: [], withheld: 2 });
});

test('[J-R100] an asker that is live, or was never opened, recovers; one that cannot be vouched for does not', () => {
  const h = makeJournal({ limits: { tickets: 1 } });
  const gone = h.openAndClose(OTHER_TAB);
  const live = h.open();
  const entry = h.record(live);
  expect(h.journal.ticketFor(gone)).toBeUndefined();
  expect(found(h, TAB, asked, live)).toBe(entry.token);
  expect(found(h, TAB, asked, newId())).toBe(entry.token);
  expect(found(h, TAB, asked)).toBe(entry.token);
  expect(found(h, TAB, asked, gone)).toBeUndefined();
});
