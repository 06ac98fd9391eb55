import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { lose, makeDebtor, newText, unchanged, warn } from './debtor.ts';
import { makeJournal, OTHER_TAB, print, QUESTION, TAB } from './harness.ts';

export const releaseRules = new Chapter();
const { describe, test } = releaseRules;

test('[J-R130] a warning handed back settles nothing, and its receipt is worth nothing afterwards', () => {
  const h = makeDebtor();
  lose(h, 2);
  const { token } = warn(h, 'turn-a');
  h.journal.release(token, { carried: true });
  expect(h.journal.reportDropped(TAB)).toBe(2);
  h.journal.ack(token, { carrier: 'turn-a' });
  expect(h.journal.droppedFor(TAB)).toBe(2);
});

describe('an answer that rode a tool result', () => {
  test.each([false, true])('[J-R131] is not armed, counted or settled when it was none (carried: %s)', (carried) => {
    const h = makeJournal({ attacher: true, limits: { carriedReleases: 1 } });
    const { token } = h.returned();
    h.journal.release(token, { carried, carrier: 'turn-1' });
    expect(h.entry(token)).toMatchObject({ delivery: 'none', returned: true, acked: false, carriedReleases: 0 });
    expect(h.journal.hasOutstanding()).toBe(false);
  });

  test('[J-R132] is owed its push again when a result had taken it over', () => {
    const h = makeJournal({ attacher: true });
    const { token } = h.riding();
    expect(h.entry(token)).toMatchObject({ delivery: 'handed_off', channel: 'result' });
    h.journal.release(token, { carrier: 'turn-1' });
    expect(h.entry(token)).toMatchObject({ delivery: 'pending', rides: [] });
    expect(h.deliver().tokens).toEqual([token]);
  });

  test('[J-R133] the named ride is forgotten, and no other', () => {
    const h = makeJournal({ attacher: true });
    const { token } = h.returned();
    h.turn = 'turn-2';
    h.journal.markSurfaced(token);
    h.journal.release(token, { carrier: 'turn-1' });
    expect(h.entry(token).rides).toEqual(['turn-2']);
    h.journal.ack(token, { carrier: 'turn-1' });
    expect(h.entry(token).acked).toBe(false);
    h.journal.ack(token, { carrier: 'turn-2' });
    expect(h.entry(token).acked).toBe(true);
  });

  test('[J-R133] without a name the only ride is forgotten; of two none is', () => {
    const h = makeJournal({ attacher: true });
    const one = h.returned('one');
    const two = h.returned('two', OTHER_TAB);
    h.turn = 'turn-2';
    h.journal.markSurfaced(two.token);
    h.journal.release(one.token);
    h.journal.release(two.token);
    expect(h.entry(one.token).rides).toEqual([]);
    expect([...h.entry(two.token).rides].sort()).toEqual(['turn-1', 'turn-2']);
  });

  test('[J-R134] a named ride ends alone while a queue copy is out', () => {
    const h = makeJournal({ attacher: true, revoker: false });
    const { token } = h.queued();
    h.journal.markReturned(token);
    h.journal.release(token, { carried: true, carrier: 'turn-1' });
    expect(h.entry(token)).toMatchObject({
      delivery: 'handed_off',
      channel: 'queue',
      rides: [],
      carriedReleases: 0,
    });
  });

  test('[J-R134] without a name it is the queue copy that came back', () => {
    const h = makeJournal({ attacher: true, revoker: false });
    const { token } = h.queued();
    h.journal.markReturned(token);
    h.journal.release(token);
    expect(h.entry(token)).toMatchObject({ delivery: 'pending', channel: 'none' });
  });
});

describe('a queue copy beside a ride', () => {
  /** Pushed by a queue that names `copy`, or nobody; then returned in the turn `ride` of a host that cannot recall. */
  function both(copy: string | undefined, ride: string, limits = {}) {
    const h = makeJournal({ attacher: true, revoker: false, limits });
    const { token } = h.late();
    h.journal.deliverPending(TAB, () => (copy === undefined ? true : { carrier: copy }));
    h.turn = ride;
    h.journal.markReturned(token);
    expect(h.entry(token)).toMatchObject({ channel: 'queue', rides: [ride] });
    return { h, token };
  }
  const OUT = { delivery: 'handed_off', channel: 'queue' };
  const BACK = { delivery: 'pending', channel: 'none' };

  test.each([
    ['that names nobody', undefined, undefined],
    ['that names another turn', 'turn-q', 'turn-q'],
  ])('[J-R134] [J-I26] %s stays out, however often the ride is handed back, and is proven', (_what, copy, reader) => {
    const { h, token } = both(copy, 'turn-1');
    h.journal.release(token, { carrier: 'turn-1' });
    expect(h.entry(token)).toMatchObject({ ...OUT, rides: [] });
    const again = () => h.journal.release(token, { carrier: 'turn-1', carried: true });
    const { before, after } = unchanged(h, again);
    expect(after).toEqual(before);
    expect(h.deliver().tokens).toEqual([]);
    h.journal.ack(token, reader === undefined ? undefined : { carrier: reader });
    expect(h.entry(token)).toMatchObject({ acked: true });
  });

  test('[J-R134] [J-I26] of the very turn that has the ride ends with it, at once and once', () => {
    const { h, token } = both('turn-1', 'turn-1');
    h.journal.release(token, { carrier: 'turn-1', carried: true });
    expect(h.entry(token)).toMatchObject({ ...BACK, rides: [], carriedReleases: 1 });
    const { before, after } = unchanged(h, () => h.journal.release(token, { carrier: 'turn-1', carried: true }));
    expect(after).toEqual(before);
  });

  test.each([
    ['with the name the queue gave', 'turn-q', { carrier: 'turn-q' }],
    ['with no name, where the queue gave one', 'turn-q', undefined],
    ['with the name of whoever read it, where the queue gave none', undefined, { carrier: 'the-reader' }],
  ])('[J-R134] [J-R135] is handed back %s', (_how, copy, options) => {
    const { h, token } = both(copy, 'turn-1');
    h.journal.release(token, options);
    expect(h.entry(token)).toMatchObject(BACK);
    expect(h.deliver().tokens).toEqual([token]);
  });

  test.each([false, true])('[J-R134] that names a turn is no stranger to hand back (carried: %s)', (carried) => {
    const { h, token } = both('turn-q', 'turn-1', { carriedReleases: 1 });
    const { before, after } = unchanged(h, () => h.journal.release(token, { carrier: 'a-stranger', carried }));
    expect(after).toEqual(before);
    expect(h.entry(token)).toMatchObject({ ...OUT, rides: ['turn-1'] });
  });

  test('[J-R134] [J-R139] [J-I26] may still be read after a boundary, however often the ride is handed back', () => {
    const { h, token } = both(undefined, 'turn-1');
    h.journal.closeAsks(TAB);
    for (let i = 0; i < 2; i++) h.journal.release(token, { carrier: 'turn-1' });
    expect(h.entry(token)).toMatchObject({ retired: true, copyOut: true, rides: [] });
    h.journal.ack(token);
    expect(h.entry(token)).toMatchObject({ retired: true, acked: true });
  });

  test('[J-R134] is a new one when it was pushed again: what ended beside the last one says nothing of it', () => {
    const { h, token } = both(undefined, 'turn-1');
    h.journal.release(token, { carrier: 'turn-1' });
    h.journal.release(token);
    expect(h.deliver().tokens).toEqual([token]);
    h.journal.release(token, { carrier: 'turn-1' });
    expect(h.entry(token)).toMatchObject(BACK);
  });

  test('[J-R136] [J-I26] is settled by the bound once, and its ride has ended with it', () => {
    const { h, token } = both(undefined, 'turn-1', { carriedReleases: 1 });
    h.journal.release(token, { carried: true });
    expect(h.entry(token)).toMatchObject({ acked: true, rides: [] });
    const { before, after } = unchanged(h, () => h.journal.release(token, { carried: true }));
    expect(after).toEqual(before);
  });
});

describe('an answer that a bound took while a ride and a queue copy were out', () => {
  function lost() {
    const h = makeDebtor({ revoker: false });
    const { token } = h.queued(newText());
    h.journal.markReturned(token);
    h.late(newText());
    expect(h.journal.droppedFor(TAB)).toBe(1);
    return { h, token };
  }

  test('[J-R129] [J-I26] is proven by its copy after its ride was handed back twice', () => {
    const { h, token } = lost();
    for (let i = 0; i < 2; i++) h.journal.release(token, { carrier: 'turn-1' });
    h.journal.ack(token, { carrier: 'turn-1' });
    expect(h.journal.droppedFor(TAB)).toBe(0);
  });

  test('[J-R129] [J-R133] is proven by its ride after a stranger handed back its copy', () => {
    const { h, token } = lost();
    for (let i = 0; i < 2; i++) h.journal.release(token, { carrier: 'the-reader' });
    h.journal.ack(token, { carrier: 'the-reader' });
    expect(h.journal.droppedFor(TAB)).toBe(1);
    h.journal.ack(token, { carrier: 'turn-1' });
    expect(h.journal.droppedFor(TAB)).toBe(0);
  });

  test('[J-R129] [J-R133] is proven by nobody once a hand-back without a name has ended both', () => {
    const { h, token } = lost();
    h.journal.release(token);
    h.journal.ack(token);
    h.journal.ack(token, { carrier: 'turn-1' });
    expect(h.journal.droppedFor(TAB)).toBe(1);
  });

  const STILL: readonly [what: string, back: readonly (string | undefined)[], receipt: string, owed: number][] = [
    ['by its ride', [], 'turn-1', 0],
    ['by its copy after its ride was handed back twice', ['turn-1', 'turn-1'], 'turn-1', 0],
    ['not by its copy after a stranger handed it back', ['the-reader'], 'the-reader', 1],
    ['by its ride after a stranger handed back its copy', ['the-reader'], 'turn-1', 0],
    ['by nobody after a hand-back without a name', [undefined], 'turn-1', 1],
  ];

  test.each(STILL)(
    '[J-R129] [J-R133] [J-R211] is proven while its loss is displayed: %s',
    (_what, back, receipt, owed) => {
      const { h, token } = lost();
      const [shower] = h.deliver().tokens;
      expect(h.journal.reportDropped(TAB)).toBe(0);
      for (const carrier of back) h.journal.release(token, carrier === undefined ? {} : { carrier });
      h.journal.ack(token, { carrier: receipt });
      h.journal.release(shower ?? '');
      expect(h.journal.droppedFor(TAB)).toBe(owed);
    },
  );

  test('[J-R129] [J-R133] [J-R211] of a ride alone, which is handed back while the loss is displayed, nothing is proven', () => {
    const h = makeDebtor({ revoker: false });
    const { token } = h.riding(newText());
    h.late(newText());
    const [shower] = h.deliver().tokens;
    h.journal.release(token, { carrier: 'turn-1' });
    h.journal.ack(token, { carrier: 'turn-1' });
    h.journal.release(shower ?? '');
    expect(h.journal.droppedFor(TAB)).toBe(1);
  });
});

describe('a queue copy', () => {
  test('[J-R135] handed back is pending, and the losses it displayed are owed again', () => {
    const h = makeDebtor();
    const { token } = lose(h, 2);
    h.deliver();
    expect(h.journal.reportDropped(TAB)).toBe(0);
    h.journal.release(token);
    expect(h.entry(token)).toMatchObject({ delivery: 'pending', channel: 'none', shown: 0 });
    expect(h.journal.reportDropped(TAB)).toBe(2);
    expect(h.deliver().offers[0]?.payload).toMatchObject({ dropped_answers: 2, replayed: true });
  });

  test('[J-R136] is settled as read on the third carried hand-back, with what it displayed', () => {
    const h = makeDebtor();
    const { token } = lose(h, 2);
    for (const count of [1, 2]) {
      h.deliver();
      h.journal.release(token, { carried: true });
      expect(h.entry(token)).toMatchObject({ delivery: 'pending', carriedReleases: count, acked: false });
    }
    h.deliver();
    h.clear();
    h.journal.release(token, { carried: true });
    expect(h.entry(token)).toMatchObject({ acked: true, returned: true, replayHint: true, delivery: 'none' });
    expect(h.journal.droppedFor(TAB)).toBe(0);
    expect(h.lines.map((line) => line.level)).toEqual(['warn']);
  });

  test('[J-R136] rides have no say in that', () => {
    const h = makeJournal({ attacher: true, revoker: false });
    const { token } = h.late();
    for (let i = 0; i < 3; i++) {
      h.deliver();
      h.journal.markReturned(token);
      h.journal.release(token, { carried: true });
      h.turn = `turn-${i + 2}`;
    }
    expect(h.entry(token)).toMatchObject({ acked: true, delivery: 'none' });
  });

  test('[J-R136] the number of hand-backs is a bound that can be set', () => {
    const h = makeJournal({ limits: { carriedReleases: 1 } });
    const { token } = h.queued();
    h.journal.release(token, { carried: true });
    expect(h.entry(token).acked).toBe(true);
  });

  test('[J-R137] not carried, hand-backs never count', () => {
    const h = makeJournal();
    const { token } = h.late();
    for (let i = 0; i < 20; i++) {
      h.deliver();
      h.journal.release(token, i % 2 === 0 ? {} : { carried: false });
    }
    expect(h.entry(token)).toMatchObject({ delivery: 'pending', carriedReleases: 0, replayHint: false, attempts: 20 });
  });

  test('[J-R138] carried, it says of itself from now on that it was seen before', () => {
    const h = makeJournal();
    const { token } = h.queued();
    expect(h.entry(token).replayHint).toBe(false);
    h.journal.release(token, { carried: true });
    expect(h.entry(token).replayHint).toBe(true);
    expect(h.deliver().offers[0]?.payload).toMatchObject({ possible_repeat: true });
  });
});

test('[J-R139] a retired answer is never armed, whatever comes back', () => {
  const h = makeJournal({ attacher: true, revoker: false });
  const queued = h.queued('queued');
  const riding = h.riding('riding');
  const returned = h.returned('returned');
  h.journal.closeAsks(TAB);
  for (const { token } of [queued, riding, returned]) {
    h.journal.release(token, { carried: true });
    h.journal.release(token, { carrier: 'turn-1' });
    expect(h.entry(token)).toMatchObject({ retired: true, delivery: 'none', acked: false });
  }
  expect(h.deliver().tokens).toEqual([]);
  h.journal.ack(queued.token);
  expect(h.entry(queued.token).acked).toBe(false);
});

test('[J-R140] with no hand-off outstanding nothing changes: none, pending, acked, retired', () => {
  const h = makeJournal({ attacher: true });
  const direct = h.direct('direct');
  const pending = h.late('pending', OTHER_TAB);
  const acked = h.queued('acked', 'tab-three');
  h.journal.ack(acked.token);
  const retired = h.late('retired', 'tab-four');
  h.journal.closeAsks('tab-four');
  h.clear();
  for (const { token } of [direct, pending, acked, retired]) {
    for (const options of [undefined, { carried: true }, { carrier: 'turn-1' }]) {
      const { before, after } = unchanged(h, () => h.journal.release(token, options));
      expect(after).toEqual(before);
    }
  }
  expect(h.calls).toEqual([]);
});

test('[J-R141] no hand-back calls the flusher', () => {
  const h = makeDebtor({ revoker: false });
  const queued = h.queued(newText());
  const riding = h.riding(newText(), OTHER_TAB);
  lose(h, 1, 'tab-three');
  const footnote = warn(h, 'turn-a', 'tab-three');
  h.clear();
  h.journal.release(queued.token);
  h.journal.release(riding.token, { carrier: 'turn-1' });
  h.journal.release(footnote.token);
  expect(h.flushed).toEqual([]);
  expect(h.journal.pending(TAB).length + h.journal.pending(OTHER_TAB).length).toBe(2);
  expect(h.journal.recover(TAB, print(QUESTION)).status).toBe('recovered');
});
