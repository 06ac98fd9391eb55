/** markReturned() and markSurfaced() (journal.md 4.10, 4.11). */

import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { makeJournal, newId, OTHER_TAB, only, QUESTION, TAB } from './harness.ts';

export const markReturnedRules = new Chapter();
const { test } = markReturnedRules;

test('[J-R079] it sets returned, and the hint only on request; neither is ever cleared', () => {
  for (const attacher of [true, undefined] as const) {
    const h = makeJournal(attacher ? { attacher } : {});
    const entry = h.direct();
    h.journal.markReturned(entry.token);
    expect(h.entry(entry.token)).toMatchObject({ returned: true, replayHint: false });
    h.journal.markReturned(entry.token, { replay: false });
    expect(h.entry(entry.token).replayHint).toBe(false);
    h.journal.markReturned(entry.token, { replay: true });
    expect(h.entry(entry.token)).toMatchObject({ returned: true, replayHint: true });
    h.journal.markReturned(entry.token, { replay: false });
    h.journal.markReturned(entry.token);
    expect(h.entry(entry.token)).toMatchObject({ returned: true, replayHint: true });
  }
});

test('[J-R080] it concerns the named entry only', () => {
  const h = makeJournal({ attacher: true });
  const first = h.direct('first');
  const second = h.record(first.askId, 'second');
  h.journal.markReturned(second.token, { replay: true });
  expect(h.entry(first.token)).toMatchObject({ returned: false, replayHint: false, rides: [] });
  expect(only(h.attached)).toMatchObject({ token: second.token });
});

test('[J-R081] a retired entry attaches to no turn, and no turn can prove it', () => {
  const h = makeJournal({ attacher: true, revoker: true });
  for (const entry of [h.direct('a'), h.late('b'), h.queued('c', OTHER_TAB)]) {
    h.journal.closeAsks(entry.key);
    h.clear();
    h.journal.markReturned(entry.token, { replay: true });
    expect(h.attached).toEqual([]);
    expect(h.entry(entry.token)).toMatchObject({ returned: true, replayHint: true, rides: [], state: 'retired' });
    h.journal.ack(entry.token, { carrier: 'turn-1' });
    expect(h.entry(entry.token).acked).toBe(false);
  }
});

test('[J-R082] nor does one that another occupant, or nobody known, may be shown', () => {
  const h = makeJournal({ attacher: true, resolver: true });
  h.occupants.set(TAB, 'ann');
  const anns = h.late('anns');
  const nobodys = h.late('nobodys', OTHER_TAB);
  h.occupants.set(TAB, 'bob').set(OTHER_TAB, 'bob');
  for (const entry of [anns, nobodys]) {
    h.journal.markReturned(entry.token);
    expect(h.attached).toEqual([]);
    expect(h.entry(entry.token)).toMatchObject({ returned: true, rides: [], delivery: 'pending' });
    h.journal.ack(entry.token, { carrier: 'turn-1' });
    expect(h.entry(entry.token).acked).toBe(false);
  }
  h.occupants.set(TAB, 'ann');
  h.journal.markReturned(anns.token);
  expect(h.entry(anns.token).rides).toEqual(['turn-1']);
});

test('[J-R082] nor does one of unknown provenance', () => {
  const h = makeJournal({ attacher: true });
  const stray = h.record(newId());
  h.journal.markReturned(stray.token);
  expect(h.attached).toEqual([]);
  expect(h.entry(stray.token)).toMatchObject({ returned: true, rides: [], delivery: 'none' });
});

test('[J-R083] otherwise the attacher is called exactly once, with tab and token, ambiguous or not', () => {
  const h = makeJournal({ attacher: true });
  const first = h.direct('first', TAB);
  const second = h.record(first.askId, 'second');
  const acked = h.queued('acked', OTHER_TAB);
  h.journal.ack(acked.token);
  expect(second.ambiguousId).toBe(true);
  for (const entry of [first, second, acked, h.late('late')]) {
    h.clear();
    h.journal.markReturned(entry.token);
    expect(only(h.attached)).toEqual({ key: entry.key, token: entry.token, askId: undefined });
  }
});

test('[J-R083] the tab is the one the entry has now', () => {
  const h = makeJournal({ attacher: true });
  const entry = h.direct();
  h.journal.moveKey(TAB, OTHER_TAB);
  h.journal.markReturned(entry.token);
  expect(only(h.attached)).toMatchObject({ key: OTHER_TAB, token: entry.token });
});

test('[J-R084] the carrier is remembered as a ride and never looked up again', () => {
  const h = makeJournal({ attacher: true });
  const entry = h.direct();
  h.journal.markReturned(entry.token);
  h.turn = 'turn-2';
  h.journal.closeAsk(entry.askId);
  expect(h.entry(entry.token).rides).toEqual(['turn-1']);
  h.journal.markReturned(entry.token);
  expect(new Set(h.entry(entry.token).rides)).toEqual(new Set(['turn-1', 'turn-2']));
  h.turn = null;
  h.clear();
  h.journal.ack(entry.token, { carrier: 'turn-1' });
  expect(h.entry(entry.token).acked).toBe(true);
  expect(h.attached).toEqual([]);
});

test('[J-R085] with no carrier nothing is attached and nothing earlier is forgotten', () => {
  for (const none of [null, undefined]) {
    let turn: string | null | undefined = 'turn-1';
    const h = makeJournal({ attacher: () => turn as string | null, revoker: true });
    const direct = h.direct('none');
    h.journal.markReturned(direct.token);
    const list = [direct, h.late('pending'), h.riding('riding'), h.queued('queued', OTHER_TAB)];
    const before = list.map((entry) => h.entry(entry.token));
    turn = none;
    h.clear();
    for (const entry of list) h.journal.markReturned(entry.token);
    const after = list.map((entry) => h.entry(entry.token));
    expect(after).toEqual(before.map((entry) => ({ ...entry, returned: true })));
    expect(h.revoked).toEqual([]);
    expect(h.attached).toHaveLength(4);
  }
});

test('[J-R086] with a carrier a pending entry is suspended: it rides the result, and is not pushed', () => {
  const h = makeJournal({ attacher: true });
  const entry = h.late();
  h.journal.markReturned(entry.token);
  expect(h.entry(entry.token)).toMatchObject({
    delivery: 'handed_off',
    channel: 'result',
    state: 'handed_off',
    rides: ['turn-1'],
    returned: true,
    attempts: 0,
  });
  expect(h.deliver().offers).toEqual([]);
  h.journal.release(entry.token, { carrier: 'turn-1' });
  expect(h.deliver().tokens).toEqual([entry.token]);
});

/** A queue copy that displays one loss. */
function copyWithLoss(revoker: boolean) {
  const h = makeJournal({ attacher: true, revoker, limits: { entriesPerTab: 1 } });
  h.late('lost');
  const entry = h.queued('kept');
  expect(h.entry(entry.token)).toMatchObject({ shown: 1, channel: 'queue' });
  expect(h.journal.reportDropped(TAB)).toBe(0);
  h.clear();
  return { h, entry };
}

test('[J-R087] a queue copy is fetched back when the answer goes out in a result; its losses are owed again', () => {
  const { h, entry } = copyWithLoss(true);
  h.journal.markReturned(entry.token);
  expect(h.revoked).toEqual([entry.token]);
  expect(h.entry(entry.token)).toMatchObject({
    delivery: 'handed_off',
    channel: 'result',
    rides: ['turn-1'],
    shown: 0,
    copyOut: false,
  });
  expect(h.journal.droppedFor(TAB)).toBe(1);
  expect(h.journal.reportDropped(TAB)).toBe(1);
});

test('[J-R087] if it cannot be fetched back both hand-offs stay', () => {
  const { h, entry } = copyWithLoss(false);
  h.journal.markReturned(entry.token);
  expect(h.revoked).toEqual([entry.token]);
  expect(h.entry(entry.token)).toMatchObject({
    delivery: 'handed_off',
    channel: 'queue',
    rides: ['turn-1'],
    shown: 1,
  });
  expect(h.journal.reportDropped(TAB)).toBe(0);
});

test('[J-R087] only a queue copy is fetched back', () => {
  const h = makeJournal({ attacher: true, revoker: true });
  const riding = h.riding();
  h.turn = 'turn-2';
  for (const entry of [riding, h.direct(), h.late()]) h.journal.markReturned(entry.token);
  expect(h.revoked).toEqual([]);
  expect(new Set(h.entry(riding.token).rides)).toEqual(new Set(['turn-1', 'turn-2']));
});

test('[J-R088] an entry that is owed no push is owed none afterwards', () => {
  const h = makeJournal({ attacher: true });
  const entry = h.direct();
  h.journal.markReturned(entry.token);
  expect(h.entry(entry.token)).toMatchObject({ delivery: 'none', channel: 'none', state: 'none', rides: ['turn-1'] });
  h.journal.closeAsk(entry.askId);
  h.journal.release(entry.token, { carrier: 'turn-1' });
  expect(h.entry(entry.token)).toMatchObject({ delivery: 'none', state: 'none', rides: [] });
});

test('[J-R089] the ask whose result does the carrying reaches the attacher as third argument', () => {
  const h = makeJournal({ attacher: true, limits: { entriesPerTab: 1 } });
  h.late('lost');
  const entry = h.late();
  h.journal.markReturned(entry.token, { askId: 'pa-carrier-1' });
  h.journal.markReturned(entry.token, { replay: true, askId: 'pa-carrier-2' });
  h.journal.markSurfaced(entry.token, { askId: 'pa-carrier-3' });
  h.journal.reportDropped(TAB, { askId: 'pa-carrier-4' });
  h.journal.markReturned(entry.token);
  h.journal.markSurfaced(entry.token);
  h.journal.reportDropped(TAB);
  const ids = ['pa-carrier-1', 'pa-carrier-2', 'pa-carrier-3', 'pa-carrier-4', undefined, undefined, undefined];
  expect(h.attached.map((call) => call.askId)).toEqual(ids);
  expect(h.attached.every((call) => call.key === TAB)).toBe(true);
});

test('[J-R089] a host that says no for that ask attaches nothing', () => {
  const h = makeJournal({ attacher: (_key, _token, askId) => (askId === 'pa-old' ? null : 'turn-1') });
  const entry = h.late();
  h.journal.markReturned(entry.token, { askId: 'pa-old' });
  expect(h.entry(entry.token)).toMatchObject({ delivery: 'pending', rides: [], returned: true });
  h.journal.markReturned(entry.token, { askId: 'pa-new' });
  expect(h.entry(entry.token)).toMatchObject({ delivery: 'handed_off', rides: ['turn-1'] });
});

test('[J-R090] it logs nothing', () => {
  const h = makeJournal({ attacher: true, revoker: true, resolver: true });
  h.occupants.set(TAB, 'ann').set(OTHER_TAB, 'ann');
  const retired = h.late('retired', OTHER_TAB);
  h.journal.closeAsks(OTHER_TAB);
  const list = [retired, h.direct(), h.late(), h.queued(), h.riding(), h.late('x', OTHER_TAB)];
  h.clear();
  h.occupants.set(OTHER_TAB, 'bob');
  for (const entry of list) h.journal.markReturned(entry.token, { replay: true });
  expect(h.lines).toEqual([]);
});

test('[J-R091] markSurfaced is markReturned with the hint', () => {
  const run = (surfaced: boolean) => {
    const h = makeJournal({ attacher: true, revoker: true });
    const id = (n: number): string => `pa-same-in-both-${n}`;
    const list = [h.direct('a', TAB, QUESTION, id(1)), h.late('b', TAB, QUESTION, id(2))];
    list.push(h.queued('c', OTHER_TAB, QUESTION, id(3)), h.returned('d', OTHER_TAB, QUESTION, id(4)));
    h.clear();
    for (const { token } of list) {
      if (surfaced) h.journal.markSurfaced(token);
      else h.journal.markReturned(token, { replay: true });
    }
    const calls = [...h.calls];
    return { calls, visible: h.visible() };
  };
  expect(run(true)).toEqual(run(false));
});

test('[J-R091] what was surfaced stays on file and can be recovered again', () => {
  const h = makeJournal({ attacher: true });
  const entry = h.late();
  for (let i = 0; i < 3; i += 1) {
    const found = h.journal.recover(TAB, entry.fingerprint ?? '');
    expect(found).toMatchObject({ status: 'recovered', entry: { token: entry.token } });
    h.journal.markSurfaced(entry.token);
  }
});

test('[J-R092] whether it was shown before is to be read before surfacing', () => {
  const h = makeJournal({ attacher: true });
  const entry = h.late();
  const hint = (): boolean | undefined => {
    const found = h.journal.recover(TAB, entry.fingerprint ?? '');
    return found.status === 'recovered' ? found.entry.replayHint : undefined;
  };
  expect(hint()).toBe(false);
  h.journal.markSurfaced(entry.token);
  expect(hint()).toBe(true);
});
