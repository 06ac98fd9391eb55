import { rm } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApprovals } from '../../src/approvals.ts';
import { openCoordinator } from '../../src/coordinator.ts';
import { hostPack } from '../../src/host/contracts.ts';
import { startHost } from '../../src/host/index.ts';
import { createServerRequests } from '../../src/requests.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { requestContracts } from '../../src/wire/contracts/request-contracts.ts';
import type { JsonObject } from '../../src/wire/json.ts';
import { launch, openWindow, shoot } from './browser.ts';
import { buildPanel } from './panel-build.ts';

let browser: Browser;
let panelDir: string;

beforeAll(async () => {
  [browser, panelDir] = await Promise.all([launch(), buildPanel()]);
});
afterAll(async () => {
  await browser.close();
  await rm(panelDir, { recursive: true });
});

const SECRETS: readonly (readonly [string, JsonObject])[] = [
  ['sudo', { command: 'apt-get install --yes ripgrep' }],
  ['secret', { env_var: 'WEATHER_TOKEN', prompt: 'The weather service wants a token.' }],
  ['vault.unlock_prompt', { backend: 'keyring', display_name: 'Work vault' }],
  ['vault.code', { site: 'example.org', hint: 'Six digits, sent to your phone.' }],
  ['vault.save_login', { origin: 'https://example.org/login', site: 'example.org' }],
];
const SERVER = { name: 'files', command: 'npx', args: ['-y', 'files-server', '/srv/files'], env: { FILES_TOKEN: 'x' } };
const CLARIFY: JsonObject = {
  questions: [
    {
      qid: 'q1',
      question: 'Which way shall the migration go?',
      choices: ['In one step', 'Table by table'],
      multi_select: false,
    },
    { qid: 'q2', question: 'Which services may be down meanwhile?', choices: ['Search', 'Mail'], multi_select: true },
    { qid: 'q3', question: 'What shall I tell the users?', choices: null, multi_select: false },
  ],
};
const COMMAND = `find /srv -name '*.log' -mtime +30 -print0 | xargs -0 rm --verbose # ${'long-'.repeat(40)}`;

async function makeBench() {
  const quiet = () => undefined;
  const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const coordinator = await openCoordinator({ store: memoryStore(), logger });
  const requests = createServerRequests({ contracts: requestContracts(hostPack), logger });
  const approvals = createApprovals({ requests, logger });
  const host = await startHost({ coordinator, requests, approvals, panelDir });
  const send = (sid: string, method: string, params: JsonObject, qids?: readonly string[]) =>
    void requests.send(method, sid, params, { timeoutMs: null, qids });
  const approve = (command: string, description: string) =>
    void approvals.request('build-7f3a', { sid: 'build-7f3a', tool: 'shell', command, description });
  return { coordinator, requests, approvals, host, send, approve };
}

async function shootBatch(page: Page, bench: Awaited<ReturnType<typeof makeBench>>): Promise<void> {
  const colours = [
    { id: 'b', label: 'Blue', description: 'Calm.' },
    { id: 'r', label: 'Red' },
  ];
  const batch = bench.coordinator.askAll(
    [
      { question: 'Which colour shall the door have?', header: 'Door', options: colours },
      { question: 'Which colours shall the windows have?', options: colours, multiSelect: true },
      { question: 'What shall the sign say?' },
    ],
    { tab: 'tab-1', from: 'Claude Code' },
  );
  await page.locator('.part').nth(2).waitFor();
  await page.locator('.part').nth(0).getByText('Blue').click();
  await page.locator('.part').nth(0).getByRole('button', { name: 'Send this one' }).click();
  await page.locator('.part.done').waitFor();
  await page.locator('.part').nth(1).getByText('Red').click();
  await shoot(page, 'requests-1-batch');
  await page.locator('.part').nth(2).getByRole('textbox').fill('Welcome');
  await page.getByRole('button', { name: 'Send all 2' }).click();
  await batch;
  await page.locator('.card.closed .part').nth(2).waitFor();
  await shoot(page, 'requests-2-batch-answered');
  await page.getByRole('button', { name: 'Put away' }).click();
}

test('every kind of card, light and dark, wide and narrow: no horizontal scroll, no complaint', {
  timeout: 60_000,
}, async () => {
  const bench = await makeBench();
  const { host, requests, approvals, send, approve } = bench;
  const context = await browser.newContext();
  const { page, complaints } = await openWindow(context, host.link);
  await shootBatch(page, bench);

  approve(COMMAND, 'Deletes old log files of all services.');
  approve('git push origin main', 'Pushes to a protected branch.');
  await page.getByRole('checkbox').first().check();
  await page.getByRole('button', { name: 'Always allow' }).nth(1).click();
  await shoot(page, 'requests-3-approvals');
  await page.getByRole('button', { name: 'Deny' }).first().click();
  await page.getByText('Denied').nth(1).waitFor();
  await shoot(page, 'requests-4-denied');
  for (const _ of [1, 2]) await page.getByRole('button', { name: 'Put away' }).first().click();

  send('build-7f3a', 'clarify', CLARIFY, ['q1', 'q2', 'q3']);
  const part = (qid: string) => page.locator(`[data-qid="${qid}"]`);
  await part('q1').getByText('Table by table').click();
  await part('q1').getByRole('button', { name: 'Save this one' }).click();
  await part('q2').getByRole('button', { name: 'Skip it' }).click();
  await part('q1').getByRole('button', { name: 'Change' }).waitFor();
  await shoot(page, 'requests-5-clarify');
  requests.cancel('build-7f3a', 'interrupted');
  await page.locator('.card.closed').getByText('Interrupted', { exact: true }).waitFor();

  for (const [method, params] of SECRETS) send('vault', method, params);
  await page.locator('input[name="secret"]').nth(4).waitFor();
  await page.locator('input[name="secret"]').first().fill('not a password');
  await shoot(page, 'requests-6-secrets');
  await page.getByRole('button', { name: 'Give it' }).first().click();
  await page.getByText('is not stored here').first().waitFor();
  requests.cancel('vault', 'timeout');
  send('setup', 'setup_choose', {
    kind: 'theme',
    question: 'Which theme?',
    options: ['Light', 'Dark'],
    multi_select: false,
  });
  send('setup', 'mcp.setup', { server: SERVER, consent: 'May this server read the files of your home folder?' });
  await page.getByText('Do not agree').waitFor();
  await shoot(page, 'requests-7-setup');

  await host.close();
  await page.getByText('The connection is lost.').waitFor();
  await shoot(page, 'requests-8-lost');
  await context.close();
  approvals.shutdown();
  requests.shutdown();
  await bench.coordinator.close();
  expect(complaints.filter((text) => !/WebSocket connection to .* failed/.test(text))).toEqual([]);
});
