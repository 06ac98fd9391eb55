/** deliverPending() when inject calls back into the journal. */

import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { at, type Entry, type Harness, makeJournal, OTHER_TAB, QUESTION, TAB } from './harness.ts';

export const deliverReentryRules = new Chapter();
const { test } = deliverReentryRules;

/** Delivers TAB; `inside` runs within each offer, before the answer `takes`. */
function deliverWith(
  h: Harness,
  inside: (token: string, n: number) => void,
  takes: (n: number) => boolean = () => true,
) {
  const tokens: string[] = [];
  const correlations: string[] = [];
  const result = h.journal.deliverPending(TAB, (payload, token) => {
    tokens.push(token);
    correlations.push(payload.ask_correlation);
    inside(token, tokens.length);
    return takes(tokens.length);
  });
  return { ...result, tokens, correlations };
}
const three = (h: Harness): [Entry, Entry, Entry] => [h.late('a'), h.late('b'), h.late('c')];
const number = (token: string): number => Number(token.slice(2));

test('[J-R114] after a boundary inside inject nothing more is offered and nothing is armed again', () => {
  for (const taken of [true, false]) {
    const h = makeJournal();
    const [a, b, c] = three(h);
    const result = deliverWith(
      h,
      (_, n) => n === 2 && h.journal.closeAsks(TAB),
      (n) => n === 1 || taken,
    );
    expect(result.tokens).toEqual([a.token, b.token]);
    for (const entry of [a, b, c]) {
      expect(h.entry(entry.token)).toMatchObject({ retired: true, state: 'retired', delivery: 'none' });
    }
    expect(h.deliver().offers).toEqual([]);
  }
});

test.each([true, false])(
  '[J-R114] [J-R190] one that was taken while a boundary fell is recalled (it works: %s), and the log says so',
  (works) => {
    const h = makeJournal({ revoker: works });
    const { token, answer } = h.late('taken too late');
    deliverWith(h, () => {
      h.journal.closeAsks(TAB);
      h.clear();
    });
    expect(h.revoked).toEqual([token]);
    expect(h.lines.map(({ level }) => level)).toEqual(['warn']);
    expect(h.at('warn')[0]).toContain(QUESTION);
    expect(h.at('warn')[0]?.includes(answer)).toBe(works);
  },
);

test('[J-R114] what is forgotten or displaced inside inject does not come back', () => {
  for (const taken of [true, false]) {
    const forgotten = makeJournal();
    const [a] = three(forgotten);
    const first = deliverWith(
      forgotten,
      () => forgotten.journal.forget(TAB),
      () => taken,
    );
    expect(first.tokens).toEqual([a.token]);
    expect(forgotten.entries()).toEqual([]);
    expect(forgotten.journal.hasOutstanding()).toBe(false);
  }
  const h = makeJournal({ limits: { entriesPerTab: 2 } });
  const [a, b] = [h.late('a'), h.late('b')];
  let c: Entry | undefined;
  const result = deliverWith(h, (_, n) => {
    if (n === 1) c = h.late('c');
  });
  expect(result.tokens).toEqual([a.token, b.token, c?.token]);
  expect(h.find(a.token)).toBeUndefined();
  expect(h.entries().map((entry) => entry.token)).toEqual([b.token, c?.token]);
});

test('[J-R114] losses that a displaced entry was about to display are shown by the next one', () => {
  const h = makeJournal({ limits: { entriesPerTab: 1 } });
  h.late('lost');
  h.late('displaced while it is offered');
  const dropped: (number | undefined)[] = [];
  h.journal.deliverPending(TAB, (payload) => {
    if (dropped.push(payload.dropped_answers) === 1) h.late('next');
    return true;
  });
  expect(dropped).toEqual([1, 2]);
  expect(h.journal.droppedFor(TAB)).toBe(2);
});

test('[J-R114] no entry is offered twice in one call, even if it is pending again', () => {
  const h = makeJournal();
  const [a, b, c] = three(h);
  const result = deliverWith(h, (token, n) => {
    if (n > 1) h.journal.release(a.token);
    if (token === c.token) h.journal.release(b.token);
  });
  expect(result.tokens).toEqual([a.token, b.token, c.token]);
  expect(h.journal.pending(TAB).map((entry) => entry.token)).toEqual([a.token, b.token]);
  expect(h.deliver().tokens).toEqual([a.token, b.token]);
});

test('[J-R114] a receipt inside a later offer is not overwritten', () => {
  const h = makeJournal();
  const [a, b, c] = three(h);
  deliverWith(h, (_, n) => n > 1 && h.journal.ack(a.token));
  expect(h.entry(a.token)).toMatchObject({ acked: true, state: 'acked', delivery: 'none' });
  expect([b, c].map((entry) => h.entry(entry.token).delivery)).toEqual(['handed_off', 'handed_off']);
});

test('[J-R114] the next entry is chosen from the state as it is then', () => {
  const occupant = makeJournal({ resolver: true });
  occupant.occupants.set(TAB, 'ann');
  const [a, b] = three(occupant);
  const left = deliverWith(occupant, (_, n) => n === 2 && occupant.occupants.set(TAB, 'bob'));
  expect(left.tokens).toEqual([a.token, b.token]);

  const blurred = makeJournal();
  const [d, e] = three(blurred);
  const worded = deliverWith(blurred, (token) => {
    if (token === d.token) blurred.open(OTHER_TAB, 'Which roof?', e.askId);
  });
  expect(worded.correlations).toEqual(['matched', 'foreign', 'matched']);

  const renamed = makeJournal();
  const [f, g, i] = three(renamed);
  expect(deliverWith(renamed, (_, n) => n === 1 && renamed.journal.moveKey(TAB, OTHER_TAB)).tokens).toEqual([f.token]);
  expect(renamed.entry(f.token)).toMatchObject({ key: OTHER_TAB, delivery: 'handed_off', attempts: 1 });
  expect(renamed.deliver(OTHER_TAB).tokens).toEqual([g.token, i.token]);
});

test('[J-R114] a ride made inside inject is not forgotten', () => {
  const h = makeJournal({ attacher: true, revoker: false });
  const entry = h.late();
  deliverWith(h, () => h.journal.markReturned(entry.token));
  expect(h.entry(entry.token)).toMatchObject({ returned: true, rides: ['turn-1'] });
  h.journal.ack(entry.token, { carrier: 'turn-1' });
  expect(h.entry(entry.token)).toMatchObject({ acked: true, delivery: 'none' });
});

test('[J-R114] [J-I13] tokens are offered in increasing order; an older entry armed meanwhile waits for the next call', () => {
  const h = makeJournal();
  const older = h.direct('older');
  const [a, b, c] = three(h);
  const result = deliverWith(h, (_, n) => n === 2 && h.journal.closeAsk(older.askId));
  expect(result.tokens).toEqual([a.token, b.token, c.token]);
  expect(result.tokens.map(number)).toEqual([...result.tokens.map(number)].sort((x, y) => x - y));
  expect(h.deliver().tokens).toEqual([older.token]);
});

test('[J-R115] a nested call for the same tab offers nothing, however often; the running call goes on', () => {
  const h = makeJournal();
  const tokens = three(h).map((entry) => entry.token);
  const nested: unknown[] = [];
  const result = deliverWith(h, () => {
    for (let i = 0; i < 2; i += 1) {
      nested.push(
        h.journal.deliverPending(TAB, () => {
          throw new Error('offered in a nested call');
        }),
      );
    }
  });
  expect(nested).toEqual(Array(6).fill({ delivered: 0, blockedOn: null }));
  expect(result).toMatchObject({ tokens, delivered: 3, blockedOn: null });
});

test('[J-R115] a nested call for another tab delivers', () => {
  const h = makeJournal();
  const [a, b] = [h.late('a'), h.late('b')];
  const there = h.late('there', OTHER_TAB);
  let inner: string[] = [];
  const result = deliverWith(h, (_, n) => {
    if (n === 1) inner = h.deliver(OTHER_TAB).tokens;
  });
  expect(inner).toEqual([there.token]);
  expect(result.tokens).toEqual([a.token, b.token]);
});

test('[J-R115] what becomes pending while a call runs is picked up by it, a flusher that delivers included', () => {
  const nested: unknown[] = [];
  const h = makeJournal({
    flusher: (key) => {
      if (started) nested.push(h.deliver(key).offers);
    },
  });
  let started = false;
  const a = h.late('a');
  started = true;
  const fresh: Entry[] = [];
  const result = deliverWith(h, (_, n) => {
    if (n <= 2) fresh.push(h.late(`recorded in offer ${n}`, TAB, QUESTION));
  });
  expect(result.tokens).toEqual([a.token, ...fresh.map((entry) => entry.token)]);
  expect(result.delivered).toBe(3);
  expect(nested).toEqual([[], []]);
  expect(h.journal.pending(TAB)).toEqual([]);
});

test('[J-R115] the tab is free again after the call, after a refusal and after a throw', () => {
  const h = makeJournal();
  const tokens = three(h).map((entry) => entry.token);
  expect(h.deliver(TAB, 1).tokens).toEqual(tokens.slice(0, 2));
  expect(() =>
    deliverWith(h, () => {
      throw new Error('planted');
    }),
  ).toThrow('planted');
  expect(h.deliver(TAB).tokens).toEqual(tokens.slice(1));
  expect(at(h.entries(), 2).attempts).toBe(1);
});
