import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { lose, makeDebtor, newText, ONE_PER_TAB, unchanged } from './debtor.ts';
import { type CallKind, makeJournal, newId, OTHER_TAB, print, QUESTION, TAB } from './harness.ts';

export const closeAsksRules = new Chapter();
const { describe, test } = closeAsksRules;

/** One answer in each place: two queue copies, one on a result, pending, returned, acked, foreign. */
function everywhere(options: Parameters<typeof makeJournal>[0] = {}) {
  const h = makeJournal({ attacher: true, revoker: true, ...options });
  const first = h.queued(newText());
  const second = h.queued(newText());
  const riding = h.riding(newText());
  const acked = h.returned(newText());
  h.journal.ack(acked.token, { carrier: 'turn-1' });
  const returned = h.returned(newText());
  const pending = h.late(newText());
  const foreign = h.record(newId(), newText());
  h.clear();
  return { h, first, second, riding, acked, returned, pending, foreign };
}

describe('pass one', () => {
  test('[J-R186] the epoch grows by one, and what was opened before is replaced', () => {
    const h = makeJournal();
    const before = h.open();
    h.journal.closeAsks(TAB);
    const after = h.open();
    const epochs = [before, after].map((askId) => h.journal.ticketFor(askId)?.epoch ?? -1);
    expect(epochs).toEqual([0, 1]);
    expect(h.journal.askBelongsToLiveConversation(before)).toBe(false);
    expect(h.journal.askBelongsToLiveConversation(after)).toBe(true);
  });

  test('[J-R187] every answer of every occupant is retired, unlicensed and foreign; what was asked stays', () => {
    const { h } = everywhere({ resolver: true });
    h.occupants.set(TAB, 'x');
    h.late(newText());
    h.occupants.set(TAB, 'y');
    h.late(newText());
    const before = h.journal.entriesFor(TAB);
    h.journal.closeAsks(TAB);
    const after = h.journal.entriesFor(TAB);
    expect(after).toHaveLength(before.length);
    for (const [i, entry] of after.entries()) {
      expect(entry).toMatchObject({ retired: true, recoverable: false, correlation: { status: 'foreign' } });
      const { question, fingerprint, answer, returned, acked } = before[i] ?? entry;
      expect(entry).toMatchObject({ question, fingerprint, answer, returned, acked });
    }
  });

  test('[J-R188] nothing is pending any more', () => {
    const { h, pending } = everywhere();
    h.journal.closeAsks(TAB);
    expect(h.entry(pending.token)).toMatchObject({ delivery: 'none', state: 'retired' });
    expect(h.journal.pending(TAB)).toEqual([]);
    expect(h.journal.recover(TAB, print(QUESTION))).toMatchObject({ status: 'unattributed', others: [] });
  });

  test('[J-R186, J-R187] it is complete before the first line and the first recall', () => {
    const { h } = everywhere();
    const seen: CallKind[] = [];
    const askId = h.open();
    h.onCall = (call) => {
      const live = h.journal.entriesFor(TAB).some((entry) => !entry.retired || entry.delivery === 'pending');
      if (live || h.journal.askBelongsToLiveConversation(askId)) seen.push(call.kind);
    };
    h.journal.closeAsks(TAB);
    expect(seen).toEqual([]);
  });
});

describe('pass two', () => {
  test('[J-R189] one recall for each queue copy, in arrival order', () => {
    const { h, first, second } = everywhere();
    h.journal.closeAsks(TAB);
    expect(h.revoked).toEqual([first.token, second.token]);
    h.journal.ack(first.token);
    expect(h.entry(first.token)).toMatchObject({ acked: false, copyOut: false });
  });

  test('[J-R189] a copy that could not be recalled is being read: it may be acked, or handed back', () => {
    const { h, first, second } = everywhere({ revoker: false });
    h.journal.closeAsks(TAB);
    expect(h.entry(first.token)).toMatchObject({ delivery: 'none', state: 'retired', copyOut: true });
    h.journal.ack(first.token);
    expect(h.entry(first.token)).toMatchObject({ acked: true, retired: true, copyOut: false });
    h.journal.release(second.token, { carried: true });
    expect(h.entry(second.token)).toMatchObject({ acked: false, copyOut: false, delivery: 'none' });
  });

  test.each([true, false])('[J-R190] one warn line each: recalled (%s) or not, with the preview', (works) => {
    const { h, first } = everywhere({ revoker: works });
    h.journal.closeAsks(TAB);
    const about = h.at('warn').filter((line) => line.includes(first.answer));
    expect(about).toHaveLength(works ? 1 : 0);
    const previews = h.at('warn').filter((line) => line.includes(QUESTION));
    expect(previews.length).toBeGreaterThanOrEqual(2);
    if (works) expect(about[0]).toContain(QUESTION);
  });

  test('[J-R190] a revoker that throws gets a line of its own', () => {
    const calm = everywhere({ revoker: false });
    calm.h.journal.closeAsks(TAB);
    const { h } = everywhere({ revoker: true });
    h.failAt(1, 'revoke');
    const worked = everywhere({ revoker: true });
    worked.h.journal.closeAsks(TAB);
    h.journal.closeAsks(TAB);
    expect(h.at('warn').length).toBe(worked.h.at('warn').length + 1);
  });

  test('[J-R191] one warn line with the text for what was pending or rode a result while owed a push', () => {
    const { h, riding, pending, acked, returned, foreign } = everywhere();
    h.journal.closeAsks(TAB);
    for (const { answer } of [riding, pending]) {
      expect(h.at('warn').filter((line) => line.includes(answer))).toHaveLength(1);
    }
    for (const { answer } of [acked, returned, foreign]) {
      expect(h.lines.filter((line) => line.text.includes(answer))).toEqual([]);
    }
  });

  test.each([[['revoke']], [['log']], [['revoke', 'log']]] as [CallKind[]][])(
    '[J-R192] with %j throwing every time, every recall is tried and pass three is made',
    (kinds) => {
      const h = makeDebtor({ limits: { entriesPerTab: 2, entriesTotal: 100 }, revoker: true });
      for (let i = 0; i < 4; i++) h.late(newText());
      h.deliver();
      expect(h.journal.droppedFor(TAB)).toBe(2);
      h.clear();
      h.onCall = (call) => {
        if (call.kind === 'log' && call.level === 'error') return;
        if (kinds.includes(call.kind)) throw new Error('planted');
      };
      h.journal.closeAsks(TAB);
      expect(h.revoked).toHaveLength(2);
      expect(h.journal.droppedFor(TAB)).toBe(0);
      expect(h.journal.entriesFor(TAB).every((entry) => entry.retired)).toBe(true);
    },
  );
});

describe('pass three', () => {
  /** Two losses of x and one of y, who holds the tab. */
  function owing() {
    const h = makeDebtor({ resolver: true });
    h.occupants.set(TAB, 'x');
    lose(h, 1);
    h.occupants.set(TAB, 'y');
    lose(h, 2);
    h.clear();
    return h;
  }

  test('[J-R193] the debt of all occupants is surfaced: a line for the present one, and one for all others', () => {
    const h = owing();
    h.journal.closeAsks(TAB);
    const [present, others, ...more] = h.at('error');
    expect(more).toEqual([]);
    for (const line of [present, others]) expect(line).toMatch(/replaced/i);
    expect(present).toMatch(/\b1\b/);
    expect(others).toMatch(/\b2\b/);
    expect(h.journal.droppedFor(TAB)).toBe(0);
  });

  test('[J-R193] the others are one line with the total, however many they are', () => {
    const h = owing();
    h.occupants.set(TAB, 'z');
    h.clear();
    h.journal.closeAsks(TAB);
    expect(h.at('error')).toHaveLength(1);
    expect(h.at('error')[0]).toMatch(/\b3\b/);
    expect(h.at('error')[0]).toContain(TAB.slice(0, 8));
  });

  test('[J-R194] if its line throws, so does the call; pass one stands and the debt is whole', () => {
    const h = owing();
    const live = h.open();
    h.onCall = (call) => {
      if (call.kind === 'log' && call.level === 'error') throw new Error('planted');
    };
    expect(() => h.journal.closeAsks(TAB)).toThrow('planted');
    h.heal();
    expect(h.journal.droppedFor(TAB)).toBe(3);
    expect(h.journal.entriesFor(TAB).every((entry) => entry.retired)).toBe(true);
    expect(h.journal.askBelongsToLiveConversation(live)).toBe(false);
    h.clear();
    h.journal.closeAsks(TAB);
    expect(h.journal.droppedFor(TAB)).toBe(0);
    expect(h.at('error')).toHaveLength(2);
  });
});

describe('throughout', () => {
  test('[J-R195] tickets are neither removed nor changed', () => {
    const h = makeJournal();
    const ids = [h.open(), h.openAndClose(), h.open(OTHER_TAB)];
    h.open(OTHER_TAB, 'another', ids[0]);
    const before = ids.map((askId) => h.journal.ticketFor(askId));
    h.journal.closeAsks(TAB);
    expect(ids.map((askId) => h.journal.ticketFor(askId))).toEqual(before);
  });

  test('[J-R196] the turn that carried an answer may still prove it', () => {
    const { h, returned, riding } = everywhere();
    h.journal.closeAsks(TAB);
    for (const { token } of [returned, riding]) {
      h.journal.ack(token, { carrier: 'turn-9' });
      expect(h.entry(token).acked).toBe(false);
      h.journal.ack(token, { carrier: 'turn-1' });
      expect(h.entry(token)).toMatchObject({ acked: true, state: 'retired' });
    }
  });

  test('[J-R197] no flusher is called, and other tabs are untouched', () => {
    const h = makeJournal({ attacher: true, revoker: true, limits: { ...ONE_PER_TAB, entriesPerTab: 2 } });
    for (let i = 0; i < 4; i++) h.late(newText(), OTHER_TAB);
    h.deliver(OTHER_TAB);
    h.late(newText());
    const of = () => JSON.stringify([h.visible().entries.filter(([tab]) => tab !== TAB), h.visible().debt]);
    const before = of();
    h.clear();
    h.journal.closeAsks(TAB);
    expect(of()).toBe(before);
    expect(h.flushed).toEqual([]);
  });

  test('[J-R198] on a tab with nothing on file it raises the epoch, and that is all', () => {
    const h = makeJournal({ attacher: true, revoker: true, resolver: true });
    const askId = h.open();
    h.clear();
    const { before, after } = unchanged(h, () => h.journal.closeAsks(TAB));
    expect(after).toEqual({ ...(before as object), live: [[askId, false]] });
    expect(h.count('log', 'flush', 'revoke', 'attach')).toBe(0);
  });
});
