import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Asking } from '../../src/api.ts';
import { watchSignals } from '../support/signals.ts';
import { COORDINATORS, withPage } from './coordinators.ts';
import type { Wired } from './rig.ts';
import { answer, card, free, PATIENT, receipt, wire } from './rig.ts';

describe.each(COORDINATORS)('one MCP session over %s', (_name, make) => {
  let coordinator: Asking;
  let wired: Wired;
  const open: Wired[] = [];

  const another = async (...args: Parameters<typeof wire> extends [unknown, ...infer Rest] ? Rest : never) => {
    const more = await wire(coordinator, ...args);
    open.push(more);
    return more;
  };

  beforeEach(async () => {
    ({ coordinator } = await withPage(make));
    wired = await another();
  });

  afterEach(async () => {
    for (const each of open.splice(0)) await each.server.close();
    await coordinator.close();
  });

  it('[I9] gives the whole answer, unchanged, as text and as data', async () => {
    const long = `first line\n${'ß𝄞\u202e '.repeat(5_000)}\nlast line`;
    const asked = wired.agent.ask('Paste it?', 5_000);
    await answer(coordinator, 'Paste it?', { text: long });
    const result = await asked;
    expect(result.outcome).toBe('answered');
    expect(result.data.reply).toMatchObject({ text: long });
    expect(result.text).toContain(long);
  });

  it('answers by option id and shows the labels', async () => {
    const options = [
      { id: 'a', label: 'Apply now' },
      { id: 'b', label: 'Later', description: 'tomorrow' },
    ];
    const asked = wired.agent.call('ask_user', { question: 'When?', options, multi_select: true, hold_seconds: 5 });
    await answer(coordinator, 'When?', { selected: ['a', 'b'] });
    const result = await asked;
    expect(result.data.reply).toMatchObject({ selected: ['a', 'b'] });
    expect(result.text).toContain('Apply now');
  });

  it('[A8] an answer is handed when its result is written and read back only by its token', async () => {
    const asked = wired.agent.ask('Deploy?', 5_000);
    const { askId } = await answer(coordinator, 'Deploy?', { text: 'yes' });
    const { token } = await asked;
    expect(await receipt(coordinator, askId)).toBe('handed');
    const done = await wired.agent.call('ack_answers', { tokens: [token] });
    expect(done.data.acks).toEqual([{ token, accepted: true }]);
    expect(await receipt(coordinator, askId)).toBe('read_back');
  });

  it('a hold that is over leaves nothing on the signal of its session, which lives on', async () => {
    const most = watchSignals();
    for (let i = 0; i < 5; i++) await wired.agent.ask(`${i}?`, 1);
    expect(most()).toBeLessThan(2);
  });

  it('a token nobody handed out is refused, with the others taken', async () => {
    const asked = wired.agent.ask('Go?', 5_000);
    await answer(coordinator, 'Go?', { text: 'go' });
    const { token } = await asked;
    const done = await wired.agent.call('ack_answers', { tokens: ['aa-none', token] });
    expect(done.data.acks).toEqual([
      { token: 'aa-none', accepted: false },
      { token, accepted: true },
    ]);
    expect(done.text).toContain('aa-none');
  });

  it('[A1] an answer that comes after the call rides on the next result of any tool, labelled late', async () => {
    const pending = await wired.agent.ask('Which port?');
    expect(pending.outcome).toBe('pending');
    expect(pending.isError).toBe(false);
    expect(pending.text).toContain(`await_answer`);
    await answer(coordinator, 'Which port?', { text: '8080' });
    const next = await wired.agent.call('list_asks');
    expect(next.earlier).toHaveLength(1);
    expect(next.earlier[0]).toMatchObject({
      question: 'Which port?',
      ask_id: pending.askId,
      answer: '8080',
      late: true,
      possible_repeat: false,
    });
    expect(next.text).toMatch(/Late answer.*Which port\?/);
    await wired.agent.call('ack_answers', { tokens: [next.earlier[0]?.token ?? ''] });
    expect(await receipt(coordinator, pending.askId)).toBe('read_back');
    expect((await wired.agent.call('list_asks')).earlier).toEqual([]);
  });

  it('[A1] ack on any other tool is a receipt as well, and stops the ride of that very answer', async () => {
    const pending = await wired.agent.ask('Name?');
    await answer(coordinator, 'Name?', { text: 'Ada' });
    const token = (await wired.agent.call('list_asks')).earlier[0]?.token ?? '';
    const next = await wired.agent.call('list_asks', { ack: [token] });
    expect(next.data.acks).toEqual([{ token, accepted: true }]);
    expect(next.earlier).toEqual([]);
    expect(await receipt(coordinator, pending.askId)).toBe('read_back');
  });

  it('[A2] a client that gave up while the answer was on its way has been handed nothing', async () => {
    const stop = new AbortController();
    const asked = wired.agent.ask('Still there?', 5_000, { signal: stop.signal });
    const shown = await card(coordinator, 'Still there?');
    // The cancellation and the answer happen in the same tick.
    const answered = coordinator.answer(shown.askId, { text: 'here' }, { surface: 'page' });
    stop.abort('the user pressed a key');
    await expect(asked).rejects.toThrow();
    await answered;
    await free(coordinator, shown.askId);
    const next = await wired.agent.call('list_asks');
    expect(next.earlier).toMatchObject([{ ask_id: shown.askId, answer: 'here' }]);
  });

  it('[A2] a cancellation that crossed the result takes the hand-over back', async () => {
    const asked = wired.agent.ask('Crossed?', 5_000);
    const shown = await answer(coordinator, 'Crossed?', { text: 'x' });
    await asked;
    expect(await receipt(coordinator, shown.askId)).toBe('handed');
    await wired.agent.client.notification({ method: 'notifications/cancelled', params: { requestId: 1 } });
    await free(coordinator, shown.askId);
  });

  it('[A5] an answer that comes very late is given to whoever waits for the ask, however often the call died', async () => {
    const { askId } = await wired.agent.ask('Long one?');
    for (let times = 0; times < 3; times += 1) expect((await wired.agent.wait(askId)).outcome).toBe('pending');
    await answer(coordinator, 'Long one?', { text: 'at last' });
    const result = await wired.agent.wait(askId);
    expect(result.outcome).toBe('answered');
    expect(result.data.answer).toBe('at last');
    expect(result.earlier).toEqual([]);
  });

  it('an acknowledged answer is given again as such: no second receipt, no ride, nothing to hand back', async () => {
    const asked = wired.agent.ask('Seen?', 5_000);
    const { askId } = await answer(coordinator, 'Seen?', { text: 'seen' });
    const { token } = await asked;
    await wired.agent.call('ack_answers', { tokens: [token] });
    const again = await wired.agent.wait(askId);
    expect(again).toMatchObject({ outcome: 'answered', earlier: [], data: { answer: 'seen', read_back: true, token } });
    expect(again.text).toContain('You acknowledged this already');
    expect(again.text).not.toMatch(/ack_answers|Possible repeat/);
    expect((await wired.agent.call('list_asks')).earlier).toEqual([]);
    const other = await another();
    const fetched = await other.agent.wait(askId);
    expect(fetched.text).toContain('This was acknowledged already');
    expect(fetched.text).not.toContain('ack_answers');
    expect((await other.agent.call('list_asks')).earlier).toEqual([]);
    const listed = await wired.agent.call('list_asks', { what: 'recent' });
    expect(listed.text).toMatch(/“Seen\?”\. Its answer was read back/);
    expect(listed.text).not.toContain('call await_answer');
    expect(await receipt(coordinator, askId)).toBe('read_back');
  });

  it('lists what ended without an answer among the recent, with the reason', async () => {
    const { askId } = await wired.agent.ask('Moot?');
    await wired.agent.call('withdraw_ask', { ask_id: askId, reason: 'Solved it.' });
    const { text, data } = await wired.agent.call('list_asks', { what: 'recent' });
    expect(data.asks).toMatchObject([{ ask_id: askId, state: 'withdrawn', answers: 0 }]);
    expect(text).toMatch(/withdrawn.*“Moot\?”.*Solved it\./);
  });

  it('repeats an unacknowledged answer three times, labelled, then parks it and says so once', async () => {
    const asked = wired.agent.ask('Colour?', 5_000);
    const { askId } = await answer(coordinator, 'Colour?', { text: 'red' });
    const { token } = await asked;
    for (let times = 0; times < 3; times += 1) {
      const next = await wired.agent.call('list_asks');
      expect(next.earlier).toMatchObject([{ token, possible_repeat: true, late: false }]);
      expect(next.text).toContain('Possible repeat');
    }
    const parked = await wired.agent.call('list_asks');
    expect(parked.earlier).toEqual([]);
    expect(parked.data.parked).toMatchObject([{ token, question: 'Colour?' }]);
    expect(parked.text).toContain('Colour?');
    const after = await wired.agent.call('list_asks');
    expect(after.earlier).toEqual([]);
    expect(after.data.parked).toBeUndefined();
    expect((await wired.agent.call('ack_answers', { tokens: [token] })).data.acks).toEqual([{ token, accepted: true }]);
    expect(await receipt(coordinator, askId)).toBe('read_back');
  });

  it('an answer rides on ack_answers of other tokens, and never on an error', async () => {
    const first = await wired.agent.ask('One?');
    const second = wired.agent.ask('Two?', 5_000);
    await answer(coordinator, 'Two?', { text: '2' });
    const { token } = await second;
    await answer(coordinator, 'One?', { text: '1' });
    const wrong = await wired.agent.call('await_answer', {});
    expect(wrong.isError).toBe(true);
    expect(wrong.earlier).toEqual([]);
    const done = await wired.agent.call('ack_answers', { tokens: [token] });
    expect(done.earlier).toMatchObject([{ ask_id: first.askId, answer: '1' }]);
  });

  it('a repeat that nobody read leaves the answer in the hands that have it, and provable', async () => {
    const asked = wired.agent.ask('Kept in hand?', 5_000);
    const { askId } = await answer(coordinator, 'Kept in hand?', { text: 'k' });
    const { token } = await asked;
    expect((await wired.agent.call('list_asks')).earlier).toHaveLength(1);
    await wired.agent.client.notification({ method: 'notifications/cancelled', params: { requestId: 2 } });
    const done = await wired.agent.call('ack_answers', { tokens: [token] });
    expect(done.data.acks).toEqual([{ token, accepted: true }]);
    expect(await receipt(coordinator, askId)).toBe('read_back');
  });

  it('one result carries several answers, and a cancelled one hands all of them back', async () => {
    for (const question of ['A?', 'B?', 'C?']) await wired.agent.ask(question);
    for (const question of ['A?', 'B?', 'C?']) await answer(coordinator, question, { text: question });
    const spare = await coordinator.list({ what: 'recent' });
    const carried = await wired.agent.call('list_asks');
    expect(carried.earlier.map((each) => each.question).sort()).toEqual(['A?', 'B?', 'C?']);
    await wired.agent.client.notification({ method: 'notifications/cancelled', params: { requestId: 4 } });
    for (const ask of spare) await free(coordinator, ask.askId);
  });

  it('two results at the same time never carry the same answer', async () => {
    await wired.agent.ask('Once?');
    await answer(coordinator, 'Once?', { text: 'once' });
    const results = await Promise.all([1, 2, 3].map(() => wired.agent.call('list_asks')));
    expect(results.flatMap((result) => result.earlier.filter((each) => !each.possible_repeat))).toHaveLength(1);
  });

  it('[C4] two calls at once: each gets its own answer, in either order, and it rides nowhere else', async () => {
    const first = wired.agent.ask('First?', 5_000);
    const second = wired.agent.ask('Second?', 5_000);
    await card(coordinator, 'First?');
    await answer(coordinator, 'Second?', { text: 'two' });
    const other = await wired.agent.call('list_asks');
    await answer(coordinator, 'First?', { text: 'one' });
    expect((await second).data.answer).toBe('two');
    expect((await first).data.answer).toBe('one');
    expect(other.earlier.filter((each) => !each.possible_repeat)).toEqual([]);
  });

  it('[C11] two questions with equal text are two asks', async () => {
    const first = wired.agent.ask('Same?', 5_000);
    const one = await card(coordinator, 'Same?');
    const second = wired.agent.ask('Same?', 5_000);
    await vi.waitFor(async () => expect(await coordinator.list({ what: 'open' })).toHaveLength(2), PATIENT);
    const two = (await coordinator.list({ what: 'open' })).find((ask) => ask.askId !== one.askId);
    await coordinator.answer(two?.askId ?? '', { text: 'for two' }, { surface: 'page' });
    expect((await second).askId).toBe(two?.askId);
    await coordinator.answer(one.askId, { text: 'for one' }, { surface: 'page' });
    expect((await first).data.answer).toBe('for one');
  });

  it('[C2] a duplicate of the first answer does not answer the second question', async () => {
    const first = wired.agent.ask('Q1?', 5_000);
    const { askId } = await answer(coordinator, 'Q1?', { text: 'yes' });
    await first;
    const second = wired.agent.ask('Q2?', 60);
    await card(coordinator, 'Q2?');
    const again = await coordinator.answer(askId, { text: 'yes' }, { surface: 'page' });
    expect(again.verdict).toBe('duplicate');
    expect((await second).outcome).toBe('pending');
  });

  it('[C1] [C7] no tool takes an answer without its ask id', async () => {
    const { tools } = await wired.agent.client.listTools();
    const waits = tools.find((tool) => tool.name === 'await_answer');
    const fields = ['ask_id', 'ask_ids', 'hold_seconds', 'branch', 'ack'];
    expect(Object.keys(waits?.inputSchema.properties ?? {})).toEqual(fields);
    const result = await wired.agent.call('await_answer', { hold_seconds: 0 });
    expect(result.isError).toBe(true);
    expect(result.data.field).toBe('ask_id');
  });

  it('[G1] [G3] [I13] without anything that could show it the outcome is undeliverable, at once, and no success', async () => {
    const { coordinator: lonely, leave } = await withPage(make);
    leave();
    const alone = await wire(lonely, { holdMs: 20_000 });
    await vi.waitFor(() => expect(lonely.hasSurface()).toBe(false), PATIENT);
    const result = await alone.agent.call('ask_user', { question: 'Anybody?' });
    expect(result.outcome).toBe('undeliverable');
    expect(result.isError).toBe(true);
    expect(result.data.answer).toBeUndefined();
    expect(result.text).toContain('no person saw it');
    expect(result.data.remedy).toMatch(/open the readback page .*readback serve.*then ask again/);
    expect(result.text).toContain(String(result.data.remedy));
    await alone.server.close();
    await lonely.close();
  });

  it('[G4] a wait that ran out is pending, never a no, and the question stays open', async () => {
    const result = await wired.agent.ask('Sure?');
    expect(result.outcome).toBe('pending');
    expect(result.isError).toBe(false);
    expect(result.text).toContain('not a no');
    expect((await coordinator.show(result.askId))?.state).toBe('open');
  });

  it('[G6] an ask id that is not on file is unknown', async () => {
    const result = await wired.agent.wait('pa-nothing');
    expect(result.outcome).toBe('unknown');
    expect(result.isError).toBe(true);
    const withdrawn = await wired.agent.call('withdraw_ask', { ask_id: 'pa-nothing', reason: 'x' });
    expect(withdrawn.outcome).toBe('unknown');
    for (const each of [result, withdrawn]) {
      expect(each.data.remedy).toContain('list_asks');
      expect(each.text).toContain('list_asks');
    }
  });

  it('a person who looked and declined has declined, and that is an answer with a token', async () => {
    const asked = wired.agent.ask('Private?', 5_000);
    await answer(coordinator, 'Private?', { declined: true });
    const result = await asked;
    expect(result.outcome).toBe('declined');
    expect(result.data.reply).toEqual({ declined: true });
    expect(result.token).toMatch(/./);
  });

  it('withdrawing a question ends the call that waits for it, and says so', async () => {
    const asked = wired.agent.ask('Needed?', 5_000);
    const { askId } = await card(coordinator, 'Needed?');
    const withdrawn = await wired.agent.call('withdraw_ask', { ask_id: askId, reason: 'Found it myself.' });
    expect(withdrawn.outcome).toBe('withdrawn');
    const result = await asked;
    expect(result.outcome).toBe('cancelled');
    expect(result.text).toMatch(/[Ww]ithdrawn/);
    expect((await coordinator.show(askId))?.state).toBe('withdrawn');
  });

  it('withdrawing after the answer says that it was too late and how to read the answer', async () => {
    const { askId } = await wired.agent.ask('Late?');
    await answer(coordinator, 'Late?', { text: 'answered' });
    const result = await wired.agent.call('withdraw_ask', { ask_id: askId, reason: 'No longer.' });
    expect(result.outcome).not.toBe('withdrawn');
    expect(result.text).toContain('await_answer');
  });

  it('[F1] a new session gets nothing by an equal question, but may fetch an answer by its ask id and prove it', async () => {
    const { askId } = await wired.agent.ask('Shared?');
    await answer(coordinator, 'Shared?', { text: 'secret of one' });
    const other = await another();
    const fresh = await other.agent.ask('Shared?');
    expect(fresh.outcome).toBe('pending');
    expect(JSON.stringify(fresh.raw)).not.toContain('secret of one');
    expect((await other.agent.call('list_asks', { scope: 'all', what: 'recent' })).text).not.toContain('secret of one');
    const fetched = await other.agent.wait(askId);
    expect(fetched.data.answer).toBe('secret of one');
    const repeated = await other.agent.call('list_asks');
    expect(repeated.earlier).toMatchObject([{ token: fetched.token, possible_repeat: true }]);
    const done = await other.agent.call('ack_answers', { tokens: [fetched.token] });
    expect(done.data.acks).toEqual([{ token: fetched.token, accepted: true }]);
    expect(await receipt(coordinator, askId)).toBe('read_back');
    expect((await wired.agent.call('list_asks')).earlier).toEqual([]);
  });

  it('[F10] an open question is found again by list_asks and its wait goes on', async () => {
    const { askId } = await wired.agent.ask('Remember me?');
    const listed = await wired.agent.call('list_asks');
    expect(listed.data.asks).toMatchObject([{ ask_id: askId, state: 'open', own: true }]);
    const other = await another();
    expect((await other.agent.call('list_asks')).data.asks).toEqual([]);
    expect((await other.agent.call('list_asks', { scope: 'all' })).data.asks).toMatchObject([
      { ask_id: askId, own: false },
    ]);
  });

  it('[I1] a closed session ends every wait, and hands back what nobody proved to have read', async () => {
    const read = wired.agent.ask('Read?', 5_000);
    const shown = await answer(coordinator, 'Read?', { text: 'r' });
    await read;
    const failure = (error: unknown) => error;
    const waits = ['Open 1?', 'Open 2?'].map((question) => wired.agent.ask(question, 60_000).catch(failure));
    await card(coordinator, 'Open 1?');
    await card(coordinator, 'Open 2?');
    const started = Date.now();
    await wired.server.close();
    for (const ended of await Promise.all(waits)) expect(ended).toBeInstanceOf(Error);
    expect(Date.now() - started).toBeLessThan(2_000);
    expect((await coordinator.list({ what: 'open' })).map((ask) => ask.question)).toEqual(['Open 1?', 'Open 2?']);
    await free(coordinator, shown.askId);
  });

  it('[I2] an unanswered ask holds no call once its wait is over, and stays on file', async () => {
    const { askId } = await wired.agent.ask('Never?');
    expect(wired.server.busy()).toBe(false);
    await vi.waitFor(async () => expect((await coordinator.show(askId))?.awaited).toBe(false), PATIENT);
    expect((await coordinator.show(askId))?.state).toBe('open');
  });

  it('[A4] the time after which a client gives up is seen, told, and kept under by later calls', async () => {
    await expect(wired.agent.ask('Slow?', 5_000, { timeout: 1_000 })).rejects.toThrow('timed out');
    const limit = wired.server.client()?.limitMs ?? 0;
    expect(limit).toBeGreaterThan(900);
    expect(limit).toBeLessThan(3_000);
    const next = await wired.agent.ask('Slow again?', 5_000);
    expect(next.outcome).toBe('pending');
    expect(Number(next.data.waited_ms)).toBeLessThan(limit);
    expect(next.text).toContain('give up after');
    expect(wired.server.client()).toMatchObject({ name: 'test-agent', version: '1.0.0' });
  });

  it('[I11] a header of any length is a hint, never an error', async () => {
    const header = 'far longer than twelve characters';
    const result = await wired.agent.call('ask_user', { question: 'Header?', header, hold_seconds: 0.02 });
    expect(result.outcome).toBe('pending');
    expect(result.data.notes).toMatchObject([expect.stringContaining('12')]);
    const huge = await wired.agent.call('ask_user', {
      question: 'Huge?',
      header: '𝄞'.repeat(5_000),
      hold_seconds: 0.02,
    });
    expect(huge.outcome).toBe('pending');
  });
});
