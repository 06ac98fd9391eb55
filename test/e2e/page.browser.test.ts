import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Verdict } from '../../src/api.ts';
import { launch, openWindow, press, type Window } from '../host/browser.ts';
import { COLOURS, card, Home, holdBack, ridesOf, send, shot } from './support.ts';

describe('agents over MCP, a person at the page', { timeout: 60_000 }, () => {
  const home = new Home();
  let browser: Browser;
  let context: BrowserContext;
  let window: Window;
  let page: Page;

  beforeAll(async () => {
    [browser] = await Promise.all([launch(), home.serve()]);
  });

  afterAll(async () => {
    await browser.close();
    await home.end();
  });

  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 800, height: 900 } });
    window = await openWindow(context, home.link);
    page = window.page;
  });

  afterEach(async () => {
    await context.close();
    expect(window.complaints).toEqual([]);
  });

  const receipt = (askId: string, name: string, on: Page = page): Locator =>
    on.locator(`[data-ask="${askId}"] [data-receipt="${name}"]`);

  it('[E7] over stdio: the agent asks, a click answers, it is acked, and the page shows it read back', async () => {
    let loads = 0;
    page.on('framenavigated', () => {
      loads += 1;
    });
    const agent = await home.stdio('builder');
    const question = 'Which colour shall the door have?';
    const call = agent.tool('ask_user', { question, header: 'Door', options: COLOURS, free_text: true });
    const { askId } = await home.opened(question);
    await card(page, askId).getByText('Blue', { exact: true }).click();
    await shot(page, '1-chosen');
    expect(await page.title()).toMatch(/1/);
    await send(page, askId).click();
    const { data, text } = await call;
    expect(data).toMatchObject({ outcome: 'answered', ask_id: askId, reply: { selected: ['b'] }, question });
    expect(text).toContain('Blue [b]');
    await receipt(askId, 'handed').waitFor();
    await shot(page, '1-handed');
    expect(await card(page, askId).innerText()).not.toMatch(/read back/i);
    await agent.tool('ack_answers', { tokens: [data['token']] });
    await receipt(askId, 'read_back').waitFor();
    await shot(page, '1-read-back');
    expect(await card(page, askId).innerText()).toMatch(/read back/i);
    expect(loads).toBe(0);
  });

  it('[E7] over HTTP: answered in a terminal, the page follows each step', async () => {
    const agent = await home.http('remote');
    const question = 'Which colour shall the roof have?';
    const call = agent.tool('ask_user', { question, options: COLOURS });
    const { askId } = await home.opened(question);
    await card(page, askId).waitFor();
    expect((await home.run('answer', askId, '--option', 'r')).code).toBe(0);
    await card(page, askId).getByText('Answered in a terminal').waitFor();
    const { data } = await call;
    expect(data).toMatchObject({ outcome: 'answered', answer: 'Red [r]' });
    await receipt(askId, 'handed').waitFor();
    await agent.tool('list_asks', { ack: [data['token']] });
    await receipt(askId, 'read_back').waitFor();
    await shot(page, '2-terminal');
  });

  it('[A1] late: pending names await_answer; the answer rides on the next result, labelled late, until its ack', async () => {
    const agent = await home.stdio('sleeper', '--hold', '1s');
    const asked = await agent.tool('ask_user', { question: 'What now?', options: COLOURS });
    expect(asked).toMatchObject({ failed: false, data: { outcome: 'pending' } });
    const askId = String(asked.data['ask_id']);
    expect(asked.text).toContain(`await_answer with ask_id "${askId}"`);
    await card(page, askId).getByText('Nobody waits just now; your answer is kept.').waitFor();
    await shot(page, '3-nobody-waits');
    await card(page, askId).getByText('Blue', { exact: true }).click();
    await send(page, askId).click();
    await receipt(askId, 'saved').waitFor();
    await card(page, askId).getByText('Kept for later').waitFor();
    await shot(page, '3-saved');
    const next = await agent.tool('list_asks');
    expect(ridesOf(next)).toMatchObject([
      { ask_id: askId, question: 'What now?', answer: 'Blue [b]', late: true, possible_repeat: false },
    ]);
    expect(next.text).toMatch(/Late answer: .*“What now\?”/);
    await receipt(askId, 'handed').waitFor();
    expect(await card(page, askId).innerText()).not.toContain('nobody is waiting');
    await agent.tool('list_asks', { ack: ridesOf(next).map(({ token }) => token) });
    await receipt(askId, 'read_back').waitFor();
    expect(ridesOf(await agent.tool('list_asks'))).toEqual([]);
  });

  it('[A1] [A5] unacked, it is repeated three times with its label, then parked, and the page says so', async () => {
    const agent = await home.http('forgetful');
    const askId = await agent.late('Do you listen?');
    await card(page, askId).getByText('Red', { exact: true }).click();
    await send(page, askId).click();
    await receipt(askId, 'saved').waitFor();
    const first = await agent.tool('list_asks');
    expect(ridesOf(first)).toMatchObject([{ ask_id: askId, late: true, possible_repeat: false }]);
    for (const round of [1, 2, 3]) {
      const again = await agent.tool('list_asks');
      expect([round, ridesOf(again)]).toMatchObject([round, [{ ask_id: askId, late: false, possible_repeat: true }]]);
      expect(again.text).toContain('Possible repeat');
    }
    const fifth = await agent.tool('list_asks');
    expect(ridesOf(fifth)).toEqual([]);
    expect(fifth.data['parked']).toMatchObject([{ question: 'Do you listen?' }]);
    await receipt(askId, 'parked').waitFor();
    expect(await card(page, askId).innerText()).toMatch(
      /Not read back It was given to the agent 4 times without a receipt\./,
    );
    await shot(page, '3-parked');
    const sixth = await agent.tool('list_asks');
    expect(ridesOf(sixth)).toEqual([]);
    expect(sixth.data['parked']).toBeUndefined();
    // Parked is not lost: a receipt that comes at last still counts.
    await agent.tool('ack_answers', { tokens: ridesOf(first).map(({ token }) => token) });
    await receipt(askId, 'read_back').waitFor();
  });

  it('withdrawn by the agent: both windows say so at once, and a late submit is told', async () => {
    const agent = await home.stdio('fickle');
    const other = await openWindow(context, home.link);
    const slow = await context.newPage();
    const notices = await holdBack(slow);
    await slow.goto(home.link);
    const call = agent.tool('ask_user', { question: 'Still needed?', options: COLOURS, free_text: true });
    const { askId } = await home.opened('Still needed?');
    await card(other.page, askId).getByRole('textbox').fill('half an answer');
    await card(slow, askId).getByText('Blue', { exact: true }).click();
    notices.hold();
    const reason = 'Found it in the manual.';
    expect((await agent.tool('withdraw_ask', { ask_id: askId, reason })).data).toMatchObject({ outcome: 'withdrawn' });
    expect((await call).data).toMatchObject({ outcome: 'cancelled', ask_id: askId });
    for (const each of [page, other.page]) {
      await card(each, askId).getByText(`Withdrawn ${reason}`).waitFor();
      expect(await send(each, askId).count()).toBe(0);
    }
    expect(await card(other.page, askId).innerText()).toContain('half an answer');
    await shot(other.page, '5-withdrawn');
    // This window has not heard of it yet.
    await send(slow, askId).click();
    await card(slow, askId).getByText('Not sent: too late').waitFor();
    await shot(slow, '5-late');
    const verdict = await home.json<Verdict>('answer', askId, '--option', 'b');
    expect(verdict).toMatchObject({ verdict: 'withdrawn', saved: false });
    expect((await home.ask(askId)).answers).toEqual([]);
    expect(ridesOf(await agent.tool('list_asks'))).toEqual([]);
  });

  it('[B1] [E7] two windows answer: one is accepted, the other withdrawn at once; a conflict names the winner', async () => {
    const agent = await home.http('divided');
    const other = await openWindow(context, home.link);
    const slow = await context.newPage();
    const notices = await holdBack(slow);
    await slow.goto(home.link);
    const call = agent.tool('ask_user', { question: 'Who is first?', options: COLOURS, free_text: true });
    const { askId } = await home.opened('Who is first?');
    await card(other.page, askId).getByRole('textbox').fill('typed, not sent');
    await card(slow, askId).getByText('Red', { exact: true }).click();
    notices.hold();
    await card(page, askId).getByText('Blue', { exact: true }).click();
    await send(page, askId).click();
    await card(page, askId).getByText('Answered here').waitFor();
    await card(other.page, askId).getByText('Answered in another window').waitFor();
    expect(await send(other.page, askId).count()).toBe(0);
    expect(await card(other.page, askId).innerText()).toContain('typed, not sent');
    await shot(other.page, '6-withdrawn');
    await send(slow, askId).click();
    await card(slow, askId).getByText('Not sent: somebody was first').waitFor();
    expect(await card(slow, askId).innerText()).toMatch(/answered in another window with “Blue”/);
    await shot(slow, '6-conflict');
    const { data } = await call;
    expect(data).toMatchObject({ outcome: 'answered', reply: { selected: ['b'] } });
    expect((await home.ask(askId)).answers).toHaveLength(1);
    await agent.tool('ack_answers', { tokens: [data['token']] });
    for (const each of [page, other.page, slow]) {
      if (each === slow) notices.release();
      await receipt(askId, 'read_back', each).waitFor();
    }
  });

  it('[C4] [C11] several agents share one page, and each gets the answer to its own question', async () => {
    const agents = await Promise.all(['north', 'south', 'east'].map((name) => home.stdio(name)));
    // Equal words on purpose: a card is known by its id.
    const question = 'Which way from here?';
    const calls = agents.map((agent) => agent.tool('ask_user', { question, free_text: true }));
    const names = ['east', 'north', 'south'];
    for (const name of names) {
      const mine = page.locator('.card.open', { has: page.locator('.from', { hasText: name }) });
      await mine.getByText(question).waitFor();
    }
    await shot(page, '10-three');
    expect(await page.title()).toMatch(/3/);
    for (const name of names) {
      const mine = page.locator('.card.open', { has: page.locator('.from', { hasText: name }) });
      await mine.getByRole('textbox').fill(`to ${name}`);
      await press(mine, 'Send answer');
    }
    const results = await Promise.all(calls);
    expect(results.map(({ data }) => data['answer'])).toEqual(['to north', 'to south', 'to east']);
    for (const [at, agent] of agents.entries()) {
      await agent.tool('ack_answers', { tokens: [results[at]?.data['token']] });
      await receipt(String(results[at]?.data['ask_id']), 'read_back').waitFor();
    }
  });

  it('[G1] a shell asks, the page answers: the text on stdout, the ending as exit code', async () => {
    const script = home.start('ask', 'Ship it?', '--option', 'yes=Ship', '--option', 'no=Hold', '--from', 'ci');
    const { askId } = await home.opened('Ship it?');
    await card(page, askId).getByText('Ship', { exact: true }).click();
    await send(page, askId).click();
    expect(await script.done).toEqual({ code: 0, out: 'yes\n', err: '' });
    await receipt(askId, 'read_back').waitFor();
    const refused = home.start('ask', 'May I guess?');
    const { askId: second } = await home.opened('May I guess?');
    await card(page, second).getByRole('button', { name: 'I would rather not answer' }).click();
    await card(page, second).getByRole('button', { name: 'Do not answer' }).click();
    expect(await refused.done).toMatchObject({ code: 10, out: '' });
    await receipt(second, 'read_back').waitFor();
    await shot(page, '11-shell');
  });
});
