import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launch, openWindow } from '../host/browser.ts';
import { COLOURS, card, Home, ridesOf, send, shot } from './support.ts';

describe('the host is killed, and an agent or a person starts the next one', { timeout: 60_000 }, () => {
  const home = new Home();
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    [browser] = await Promise.all([launch(), home.serve()]);
  });

  afterAll(async () => {
    await browser.close();
    await home.end();
  });

  // Each test finds the host that the one before has brought up.
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 800, height: 900 } });
    ({ page } = await openWindow(context, home.link));
  });

  afterEach(async () => {
    await context.close();
  });

  const connected = () => page.getByText('Connected', { exact: true }).waitFor();
  const receipt = (askId: string, name: string) =>
    page.locator(`[data-ask="${askId}"] [data-receipt="${name}"]`).waitFor();

  it('[E12] [F1] [F10] between ask and answer: page, card and draft are there, and the same call gets the answer', async () => {
    const agent = await home.stdio('steady');
    const question = 'Still the same colour?';
    const call = agent.tool('ask_user', { question, options: COLOURS, free_text: true });
    const { askId } = await home.opened(question);
    await card(page, askId).getByText('Blue', { exact: true }).click();
    await card(page, askId).getByRole('textbox').fill('as ever');
    const { url } = home.host;
    // Its connection breaks; the process that speaks to the agent starts the next host by itself.
    await home.kill();
    await page.getByText('The connection is lost.').waitFor();
    await shot(page, '4-lost');
    await connected();
    expect(home.host.url).toBe(url);
    expect(await card(page, askId).getByRole('textbox').inputValue()).toBe('as ever');
    await page.reload();
    await connected();
    expect(await card(page, askId).getByRole('textbox').inputValue()).toBe('as ever');
    expect(await card(page, askId).getByRole('radio', { name: 'Blue' }).isChecked()).toBe(true);
    expect(await page.locator('.card.open').count()).toBe(1);
    await shot(page, '4-back');
    await send(page, askId).click();
    const { data, failed } = await call;
    expect(failed).toBe(false);
    expect(data).toMatchObject({ outcome: 'answered', ask_id: askId, reply: { selected: ['b'], text: 'as ever' } });
    expect(data['possible_repeat']).toBe(false);
    await agent.tool('ack_answers', { tokens: [data['token']] });
    await receipt(askId, 'read_back');
  });

  it('[F1] [A1] between answer and hand-over: it rides on the first result after the restart, as new', async () => {
    const agent = await home.stdio('away', '--hold', '1s');
    const askId = await agent.late('Did you keep it?');
    await card(page, askId).getByText('Red', { exact: true }).click();
    await send(page, askId).click();
    await receipt(askId, 'saved');
    await home.kill();
    const first = await agent.tool('list_asks');
    expect(ridesOf(first)).toMatchObject([
      { ask_id: askId, question: 'Did you keep it?', answer: 'Red [r]', late: true, possible_repeat: false },
    ]);
    await connected();
    await receipt(askId, 'handed');
    await agent.tool('ack_answers', { tokens: ridesOf(first).map(({ token }) => token) });
    await receipt(askId, 'read_back');
  });

  it('[F1] between hand-over and receipt: it comes again, labelled as a possible repeat', async () => {
    const agent = await home.stdio('unsure');
    const question = 'Did you hear me?';
    const call = agent.tool('ask_user', { question, options: COLOURS });
    const { askId } = await home.opened(question);
    await card(page, askId).getByText('Red', { exact: true }).click();
    await send(page, askId).click();
    const { data } = await call;
    expect(data).toMatchObject({ outcome: 'answered', possible_repeat: false });
    await home.kill();
    const next = await agent.tool('list_asks');
    expect(ridesOf(next)).toMatchObject([{ token: data['token'], ask_id: askId, late: false, possible_repeat: true }]);
    expect(next.text).toContain('do not act on it twice');
    // The receipt of the first time counts, whoever was host then.
    await agent.tool('ack_answers', { tokens: [data['token']] });
    expect(ridesOf(await agent.tool('list_asks'))).toEqual([]);
    await connected();
    await receipt(askId, 'read_back');
  });

  it('[F10] [C2] an agent over HTTP begins a new session, and fetches by the ask id what it asked before', async () => {
    const before = await home.http('traveller');
    const askId = await before.late('Where to?');
    await card(page, askId).waitFor();
    await home.kill();
    await home.serve();
    await connected();
    const lost = before.tool('await_answer', { ask_id: askId });
    await expect(lost).rejects.toThrow(/initialize again/);
    await card(page, askId).getByText('Blue', { exact: true }).click();
    await send(page, askId).click();
    await receipt(askId, 'saved');
    const after = await home.http('traveller');
    expect(ridesOf(await after.tool('list_asks'))).toEqual([]);
    const { data } = await after.tool('await_answer', { ask_id: askId });
    expect(data).toMatchObject({ outcome: 'answered', answer: 'Blue [b]', possible_repeat: false });
    await after.tool('list_asks', { ack: [data['token']] });
    await receipt(askId, 'read_back');
  });
});
