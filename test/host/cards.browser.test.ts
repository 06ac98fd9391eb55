import { expect, test } from 'vitest';
import { openWindow, usePage } from './browser.ts';
import { COLOURS, openAsk, until } from './support.ts';

const t = usePage();
const NOT_WAITING = 'Nobody waits just now; the answer is kept until it is asked for.';

test('an ask is shown, clicked and accepted; its receipt goes from saved to read back', async () => {
  const { askId, outcome } = await openAsk(t.bench.rig, COLOURS);
  await t.card(askId).waitFor();
  expect(await t.card(askId).locator('.question').innerText()).toBe(COLOURS.question);
  expect(await t.card(askId).innerText()).toContain('Calm, and the colour of links.');
  expect(await t.card(askId).innerText()).toContain('Claude Code');
  expect(await t.page.title()).toBe('(1) readback');
  expect(await t.send(askId).isDisabled()).toBe(true);
  await t.card(askId).getByText('Green').click();
  await t.send(askId).click();
  const result = await outcome;
  expect(result).toMatchObject({ outcome: 'answered', reply: { selected: ['g'] } });
  await t.card(askId).getByText('Handed over').waitFor();
  expect(await t.card(askId).getByRole('button').allInnerTexts()).toEqual(['Put away']);
  expect(await t.page.title()).toBe('readback');
  if ('token' in result) await t.bench.rig.asking.ack([result.token], 'tab-1');
  await t.card(askId).locator('[data-receipt="read_back"]').waitFor();
  await t.card(askId).getByRole('button', { name: 'Put away' }).click();
  await t.page.locator('.history').getByText('Read back', { exact: true }).waitFor();
});

test('[E7] an answer that nobody has taken says so, until it is handed over and read back', async () => {
  const { askId, hangUp, outcome } = await openAsk(t.bench.rig, COLOURS);
  hangUp();
  await outcome;
  await t.card(askId).getByText('Blue').click();
  await t.send(askId).click();
  await t.card(askId).locator('[data-receipt="saved"]').waitFor();
  expect(await t.card(askId).locator('[data-receipt="saved"]').innerText()).toBe(`Saved ${NOT_WAITING}`);
  const taken = await t.bench.rig.asking.awaitAnswer(askId, { attach: () => 'tab-1' });
  await t.card(askId).locator('[data-receipt="handed"]').waitFor();
  expect(await t.card(askId).innerText()).toContain('Not confirmed as read yet.');
  if ('token' in taken) await t.bench.rig.asking.ack([taken.token], 'tab-1');
  await t.card(askId).locator('[data-receipt="read_back"]').waitFor();
});

test('[E7] every window explains a kept answer alike, and promises no moment', async () => {
  const { askId, hangUp, outcome } = await openAsk(t.bench.rig, COLOURS);
  const other = await openWindow(t.context, t.bench.host.link);
  hangUp();
  await outcome;
  await t.card(askId).getByText('Blue').click();
  await t.send(askId).click();
  await t.card(askId).getByText('Kept for later').waitFor();
  await t.card(askId, other.page).getByText('Answered in another window').waitFor();
  for (const page of [t.page, other.page]) {
    expect(await t.card(askId, page).locator('[data-receipt="saved"]').innerText()).toBe(`Saved ${NOT_WAITING}`);
    expect(await t.card(askId, page).innerText()).not.toMatch(/as soon as|next turn/);
  }
  expect(other.complaints).toEqual([]);
});

test('open cards stand above answered ones, and the shortcut is said in words', async () => {
  const first = await openAsk(t.bench.rig, COLOURS, { tab: 't1' });
  const second = await openAsk(t.bench.rig, { question: 'Second?' }, { tab: 't2' });
  const third = await openAsk(t.bench.rig, { question: 'Third?' }, { tab: 't3' });
  const order = () =>
    t.page.locator('.card').evaluateAll((cards) => cards.map((card) => card.getAttribute('data-ask')));
  await t.card(third.askId).waitFor();
  expect(await order()).toEqual([first.askId, second.askId, third.askId]);
  await t.card(first.askId).getByText('Blue').click();
  expect(await t.card(first.askId).locator('.shortcut').innerText()).toBe('Ctrl+Enter sends');
  await t.card(third.askId).getByRole('textbox').fill('half');
  await t.send(first.askId).click();
  await first.outcome;
  await t.card(first.askId).getByText('Answered here').waitFor();
  expect(await order()).toEqual([second.askId, third.askId, first.askId]);
  expect(await t.card(third.askId).getByRole('textbox').inputValue()).toBe('half');
});

test('by keyboard alone: numbers choose, Ctrl+Enter sends, the focus stays with the card', async () => {
  const { askId, outcome } = await openAsk(t.bench.rig, { ...COLOURS, multiSelect: true, freeText: true });
  await t.card(askId).waitFor();
  await t.page.keyboard.press('3');
  await t.page.keyboard.press('1');
  expect(await t.page.locator(':focus').getAttribute('value')).toBe('b');
  await t.page.keyboard.press('2');
  await t.page.keyboard.press('2');
  await t.page.keyboard.press('Tab');
  await t.page.keyboard.press('Tab');
  expect(await t.page.locator(':focus').evaluate((element) => element.tagName)).toBe('TEXTAREA');
  await t.page.keyboard.type('2 of them, please');
  await t.page.keyboard.press('Control+Enter');
  expect(await outcome).toMatchObject({ reply: { selected: ['b', 'r'], text: '2 of them, please' } });
  await t.card(askId).getByText('Answered here').waitFor();
  await until(
    async () => (await t.page.evaluate(() => document.activeElement?.closest('.card')?.id)) === `card-${askId}`,
  );
});

test('by keyboard alone: Tab reaches every control in order, each with a visible focus', async () => {
  const { askId } = await openAsk(t.bench.rig, { ...COLOURS, freeText: true });
  await t.card(askId).waitFor();
  await t.page.keyboard.press('1');
  const seen: string[] = [];
  for (let step = 0; step < 4; step += 1) {
    const focused = t.page.locator(':focus');
    const outlined = await focused.evaluate((element) => {
      const shown = element.closest('.option') ?? element;
      return getComputedStyle(shown).outlineStyle !== 'none';
    });
    expect(outlined).toBe(true);
    seen.push(await focused.evaluate((element) => element.getAttribute('value') ?? element.textContent ?? ''));
    if (step === 1) seen.pop();
    await t.page.keyboard.press('Tab');
  }
  expect(seen).toEqual(['b', 'Send answer', 'I would rather not answer']);
});

test('a number typed into a text is a text, and one choice can be taken back', async () => {
  const { askId } = await openAsk(t.bench.rig, { ...COLOURS, freeText: true });
  await t.card(askId).getByRole('textbox').fill('');
  await t.card(askId).getByRole('textbox').focus();
  await t.page.keyboard.type('12');
  expect(await t.card(askId).getByRole('textbox').inputValue()).toBe('12');
  expect(await t.card(askId).locator('input:checked').count()).toBe(0);
  await t.card(askId).getByText('Red').click();
  expect(await t.card(askId).locator('input:checked').getAttribute('value')).toBe('r');
  await t.card(askId).getByText('Blue').click();
  expect(await t.card(askId).locator('input:checked').getAttribute('value')).toBe('b');
  await t.card(askId).getByText('Blue').click();
  expect(await t.card(askId).locator('input:checked').count()).toBe(0);
});

test('[G1] declining is a step of its own, and is told as such', async () => {
  const { askId, outcome } = await openAsk(t.bench.rig, COLOURS);
  await t.card(askId).getByRole('button', { name: 'I would rather not answer' }).click();
  await t.page.keyboard.press('Enter');
  expect(await t.stateOf(askId)).toBe('open');
  await t.card(askId).getByRole('button', { name: 'I would rather not answer' }).click();
  await t.card(askId).getByRole('button', { name: 'Do not answer' }).click();
  expect((await outcome).outcome).toBe('declined');
  await t.card(askId).getByText('Declined here').waitFor();
});

test('[E12] [A7] a reload loses neither the question nor the draft; an answer removes the draft', async () => {
  const { askId, outcome } = await openAsk(t.bench.rig, { ...COLOURS, freeText: true });
  await t.card(askId).getByText('Green').click();
  await t.card(askId).getByRole('textbox').fill('half a thought\nand more');
  await t.page.reload();
  await t.card(askId).waitFor();
  expect(await t.stateOf(askId)).toBe('open');
  expect(await t.card(askId).getByRole('textbox').inputValue()).toBe('half a thought\nand more');
  expect(await t.card(askId).locator('input:checked').getAttribute('value')).toBe('g');
  await t.send(askId).click();
  await outcome;
  await t.card(askId).getByText('Answered here').waitFor();
  expect(await t.page.evaluate(() => Object.keys(localStorage))).toEqual([]);
});

test('[C3] several cards at once keep their own drafts, and take their own answers', async () => {
  const one = await openAsk(t.bench.rig, { question: 'First?' });
  const two = await openAsk(t.bench.rig, { question: 'First?' }, { tab: 'tab-2' });
  await t.card(one.askId).getByRole('textbox').fill('for one');
  await t.card(two.askId).getByRole('textbox').fill('for two');
  expect(await t.page.title()).toBe('(2) readback');
  await t.page.reload();
  await t.send(two.askId).click();
  expect(await two.outcome).toMatchObject({ reply: { text: 'for two' } });
  expect(await t.card(one.askId).getByRole('textbox').inputValue()).toBe('for one');
  expect(await t.stateOf(one.askId)).toBe('open');
});

test('on a phone whether somebody waits takes one line, and to decline is asked in buttons as wide as the card', async () => {
  const { page } = t;
  await page.setViewportSize({ width: 360, height: 740 });
  const { askId } = await openAsk(t.bench.rig, COLOURS, { from: 'a shell' });
  const hint = t.card(askId).locator('.waits');
  expect(await hint.innerText()).not.toContain('agent');
  const line = await hint.evaluate((waits) => Number.parseFloat(getComputedStyle(waits).lineHeight));
  expect((await hint.boundingBox())?.height).toBeLessThan(1.5 * line);
  const wide = (await t.send(askId).boundingBox())?.width;
  await t.card(askId).getByRole('button', { name: 'I would rather not answer' }).click();
  for (const name of ['Keep the question', 'Do not answer'])
    expect((await t.card(askId).getByRole('button', { name }).boundingBox())?.width).toBe(wide);
});
