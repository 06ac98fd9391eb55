import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { press } from '../host/browser.ts';
import { connected, lost, open, over, stillWaits, useEmbedder } from './requests-support.ts';

const t = useEmbedder();
const CANARY = 'canary-7b42"\\é';
/** As it is, and in base64. */
const SPELLINGS = [/canary-7b42/, /Y2FuYXJ5LTdiND/];
/** An answer that is no secret: it shows that the search would find one. */
const PLAIN = 'plain-91d3';

/** What a page shows, keeps and could send anywhere. */
function traces(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const fields = [...document.querySelectorAll('input, textarea')].map((one) => (one as HTMLInputElement).value);
    const bases = (await indexedDB.databases()).map(({ name }) => name);
    const stores = [localStorage, sessionStorage, history.state, document.cookie, location.href, bases, fields];
    const loads = performance.getEntries().map(({ name }) => name);
    return `${JSON.stringify([...stores, loads, await caches.keys()])}\n${document.documentElement.outerHTML}`;
  });
}

function clean(what: string, text: string | Buffer): void {
  for (const spelling of SPELLINGS) {
    const bytes = typeof text === 'string' ? text : text.toString('latin1');
    expect(spelling.test(bytes), `${what} holds the secret`).toBe(false);
  }
}

/** Everything that the process and its windows have left anywhere. */
async function searchAll(windows: readonly Page[]): Promise<void> {
  for (const { name, bytes } of t.embedder.files()) clean(name, bytes);
  clean('what was said', t.embedder.said);
  for (const page of windows) clean('a window', await traces(page));
  clean('a console', t.complaints.join('\n'));
  const { origin, searchParams } = new URL(t.embedder.link);
  const headers = { authorization: `Bearer ${searchParams.get('token')}` };
  for (const path of ['health', 'health/idle', 'asks', 'asks?what=recent', 'audit?limit=1000', 'asks/pa-none']) {
    const response = await fetch(`${origin}/api/${path}`, { headers });
    clean(path, await response.text());
  }
  const rest = ['coordinator.audit', 'coordinator.list', 'requests.openRequests', 'coordinator.idle'];
  const args: readonly unknown[][] = [[{ limit: 1_000 }], [{ what: 'recent' }], ['s1'], []];
  for (const [at, path] of rest.entries()) {
    clean(path, JSON.stringify(await t.embedder.call(path, ...(args[at] ?? []))));
  }
}

const sudo = (key?: string) => t.embedder.send('sudo', { command: 'apt update' }, key === undefined ? {} : { key });
const field = (page: Page) => open(page, 'sudo').locator('input[type="password"]');

it('[I12] a password goes to its waiter, and is in no file, log, list, window or store', {
  timeout: 60_000,
}, async () => {
  const [page, other] = [await t.window(), await t.window()];
  const asked = sudo('once');
  await field(page).fill(CANARY);
  clean('the page, typed and not sent', await page.content());
  await page.keyboard.press('Enter');
  expect(await asked).toEqual({ kind: 'answered', result: { value: CANARY }, via: 'response' });
  await over(page, 'sudo').getByText('is not stored here').waitFor();
  await over(other, 'sudo').getByText('Answered elsewhere').waitFor();
  // What is no secret is found by the same search.
  void t.embedder.send('clarify', { question: 'Which way?' }, { key: 'plain' });
  await open(page, 'clarify').getByRole('textbox').fill(PLAIN);
  await press(open(page, 'clarify'), 'Send answer');
  await over(other, 'clarify').getByText('Answered elsewhere').waitFor();
  expect(t.embedder.files().some(({ bytes }) => bytes.includes(PLAIN))).toBe(true);
  expect(await traces(page)).toContain(PLAIN);
  // The write-ahead log first, then what a checkpoint makes of it, then what the next process reads.
  expect(t.embedder.files().map(({ name }) => name)).toEqual(expect.arrayContaining(['answers.db', 'log']));
  await searchAll([page, other]);
  const { rows } = (await (await fetch(auditUrl())).json()) as { rows: { event: string }[] };
  expect(rows.map(({ event }) => event)).toContain('request.answered');
  await page.reload();
  await connected(page);
  await t.embedder.stop();
  for (const { name, bytes } of t.embedder.files()) clean(name, bytes);
  await t.embedder.start();
  await connected(page);
  await searchAll([page, other]);
});

it('[I12] [F10] killed while it is asked: not taken before its asker is back, then given, and nowhere else', {
  timeout: 60_000,
}, async () => {
  const page = await t.window();
  void sudo('k');
  await field(page).waitFor();
  await t.embedder.kill();
  await lost(page);
  await t.embedder.start();
  await connected(page);
  await field(page).fill(CANARY);
  await page.keyboard.press('Enter');
  await open(page, 'sudo').getByText('has not come back yet').waitFor();
  clean('the page, refused', await page.content());
  const asked = sudo('k');
  expect(await stillWaits(asked)).toBe(true);
  expect(await t.embedder.call('requests.openRequestCount')).toBe(1);
  await field(page).fill(CANARY);
  await press(open(page, 'sudo'), 'Give it');
  expect(await asked).toMatchObject({ kind: 'answered', result: { value: CANARY } });
  await over(page, 'sudo').getByText('Given', { exact: true }).waitFor();
  await searchAll([page]);
});

it.each(['unread', 'before', 'after'] as const)(
  '[I12] [RQ-I27] the kill meets the answer, %s: given once or not at all, the person is told, and nothing keeps it',
  { timeout: 60_000 },
  async (when) => {
    const page = await t.window();
    void sudo('k');
    await field(page).fill(CANARY);
    if (when === 'unread') t.embedder.freeze();
    else await t.embedder.call('own.dieAround', when);
    await press(open(page, 'sudo'), 'Give it');
    if (when === 'unread') {
      await open(page, 'sudo').getByText('Sent, waiting for the host.').waitFor();
      await t.embedder.kill();
    } else await t.embedder.dead();
    clean('the page, under way', await traces(page));
    for (const { name, bytes } of t.embedder.files()) clean(name, bytes);
    await t.embedder.start();
    await connected(page);
    if (when === 'after') await over(page, 'sudo').getByText('whether your answer counted is not known').waitFor();
    const asked = sudo('k');
    // What it went to is no more. Whoever comes back asks for it again, or gets what this window still had to send.
    const given = open(page, 'sudo').filter({ hasNotText: 'Sent, waiting' });
    await Promise.race([asked, given.waitFor()]);
    if (await given.isVisible()) {
      await field(page).fill(CANARY);
      await press(open(page, 'sudo'), 'Give it');
    }
    expect(await asked).toMatchObject({ kind: 'answered', result: { value: CANARY } });
    await searchAll([page]);
  },
);

function auditUrl(): string {
  const { origin, searchParams } = new URL(t.embedder.link);
  return `${origin}/api/audit?limit=1000&token=${searchParams.get('token')}`;
}
