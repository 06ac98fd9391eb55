import { afterEach, describe, expect, it } from 'vitest';
import type { Reply } from '../../src/api.ts';
import { SIZES } from '../../src/limits.ts';
import { COLOUR, endRigs, FREE, HUMAN, KINDS, openRig, TAB } from './rig.ts';

afterEach(endRigs);

describe.each(KINDS)('a submission gets exactly one verdict, over %s', (kind) => {
  it('[J-H03] accepted while somebody waits: saved, with a receipt and the card as it is now', async () => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask();
    const verdict = await rig.answer(id, 'g');
    expect(verdict).toMatchObject({ verdict: 'accepted', askId: id, saved: true });
    expect(verdict.token).toMatch(/^aa\d+$/);
    expect(verdict.ask).toMatchObject({
      askId: id,
      state: 'answered',
      answers: [{ token: verdict.token, text: 'Green [g]' }],
    });
    expect(await rig.done(outcome)).toMatchObject({
      outcome: 'answered',
      token: verdict.token,
      reply: { selected: ['g'] },
    });
  });

  it('[A1] late_accepted when the call is dead: on file, and owed to the agent', async () => {
    const rig = await openRig(kind);
    const id = await rig.unattended();
    expect(await rig.answer(id, 'b')).toMatchObject({ verdict: 'late_accepted', saved: true });
    expect(await rig.done(rig.c.journal.pending(TAB))).toMatchObject([{ askId: id, state: 'pending' }]);
  });

  it('accepted also while another call than the one that asked waits', async () => {
    const rig = await openRig(kind);
    const id = await rig.unattended();
    const waiting = rig.c.awaitAnswer(id);
    await rig.hand.settle();
    expect(await rig.answer(id, 'b')).toMatchObject({ verdict: 'accepted', saved: true });
    expect(await rig.done(waiting)).toMatchObject({ outcome: 'answered' });
  });

  it('[B2] [G7] a repeat is a duplicate with the same receipt, has one effect, and raises no alarm', async () => {
    const rig = await openRig(kind);
    const { id } = await rig.ask();
    const [one, two] = await rig.done(
      Promise.all([rig.c.answer(id, { selected: ['g'] }, HUMAN), rig.c.answer(id, { selected: ['g'] }, HUMAN)]),
    );
    expect([one.verdict, two.verdict]).toEqual(['accepted', 'duplicate']);
    expect(two).toMatchObject({ saved: true, token: one.token });
    const late = await rig.answer(id, 'g', { surface: 'terminal' });
    expect(late).toMatchObject({ verdict: 'duplicate', token: one.token });
    expect(await rig.done(rig.c.journal.entriesFor(TAB))).toHaveLength(1);
    expect([rig.log.at('warn'), rig.log.at('error')]).toEqual([[], []]);
  });

  it('[B1] of two different answers at once one is accepted, and the other is told who won', async () => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask();
    const [one, two] = await rig.done(
      Promise.all([
        rig.c.answer(id, { selected: ['g'] }, HUMAN),
        rig.c.answer(id, { selected: ['b'] }, { surface: 'terminal', who: 'tty1' }),
      ]),
    );
    expect(one.verdict).toBe('accepted');
    expect(two).toMatchObject({
      verdict: 'conflict',
      saved: false,
      winner: { token: one.token, reply: { selected: ['g'] }, surface: 'page' },
    });
    expect(await rig.done(outcome)).toMatchObject({ outcome: 'answered', reply: { selected: ['g'] } });
    expect(await rig.done(rig.c.journal.entriesFor(TAB))).toHaveLength(1);
  });

  it('superseded, withdrawn and expired: not taken, and the card says why', async () => {
    const rig = await openRig(kind);
    const old = await rig.unattended();
    await rig.ask(FREE, { supersedes: old });
    expect(await rig.answer(old, 'g')).toMatchObject({
      verdict: 'superseded',
      saved: false,
      ask: { state: 'superseded' },
    });

    const gone = await rig.unattended();
    expect(await rig.done(rig.c.withdraw(gone, 'not needed any more', HUMAN))).toMatchObject({ verdict: 'withdrawn' });
    const withdrawn = await rig.answer(gone, 'g');
    expect(withdrawn).toMatchObject({
      verdict: 'withdrawn',
      saved: false,
      ask: { state: 'withdrawn', why: 'not needed any more' },
    });

    const short = await rig.unattended(COLOUR, { expiresInMs: 1_000 });
    await rig.hand.pass(1_000);
    expect(await rig.answer(short, 'g')).toMatchObject({ verdict: 'expired', saved: false, ask: { state: 'expired' } });
    expect(await rig.done(rig.c.journal.entriesFor(TAB))).toEqual([]);
  });

  it('retired when the conversation that asked was replaced: kept, reported, and shown to nobody', async () => {
    const rig = await openRig(kind);
    const id = await rig.unattended();
    await rig.done(rig.c.journal.closeAsks(TAB));
    expect((await rig.show(id))?.state).toBe('retired');
    const verdict = await rig.answer(id, 'g');
    expect(verdict).toMatchObject({ verdict: 'retired', saved: true });
    expect(await rig.done(rig.c.unread(TAB))).toEqual([]);
    expect(await rig.done(rig.c.audit({ askId: id }))).toContainEqual(
      expect.objectContaining({ event: 'answered', token: verdict.token, detail: 'Green [g]' }),
    );
    expect(rig.log.at('warn').join()).toContain('Green [g]');
  });

  it('[G6] unknown for an id that was never asked, and audited', async () => {
    const rig = await openRig(kind);
    const before = await rig.visible();
    for (const id of [
      'pa-nobody',
      '',
      '__proto__',
      '\u0000',
      "'; DROP TABLE asks; --",
      'x'.repeat(100_000),
      '\ud800',
      '🧭',
    ]) {
      const verdict = await rig.answer(id, 'g');
      expect(verdict).toMatchObject({ verdict: 'unknown', saved: false });
      expect(verdict.ask).toBeUndefined();
    }
    expect(await rig.visible()).toEqual(before);
    const audit = await rig.done(rig.c.audit());
    expect(audit.filter((row) => row.event === 'unknown_submission')).toHaveLength(8);
    expect(audit[0]).toMatchObject({ askId: 'pa-nobody', surface: 'page', who: 'window-1' });
  });

  it('undetermined when the id names more than one card: kept, and it satisfies none of them', async () => {
    const rig = await openRig(kind);
    const { journal } = rig.c;
    const open = { tabId: TAB, fingerprint: 'f', question: 'q?' };
    await rig.done(journal.openAsk('pa-reused', open));
    await rig.done(journal.openAsk('pa-reused', open));
    const verdict = await rig.answer('pa-reused', 'yes');
    expect(verdict).toMatchObject({ verdict: 'undetermined', saved: true });
    expect(await rig.entry(verdict.token ?? '')).toMatchObject({ ambiguousId: true, recoverable: false });
  });

  it('undetermined when the bound has taken the card: the answer is kept and logged all the same', async () => {
    const rig = await openRig(kind, { limits: { tickets: 1 } });
    const id = await rig.unattended();
    await rig.unattended(FREE);
    expect((await rig.show(id))?.state).toBe('lost');
    const verdict = await rig.answer(id, 'g');
    expect(verdict).toMatchObject({ verdict: 'undetermined', saved: true });
    expect(await rig.entry(verdict.token ?? '')).toMatchObject({
      answer: 'Green [g]',
      provenance: 'unknown',
      state: 'none',
    });
    expect(rig.log.at('warn').join()).toContain('Green [g]');
    expect(await rig.done(rig.c.unread(TAB))).toEqual([]);
  });

  it('undetermined, not accepted, when its card was answered so long ago that the answer has left', async () => {
    const rig = await openRig(kind, { limits: { entriesTotal: 1 } });
    const { id, token } = await rig.late('g');
    await rig.late('x', FREE);
    expect(await rig.entry(token)).toBeUndefined();
    expect(await rig.answer(id, 'g')).toMatchObject({ verdict: 'undetermined' });
    expect(await rig.done(rig.c.journal.pending(TAB))).toHaveLength(0);
  });
});

describe.each(KINDS)('whose answer it is, over %s', (kind) => {
  it('[C2] a repeat of the first answer while the second is open is a duplicate of the first', async () => {
    const rig = await openRig(kind);
    const first = await rig.ask();
    const { token } = await rig.answer(first.id, 'g');
    await rig.done(first.outcome);
    const second = await rig.ask(FREE);
    expect(await rig.answer(first.id, 'g')).toMatchObject({ verdict: 'duplicate', token });
    expect((await rig.show(second.id))?.state).toBe('open');
    expect(second.now()).toBeUndefined();
  });

  it('[C1] [C7] an answer that names no ask is refused, however many are open', async () => {
    const rig = await openRig(kind);
    const one = await rig.ask();
    for (const id of ['', '1', 'latest', COLOUR.question]) {
      expect(await rig.answer(id, 'g')).toMatchObject({ verdict: 'unknown', saved: false });
    }
    const two = await rig.ask(FREE);
    expect(await rig.answer('', 'yes')).toMatchObject({ verdict: 'unknown', saved: false });
    expect([one.now(), two.now()]).toEqual([undefined, undefined]);
  });

  it.each([[[0, 1]], [[1, 0]]])(
    '[C4] [C11] two asks of equal text are answered each by its own id, in order %j',
    async (order) => {
      const rig = await openRig(kind);
      const asks = [await rig.ask(), await rig.ask()];
      const texts = ['g', 'b'];
      for (const i of order) {
        expect(await rig.answer(asks[i]?.id ?? '', texts[i] ?? '')).toMatchObject({ verdict: 'accepted' });
      }
      for (const [i, { id, outcome }] of asks.entries()) {
        expect(await rig.done(outcome)).toMatchObject({
          outcome: 'answered',
          askId: id,
          reply: { selected: [texts[i]] },
        });
      }
    },
  );
});

/** Each with what is wrong: the field that the verdict names. */
const BAD: readonly [what: string, reply: unknown, field: string][] = [
  ['nothing', {}, 'reply'],
  ['null', null, 'reply'],
  ['a bare text', 'yes', 'reply'],
  ['an empty text', { text: '' }, 'text'],
  ['blanks only', { text: ' \n\t' }, 'text'],
  ['an option that was not offered', { selected: ['purple'] }, 'selected[0]'],
  ['an option by its label', { selected: ['Green'] }, 'selected[0]'],
  ['an option by its place', { selected: ['0'] }, 'selected[0]'],
  ['an option that is no text', { selected: [1] }, 'selected[0]'],
  ['options that are no list', { selected: 'g' }, 'selected'],
  ['an option twice', { selected: ['g', 'g'] }, 'selected'],
  ['several options of one', { selected: ['g', 'b'] }, 'selected'],
  ['a text where none is taken', { text: 'mauve' }, 'text'],
  ['a choice and a refusal', { selected: ['g'], declined: true }, 'selected'],
  ['a refusal that is no flag', { declined: 'yes' }, 'declined'],
];
const BAD_TEXT: readonly [what: string, reply: unknown, field: string][] = [
  ['half a character', { text: 'so \ud83d' }, 'text'],
  ['a megabyte', { text: 'x'.repeat(1_048_576) }, 'text'],
  ['one character too many', { text: 'x'.repeat(SIZES.answerText + 1) }, 'text'],
  ['a number', { text: 7 }, 'text'],
];

describe.each(KINDS)('what an answer may be, over %s', (kind) => {
  it('is invalid, with the field and the reason, for every bad reply; and nothing is changed', async () => {
    const rig = await openRig(kind);
    const colour = await rig.ask();
    const free = await rig.ask(FREE);
    const before = await rig.visible();
    for (const [ask, rows] of [[colour, BAD] as const, [free, [...BAD_TEXT, ...BAD.slice(0, 5)]] as const]) {
      for (const [what, reply, field] of rows) {
        const verdict = await rig.done(rig.c.answer(ask.id, reply as Reply, HUMAN));
        expect([what, verdict.verdict, verdict.field, verdict.saved]).toEqual([what, 'invalid', field, false]);
        expect(verdict.message).toContain('Nothing was changed');
      }
    }
    expect(await rig.visible()).toEqual(before);
    expect(await rig.answer(colour.id, 'g')).toMatchObject({ verdict: 'accepted' });
  });

  it.each([
    ['a long paste', 'line\r\n'.repeat(40_000)],
    ['the longest that is taken', 'x'.repeat(SIZES.answerText)],
    ['right to left', 'كم \u202e abc לא'],
    ['emoji', '👩‍👩‍👧‍👦🇺🇳✅'],
    ['a null character', 'a\u0000b'],
    ['what looks like a placeholder', '[Pasted Text: 19 lines]'],
  ])('[I9] arrives as it was sent: %s', async (_, text) => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask(FREE);
    await rig.done(rig.c.answer(id, { text }, HUMAN));
    expect(await rig.done(outcome)).toMatchObject({ outcome: 'answered', text, reply: { text } });
    await rig.hand.pass(50);
    await rig.reopen();
    const again = await rig.done(rig.c.awaitAnswer(id));
    expect(again).toMatchObject({ outcome: 'answered', text, reply: { text }, possibleRepeat: true });
  });
});
