import { expect, test } from 'vitest';
import { SIZES } from '../../src/limits.ts';
import { openWindow, paste, put, usePage, Wire } from './browser.ts';
import { COLOURS, openAsk, until } from './support.ts';

const t = usePage();

test('[I9] a long paste is sent as its full text', async () => {
  const { askId, outcome } = await openAsk(t.bench.rig, { question: 'Paste the log' });
  const text = `${'19 lines of log \u05e9\u05dc\u05d5\u05dd 🙂\n'.repeat(1_000)}end`;
  await paste(t.page, t.card(askId).getByRole('textbox'), text);
  await t.send(askId).click();
  const result = await outcome;
  expect('reply' in result && result.reply.text === text).toBe(true);
});

test('[I9] a paste of 1 MB is told the limit at once, and nothing is cut or taken', async () => {
  const { askId } = await openAsk(t.bench.rig, { question: 'Paste the log' });
  const box = t.card(askId).getByRole('textbox');
  await box.fill('before');
  await paste(t.page, box, 'a line of a log\n'.repeat(65_536));
  await t.card(askId).getByText('would have 1,048,582 characters, and 262,144 is the limit').waitFor();
  expect(await box.inputValue()).toBe('before');
});

test('[I9] a text over the limit is told so before it is sent, and nothing is cut', async () => {
  const { askId } = await openAsk(t.bench.rig, { question: 'Paste the log' });
  const box = t.card(askId).getByRole('textbox');
  await put(box, 'x'.repeat(SIZES.answerText + 1));
  await t.card(askId).getByRole('alert').getByText('262,145 characters, and 262,144 is the limit').waitFor();
  expect(await t.send(askId).isDisabled()).toBe(true);
  await box.focus();
  await t.page.keyboard.press('Control+Enter');
  expect(await t.stateOf(askId)).toBe('open');
  expect((await box.inputValue()).length).toBe(SIZES.answerText + 1);
  // Short enough in characters, but control characters take six bytes each on the wire.
  await put(box, '\u0001'.repeat(SIZES.answerText));
  await t.card(askId).getByRole('alert').getByText('1,048,576 is the limit').waitFor();
  expect(await t.send(askId).isDisabled()).toBe(true);
});

test('half a character is told before it is sent, with its place', async () => {
  const { askId } = await openAsk(t.bench.rig, { question: 'Paste the log' });
  const box = t.card(askId).getByRole('textbox');
  await put(box, 'ab\ud83d cd');
  await t.card(askId).getByRole('alert').getByText('Character 3 is broken').waitFor();
  expect(await t.send(askId).isDisabled()).toBe(true);
  await put(box, 'ab🙂 cd');
  expect(await t.send(askId).isEnabled()).toBe(true);
});

test('text from an agent is text: no markup, any direction', async () => {
  const nasty = '<img src=x onerror="document.title=1"><script>document.title=2</script> שלום 👩‍👩‍👧';
  const { askId } = await openAsk(
    t.bench.rig,
    { question: nasty, header: nasty, options: [{ id: nasty, label: nasty, description: nasty }] },
    { from: nasty.slice(0, 100) },
  );
  await t.card(askId).waitFor();
  expect(await t.card(askId).locator('img, script').count()).toBe(0);
  expect(await t.card(askId).locator('.question').innerText()).toContain('<script>document.title=2</script>');
  expect(await t.card(askId).locator('.question').getAttribute('dir')).toBe('auto');
  await t.card(askId).locator('.option').click();
  await t.send(askId).click();
  await t.card(askId).getByText('Answered here').waitFor();
  expect((await t.bench.rig.asking.show(askId))?.answers[0]?.reply.selected).toEqual([nasty]);
  expect(await t.page.title()).toBe('readback');
});

test('new cards and receipts are said to a person who does not look', async () => {
  const live = t.page.locator('output[aria-live="polite"]');
  const { askId } = await openAsk(t.bench.rig, COLOURS);
  await live.getByText('New question from Claude Code.').waitFor();
  await t.bench.rig.asking.withdraw(askId, 'Not needed.', { surface: 'test' });
  await live.getByText('Withdrawn. Not needed.').waitFor();
});

test('[RQ-R134] a notification is asked for by a button only, and shown once, when a card is new and nobody looks', async () => {
  const shown: string[] = [];
  const allowed = await t.browser.newContext();
  await allowed.exposeFunction('notified', (title: string) => void shown.push(title));
  await allowed.addInitScript(() => {
    const told = window as unknown as { notified(title: string): void };
    class Fake extends EventTarget {
      static permission = 'default';
      static requestPermission = async () => {
        Fake.permission = 'granted';
        told.notified('permission');
      };
      constructor(title: string) {
        super();
        told.notified(title);
      }
      close() {
        told.notified('closed');
      }
    }
    Object.assign(window, { Notification: Fake });
    document.hasFocus = () => false;
  });
  const wire = new Wire();
  const other = await openWindow(allowed, t.bench.host.link, wire.attach);
  expect(shown).toEqual([]);
  await other.page.getByRole('button', { name: 'Notify me' }).click();
  await until(() => shown.includes('permission'));
  await other.page.getByRole('button', { name: 'Notify me' }).waitFor({ state: 'detached' });
  const { askId } = await openAsk(t.bench.rig, COLOURS);
  await until(() => shown.includes('Claude Code asks'));
  wire.isDown = true;
  wire.cut();
  await other.page.getByText('The connection is lost.').waitFor();
  await openAsk(t.bench.rig, { question: 'Asked meanwhile?' }, { tab: 'tab-2' });
  wire.isDown = false;
  // What a reconnect brings is shown, and rings no bell.
  await other.page.locator('main').getByText('Asked meanwhile?').waitFor();
  expect(shown.filter((title) => title === 'Claude Code asks')).toHaveLength(1);
  await t.bench.rig.asking.withdraw(askId, 'Not needed.', { surface: 'test' });
  await until(() => shown.includes('closed'));
  expect(other.complaints).toEqual([]);
  await allowed.close();
});

test('the icon carries a dot while something waits', async () => {
  const icon = () => t.page.locator('link[rel="icon"]').getAttribute('href');
  expect(await icon()).toMatch(/^icon\.svg\?/);
  const { askId } = await openAsk(t.bench.rig, COLOURS);
  await t.card(askId).waitFor();
  expect(await icon()).toMatch(/^icon-dot\.svg\?/);
});

test('the age of a card ticks', async () => {
  const { askId } = await openAsk(t.bench.rig, COLOURS);
  const time = t.card(askId).locator('time');
  await time.waitFor();
  const first = await time.innerText();
  expect(first).toBe('just now');
  await until(async () => /^\d+ s ago$/.test(await time.innerText()), 10_000);
});
