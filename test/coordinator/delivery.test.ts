import { afterEach, describe, expect, it } from 'vitest';
import { COLOUR, endRigs, FREE, HUMAN, KINDS, openRig, TAB } from './rig.ts';

afterEach(endRigs);
const turn = (name: string) => (): string => name;

describe.each(KINDS)('taking is not reading, over %s', (kind) => {
  it('[A2] [A1] a late answer whose taker is gone is pending again, offered again with its label, then proven', async () => {
    const rig = await openRig(kind);
    const { id, token } = await rig.late('g');
    expect(await rig.done(rig.c.unread(TAB))).toMatchObject([
      { token, askId: id, question: COLOUR.question, text: 'Green [g]', possibleRepeat: false, handedTo: [] },
    ]);
    const taken = await rig.done(rig.c.awaitAnswer(id, { attach: turn('poll') }));
    expect(taken).toMatchObject({ outcome: 'answered', possibleRepeat: false });
    expect(await rig.entry(token)).toMatchObject({ state: 'handed_off' });
    expect((await rig.show(id))?.answers[0]?.receipt).toBe('handed');
    await rig.done(rig.c.handBack(token, 'poll'));
    expect(await rig.entry(token)).toMatchObject({ state: 'pending', rides: [] });
    expect(await rig.proven(rig.c.ack([token], 'poll'))).toEqual([{ token, accepted: false }]);
    expect(await rig.done(rig.c.unread(TAB))).toMatchObject([{ token, possibleRepeat: true }]);
    expect(await rig.done(rig.c.handOver(token, turn('next')))).toBe(true);
    expect(await rig.proven(rig.c.ack([token], 'next'))).toEqual([{ token, accepted: true }]);
    expect(await rig.done(rig.c.unread(TAB))).toEqual([]);
    expect((await rig.show(id))?.answers[0]?.receipt).toBe('read_back');
  });

  it('[A2] an answer that its own call took, and whose client is gone, is unread and labelled', async () => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask(COLOUR, { attach: turn('call') });
    const { token = '' } = await rig.answer(id, 'g');
    await rig.done(outcome);
    await rig.done(rig.c.handBack(token, 'call'));
    expect(await rig.done(rig.c.unread(TAB))).toMatchObject([{ token, possibleRepeat: true, handedTo: [] }]);
    expect(await rig.proven(rig.c.ack([token], 'call'))).toEqual([{ token, accepted: false }]);
  });

  it('[E7] what was answered is not read back until its receipt: the surface is told each step', async () => {
    const rig = await openRig(kind);
    const receipts: string[] = [];
    const id = await rig.unattended();
    rig.c.subscribe(({ ask }) => receipts.push(ask.answers[0]?.receipt ?? ask.state));
    const { token = '' } = await rig.answer(id, 'g');
    await rig.done(rig.c.handOver(token, turn('t')));
    await rig.done(rig.c.handBack(token, 't'));
    await rig.done(rig.c.park(token, 'It was shown three times.'));
    await rig.done(rig.c.handOver(token, turn('u')));
    await rig.proven(rig.c.ack([token], 'u'));
    expect(receipts).toEqual(['saved', 'handed', 'saved', 'parked', 'handed', 'read_back']);
  });

  it('one that a turn has may be parked, and is handed over anew all the same', async () => {
    const rig = await openRig(kind);
    const receipts: string[] = [];
    const { token } = await rig.late('g');
    rig.c.subscribe(({ ask }) => receipts.push(ask.answers[0]?.receipt ?? ask.state));
    await rig.done(rig.c.handOver(token, turn('t')));
    await rig.done(rig.c.park(token, 'It was shown three times.'));
    await rig.done(rig.c.handOver(token, turn('u')));
    expect(receipts).toEqual(['handed', 'parked', 'handed']);
  });

  it('one that its own call has returned may be parked too, and the audit says which', async () => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask();
    const { token = '' } = await rig.answer(id, 'g');
    await rig.done(outcome);
    expect((await rig.entry(token))?.state).toBe('none');
    await rig.done(rig.c.park(token, 'It was shown three times.'));
    expect((await rig.show(id))?.answers).toMatchObject([{ receipt: 'parked', why: 'It was shown three times.' }]);
    expect(await rig.done(rig.c.unread(TAB))).toEqual([]);
    const told = (await rig.done(rig.c.audit())).filter(({ event }) => event === 'parked');
    expect(told).toMatchObject([{ askId: id, token, tab: TAB }]);
  });

  it('a receipt of another turn, of no turn, or of a token that is none, proves nothing', async () => {
    const rig = await openRig(kind);
    const { token } = await rig.late('g');
    await rig.done(rig.c.handOver(token, turn('mine')));
    const before = await rig.visible();
    const bad = [
      'aa0',
      'aa',
      'aa1e0',
      'aa01',
      'aad1',
      '',
      '__proto__',
      'aa99999999999999999999',
      `${token} `,
      '\ud800',
    ];
    const answers = await rig.proven(rig.c.ack([token, ...bad], 'yours'));
    expect(answers).toEqual([token, ...bad].map((one) => ({ token: one, accepted: false })));
    for (const one of bad) {
      expect(await rig.done(rig.c.handOver(one, turn('x')))).toBe(false);
      await rig.done(rig.c.handBack(one, 'x'));
      await rig.done(rig.c.park(one, 'x'));
    }
    expect(await rig.visible()).toEqual(before);
  });

  it('[J-H14] an attacher that throws, or names no turn, leaves the answer owed; it is asked once', async () => {
    const rig = await openRig(kind);
    const { id, token } = await rig.late('g');
    let asked = 0;
    const throws = (): string => {
      asked += 1;
      throw new Error('no such turn');
    };
    expect(await rig.done(rig.c.awaitAnswer(id, { attach: throws }))).toMatchObject({ outcome: 'answered' });
    expect(asked).toBe(1);
    expect(await rig.entry(token)).toMatchObject({ state: 'pending', returned: true, rides: [] });
    expect(await rig.done(rig.c.awaitAnswer(id, { attach: () => null }))).toMatchObject({ possibleRepeat: true });
    expect(await rig.entry(token)).toMatchObject({ state: 'pending' });
    expect(rig.log.at('warn').join()).toContain('no such turn');
  });

  it('[J-H08] [J-H12] [J-H13] a queue takes what it is offered, in order; a hand-back makes it owed again', async () => {
    const rig = await openRig(kind);
    const other = { ...FREE, question: 'And what else?' };
    const tokens = [(await rig.late('one', FREE)).token, (await rig.late('two', other)).token];
    const offers: unknown[] = [];
    const take = (room: number) => (payload: { ask_answer: string }, token: string) => {
      offers.push([token, payload.ask_answer]);
      return offers.length <= room;
    };
    expect(await rig.done(rig.c.journal.deliverPending(TAB, take(1)))).toMatchObject({
      delivered: 1,
      blockedOn: { token: tokens[1] },
    });
    expect(offers).toEqual([
      [tokens[0], 'one'],
      [tokens[1], 'two'],
    ]);
    await rig.proven(rig.c.journal.release(tokens[0] ?? '', { carried: true }));
    const payloads: unknown[] = [];
    await rig.done(rig.c.journal.deliverPending(TAB, (payload) => payloads.push(payload) > 0));
    expect(payloads).toMatchObject([
      { ask_answer: 'one', replayed: true, possible_repeat: true },
      { ask_answer: 'two', replayed: true },
    ]);
  });

  it('an inject that throws is heard; the answer is still owed, and what was taken before is handed off', async () => {
    const rig = await openRig(kind);
    const one = await rig.late('one', FREE);
    const two = await rig.late('two', FREE);
    const inject = (_: unknown, token: string): boolean => {
      if (token === two.token) throw new Error('the queue is gone');
      return true;
    };
    await expect(rig.done(rig.c.journal.deliverPending(TAB, inject))).rejects.toThrow('the queue is gone');
    expect(await rig.entry(one.token)).toMatchObject({ state: 'handed_off' });
    expect(await rig.entry(two.token)).toMatchObject({ state: 'pending', attempts: 0 });
    await rig.hand.pass(50);
    expect([rig.store.dirty, rig.store.outbox()]).toEqual([false, []]);
    expect(await rig.done(rig.c.journal.deliverPending(TAB, () => true))).toMatchObject({ delivered: 1 });
  });

  it('[J-H10] [J-H11] boundaries, absence and renaming: nothing crosses over, and nothing is forgotten', async () => {
    const rig = await openRig(kind);
    const kept = await rig.late('kept', FREE);
    await rig.done(rig.c.journal.moveKey(TAB, 'renamed'));
    expect(await rig.done(rig.c.unread(TAB))).toEqual([]);
    expect(await rig.done(rig.c.unread('renamed'))).toMatchObject([{ token: kept.token }]);
    expect(await rig.show(kept.id)).toMatchObject({ state: 'answered' });
    await rig.done(rig.c.journal.closeAsks('renamed'));
    expect(await rig.done(rig.c.unread('renamed'))).toEqual([]);
    expect((await rig.show(kept.id))?.answers[0]?.receipt).toBe('retired');
    await rig.done(rig.c.journal.forget('renamed'));
    expect(await rig.done(rig.c.journal.entriesFor('renamed'))).toEqual([]);
    const audit = await rig.done(rig.c.audit({ askId: kept.id }));
    expect(audit.filter((row) => row.detail === 'kept').map((row) => row.event)).toEqual([
      'retired',
      'forgotten_answer',
    ]);
  });

  it('[J-H09] an answer from a sink that knows only the id and the tab is on file, and shown as what it is', async () => {
    const rig = await openRig(kind);
    const id = await rig.unattended(FREE);
    const matched = await rig.done(rig.c.journal.record(id, 'Fido', { tabId: 'wherever' }));
    expect(matched).toMatchObject({ key: TAB, correlation: { status: 'matched' }, state: 'pending' });
    const stray = await rig.done(rig.c.journal.record('pa-never', { any: 'thing' }, { tabId: TAB }));
    expect(stray).toMatchObject({
      answer: '{"any":"thing"}',
      correlation: { status: 'foreign' },
      provenance: 'unknown',
    });
    expect(rig.c.journal.tracks('pa-never')).toBe(true);
    expect(await rig.done(rig.c.unread(TAB))).toMatchObject([{ token: matched.token, text: 'Fido' }]);
  });

  it('[J-H04] an answer that is not provably the one is not given as the one', async () => {
    const rig = await openRig(kind);
    const id = await rig.unattended(FREE);
    await rig.done(rig.c.journal.record(id, 'Fido', { tabId: TAB }));
    await rig.done(rig.c.journal.record(id, 'Rex', { tabId: TAB }));
    const end = await rig.done(rig.c.awaitAnswer(id));
    expect(end.outcome).toBe('superseded');
    expect(JSON.stringify(end)).not.toMatch(/Fido|Rex/);
  });

  it('[J-H15] the gate holds while an answer is owed, and the exit notice names every text', async () => {
    const rig = await openRig(kind);
    const { token } = await rig.late('g');
    expect(await rig.done(rig.c.journal.hasOutstanding())).toBe(true);
    const out = await rig.done(rig.c.journal.allOutstanding());
    expect(out).toMatchObject([{ token, answer: 'Green [g]' }]);
    expect(await rig.done(rig.c.journal.mayDisclose({ token }))).toBe(true);
    expect(await rig.done(rig.c.journal.mayDisclose({ token: 'aa999' }))).toBe(false);
    await rig.done(rig.c.handOver(token, turn('t')));
    await rig.proven(rig.c.ack([token], 't'));
    expect(await rig.done(rig.c.journal.hasOutstanding())).toBe(false);
    expect(await rig.done(rig.c.journal.allOutstanding())).toEqual([]);
  });
});

describe.each(KINDS)('who is told, over %s', (kind) => {
  it('a listener that throws keeps nobody else from being told, and is said in the log', async () => {
    const rig = await openRig(kind);
    const heard: string[] = [];
    rig.c.subscribe(() => {
      throw new Error('a broken page');
    });
    const stop = rig.c.subscribe(({ cause, ask }) => heard.push(`${cause} ${ask.state}`));
    const { id, outcome } = await rig.ask();
    await rig.answer(id, 'g');
    expect(await rig.done(outcome)).toMatchObject({ outcome: 'answered' });
    expect(heard).toEqual(['opened open', 'answered answered']);
    expect(rig.log.at('warn').filter((line) => line.includes('a broken page'))).toHaveLength(2);
    stop();
    await rig.ask(FREE);
    expect(heard).toHaveLength(2);
  });

  it('a listener that answers at once is heard, and everyone is told in the order of the commits', async () => {
    const rig = await openRig(kind);
    const heard: string[] = [];
    rig.c.subscribe(({ ask }) => {
      if (ask.state === 'open') void rig.c.answer(ask.askId, { text: 'at once' }, HUMAN);
    });
    rig.c.subscribe(({ cause }) => heard.push(cause));
    const { outcome } = await rig.ask(FREE);
    expect(await rig.done(outcome)).toMatchObject({ outcome: 'answered', text: 'at once' });
    expect(heard).toEqual(['opened', 'answered']);
  });

  it('an onOpen that throws does not end the ask, and a log that throws ends nothing', async () => {
    const rig = await openRig(kind);
    rig.log.lines.push = () => {
      throw new Error('no room for the log');
    };
    const boom = (): void => {
      throw new Error('onOpen');
    };
    const { id, outcome } = await rig.ask(FREE, { onOpen: boom });
    rig.c.subscribe(boom);
    expect(await rig.answer(id, 'Fido')).toMatchObject({ verdict: 'accepted' });
    expect(await rig.done(outcome)).toMatchObject({ outcome: 'answered' });
  });

  it.each(['flusher', 'revoker', 'resolver', 'attacher'] as const)('a %s that throws loses nothing', async (name) => {
    const boom = (): never => {
      throw new Error('the host failed');
    };
    const rig = await openRig(kind, { [name]: boom });
    const id = await rig.unattended(FREE);
    await rig.answer(id, 'Fido').catch((error: unknown) => expect(String(error)).toContain('the host failed'));
    const again = await rig.answer(id, 'Fido');
    expect(again).toMatchObject({ verdict: 'duplicate', saved: true });
    await rig.done(rig.c.journal.deliverPending(TAB, () => true));
    await rig.done(rig.c.journal.record(id, 'Rex', { tabId: TAB })).catch(() => undefined);
    await rig.restart().catch(() => undefined);
    expect((await rig.show(id))?.answers.map((one) => one.text)).toEqual(['Fido', 'Rex']);
  });
});

describe.each(KINDS)('the audit, over %s', (kind) => {
  it('says what happened to an ask: when, on which surface, by whom, and what was shown; never the text', async () => {
    const rig = await openRig(kind);
    const { id, outcome } = await rig.ask(FREE, { attach: turn('turn-1') });
    const at = rig.hand.now();
    const { token = '' } = await rig.answer(id, 'a secret name');
    await rig.answer(id, 'another secret', { surface: 'terminal', who: 'tty' });
    await rig.done(outcome);
    await rig.proven(rig.c.ack([token], 'turn-1'));
    const rows = await rig.done(rig.c.audit({ askId: id }));
    const events = ['opened', 'answered', 'returned', 'submission_conflict', 'closed', 'acked'];
    expect(rows.map((row) => row.event).sort()).toEqual(events.sort());
    expect(rows[0]).toMatchObject({
      event: 'opened',
      askId: id,
      tab: TAB,
      at,
      digest: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(rows.find((row) => row.event === 'answered')).toMatchObject({ token, surface: 'page', who: 'window-1', at });
    expect(rows.find((row) => row.event === 'submission_conflict')).toMatchObject({ surface: 'terminal', who: 'tty' });
    expect(rows.find((row) => row.event === 'acked')).toMatchObject({ token, who: 'turn-1' });
    expect(JSON.stringify(await rig.done(rig.c.audit()))).not.toContain('secret');
    expect(rows.map((row) => row.id)).toEqual([...rows.map((row) => row.id)].sort((a, b) => a - b));
    expect(await rig.done(rig.c.audit({ after: rows[1]?.id ?? 0, askId: id, limit: 1 }))).toEqual([rows[2]]);
    expect(await rig.done(rig.c.audit({ askId: id, limit: 1 }))).toEqual([rows.at(-1)]);
  });

  it('is as it was after a restart, and a failed commit has left no row in it', async () => {
    const rig = await openRig(kind);
    const id = await rig.unattended();
    const before = await rig.done(rig.c.audit());
    rig.store.plant({ on: 'commit', nth: 1 });
    await expect(rig.answer(id, 'g')).rejects.toMatchObject({ code: 'disk_full' });
    expect(await rig.done(rig.c.audit())).toEqual(before);
    await rig.restart();
    expect(await rig.done(rig.c.audit())).toEqual(before);
  });
});
