import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditRow, Outcome, Verdict } from '../../src/api.ts';
import { alive } from '../../src/cli/home.ts';
import { type Agent, COLOURS, Home, type Result, ridesOf, until } from './support.ts';

/** The given agent, of either kind, on the same host. */
const KINDS = ['stdio', 'http'] as const;

describe('a person in a terminal', { timeout: 60_000 }, () => {
  const home = new Home();

  beforeAll(async () => {
    await home.serve('--terminal');
  });

  afterAll(() => home.end());

  it.concurrent.each(KINDS)(
    '[E7] over %s: asks, `readback answer`, the answer is returned, acked, and read back',
    async (kind) => {
      const agent = await home[kind]('asker');
      const question = `Which colour over ${kind}?`;
      const call = agent.tool('ask_user', { question, header: 'Colour', options: COLOURS });
      const { askId } = await home.opened(question);
      const verdict = await home.json<Verdict>('answer', askId, '--option', 'r');
      expect(verdict).toMatchObject({ verdict: 'accepted', saved: true });
      const { data, text, failed } = await call;
      expect(failed).toBe(false);
      expect(data).toMatchObject({
        outcome: 'answered',
        ask_id: askId,
        answer: 'Red [r]',
        reply: { selected: ['r'] },
        token: verdict.token,
        question,
        possible_repeat: false,
      });
      expect(text).toContain('Red');
      expect((await home.ask(askId)).answers).toMatchObject([{ receipt: 'handed', surface: 'terminal' }]);
      const acked = await agent.tool('ack_answers', { tokens: [data['token']] });
      expect(acked.data['acks']).toEqual([{ token: data['token'], accepted: true }]);
      expect((await home.ask(askId)).answers).toMatchObject([{ receipt: 'read_back' }]);
      // What was read is not repeated, and is on no list of things to read.
      expect(ridesOf(await agent.tool('list_asks'))).toEqual([]);
    },
  );

  it.concurrent('[C2] a second session gets no earlier answer by an equal question, but may fetch it by its ask id', async () => {
    const question = 'Twice the same?';
    const first = await home.http('first');
    const firstId = await first.late(question);
    const answered = await home.json<Verdict>('answer', firstId, '--option', 'b');
    expect(answered.verdict).toBe('late_accepted');
    const second = await home.http('second');
    const { data, text } = await second.tool('ask_user', { question, options: COLOURS, hold_seconds: 1 });
    expect(data).toMatchObject({ outcome: 'pending' });
    expect(Object.keys(data)).not.toContain('others');
    expect(Object.keys(data)).not.toContain('earlier_answers');
    expect(text).not.toContain('Blue');
    const secondId = String(data['ask_id']);
    expect(secondId).not.toBe(firstId);
    // The answer to the first, sent again, is settled and answers nothing else.
    const again = await home.json<Verdict>('answer', firstId, '--option', 'b');
    expect(again).toMatchObject({ verdict: 'duplicate', askId: firstId, token: answered.token });
    expect(await home.ask(secondId)).toMatchObject({ state: 'open', answers: [] });
    const fetched = await second.tool('await_answer', { ask_id: firstId });
    expect(fetched.data).toMatchObject({
      outcome: 'answered',
      ask_id: firstId,
      answer: 'Blue [b]',
      token: answered.token,
    });
    await second.tool('ack_answers', { tokens: [answered.token] });
    expect((await home.ask(firstId)).answers).toMatchObject([{ receipt: 'read_back' }]);
    expect(await home.ask(secondId)).toMatchObject({ state: 'open', answers: [] });
  });

  it.concurrent.each(KINDS)(
    '[A2] [A8] over %s: a call that its client gave up has handed nothing over',
    async (kind) => {
      const agent = await home[kind]('hasty');
      await agent.tool('list_asks');
      const question = `Too slow over ${kind}?`;
      // The SDK gives up after 60 s by itself; here after two and a half, by the same means.
      const call = agent.tool('ask_user', { question, options: COLOURS }, { timeout: 2_500 });
      await expect(call).rejects.toThrow(/timed out/i);
      const { askId } = await home.opened(question);
      expect(await home.json<Verdict>('answer', askId, '--option', 'b')).toMatchObject({ verdict: 'late_accepted' });
      expect((await home.ask(askId)).answers).toMatchObject([{ receipt: 'saved' }]);
      const next = await agent.tool('list_asks');
      expect(ridesOf(next)).toMatchObject([{ ask_id: askId, answer: 'Blue [b]', late: true, possible_repeat: false }]);
      await agent.tool('ack_answers', { tokens: ridesOf(next).map(({ token }) => token) });
      expect((await home.ask(askId)).answers).toMatchObject([{ receipt: 'read_back' }]);
      // From now on calls of this client come back before it gives up, as a success.
      const other = await agent.tool('ask_user', { question: `And now over ${kind}?`, options: COLOURS });
      expect(other).toMatchObject({ failed: false, data: { outcome: 'pending' } });
      expect(Number(other.data['waited_ms'])).toBeLessThan(5_000);
      expect(other.text).toContain('this client was seen to give up after');
    },
  );

  it.concurrent.each(KINDS)(
    '[A2] over %s: a wait that is cancelled by the user takes nothing with it',
    async (kind) => {
      const agent = await home[kind]('stopped');
      const question = `Stop over ${kind}?`;
      const askId = await agent.late(question);
      const stop = new AbortController();
      // The first report of progress says that the wait has begun.
      const onprogress = () => stop.abort('pressed escape');
      const wait = agent.tool('await_answer', { ask_id: askId }, { signal: stop.signal, onprogress });
      await expect(wait).rejects.toThrow();
      expect(await home.json<Verdict>('answer', askId, '--option', 'r')).toMatchObject({ verdict: 'late_accepted' });
      expect(await home.ask(askId)).toMatchObject({ state: 'answered', answers: [{ receipt: 'saved' }] });
      const { data } = await agent.tool('await_answer', { ask_id: askId });
      expect(data).toMatchObject({ outcome: 'answered', answer: 'Red [r]', possible_repeat: false });
    },
  );

  it.concurrent('[A4] progress keeps a client alive that starts its clock anew with each report', async () => {
    const agent = await home.stdio('patient');
    await agent.tool('list_asks');
    const seen: number[] = [];
    const result = await agent.tool(
      'ask_user',
      { question: 'Any hurry?', options: COLOURS, hold_seconds: 9 },
      { timeout: 7_500, resetTimeoutOnProgress: true, onprogress: ({ progress }) => seen.push(progress) },
    );
    expect(result.data).toMatchObject({ outcome: 'pending' });
    expect(Number(result.data['waited_ms'])).toBeGreaterThan(7_500);
    expect(seen.length).toBeGreaterThanOrEqual(2);
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
  });

  it.concurrent('[A2] an agent that dies with the answer in its hands has not read it; a successor may', async () => {
    const agent = await home.stdio('mortal');
    const question = 'Last words?';
    const call = agent.tool('ask_user', { question, options: COLOURS }).catch(() => undefined);
    const { askId } = await home.opened(question);
    // Its process takes in what the host writes, and passes nothing on.
    process.kill(agent.pid, 'SIGSTOP');
    expect(await home.json<Verdict>('answer', askId, '--option', 'b')).toMatchObject({ verdict: 'accepted' });
    await home.receipt(askId, 'handed');
    process.kill(agent.pid, 'SIGKILL');
    expect(await call).toBeUndefined();
    await until('the hand-back', async () => {
      const { rows } = await home.api<{ rows: AuditRow[] }>(`audit?askId=${askId}`);
      return rows.find(({ event }) => event === 'handed_back');
    });
    const heir = await home.stdio('heir');
    const { data, text } = await heir.tool('await_answer', { ask_id: askId });
    expect(data).toMatchObject({ outcome: 'answered', answer: 'Blue [b]', possible_repeat: true });
    expect(text).toMatch(/possible repeat/i);
  });

  it.concurrent('[G4] each way a question can end has its exit code', async () => {
    const limited = home.run('ask', 'Who waits?', '--timeout', '500ms', '--json');
    const expiring = home.run('ask', 'Who is late?', '--expires', '800ms');
    const withdrawn = home.start('ask', 'Who needs it?');
    const { askId } = await home.opened('Who needs it?');
    expect((await home.run('withdraw', askId, '--reason', 'nobody')).code).toBe(0);
    expect(await withdrawn.done).toMatchObject({ code: 14, out: '' });
    expect((await expiring).code).toBe(12);
    const { code, out } = await limited;
    expect(code).toBe(11);
    const pending = JSON.parse(out) as Outcome;
    expect(pending.outcome).toBe('pending');
    // The call has ended, the question has not.
    const waiting = home.start('ask', '--await', pending.askId);
    expect((await home.run('answer', pending.askId, '--text', 'I do')).code).toBe(0);
    expect(await waiting.done).toMatchObject({ code: 0, out: 'I do\n' });
    await home.receipt(pending.askId, 'read_back');
  });
});

describe('nobody is looking', { timeout: 60_000 }, () => {
  const home = new Home();

  afterAll(() => home.end());

  it('[G1] [I13] three agents that start at once share one host, and their asks are undeliverable at once', async () => {
    const ask = async (name: string): Promise<[Agent, Result, number]> => {
      const agent = await home.stdio(name);
      await agent.tool('list_asks');
      const begun = Date.now();
      const result = await agent.tool('ask_user', { question: `Anybody, ${name}?`, options: COLOURS });
      return [agent, result, Date.now() - begun];
    };
    const all = await Promise.all(['one', 'two', 'three'].map(ask));
    for (const [, result, took] of all) {
      expect(result).toMatchObject({ failed: true, data: { outcome: 'undeliverable' } });
      expect(result.text).toMatch(/nobody said no/i);
      expect(took).toBeLessThan(10_000);
    }
    const health = await home.api<{ pid: number; open: number; clients: { name: string }[] }>('health');
    expect(health.clients.map(({ name }) => name).sort()).toEqual(['one', 'three', 'two']);
    expect(health).toMatchObject({ pid: home.host.pid, open: 0 });
    expect(existsSync(join(home.folder, 'host.starting'))).toBe(false);
    const direct = await home.http('direct');
    const result = await direct.tool('ask_user', { question: 'Anybody, over HTTP?', options: COLOURS });
    expect(result).toMatchObject({ failed: true, data: { outcome: 'undeliverable' } });
    const { code, out, err } = await home.run('ask', 'Anybody, shell?', '--option', 'y=Yes');
    expect({ code, out }).toEqual({ code: 13, out: '' });
    expect(err).toContain('?token=');
    for (const [agent] of all) await agent.client.close();
    expect((await home.run('stop')).code).toBe(0);
    expect(alive(health.pid)).toBe(false);
  });
});
