import type { CDPSession, Locator, Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { useCoordinator } from './browser.ts';
import { until } from './support.ts';

const { t, coordinator } = useCoordinator();
let gone: AbortController;
beforeEach(() => {
  gone = new AbortController();
});

const OPTIONS = [{ id: 'b', label: 'Blue' }];
const IDLE = 'Nobody waits just now; your answer is kept.';

/** Moves the pointer to the middle of a control, and presses the button down there. */
async function pressDown(page: Page, control: Locator): Promise<void> {
  const box = await control.boundingBox();
  if (box === null) throw new Error('the control is not drawn');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
}

test.each([800, 300])('a press counts while the agent begins to wait, in a window of %i', async (width) => {
  const { page } = t;
  await page.setViewportSize({ width, height: 900 });
  const questions = [{ question: 'Which door?', options: OPTIONS }, { question: 'What shall the sign say?' }];
  const call = coordinator().askAll(questions, { tab: 'tab-1', timeoutMs: 20_000, signal: gone.signal });
  const parts = page.locator('.card[data-batch] .part');
  await parts.nth(1).getByRole('textbox').fill('Mind the step');
  gone.abort();
  await call;
  await page.getByText(IDLE).waitFor();
  await pressDown(page, parts.nth(1).getByRole('button', { name: 'Send this one' }));
  const ids = await parts.evaluateAll((all) => all.map((one) => one.getAttribute('data-ask') ?? ''));
  const waiting = coordinator().awaitAll(ids, { timeoutMs: 20_000 });
  await page.getByText(IDLE).waitFor({ state: 'hidden' });
  await page.mouse.up();
  await until(async () => (await coordinator().show(ids[1] ?? ''))?.state === 'answered');
  await coordinator().withdraw(ids[0] ?? '', 'over', { surface: 'test' });
  await waiting;
});

/** Three cards of the same size, one below the other. */
async function three(): Promise<{ ids: readonly string[]; sends: readonly Locator[]; ends: Promise<unknown> }> {
  const ends = Promise.all(
    ['One?', 'Two?', 'Three?'].map((question) =>
      coordinator().ask({ question, options: OPTIONS }, { tab: 'tab-1', timeoutMs: 20_000 }),
    ),
  );
  await t.page.setViewportSize({ width: 800, height: 1_600 });
  const cards = t.page.locator('.card.open');
  await cards.nth(2).waitFor();
  const ids = await cards.evaluateAll((all) => all.map((one) => one.getAttribute('data-ask') ?? ''));
  for (const id of ids) await t.card(id).getByText('Blue').click();
  return { ids, sends: ids.map((id) => t.send(id)), ends };
}

const stateOf = async (askId: string | undefined) => (await coordinator().show(askId ?? ''))?.state;
const NOTHING_PRESSED = 'so nothing was pressed. Press again.';

test('a press on a button that the page has only just moved under the pointer sends nothing, and says so', async () => {
  const { page } = t;
  const { ids, sends, ends } = await three();
  await sends[1]?.hover();
  await coordinator().withdraw(ids[0] ?? '', 'answered elsewhere', { surface: 'test' });
  // The third lies where the second was.
  await t.page.locator('.card.closed').waitFor();
  await page.mouse.down();
  await page.mouse.up();
  await page.getByText(NOTHING_PRESSED).waitFor();
  expect([await stateOf(ids[1]), await stateOf(ids[2])]).toEqual(['open', 'open']);
  // Whoever presses once more means it.
  await page.mouse.down();
  await page.mouse.up();
  await until(async () => (await stateOf(ids[2])) === 'answered');
  expect(await stateOf(ids[1])).toBe('open');
  await sends[1]?.click();
  await ends;
});

test('what has been under the pointer for a while counts, and so does a key', async () => {
  const { page } = t;
  const { ids, sends, ends } = await three();
  await sends[1]?.hover();
  await coordinator().withdraw(ids[0] ?? '', 'answered elsewhere', { surface: 'test' });
  await t.page.locator('.card.closed').waitFor();
  await page.waitForTimeout(800);
  await page.mouse.down();
  await page.mouse.up();
  await until(async () => (await stateOf(ids[2])) === 'answered');
  await sends[1]?.press('Enter');
  await until(async () => (await stateOf(ids[1])) === 'answered');
  await ends;
  expect(await page.getByText(NOTHING_PRESSED).count()).toBe(0);
});

describe('a finger', () => {
  let touch: CDPSession;
  beforeEach(async () => {
    touch = await t.page.context().newCDPSession(t.page);
    await touch.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 1 });
  });
  afterEach(async () => {
    await touch.send('Emulation.setTouchEmulationEnabled', { enabled: false });
    await touch.detach();
  });

  /** Lays a finger on a place of the window, for a moment. */
  async function tap({ x, y }: { x: number; y: number }): Promise<void> {
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  }

  async function middle(control: Locator | undefined): Promise<{ x: number; y: number }> {
    const box = await control?.boundingBox();
    if (!box) throw new Error('the control is not drawn');
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  test('sends nothing by a button that came only just where another one was, and by its second tap', async () => {
    const { ids, sends, ends } = await three();
    const aimed = await middle(sends[1]);
    // A key that changed nothing says nothing of what is drawn later.
    await t.page.keyboard.press('Shift');
    await t.page.waitForTimeout(200);
    await coordinator().withdraw(ids[0] ?? '', 'answered elsewhere', { surface: 'test' });
    await t.page.locator('.card.closed').waitFor();
    await tap(aimed);
    await t.page.getByText(NOTHING_PRESSED).waitFor();
    expect([await stateOf(ids[1]), await stateOf(ids[2])]).toEqual(['open', 'open']);
    await tap(aimed);
    await until(async () => (await stateOf(ids[2])) === 'answered');
    expect(await stateOf(ids[1])).toBe('open');
    await t.page.waitForTimeout(800);
    await tap(await middle(sends[1]));
    await until(async () => (await stateOf(ids[1])) === 'answered');
    await ends;
  });

  test('that taps twice sends the card that it was laid on, and not the one that came there', async () => {
    const { ids, sends, ends } = await three();
    const aimed = await middle(sends[1]);
    await tap(aimed);
    await until(async () => (await stateOf(ids[1])) === 'answered');
    await t.page.locator('.card.closed').waitFor();
    await tap(aimed);
    await t.page.getByText(NOTHING_PRESSED).waitFor();
    expect([await stateOf(ids[0]), await stateOf(ids[2])]).toEqual(['open', 'open']);
    for (const id of [ids[0], ids[2]]) await coordinator().withdraw(id ?? '', 'over', { surface: 'test' });
    await ends;
  });

  test('counts at once where nothing has moved', async () => {
    const { ids, sends, ends } = await three();
    for (const at of [2, 1, 0]) {
      await tap(await middle(sends[at]));
      await until(async () => (await stateOf(ids[at])) === 'answered');
    }
    await ends;
    expect(await t.page.getByText(NOTHING_PRESSED).count()).toBe(0);
  });
});

test('[RQ-R125] a question that is opened anew after its end is on the page again, and can be answered', async () => {
  const ended = coordinator().ask({ question: 'Which door?' }, { tab: 'tab-1', timeoutMs: 20_000 });
  const open = t.page.locator('.card.open');
  await open.waitFor();
  const askId = (await open.getAttribute('data-ask')) ?? '';
  await coordinator().withdraw(askId, 'not now', { surface: 'test' });
  await ended;
  await open.waitFor({ state: 'detached' });
  const anew = { tabId: 'tab-1', fingerprint: 'f', question: 'Which door then?' };
  await coordinator().journal.openAsk(askId, anew);
  await open.getByText('Which door then?').waitFor();
  await open.getByRole('textbox').fill('The blue one');
  await t.send(askId).click();
  await until(async () => (await coordinator().show(askId))?.answers[0]?.text === 'The blue one');
});
