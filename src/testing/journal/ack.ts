import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { lose, makeDebtor, newText, unchanged, warn } from './debtor.ts';
import { makeJournal, newId, OTHER_TAB, QUESTION, TAB } from './harness.ts';

export const ackRules = new Chapter();
const { describe, test } = ackRules;

const PROVEN = { acked: true, returned: true, replayHint: true, delivery: 'none', state: 'acked' };

describe('receipt for a warning', () => {
  test('[J-R118] the carrier of the footnote settles what it counted, and ends the token', () => {
    const h = makeDebtor();
    lose(h, 2);
    const { count, token } = warn(h, 'turn-a');
    expect(count).toBe(2);
    h.journal.ack(token, { carrier: 'turn-a' });
    expect(h.journal.droppedFor(TAB)).toBe(0);
    lose(h, 1);
    h.journal.ack(token, { carrier: 'turn-a' });
    expect(h.journal.droppedFor(TAB)).toBe(1);
  });

  test.each([
    ['another carrier', { carrier: 'turn-b' }],
    ['no carrier', undefined],
  ])('[J-R119] with %s nothing is settled, one warn line is written, and the token stays open', (_who, from) => {
    const h = makeDebtor();
    lose(h, 2);
    const { token } = warn(h, 'turn-a');
    h.clear();
    const { before, after } = unchanged(h, () => h.journal.ack(token, from));
    expect(after).toEqual(before);
    expect(h.lines.map((line) => line.level)).toEqual(['warn']);
    h.journal.ack(token, { carrier: 'turn-a' });
    expect(h.journal.droppedFor(TAB)).toBe(0);
  });

  test('[J-R120] two footnotes that counted the same losses settle them once; a later loss stays', () => {
    const h = makeDebtor();
    lose(h, 2);
    const first = warn(h, 'turn-a');
    const second = warn(h, 'turn-b');
    expect([first.count, second.count]).toEqual([2, 2]);
    lose(h, 3);
    h.journal.ack(first.token, { carrier: 'turn-a' });
    expect(h.journal.droppedFor(TAB)).toBe(3);
    h.journal.ack(second.token, { carrier: 'turn-b' });
    expect(h.journal.droppedFor(TAB)).toBe(3);
  });

  test('[J-R120] of overlapping footnotes the later one settles what the earlier did not count', () => {
    const h = makeDebtor();
    lose(h, 2);
    const early = warn(h, 'turn-a');
    lose(h, 3);
    const late = warn(h, 'turn-b');
    expect(late.count).toBe(5);
    h.journal.ack(early.token, { carrier: 'turn-a' });
    expect(h.journal.droppedFor(TAB)).toBe(3);
    h.journal.ack(late.token, { carrier: 'turn-b' });
    expect(h.journal.droppedFor(TAB)).toBe(0);
  });
});

describe('receipt for an answer', () => {
  test('[J-R121] any live ride proves, the older one too', () => {
    for (const carrier of ['turn-1', 'turn-2']) {
      const h = makeJournal({ attacher: true });
      const { token } = h.returned();
      h.turn = 'turn-2';
      h.journal.markSurfaced(token);
      expect([...h.entry(token).rides].sort()).toEqual(['turn-1', 'turn-2']);
      h.journal.ack(token, { carrier });
      expect(h.entry(token)).toMatchObject(PROVEN);
    }
  });

  test('[J-R121] a ride proves an answer that is pending again', () => {
    const h = makeJournal({ attacher: true, revoker: false });
    const { token } = h.queued();
    h.journal.markReturned(token);
    h.journal.release(token, { carrier: 'the-queue-of-it' });
    expect(h.entry(token)).toMatchObject({ delivery: 'pending', rides: ['turn-1'] });
    h.journal.ack(token, { carrier: 'turn-1' });
    expect(h.entry(token)).toMatchObject(PROVEN);
  });

  test.each([
    ['any carrier', { carrier: 'whoever' }],
    ['no carrier', undefined],
  ])('[J-R122] a queue copy is proven by a receipt with %s', (_who, from) => {
    const h = makeJournal({ attacher: true });
    const { token } = h.queued();
    h.journal.ack(token, from);
    expect(h.entry(token)).toMatchObject(PROVEN);
  });

  test('[J-R122] also when the answer was returned as well', () => {
    const h = makeJournal({ attacher: true, revoker: false });
    const { token } = h.queued();
    h.journal.markReturned(token);
    expect(h.entry(token)).toMatchObject({ channel: 'queue', rides: ['turn-1'] });
    h.journal.ack(token, { carrier: 'the agent that read its queue' });
    expect(h.entry(token)).toMatchObject(PROVEN);
  });

  test('[J-R122] a copy whose carrier the host named is proven by that carrier only', () => {
    const h = makeJournal();
    const { token } = h.late();
    h.journal.deliverPending(TAB, () => ({ carrier: 'turn-x' }));
    expect(h.entry(token).delivery).toBe('handed_off');
    for (const from of [undefined, { carrier: 'turn-y' }]) {
      h.journal.ack(token, from);
      expect(h.entry(token)).toMatchObject({ acked: false, delivery: 'handed_off' });
    }
    h.journal.ack(token, { carrier: 'turn-x' });
    expect(h.entry(token)).toMatchObject(PROVEN);
  });

  test.each([
    ['a missing carrier', undefined],
    ['another carrier', { carrier: 'turn-9' }],
  ])('[J-R123] %s proves no ride: one warn line that tells who acked, who may, and what', (_who, from) => {
    const h = makeJournal({ attacher: true });
    const { token } = h.returned('green', TAB, QUESTION);
    h.clear();
    const { before, after } = unchanged(h, () => h.journal.ack(token, from));
    expect(after).toEqual(before);
    const [line] = h.at('warn');
    expect(h.lines).toHaveLength(1);
    expect(line).toContain(QUESTION);
    expect(line).toContain('turn-1');
    expect(line).toContain(from?.carrier ?? 'no carrier');
  });

  test('[J-R123] nor a copy that is out for a turn of its own, and of two rides the line tells both', () => {
    const h = makeJournal({ attacher: true });
    const { token } = h.late();
    h.journal.deliverPending(TAB, () => ({ carrier: 'turn-x' }));
    h.clear();
    const { before, after } = unchanged(h, () => h.journal.ack(token, { carrier: 'turn-y' }));
    expect(after).toEqual(before);
    const riding = h.returned(newText(), OTHER_TAB);
    h.turn = 'turn-2';
    h.journal.markReturned(riding.token);
    h.journal.ack(riding.token);
    expect(h.lines.map(({ level }) => level)).toEqual(['warn', 'warn']);
    expect(h.at('warn')[0]).toMatch(/turn-y.*turn-x/);
    expect(h.at('warn')[1]).toMatch(/turn-1\W+turn-2/);
  });

  test('[J-R123] an answer that was handed over with no live turn is proven by nobody', () => {
    const h = makeJournal({ attacher: true });
    h.turn = null;
    const { token } = h.returned();
    for (const from of [undefined, { carrier: 'turn-1' }, { carrier: '' }]) h.journal.ack(token, from);
    expect(h.entry(token)).toMatchObject({ acked: false, rides: [] });
    expect(h.at('warn')).toHaveLength(3);
  });

  test('[J-R124] with no hand-off outstanding a receipt is refused: never handed over, handed back, recalled', () => {
    const h = makeJournal({ attacher: true, revoker: true });
    const never = h.late('never');
    const back = h.returned('back', OTHER_TAB);
    h.journal.release(back.token, { carrier: 'turn-1' });
    const pushed = h.queued('pushed', 'tab-three');
    h.journal.release(pushed.token);
    const recalled = h.queued('recalled', 'tab-four');
    h.open(TAB, 'another', recalled.askId);
    h.clear();
    for (const { token } of [never, back, pushed, recalled]) {
      for (const from of [undefined, { carrier: 'turn-1' }]) {
        const { before, after } = unchanged(h, () => h.journal.ack(token, from));
        expect(after).toEqual(before);
      }
    }
    expect(h.lines.map((line) => line.level)).toEqual(Array(8).fill('warn'));
    for (const line of h.at('warn')) expect(line).toMatch(/nobody/);
  });

  test('[J-R125] an acked answer stays on file, and is recovered within the window', () => {
    const h = makeJournal({ attacher: true });
    const entry = h.returned();
    h.journal.ack(entry.token, { carrier: 'turn-1' });
    expect(h.entry(entry.token)).toMatchObject({ ...PROVEN, recoverable: true, retired: false });
    const again = h.journal.recover(TAB, entry.fingerprint ?? '');
    expect(again).toMatchObject({ status: 'recovered', entry: { token: entry.token } });
  });

  test('[J-R125] a retired answer is proven and stays retired', () => {
    const h = makeJournal({ attacher: true });
    const entry = h.returned();
    h.journal.closeAsks(TAB);
    h.journal.ack(entry.token, { carrier: 'turn-1' });
    expect(h.entry(entry.token)).toMatchObject({ ...PROVEN, state: 'retired', retired: true });
  });

  test('[J-R128] a further receipt changes nothing, whoever sends it', () => {
    const h = makeJournal({ attacher: true });
    const { token } = h.returned();
    h.journal.ack(token, { carrier: 'turn-1' });
    for (const from of [{ carrier: 'turn-1' }, { carrier: 'turn-9' }, undefined]) {
      const { before, after } = unchanged(h, () => h.journal.ack(token, from));
      expect(after).toEqual(before);
    }
  });
});

describe('receipt and debt', () => {
  test('[J-R126] the receipt for a queue copy settles the losses that it displayed, and no others', () => {
    const h = makeDebtor();
    const { token } = lose(h, 2);
    expect(h.deliver().offers[0]?.payload.dropped_answers).toBe(2);
    expect(h.entry(token).shown).toBe(2);
    expect(h.journal.droppedFor(TAB)).toBe(2);
    h.journal.ack(token);
    expect(h.journal.droppedFor(TAB)).toBe(0);
    expect(h.journal.hasOutstanding()).toBe(false);
  });

  test('[J-R127] the receipt for a ride settles none: what the copy displayed is owed again', () => {
    const h = makeDebtor({ revoker: false });
    const { token } = lose(h, 2);
    h.deliver();
    h.journal.markReturned(token);
    expect(h.entry(token)).toMatchObject({ shown: 2, rides: ['turn-1'], channel: 'queue' });
    h.journal.ack(token, { carrier: 'turn-1' });
    expect(h.entry(token)).toMatchObject({ acked: true, shown: 0 });
    expect(h.journal.droppedFor(TAB)).toBe(2);
    expect(h.journal.reportDropped(TAB)).toBe(2);
  });

  test('[J-R129] a late receipt from its ride cancels the loss of an evicted answer', () => {
    const h = makeDebtor();
    const { token } = h.returned(newText());
    lose(h, 2);
    expect(h.journal.droppedFor(TAB)).toBe(2);
    h.journal.ack(token, { carrier: 'somebody' });
    expect(h.journal.droppedFor(TAB)).toBe(2);
    h.journal.ack(token, { carrier: 'turn-1' });
    expect(h.journal.droppedFor(TAB)).toBe(1);
    h.journal.ack(token, { carrier: 'turn-1' });
    expect(h.journal.droppedFor(TAB)).toBe(1);
  });

  test.each([
    ['could not be recalled', false, 0],
    ['was recalled', true, 1],
  ])('[J-R129] a late receipt for a queue copy that %s leaves %#', (_what, recalled, left) => {
    const h = makeDebtor({ revoker: recalled });
    const { token } = h.queued(newText());
    h.late(newText());
    expect(h.journal.droppedFor(TAB)).toBe(1);
    h.journal.ack(token);
    expect(h.journal.droppedFor(TAB)).toBe(left);
  });

  test('[J-R129] a loss that was told already is not cancelled a second time', () => {
    const h = makeDebtor();
    const { token } = h.returned(newText());
    h.late(newText());
    const footnote = warn(h, 'turn-b');
    h.journal.ack(footnote.token, { carrier: 'turn-b' });
    lose(h, 1);
    h.journal.ack(token, { carrier: 'turn-1' });
    expect(h.journal.droppedFor(TAB)).toBe(1);
  });

  test('[J-R129] a cancelled loss leaves the footnote that counted it, which goes on to settle the others', () => {
    const h = makeDebtor();
    const { token } = h.returned(newText());
    lose(h, 2);
    const footnote = warn(h, 'turn-b');
    expect(footnote.count).toBe(2);
    h.journal.ack(token, { carrier: 'turn-1' });
    h.journal.ack(footnote.token, { carrier: 'turn-b' });
    expect(h.journal.droppedFor(TAB)).toBe(0);
  });

  test('[J-R002] a receipt for a token that never was does nothing', () => {
    const h = makeJournal({ attacher: true });
    h.record(newId());
    h.clear();
    const { before, after } = unchanged(h, () => {
      for (const token of ['aa999', 'aad999', '', 'x']) h.journal.ack(token, { carrier: 'turn-1' });
    });
    expect(after).toEqual(before);
    expect(h.calls).toEqual([]);
  });
});
