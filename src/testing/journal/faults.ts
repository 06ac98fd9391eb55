/** Loggers and callbacks that throw, at the n-th call, for every n until the operation completes untouched (4.1). */

import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import {
  type CallKind,
  type Harness,
  type HarnessOptions,
  makeJournal,
  OTHER_TAB,
  only,
  QUESTION,
  TAB,
} from './harness.ts';

export const faultsRules = new Chapter();
const { test } = faultsRules;

const id = (n: number): string => `pa-${n}${n}${n}${n}-fixed`;
/** Sets the stage and returns the operation that is put to the test. */
type Scene = (h: Harness) => () => unknown;

const scenes: Record<string, { options?: HarnessOptions; scene: Scene }> = {
  'openAsk, a reopening': {
    scene: (h) => {
      h.record(h.late('a', TAB, QUESTION, id(1)).askId, 'b');
      return () => h.open(TAB, 'Another?', id(1));
    },
  },
  'openAsk, a reopening that fetches a copy back and displaces a ticket': {
    options: { revoker: true, limits: { tickets: 1 } },
    scene: (h) => {
      h.queued('a', TAB, QUESTION, id(1));
      h.open(OTHER_TAB, QUESTION, id(2));
      return () => h.open(TAB, 'Another?', id(1));
    },
  },
  'record, a second answer that fetches a copy back': {
    options: { revoker: true },
    scene: (h) => {
      h.queued('a', TAB, QUESTION, id(1));
      return () => h.record(id(1), 'b');
    },
  },
  'record, an answer to a replaced conversation that is its own victim': {
    options: { limits: { entriesPerTab: 1 } },
    scene: (h) => {
      h.open(TAB, QUESTION, id(1));
      h.journal.closeAsks(TAB);
      h.late('live', TAB, QUESTION, id(2));
      return () => h.record(id(1), 'stale');
    },
  },
  'record, a stray of an unknown occupant that displaces a live answer': {
    options: { resolver: true, revoker: false, limits: { entriesPerTab: 1 } },
    scene: (h) => {
      h.occupants.set(TAB, 'ann');
      h.queued('displaced', TAB, QUESTION, id(1));
      h.occupants.delete(TAB);
      return () => h.record(id(2), 'stray');
    },
  },
  'record, displacing an acked answer': {
    options: { limits: { entriesTotal: 1 } },
    scene: (h) => {
      h.journal.ack(h.queued('read', TAB, QUESTION, id(1)).token);
      h.openAndClose(OTHER_TAB, QUESTION, id(2));
      return () => h.record(id(2), 'new', OTHER_TAB);
    },
  },
  'closeAsks, with copies, pending answers and rides': {
    options: { attacher: true, revoker: (_key, token) => token !== 'aa1' },
    scene: (h) => {
      h.queued('stays', TAB, QUESTION, id(1));
      h.queued('fetched', TAB, QUESTION, id(2));
      h.riding('rides', TAB, QUESTION, id(3));
      h.late('pending', TAB, QUESTION, id(4));
      h.direct('awaited', TAB, QUESTION, id(5));
      return () => h.journal.closeAsks(TAB);
    },
  },
  'ack, refused for an answer': {
    scene: (h) => {
      const { token } = h.late('a', TAB, QUESTION, id(1));
      return () => h.journal.ack(token, { carrier: 'nobody' });
    },
  },
  'ack, refused for a warning': {
    options: { attacher: true, limits: { entriesPerTab: 1 } },
    scene: (h) => {
      h.late('lost', TAB, QUESTION, id(1));
      h.late('kept', TAB, QUESTION, id(2));
      h.journal.reportDropped(TAB);
      return () => h.journal.ack('aad3', { carrier: 'nobody' });
    },
  },
  'release, the carried one that settles': {
    options: { limits: { carriedReleases: 1 } },
    scene: (h) => {
      const { token } = h.queued('a', TAB, QUESTION, id(1));
      return () => h.journal.release(token, { carried: true });
    },
  },
  'retireDebt, with answers still on their way and nothing lost': {
    options: { resolver: true },
    scene: (h) => {
      h.occupants.set(TAB, 'ann');
      h.queued('queued', TAB, QUESTION, id(1));
      h.late('pending', TAB, QUESTION, id(2));
      return () => h.journal.retireDebt(TAB, 'ann');
    },
  },
  'moveKey, onto a full tab': {
    options: { limits: { entriesPerTab: 1 } },
    scene: (h) => {
      h.late('here', TAB, QUESTION, id(1));
      h.late('there', OTHER_TAB, QUESTION, id(2));
      return () => h.journal.moveKey(TAB, OTHER_TAB);
    },
  },
};

/** Runs the operation with the n-th call of one kind failing (0: none). */
function run(name: string, n: number, kind: CallKind) {
  const { options, scene } = scenes[name] ?? { scene: () => () => undefined };
  const h = makeJournal(options);
  const act = scene(h);
  h.clear();
  const plant = h.failAt(n, kind);
  let thrown: unknown;
  try {
    act();
  } catch (error) {
    thrown = error;
  }
  h.heal();
  const calls = [...h.calls];
  return { hit: plant.hit, thrown, calls, visible: h.visible(), h };
}

for (const name of Object.keys(scenes)) {
  test(`[J-R010] a logger that throws changes no outcome and does not propagate: ${name}`, () => {
    const clean = run(name, 0, 'log');
    let n = 1;
    for (; ; n += 1) {
      const faulty = run(name, n, 'log');
      expect(faulty.thrown).toBeUndefined();
      expect(faulty.visible).toEqual(clean.visible);
      if (!faulty.hit) break;
    }
    expect(n).toBeGreaterThan(1);
  });
}

for (const name of Object.keys(scenes).filter((scene) => scenes[scene]?.options?.revoker !== undefined)) {
  test(`[J-R008] a revoker that throws has not recalled, and the rest of the work is done: ${name}`, () => {
    const clean = run(name, 0, 'revoke');
    const recalls = clean.calls.filter((call) => call.kind === 'revoke');
    expect(recalls.length).toBeGreaterThan(0);
    for (let n = 1; n <= recalls.length; n += 1) {
      const faulty = run(name, n, 'revoke');
      expect(faulty).toMatchObject({ hit: true, thrown: undefined });
      expect(faulty.calls.filter((call) => call.kind === 'revoke')).toEqual(recalls);
      expect(faulty.calls.some((call) => call.kind === 'log' && call.level === 'warn')).toBe(true);
      const refused = recalls[n - 1];
      const copy = refused?.kind === 'revoke' ? faulty.h.find(refused.token) : undefined;
      if (copy?.retired) expect(copy).toMatchObject({ copyOut: true, delivery: 'none' });
      else if (copy)
        expect(copy).toMatchObject({ delivery: 'handed_off', channel: 'queue', correlation: { status: 'foreign' } });
    }
  });
}

test('[J-R008] an attacher that throws counts as no carrier, and is logged at warn', () => {
  const after = (fails: boolean) => {
    const h = makeJournal({ attacher: true, revoker: true, limits: { entriesPerTab: 4 } });
    h.late('lost', TAB, QUESTION, id(9));
    const list = [h.direct('a', TAB, QUESTION, id(1)), h.queued('b', TAB, QUESTION, id(2))];
    list.push(h.riding('c', TAB, QUESTION, id(3)), h.late('d', TAB, QUESTION, id(4)));
    h.clear();
    h.turn = null;
    if (fails) {
      h.onCall = (call) => {
        if (call.kind === 'attach') throw new Error('planted');
      };
    }
    for (const { token } of list) h.journal.markReturned(token, { replay: true });
    const reported = h.journal.reportDropped(TAB);
    h.heal();
    return { h, reported, visible: h.visible() };
  };
  const [faulty, clean] = [after(true), after(false)];
  expect(faulty.visible).toEqual(clean.visible);
  expect(faulty.reported).toBe(clean.reported);
  expect(faulty.h.at('warn').length).toBeGreaterThanOrEqual(4);
  expect(clean.h.lines).toEqual([]);
});

test('[J-R008] a resolver that throws at its n-th call stops nothing: each answer is on file', () => {
  let n = 1;
  for (; ; n += 1) {
    const h = makeJournal({ resolver: true, attacher: true, limits: { entriesPerTab: 3 } });
    h.occupants.set(TAB, 'ann');
    const plant = h.failAt(n, 'resolve');
    const first = h.late('first');
    const second = h.record(first.askId, 'second');
    h.journal.markReturned(first.token);
    h.journal.recover(TAB, first.fingerprint ?? '');
    h.deliver();
    h.journal.pending(TAB);
    h.journal.mayDisclose(second);
    h.journal.hasOutstanding();
    h.journal.reportDropped(TAB);
    h.journal.closeAsks(TAB);
    h.heal();
    expect(h.entries().map((entry) => entry.answer)).toEqual(['first', 'second']);
    expect(h.entries().every((entry) => entry.retired)).toBe(true);
    if (!plant.hit) break;
    expect(h.at('warn').length).toBeGreaterThan(0);
  }
  expect(n).toBeGreaterThan(1);
});

test('[J-R008] a resolver that always throws means that the occupant is unknown', () => {
  const after = (fails: boolean) => {
    const h = makeJournal({
      resolver: () => {
        if (fails) throw new Error('planted');
        return undefined;
      },
    });
    const entry = h.late('a', TAB, QUESTION, id(1));
    const delivered = h.deliver().delivered;
    return { h, entry, delivered, disclosed: h.journal.mayDisclose(entry), visible: h.visible() };
  };
  const [faulty, clean] = [after(true), after(false)];
  expect(faulty.visible).toEqual(clean.visible);
  expect(faulty).toMatchObject({ delivered: 0, disclosed: false });
  expect(faulty.entry.incarnation).toBeUndefined();
  expect(faulty.h.at('warn').length).toBeGreaterThan(clean.h.at('warn').length);
});

const flushing: Record<string, { options?: HarnessOptions; scene: Scene }> = {
  record: {
    scene: (h) => {
      h.openAndClose(TAB, QUESTION, id(1));
      return () => h.record(id(1), 'a');
    },
  },
  closeAsk: {
    scene: (h) => {
      h.open(TAB, QUESTION, id(1));
      h.open(OTHER_TAB, QUESTION, id(1));
      h.record(id(1), 'here');
      h.record(id(1), 'there', OTHER_TAB);
      h.journal.closeAsk(id(1));
      return () => h.journal.closeAsk(id(1));
    },
  },
  openAsk: {
    options: { revoker: true },
    scene: (h) => {
      h.queued('a', TAB, QUESTION, id(1));
      return () => h.open(TAB, 'Another?', id(1));
    },
  },
};

for (const [name, { options, scene }] of Object.entries(flushing)) {
  test(`[J-R009] a flusher that throws propagates out of ${name}, after all its state is committed`, () => {
    const after = (n: number) => {
      const h = makeJournal(options);
      const act = scene(h);
      h.clear();
      const plant = h.failAt(n, 'flush');
      if (n > 0) expect(act).toThrow('planted');
      else act();
      h.heal();
      return { plant, flushes: h.count('flush'), visible: h.visible() };
    };
    const clean = after(0);
    expect(clean.flushes).toBeGreaterThan(0);
    for (let n = 1; n <= clean.flushes; n += 1) expect(after(n).visible).toEqual(clean.visible);
  });
}

test('[J-R010] the debt report is the exception: it propagates', () => {
  const h = makeJournal({ limits: { entriesPerTab: 1 } });
  h.late('lost');
  const entry = h.late('kept');
  h.onCall = (call) => {
    if (call.kind === 'log' && call.level === 'error') throw new Error('planted');
  };
  expect(() => h.journal.closeAsks(TAB)).toThrow('planted');
  h.heal();
  expect(h.entry(entry.token).retired).toBe(true);
  expect(h.journal.droppedFor(TAB)).toBe(1);
  h.clear();
  h.journal.closeAsks(TAB);
  expect(only(h.at('error'))).toContain('1');
  expect(h.journal.droppedFor(TAB)).toBe(0);
});
