import { expect, test } from 'vitest';
import { startHost } from '../../src/host/index.ts';
import { openWindow, usePage } from './browser.ts';
import { COLOURS, openAsk } from './support.ts';

const t = usePage();

test('a second window withdraws at once what the first answered, and shows what was left on it', async () => {
  const { askId } = await openAsk(t.bench.rig, { ...COLOURS, freeText: true });
  const other = await openWindow(t.context, t.bench.host.link);
  await t.card(askId, other.page).getByRole('textbox').fill('typed, not sent');
  await t.card(askId).getByText('Blue').click();
  await t.send(askId).click();
  await t.card(askId, other.page).getByText('Answered in another window').waitFor();
  expect(await t.card(askId, other.page).getByRole('button', { name: 'Send answer' }).count()).toBe(0);
  expect(await t.card(askId, other.page).innerText()).toContain('Blue');
  expect(await t.card(askId, other.page).innerText()).toContain('typed, not sent');
  expect(await other.page.title()).toBe('readback');
  expect(other.complaints).toEqual([]);
});

test('[F2] withdrawn, expired, superseded and retired cards say so in words, and have nothing left to press', async () => {
  const { rig } = t.bench;
  const withdrawn = await openAsk(rig, COLOURS, { tab: 't1' });
  const superseded = await openAsk(rig, COLOURS, { tab: 't2' });
  const retired = await openAsk(rig, COLOURS, { tab: 't3' });
  for (const { askId } of [withdrawn, superseded, retired]) await t.card(askId).waitFor();
  await rig.asking.withdraw(withdrawn.askId, 'Solved without you.', { surface: 'test' });
  await openAsk(rig, { question: 'A better question' }, { tab: 't2', supersedes: superseded.askId });
  await rig.replaceConversation('t3');
  for (const [{ askId }, words] of [
    [withdrawn, /Withdrawn Solved without you\./],
    [superseded, /Superseded/],
    [retired, /Retired/],
  ] as const) {
    await t.card(askId).getByText(words).waitFor();
    expect(await t.card(askId).getByRole('button').allInnerTexts()).toEqual(['Put away']);
    expect(await t.card(askId).locator('input, textarea').count()).toBe(0);
  }
  const expired = await openAsk(rig, COLOURS, { tab: 't4', expiresInMs: 300 });
  await t
    .card(expired.askId)
    .getByText(/Expired/)
    .waitFor();
  expect(await t.card(expired.askId).innerText()).not.toMatch(/declined/i);
});

test('a parked answer and a retired one say why they were not read back', async () => {
  const parked = await openAsk(t.bench.rig, COLOURS, { tab: 't1' });
  await t.card(parked.askId).getByText('Blue').click();
  await t.send(parked.askId).click();
  const outcome = await parked.outcome;
  if ('token' in outcome) await t.bench.rig.asking.park(outcome.token, 'Handed over three times without a receipt.');
  await t.card(parked.askId).getByText('Handed over three times without a receipt.').waitFor();
  const retired = await openAsk(t.bench.rig, COLOURS, { tab: 't2' });
  await t.card(retired.askId).getByText('Blue').click();
  await t.send(retired.askId).click();
  await retired.outcome;
  await t.bench.rig.replaceConversation('t2');
  await t.card(retired.askId).locator('[data-receipt="retired"]').waitFor();
  expect(await t.card(retired.askId).innerText()).toMatch(/conversation.* replaced/);
});

test('[B1] who comes second is told who won, and with what; the own words are not lost', async () => {
  const { askId } = await openAsk(t.bench.rig, { ...COLOURS, freeText: true });
  await t.card(askId).getByRole('textbox').fill('my own words');
  const { answer } = t.bench.rig.asking;
  // The other answer arrives while ours is on its way.
  t.bench.rig.asking.answer = async (id, reply, author) => {
    t.bench.rig.asking.answer = answer;
    await answer.call(t.bench.rig.asking, id, { selected: ['r'] }, { surface: 'terminal', who: 'cli' });
    return await answer.call(t.bench.rig.asking, id, reply, author);
  };
  await t.send(askId).click();
  await t.card(askId).getByText('Not sent: somebody was first').waitFor();
  const text = await t.card(askId).innerText();
  expect(text).toMatch(/answered in a terminal with “Red”/);
  expect(text).toContain('Answered in a terminal');
  expect(text).toContain('my own words');
});

test('an invalid answer is said on the card, which stays open with its draft', async () => {
  const { askId } = await openAsk(t.bench.rig, { question: 'How many?' });
  await t.card(askId).getByRole('textbox').fill('many');
  const { answer } = t.bench.rig.asking;
  t.bench.rig.asking.answer = async (id) => ({
    verdict: 'invalid',
    askId: id,
    saved: false,
    field: 'text',
    message: 'text: wants a number.',
  });
  await t.send(askId).click();
  await t.card(askId).getByText('text: wants a number.').waitFor();
  expect(await t.card(askId).getByRole('textbox').inputValue()).toBe('many');
  t.bench.rig.asking.answer = answer;
  await t.send(askId).click();
  await t.card(askId).getByText('Answered here').waitFor();
});

test('[E7] an answer whose connection died is not shown as sent; the page sends it again to the next host', async () => {
  const { askId } = await openAsk(t.bench.rig, { question: 'Shall I go on?' });
  await t.card(askId).getByRole('textbox').fill('go on');
  const { host, rig } = t.bench;
  const { answer } = rig.asking;
  rig.asking.answer = () => new Promise(() => undefined);
  await t.send(askId).click();
  await t.card(askId).getByText('Sending…').waitFor();
  await host.close();
  await t.page.getByText('The connection is lost.').waitFor();
  await t.card(askId).getByText('Not confirmed', { exact: true }).waitFor();
  expect(await t.card(askId).getByText('Answered').count()).toBe(0);
  expect(await t.card(askId).innerText()).toContain('Shall I go on?');
  expect(await t.card(askId).getByRole('textbox').inputValue()).toBe('go on');
  expect(await t.send(askId).isDisabled()).toBe(true);
  rig.asking.answer = answer;
  const next = await startHost({ coordinator: rig.asking, port: host.port, token: host.token, panelDir: t.panelDir });
  await t.page.getByText('Connected', { exact: true }).waitFor();
  expect(await t.page.getByText('The connection is lost.').count()).toBe(0);
  await t.card(askId).getByText('Answered here').waitFor();
  expect((await rig.asking.show(askId))?.answers).toHaveLength(1);
  await next.close();
  t.forgiveLostConnection();
});

test('after a reconnect the page shows what happened meanwhile, and keeps what was typed', async () => {
  const { host, rig } = t.bench;
  const answered = await openAsk(rig, { question: 'Answered meanwhile?' }, { tab: 't1' });
  const gone = await openAsk(rig, { question: 'Withdrawn meanwhile?' }, { tab: 't2' });
  const kept = await openAsk(rig, { question: 'Still open?' }, { tab: 't3' });
  await t.card(kept.askId).getByRole('textbox').fill('a draft');
  await host.close();
  await t.page.getByText('The connection is lost.').waitFor();
  await t.card(kept.askId).getByRole('textbox').fill('a draft, and more');
  await rig.asking.answer(answered.askId, { text: 'yes' }, { surface: 'terminal' });
  await rig.asking.withdraw(gone.askId, 'Not needed.', { surface: 'test' });
  const fresh = await openAsk(rig, { question: 'Asked meanwhile?' }, { tab: 't4' });
  const next = await startHost({ coordinator: rig.asking, port: host.port, token: host.token, panelDir: t.panelDir });
  await t.card(fresh.askId).waitFor();
  await t.card(answered.askId).getByText('Answered in a terminal').waitFor();
  await t
    .card(gone.askId)
    .getByText(/Withdrawn Not needed/)
    .waitFor();
  expect(await t.card(kept.askId).getByRole('textbox').inputValue()).toBe('a draft, and more');
  expect(await t.page.title()).toBe('(2) readback');
  await next.close();
  t.forgiveLostConnection();
});

test('[A1] an answer that was saved while its reply was lost is shown as ours after the reconnect', async () => {
  const { askId } = await openAsk(t.bench.rig, { question: 'Shall I go on?' });
  await t.card(askId).getByRole('textbox').fill('go on');
  const { host, rig } = t.bench;
  const { answer } = rig.asking;
  const saved = new Promise<void>((resolve) => {
    rig.asking.answer = async (...all) => {
      await host.close();
      await answer.call(rig.asking, ...all);
      resolve();
      return await new Promise(() => undefined);
    };
  });
  await t.send(askId).click();
  await saved;
  await t.page.getByText('The connection is lost.').waitFor();
  await t.card(askId).getByText('Not confirmed', { exact: true }).waitFor();
  rig.asking.answer = answer;
  const next = await startHost({ coordinator: rig.asking, port: host.port, token: host.token, panelDir: t.panelDir });
  await t.card(askId).getByText('Answered here').waitFor();
  expect(await t.card(askId).getByText('Not confirmed', { exact: true }).count()).toBe(0);
  expect(await t.card(askId).getByText('You had entered').count()).toBe(0);
  expect(await t.page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  await next.close();
  t.forgiveLostConnection();
});
