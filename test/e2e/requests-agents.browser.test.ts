import type { Browser, BrowserContext, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { launch, openWindow, press, type Window } from '../host/browser.ts';
import { connected, lost, tick } from './requests-support.ts';
import { COLOURS, Home, type Result, until } from './support.ts';

const QUESTIONS = [
  { question: 'Which door?', options: COLOURS },
  { question: 'Which wood?', options: [{ id: 'oak', label: 'Oak' }], free_text: true },
  { question: 'What shall the sign say?' },
];

interface Told {
  readonly outcome: string;
  readonly ask_id: string;
  readonly answer?: string;
}
const told = ({ data }: Result): readonly Told[] => data['questions'] as Told[];
const words = (result: Result): string[] => told(result).map(({ outcome }) => outcome);

// A host of its own for each: what one leaves open is on no page of the next.
let home: Home;
let browser: Browser;
let context: BrowserContext;
let window: Window;

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());
beforeEach(async () => {
  home = new Home();
  await home.serve();
  context = await browser.newContext({ viewport: { width: 800, height: 900 } });
  window = await openWindow(context, home.link);
});
afterEach(async () => {
  await context.close();
  await home.end();
});

const batches = (): Locator => window.page.locator('.card.open[data-batch]');
/** The place of one question, on the card that is open. */
const place = (at: number): Locator => batches().locator('.part').nth(at);

it.each(['stdio', 'http'] as const)(
  '[C10] [A7] over %s: one card, one question sent alone, the call ends with a part, the draft stays, the rest follows',
  { timeout: 60_000 },
  async (kind) => {
    const { page, complaints } = window;
    const agent = await home[kind](`three-${kind}`);
    const call = agent.tool('ask_user', { questions: QUESTIONS, hold_seconds: 6 });
    await place(2).waitFor();
    expect(await page.locator('.card.open').count()).toBe(1);
    expect(await page.title()).toBe('(3) readback');
    await place(1).getByRole('textbox').fill('half a pl');
    await place(0).getByText('Red', { exact: true }).click();
    await press(place(0), 'Send this one');
    await tick(place(0)).waitFor();
    const partly = await call;
    expect([partly.data['outcome'], partly.failed, words(partly)]).toEqual([
      'partly_answered',
      false,
      ['answered', 'pending', 'pending'],
    ]);
    expect(told(partly)[0]).toMatchObject({ answer: 'Red [r]' });
    expect(partly.text).toContain('What is answered is no answer to the rest.');
    const [first, second, third] = told(partly).map(({ ask_id }) => ask_id);
    expect(partly.data['pending_ask_ids']).toEqual([second, third]);
    expect(new Set([first, second, third]).size).toBe(3);
    // The call is over, and the card is not: what was typed is there, and was sent to nobody.
    await batches().getByText('Nobody waits just now; your answer is kept.').waitFor();
    expect(await place(1).getByRole('textbox').inputValue()).toBe('half a pl');
    expect((await home.ask(String(second))).answers).toEqual([]);
    await page.reload();
    await connected(page);
    expect(await place(1).getByRole('textbox').inputValue()).toBe('half a pl');
    await tick(place(0)).waitFor();
    const waiting = agent.tool('await_answer', {
      ...{ ask_ids: [second, third], hold_seconds: 20 },
      ack: partly.data['tokens'],
    });
    await place(1).getByRole('textbox').fill('half a plank');
    await press(place(1), 'Send this one');
    await tick(place(1)).waitFor();
    await place(2).getByRole('textbox').fill('Mind the step');
    await press(place(2), 'Send this one');
    const rest = await waiting;
    expect([rest.data['outcome'], words(rest)]).toEqual(['answered', ['answered', 'answered']]);
    expect(told(rest)).toMatchObject([
      { ask_id: second, answer: 'half a plank' },
      { ask_id: third, answer: 'Mind the step' },
    ]);
    await agent.tool('ack_answers', { tokens: rest.data['tokens'] });
    for (const askId of [first, second, third]) await home.receipt(String(askId), 'read_back');
    await until('no card', async () => ((await page.locator('.card.open').count()) === 0 ? true : undefined));
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
    expect(complaints).toEqual([]);
  },
);

it('[C10] [E12] [F10] the host is killed while the call waits: card, tick, draft and call go on, each answer under its own id', {
  timeout: 60_000,
}, async () => {
  const { page } = window;
  const agent = await home.stdio('restarted');
  const call = agent.tool('ask_user', { questions: QUESTIONS, hold_seconds: 40 });
  await place(2).waitFor();
  const asked = await Promise.all([0, 1, 2].map((at) => place(at).getAttribute('data-ask')));
  await place(0).getByText('Blue', { exact: true }).click();
  await press(place(0), 'Send this one');
  await tick(place(0)).waitFor();
  await place(2).getByRole('textbox').fill('Mind the st');
  // The process that speaks to the agent starts the next host by itself.
  await home.kill();
  await lost(page);
  await connected(page);
  expect(await batches().count()).toBe(1);
  await tick(place(0)).waitFor();
  expect(await place(2).getByRole('textbox').inputValue()).toBe('Mind the st');
  await place(1).getByText('Oak', { exact: true }).click();
  await place(2).getByRole('textbox').fill('Mind the step');
  await press(batches(), 'Send all 2');
  const { data, failed } = await call;
  expect([failed, data['outcome']]).toEqual([false, 'answered']);
  expect(told({ data, failed, text: '' }).map(({ ask_id, answer }) => [ask_id, answer])).toEqual([
    [asked[0], 'Blue [b]'],
    [asked[1], 'Oak [oak]'],
    [asked[2], 'Mind the step'],
  ]);
});
