import { rm } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Question } from '../../src/api.ts';
import { startHost } from '../../src/host/index.ts';
import { launch, openWindow, paste, shoot } from './browser.ts';
import { buildPanel } from './panel-build.ts';
import { type Bench, COLOURS, openAsk, startBench } from './support.ts';

let browser: Browser;
let panelDir: string;

beforeAll(async () => {
  [browser, panelDir] = await Promise.all([launch(), buildPanel()]);
});
afterAll(async () => {
  await browser.close();
  await rm(panelDir, { recursive: true });
});

const DEPLOY: Question = {
  question:
    'The migration takes the table offline for about four minutes.\n\nShall I run it now, or wait for the night window?',
  header: 'Deploy',
  options: [
    { id: 'now', label: 'Run it now', description: 'Four minutes of downtime, starting at once.' },
    { id: 'night', label: 'Wait for the night', description: 'The job runs at 03:00 and reports in the morning.' },
    { id: 'split', label: 'Split it into small steps', description: 'No downtime, but about two more days of work.' },
  ],
  freeText: true,
};
const TESTS: Question = {
  question: 'Which suites shall I run before I push?',
  header: 'Tests',
  multiSelect: true,
  options: [
    { id: 'unit', label: 'Unit' },
    { id: 'browser', label: 'Browser', description: 'Takes three minutes.' },
    { id: 'crash', label: 'Crash' },
  ],
};
const LONG: Question = {
  question: `Is this path right?\n/home/${'very-long-folder-name-without-any-break/'.repeat(6)}\nשלום, האם זה נכון? 👩‍👩‍👧`,
  header: 'A header that is far longer than twelve characters',
  options: [
    { id: 'a', label: `Yes${'s'.repeat(120)}`, description: 'x'.repeat(300) },
    { id: 'b', label: 'לא, זה לא נכון' },
  ],
};

async function closings(bench: Bench): Promise<void> {
  const { asking } = bench.rig;
  const cards = [];
  for (const tab of ['c1', 'c2', 'c3']) cards.push(await openAsk(bench.rig, COLOURS, { tab }));
  const [withdrawn, superseded] = cards;
  await asking.withdraw(withdrawn?.askId ?? '', 'The build answered it by itself.', { surface: 'test' });
  const better = await openAsk(
    bench.rig,
    { question: 'And which shade of it?' },
    { tab: 'c2', supersedes: superseded?.askId },
  );
  await bench.rig.replaceConversation('c3');
  await asking.withdraw(better.askId, 'Enough.', { surface: 'test' });
}

async function receipts(bench: Bench): Promise<void> {
  const { asking } = bench.rig;
  const answer = async (tab: string, question: Question, reply: object) => {
    const opened = await openAsk(bench.rig, question, { tab });
    await asking.answer(opened.askId, reply, { surface: 'page', who: 'w' });
    const outcome = await opened.outcome;
    return 'token' in outcome ? outcome.token : '';
  };
  await asking.ack([await answer('r1', DEPLOY, { selected: ['night'], text: 'and tell me in the morning' })], 'r1');
  await asking.park(
    await answer('r2', TESTS, { selected: ['unit', 'crash'] }),
    'Handed over three times without a receipt.',
  );
  await answer('r3', { question: 'What shall the release be called?' }, { text: 'Larch' });
  const late = await openAsk(bench.rig, COLOURS, { tab: 'r4' });
  late.hangUp();
  await late.outcome;
  await asking.answer(late.askId, { selected: ['b'] }, { surface: 'terminal' });
  await answer('r5', COLOURS, { declined: true });
}

test('every state of the page, light and dark, wide and narrow: no horizontal scroll, no complaint', {
  timeout: 60_000,
}, async () => {
  const bench = await startBench({ panelDir });
  const context = await browser.newContext({
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const { page, complaints } = await openWindow(context, bench.host.link);
  await shoot(page, 'page-1-empty');

  const deploy = await openAsk(bench.rig, DEPLOY, { expiresInMs: 50_000 });
  await openAsk(bench.rig, TESTS, { from: 'Codex', tab: 'tab-2' });
  await openAsk(bench.rig, { question: 'What shall the release be called?' }, { from: 'release.sh', tab: 'tab-3' });
  await page.getByText('Waiting for you · 3').waitFor();
  await page.locator('.card').first().locator('.option').nth(1).click();
  await page.keyboard.press('2');
  await page.keyboard.press('2');
  await shoot(page, 'page-2-open');

  await page.locator('.card').first().getByRole('button', { name: 'I would rather not answer' }).click();
  await paste(page, page.locator('.card').nth(2).getByRole('textbox'), 'a line of the log\n'.repeat(60_000));
  await page.locator('main').getByText('Not pasted', { exact: true }).waitFor();
  await shoot(page, 'page-3-decline-and-limit');
  await page.locator('.card').nth(2).getByRole('textbox').fill('Larch');
  await page.locator('.card').first().getByRole('button', { name: 'Keep the question' }).click();

  const { answer } = bench.rig.asking;
  bench.rig.asking.answer = async (id, reply, author) => {
    bench.rig.asking.answer = answer;
    await answer.call(bench.rig.asking, id, { selected: ['now'] }, { surface: 'terminal', who: 'cli' });
    return await answer.call(bench.rig.asking, id, reply, author);
  };
  await page.locator(`.card[data-ask="${deploy.askId}"]`).getByRole('button', { name: 'Send answer' }).click();
  await page.locator('main').getByText('Not sent: somebody was first').waitFor();
  await shoot(page, 'page-4-conflict');

  await closings(bench);
  await page
    .locator('main')
    .getByText(/Withdrawn Enough/)
    .waitFor();
  await shoot(page, 'page-5-closed');

  await receipts(bench);
  await openAsk(bench.rig, LONG, { tab: 'tab-long' });
  await page.reload();
  await page.locator('main').getByText('Is this path right?').waitFor();
  await shoot(page, 'page-6-history');

  await bench.host.close();
  await page.getByText('The connection is lost.').waitFor();
  await shoot(page, 'page-7-lost');
  const next = await startHost({
    coordinator: bench.rig.asking,
    port: bench.host.port,
    token: bench.host.token,
    panelDir,
  });
  await page.getByText('Connected', { exact: true }).waitFor();
  await next.close();

  await context.close();
  await bench.close();
  expect(complaints.filter((text) => !/WebSocket connection to .* failed/.test(text))).toEqual([]);
});
