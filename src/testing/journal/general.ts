/** What holds for every operation (journal.md 4.1). Failing callbacks and loggers: faults.test.ts. */

import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { at, type Harness, makeJournal, newId, OTHER_TAB, only, PREFIX, print, QUESTION, TAB } from './harness.ts';

export const generalRules = new Chapter();
const { test } = generalRules;

/** A bit of everything: answers in every state, a loss, a boundary, a rename, a receipt. */
export function lifeOf(h: Harness): void {
  h.occupants.set(TAB, 'ann').set(OTHER_TAB, 'ann');
  const queued = h.queued('queued');
  const riding = h.riding('riding');
  h.record(queued.askId, 'changed');
  h.open(TAB, QUESTION, riding.askId);
  h.returned('returned');
  for (let i = 0; i < 4; i += 1) h.late(`late-${i}`, OTHER_TAB);
  h.journal.reportDropped(OTHER_TAB);
  h.journal.ack(queued.token);
  h.journal.ack(riding.token, { carrier: 'someone else' });
  h.journal.release(riding.token, { carrier: 'turn-1' });
  h.record(newId(), 'stray');
  h.journal.closeAsks(OTHER_TAB);
  h.journal.moveKey(OTHER_TAB, 'tab-three');
  h.journal.retireDebt(TAB, 'ann');
  h.journal.recover(TAB, print(QUESTION), queued.askId);
  h.deliver();
}
const crowded = () => makeJournal({ attacher: true, resolver: true, revoker: false, limits: { entriesPerTab: 3 } });

test('[J-R001] nothing ever leaves because time has passed', () => {
  const h = crowded();
  lifeOf(h);
  const before = h.visible();
  h.clear();
  h.now += 100 * 365 * 86_400_000;
  h.journal.recover(TAB, print(QUESTION));
  expect(h.count('log', 'flush', 'revoke', 'attach')).toBe(0);
  expect(h.visible()).toEqual(before);
});

test('[J-R149] [J-R178] a line has words, and names a tab by the beginning of its key, never by the whole of it', () => {
  const limits = { entriesPerTab: 3, carriedReleases: 1 };
  const h = makeJournal({ attacher: true, resolver: true, revoker: true, limits });
  lifeOf(h);
  h.clear();
  h.journal.release(h.queued('settled by the bound').token, { carried: true });
  expect(h.at('warn').filter((text) => /read/i.test(text))).toHaveLength(1);
  for (let i = 0; i < 4; i += 1) h.journal.ack(h.returned(`read-${i}`).token, { carrier: 'turn-1' });
  h.failAt(1, 'resolve');
  h.late('not to be placed');
  h.heal();
  for (const tab of [TAB, OTHER_TAB]) {
    h.late('owed', tab);
    h.journal.closeAsks(tab);
    for (let i = 0; i < 4; i += 1) h.late(`later-${i}`, tab);
    h.journal.forget(tab);
  }
  const said = h.lines.map(({ text }) => text);
  expect(said.filter((text) => text.includes(TAB.slice(0, 8))).length).toBeGreaterThan(5);
  expect(said.filter((text) => !/\w+ \w+/.test(text.replace(PREFIX, '')))).toEqual([]);
  expect(said.filter((text) => text.includes(TAB) || text.includes(OTHER_TAB))).toEqual([]);
});

test('[J-R002] an id, token or tab nobody knows changes nothing, logs nothing and does not throw', () => {
  const h = crowded();
  for (const populate of [false, true]) {
    if (populate) lifeOf(h);
    h.clear();
    const names = ['pa-nobody', 'aa999999', 'aad999999', '', 'tab-nobody', '__proto__', 'constructor', 'aa', 'aad'];
    for (const name of names) h.tabs.add(`${name}-tab`);
    const before = h.visible();
    const { journal } = h;
    for (const name of names) {
      expect(journal.closeAsk(name)).toBeNull();
      journal.markReturned(name, { replay: true });
      journal.markSurfaced(name);
      journal.ack(name);
      journal.ack(name, { carrier: 'turn-1' });
      journal.release(name);
      journal.release(name, { carried: true, carrier: 'turn-1' });
      journal.closeAsks(`${name}-tab`);
      journal.forget(`${name}-tab`);
      journal.moveKey(`${name}-tab`, TAB);
      journal.retireDebt(`${name}-tab`, 'ann');
    }
    expect(h.count('log', 'flush', 'attach', 'revoke')).toBe(0);
    expect(h.visible()).toEqual(before);
  }
});

test('[J-R002] closeAsks and forget raise the epoch of a tab they do not know', () => {
  const h = makeJournal();
  h.journal.closeAsks('tab-new');
  expect(h.journal.ticketFor(h.open('tab-new'))?.epoch).toBe(1);
  h.journal.forget('tab-newer');
  h.journal.forget('tab-newer');
  expect(h.journal.ticketFor(h.open('tab-newer'))?.epoch).toBe(2);
  expect(h.calls).toEqual([]);
});

test('[J-R003] all four callbacks are optional', () => {
  const h = makeJournal({ flusher: false });
  const entry = h.late();
  expect(h.entry(entry.token).delivery).toBe('pending');
  h.journal.markReturned(entry.token);
  expect(h.entry(entry.token)).toMatchObject({ delivery: 'pending', rides: [], returned: true });
  expect(h.deliver().tokens).toEqual([entry.token]);
  h.open(TAB, QUESTION, entry.askId);
  expect(h.entry(entry.token)).toMatchObject({ delivery: 'handed_off', channel: 'queue' });
  h.journal.closeAsks(TAB);
  expect(h.entry(entry.token)).toMatchObject({ retired: true, copyOut: true });
  expect(h.calls.every((call) => call.kind === 'log')).toBe(true);
});

test('[J-R004] each setter replaces the previous callback; reset keeps the callbacks', () => {
  const { journal, calls } = makeJournal({ attacher: true, revoker: true, resolver: () => 'ann' });
  const seen: string[] = [];
  journal.setFlusher((key) => seen.push(`flush ${key}`));
  journal.setRevoker((key, token) => seen.push(`revoke ${key} ${token}`) > 0);
  journal.setTurnAttacher((key, token) => `turn for ${key} ${token} ${seen.push('attach')}`);
  journal.setIncarnationResolver((key) => (seen.push(`resolve ${key}`) > 0 ? 'bob' : undefined));
  for (let round = 0; round < 2; round += 1) {
    seen.length = 0;
    const askId = newId();
    journal.openAsk(askId, { tabId: TAB, fingerprint: 'f', question: QUESTION });
    journal.closeAsk(askId);
    const { token, incarnation } = journal.record(askId, 'x', { tabId: TAB });
    expect(incarnation).toBe('bob');
    journal.deliverPending(TAB, () => true);
    journal.markReturned(token);
    for (const call of [`flush ${TAB}`, `revoke ${TAB} ${token}`, 'attach', `resolve ${TAB}`])
      expect(seen).toContain(call);
    journal.reset();
  }
  expect(calls.filter((call) => call.kind !== 'log')).toEqual([]);
});

test('[J-R011] time comes from the one clock, and no order comes from time', () => {
  const h = makeJournal();
  const stamps = [5_000, 3_000, 9_000, 1_000];
  const tokens = stamps.map((stamp) => {
    h.now = stamp;
    return h.late(String(stamp)).token;
  });
  expect(h.journal.entriesFor(TAB).map((entry) => entry.answeredAt)).toEqual(stamps);
  expect(h.journal.entriesFor(TAB).map((entry) => entry.token)).toEqual(tokens);
  expect(h.deliver().tokens).toEqual(tokens);

  const bounded = makeJournal({ limits: { entriesPerTab: 2 } });
  for (const stamp of [9_000, 5_000, 1_000]) {
    bounded.now = stamp;
    bounded.late(String(stamp));
  }
  expect(bounded.entries().map((entry) => entry.answer)).toEqual(['5000', '1000']);
});

test('[J-R012] entry and warning tokens share one counter that starts at 1 and grows by 1', () => {
  const h = makeJournal({ attacher: true, limits: { entriesPerTab: 1 } });
  expect(h.late().token).toBe('aa1');
  expect(h.late().token).toBe('aa2');
  h.journal.reportDropped(TAB);
  expect(only(h.attached).token).toBe('aad3');
  h.turn = null;
  h.journal.reportDropped(TAB);
  expect(at(h.attached, 1).token).toBe('aad4');
  expect(h.record(newId()).token).toBe('aa5');
});

test('[J-R012] a collapsed answer takes no number, and two journals count apart', () => {
  const h = makeJournal();
  const first = h.direct('same');
  h.record(first.askId, 'same');
  expect(h.late().token).toBe('aa2');
  expect(makeJournal().late().token).toBe('aa1');
});

test('[J-R013] reset does not restart the counter', () => {
  const h = makeJournal();
  h.late();
  h.late();
  h.journal.reset();
  expect(h.entries()).toEqual([]);
  expect(h.late().token).toBe('aa3');
});

test('[J-R014] every list is in arrival order, and renaming does not disturb it', () => {
  const h = makeJournal();
  const tokens = [TAB, OTHER_TAB, TAB, OTHER_TAB, TAB].map((tab, i) => h.late(String(i), tab, `Question ${i}?`).token);
  const { journal } = h;
  const moves: [string, string][] = [
    [OTHER_TAB, TAB],
    [TAB, 'tab-three'],
    ['tab-three', OTHER_TAB],
  ];
  expect(journal.allOutstanding().map((entry) => entry.token)).toEqual(tokens);
  for (const [from, to] of moves) {
    journal.moveKey(from, to);
    const found = journal.recover(to, 'nothing like it');
    const lists = [journal.entriesFor(to), journal.orphansFor(to), journal.pending(to), journal.allOutstanding()];
    const others = found.status === 'unattributed' ? found.others : [];
    for (const list of [...lists, others]) expect(list.map((entry) => entry.token)).toEqual(tokens);
  }
  expect(h.deliver(OTHER_TAB).tokens).toEqual(tokens);
});

test('[J-R015] what is handed out is read-only, and is not the journal itself', () => {
  const h = makeJournal({ attacher: true });
  const entry = h.riding();
  const ticket = h.journal.ticketFor(h.open());
  for (const part of [entry, entry.rides, entry.correlation, ticket, ticket?.openings, ticket?.openings[0]]) {
    expect(Object.isFrozen(part)).toBe(true);
  }
  const before = h.visible();
  expect(() => Object.assign(entry, { answer: 'forged' })).toThrow(TypeError);
  for (const list of [h.journal.entriesFor(TAB), h.journal.allOutstanding(), h.journal.orphansFor(TAB)]) {
    try {
      (list as unknown[]).length = 0;
    } catch {
      // A frozen list refuses, which is as good.
    }
  }
  expect(h.visible()).toEqual(before);
});

test('[J-R015] a view does not change when the entry or the ticket does', () => {
  const h = makeJournal();
  const entry = h.late();
  const ticket = h.journal.ticketFor(h.open());
  h.deliver();
  h.journal.closeAsks(TAB);
  h.journal.closeAsk(ticket?.askId ?? '');
  expect(entry).toMatchObject({ delivery: 'pending', retired: false, state: 'pending' });
  expect(ticket?.awaiting).toBe(true);
});

test('[J-R016] every bound and the clock can be set at construction', () => {
  const tickets = makeJournal({ limits: { tickets: 2 } });
  const asks = [tickets.open(), tickets.open(), tickets.open()];
  expect(asks.map((askId) => tickets.journal.ticketFor(askId) !== undefined)).toEqual([false, true, true]);

  const perTab = makeJournal({ limits: { entriesPerTab: 2 } });
  for (let i = 0; i < 3; i += 1) perTab.late(String(i));
  expect(perTab.entries()).toHaveLength(2);

  const total = makeJournal({ limits: { entriesTotal: 2 } });
  for (let i = 0; i < 3; i += 1) total.late(String(i), `tab-${i}`);
  expect(total.entries()).toHaveLength(2);

  const window = makeJournal({ limits: { recoverForMs: 10 } });
  const { fingerprint, token } = window.late();
  window.now += 10;
  expect(window.journal.recover(TAB, fingerprint ?? '').status).toBe('recovered');
  window.now += 1;
  expect(window.journal.recover(TAB, fingerprint ?? '').status).toBe('unattributed');
  expect(window.entry(token).answeredAt).toBe(window.now - 11);

  const carried = makeJournal({ limits: { carriedReleases: 1 } });
  const entry = carried.queued();
  carried.journal.release(entry.token, { carried: true });
  expect(carried.entry(entry.token).acked).toBe(true);
});

test('[J-R016] a bound left out keeps its value', () => {
  const h = makeJournal({ limits: { tickets: 5_000 } });
  for (let i = 0; i < 49; i += 1) h.late(String(i));
  expect(h.entries()).toHaveLength(48);
  const entry = h.queued('x', OTHER_TAB);
  for (const acked of [false, false, true]) {
    h.journal.release(entry.token, { carried: true });
    expect(h.entry(entry.token).acked).toBe(acked);
    h.deliver(OTHER_TAB);
  }
});

test('[J-R010] every line starts with the prefix that names the journal', () => {
  const h = crowded();
  lifeOf(h);
  h.journal.forget('tab-three');
  expect(h.lines.length).toBeGreaterThan(8);
  for (const line of h.lines) expect(line.text.startsWith(PREFIX)).toBe(true);
});
