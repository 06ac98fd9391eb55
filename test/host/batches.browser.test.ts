import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import type { AskView, BatchOutcome, Question } from '../../src/api.ts';
import { openWindow, press, useCoordinator } from './browser.ts';
import { until } from './support.ts';

const { t, coordinator } = useCoordinator();

const OPTIONS = [
  { id: 'b', label: 'Blue' },
  { id: 'r', label: 'Red' },
];
const QUESTIONS: readonly Question[] = [
  { question: 'Which door?', options: OPTIONS },
  { question: 'Which windows?', options: OPTIONS, multiSelect: true },
  { question: 'What shall the sign say?' },
];

/** Puts three questions together; gives the places of the card, and what the agent gets. */
async function put(): Promise<{ parts: Locator; outcome: Promise<BatchOutcome>; asks(): Promise<readonly AskView[]> }> {
  const outcome = coordinator().askAll(QUESTIONS, { tab: 'tab-1', from: 'Claude Code', timeoutMs: 20_000 });
  const parts = t.page.locator('.card[data-batch] .part');
  await parts.nth(2).waitFor();
  const ids = await parts.evaluateAll((all) => all.map((one) => one.getAttribute('data-ask') ?? ''));
  const show = async (id: string) => (await coordinator().show(id)) as AskView;
  return { parts, outcome, asks: () => Promise.all(ids.map(show)) };
}

const tick = (part: Locator): Locator => part.getByRole('img', { name: 'Answered', exact: true });

test('[C3] one card, each question sent alone gets its tick, and its neighbours stay open', async () => {
  const { parts, outcome, asks } = await put();
  expect(await t.page.locator('.card').count()).toBe(1);
  expect(await t.page.title()).toBe('(3) readback');
  await parts.nth(1).getByText('Red').click();
  await parts.nth(2).getByRole('textbox').fill('half');
  await press(parts.nth(1), 'Send this one');
  await tick(parts.nth(1)).waitFor();
  expect((await asks()).map(({ state }) => state)).toEqual(['open', 'answered', 'open']);
  expect(await parts.nth(2).getByRole('textbox').inputValue()).toBe('half');
  expect(await t.page.locator('.card.open').count()).toBe(1);
  await t.page.reload();
  await tick(parts.nth(1)).waitFor();
  expect(await parts.nth(2).getByRole('textbox').inputValue()).toBe('half');
  await parts.nth(0).getByText('Blue').click();
  await press(t.page.locator('.card'), 'Send all 2');
  const { outcome: word, outcomes } = await outcome;
  expect(word).toBe('answered');
  expect(outcomes).toMatchObject([{ text: 'Blue [b]' }, { text: 'Red [r]' }, { text: 'half' }]);
  await t.page.locator('.card.closed[data-batch]').waitFor();
  expect(await tick(parts).count()).toBe(3);
  expect(await t.page.evaluate(() => Object.keys(localStorage))).toEqual([]);
});

test('what is half filled in is never sent as the whole; one may be declined alone', async () => {
  const { parts, outcome, asks } = await put();
  const all = t.page.getByRole('button', { name: 'Send all 3' });
  await parts.nth(0).getByText('Blue').click();
  expect(await all.isDisabled()).toBe(true);
  await t.page.getByText('1 of 3 are filled in.').waitFor();
  await press(parts.nth(2), 'I would rather not answer');
  await press(parts.nth(2), 'Do not answer');
  await parts.nth(2).getByText('Declined here').waitFor();
  expect((await asks()).map(({ state }) => state)).toEqual(['open', 'open', 'answered']);
  await parts.nth(1).getByText('Blue').click();
  await press(t.page.locator('.card'), 'Send all 2');
  expect((await outcome).outcomes.map(({ outcome: word }) => word)).toEqual(['answered', 'answered', 'declined']);
});

test('[E8] a second window ticks what the first one answered, and keeps its own drafts of the rest', async () => {
  const { parts, outcome } = await put();
  const other = await openWindow(t.context, t.bench.host.link);
  const theirs = other.page.locator('.card[data-batch] .part');
  await theirs.nth(2).getByRole('textbox').fill('theirs');
  await parts.nth(0).getByText('Red').click();
  await press(parts.nth(0), 'Send this one');
  await tick(theirs.nth(0)).waitFor();
  await theirs.nth(0).getByText('Answered in another window').waitFor();
  expect(await theirs.nth(2).getByRole('textbox').inputValue()).toBe('theirs');
  await theirs.nth(1).getByText('Red').click();
  await press(other.page.locator('.card'), 'Send all 2');
  expect(await outcome).toMatchObject({ outcome: 'answered' });
  await until(async () => (await t.page.locator('.card.open').count()) === 0);
  expect(other.complaints).toEqual([]);
});

test('by keyboard: Ctrl+Enter sends the question at hand, and no other', async () => {
  const { parts, asks } = await put();
  await t.page.keyboard.press('1');
  await parts.nth(1).getByRole('checkbox').first().focus();
  await t.page.keyboard.press('2');
  await t.page.keyboard.press('Control+Enter');
  await tick(parts.nth(1)).waitFor();
  expect((await asks()).map(({ state }) => state)).toEqual(['open', 'answered', 'open']);
  expect(await parts.nth(0).getByRole('radio', { name: 'Blue' }).isChecked()).toBe(true);
});

test('[F2] one that is withdrawn says so beside those that are open', async () => {
  const { parts, asks } = await put();
  const [first] = await asks();
  await coordinator().withdraw(first?.askId ?? '', 'Solved without you.', { surface: 'test' });
  await parts.nth(0).getByText('Withdrawn Solved without you.').waitFor();
  expect(await parts.nth(0).getByRole('button').count()).toBe(0);
  await press(parts.nth(2), 'I would rather not answer');
  expect((await asks()).map(({ state }) => state)).toEqual(['withdrawn', 'open', 'open']);
});
