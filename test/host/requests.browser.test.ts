import type { Locator, Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { createApprovals } from '../../src/approvals.ts';
import { hostPack } from '../../src/host/contracts.ts';
import { startHost } from '../../src/host/index.ts';
import type { ServerRequests, Settlement } from '../../src/requests/api.ts';
import type { Approvals } from '../../src/requests/approval-types.ts';
import { createServerRequests } from '../../src/requests.ts';
import { requestContracts } from '../../src/wire/contracts/request-contracts.ts';
import type { JsonObject } from '../../src/wire/json.ts';
import { openWindow, press, usePage, Wire } from './browser.ts';
import { openAsk, until } from './support.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
let requests: ServerRequests;
let approvals: Approvals;
const t = usePage(() => {
  requests = createServerRequests({ contracts: requestContracts(hostPack), logger: silent });
  approvals = createApprovals({ requests, logger: silent });
  return { requests, approvals };
});
afterEach(() => {
  approvals.shutdown();
  requests.shutdown();
});

const send = (method: string, params: JsonObject, qids?: readonly string[]): Promise<Settlement> =>
  requests.send(method, 's1', params, { timeoutMs: null, qids });
const approve = (command: string) =>
  approvals.request('s1', { sid: 's1', tool: 'shell', command, description: 'The agent wants to run a command.' });

const cards = (method: string, on: Page = t.page): Locator => on.locator(`.card.open[data-method="${method}"]`);
const over = (method: string, on: Page = t.page): Locator => on.locator(`.card.closed[data-method="${method}"]`);

/** All connections of a window end, and the same host listens again. */
async function cut(): Promise<{ back(): Promise<void> }> {
  const { host, rig } = t.bench;
  await host.close();
  await t.page.getByText('The connection is lost.').waitFor();
  return {
    back: async () => {
      const { port, token } = host;
      const next = await startHost({ coordinator: rig.asking, requests, approvals, port, token, panelDir: t.panelDir });
      const { close } = t.bench;
      Object.assign(t.bench, { close: () => next.close().then(close) });
      await t.page.getByText('Connected', { exact: true }).waitFor();
      t.forgiveLostConnection();
    },
  };
}

describe('approvals', () => {
  test('[RQ-R85] [E8] once in one window: the other one takes the card away at once and says why', async () => {
    const other = await openWindow(t.context, t.bench.host.link);
    const verdict = approve('rm -r build');
    await cards('approval', other.page).getByText('rm -r build').waitFor();
    await press(cards('approval'), 'Allow once');
    expect(await verdict).toMatchObject({ resolved: true, choice: 'once' });
    await over('approval').getByText('Allowed once', { exact: true }).waitFor();
    await over('approval', other.page).getByText('Decided elsewhere').waitFor();
    expect(await over('approval', other.page).getByRole('button').allInnerTexts()).toEqual(['Put away']);
    expect(await other.page.title()).toBe('readback');
    expect(other.complaints).toEqual([]);
  });

  test('[RQ-R85] a denial is one; nothing that was not offered can be pressed', async () => {
    const verdict = approvals.request('s1', { sid: 's1', command: 'curl x', smartDenied: true });
    await cards('approval').waitFor();
    expect(await cards('approval').getByRole('button').allInnerTexts()).toEqual(['Allow once', 'Deny']);
    await cards('approval').getByText('An automatic check has refused it before.').waitFor();
    await press(cards('approval'), 'Deny');
    expect(await verdict).toMatchObject({ resolved: true, choice: 'deny' });
    await over('approval').getByText('Denied', { exact: true }).waitFor();
  });

  test('always is a step of its own', async () => {
    const verdict = approve('make');
    await press(cards('approval'), 'Always allow');
    await t.page.keyboard.press('Enter');
    expect(approvals.count()).toBe(1);
    await press(cards('approval'), 'Always allow');
    await press(cards('approval'), 'Always allow');
    expect(await verdict).toMatchObject({ choice: 'always' });
    await over('approval').getByText('Always allowed').waitFor();
  });

  test('[RQ-R86] [RQ-I23] for all that wait in the session, in both windows; not for one that came after', async () => {
    const other = await openWindow(t.context, t.bench.host.link);
    const verdicts = [approve('one'), approve('two'), approve('three')];
    const foreign = approvals.request('s2', { sid: 's2', command: 'foreign' });
    await cards('approval', other.page).nth(3).waitFor();
    const first = cards('approval').filter({ hasText: 'one' });
    const forAll = first.getByRole('checkbox', { name: 'For all 3 that wait in this session' });
    await forAll.check();
    verdicts.push(approve('four'));
    const wider = first.getByRole('checkbox', { name: 'For all 4 that wait in this session' });
    await wider.waitFor();
    // What nobody saw on the screen when the box was ticked is not in it.
    expect(await wider.isChecked()).toBe(false);
    await wider.check();
    await press(first, 'Allow for this session');
    for (const verdict of verdicts) expect(await verdict).toMatchObject({ choice: 'session' });
    await until(async () => (await cards('approval', other.page).count()) === 1);
    await until(async () => (await cards('approval').count()) === 1);
    expect(await over('approval').getByText('Allowed for this session').count()).toBe(3);
    expect(await over('approval', other.page).getByText('Decided elsewhere').count()).toBe(3);
    expect(await t.page.locator('.history').getByText('Allowed for this session').count()).toBe(1);
    await press(cards('approval'), 'Deny');
    expect(await foreign).toMatchObject({ choice: 'deny' });
  });

  test('[RQ-R101] the queue is told that a person can see it; keys decide nothing', async () => {
    void approve('ls');
    await cards('approval').waitFor();
    await until(() => approvals.pending('s1')[0]?.acknowledged === true);
    await t.page.keyboard.press('1');
    await cards('approval').getByRole('button', { name: 'Deny' }).focus();
    await t.page.keyboard.press('Control+Enter');
    expect(approvals.count()).toBe(1);
    approvals.withdraw('s1', approvals.pending('s1')[0]?.request_id ?? '', 'enough');
    await over('approval').waitFor();
  });
});

const BATCH: JsonObject = {
  questions: [
    { qid: 'q1', question: 'Which way?', choices: ['Left', 'Right'], multi_select: false },
    { qid: 'q2', question: 'Which tools?', choices: ['Hammer', 'Saw, small', 'Nails'], multi_select: true },
    { qid: 'q3', question: 'How deep?', choices: null, multi_select: false },
  ],
};
const QIDS = ['q1', 'q2', 'q3'];
const part = (qid: string): Locator => t.page.locator(`[data-qid="${qid}"]`);

describe('clarifications', () => {
  test('[RQ-R44] [RQ-R139] saved early, ticked, changed, shown so after a reload, and sent together', async () => {
    const settlement = send('clarify', BATCH, QIDS);
    await part('q1').getByText('Left').click();
    await press(part('q1'), 'Save this one');
    await part('q1').getByRole('img', { name: 'Answered', exact: true }).waitFor();
    await part('q3').getByRole('textbox').fill('three feet');
    await t.page.reload();
    await part('q1').getByText('“Left”').waitFor();
    expect(await part('q3').getByRole('textbox').inputValue()).toBe('three feet');
    const all = cards('clarify').getByRole('button', { name: 'Send all 3' });
    expect(await all.isDisabled()).toBe(true);
    await cards('clarify').getByText('2 of 3 have an answer.').waitFor();
    await press(part('q1'), 'Change');
    expect(await part('q1').getByRole('radio', { name: 'Left' }).isChecked()).toBe(true);
    await part('q1').getByText('Right').click();
    await press(part('q1'), 'Save this one');
    await part('q1').getByText('“Right”').waitFor();
    await part('q2').getByText('Saw, small').click();
    await part('q2').getByText('Nails').click();
    await all.click();
    const answers = { q1: 'Right', q2: '["Saw, small","Nails"]', q3: 'three feet' };
    expect(await settlement).toMatchObject({ kind: 'answered', result: { answers }, via: 'response' });
    await over('clarify').getByText('Answered', { exact: true }).waitFor();
    expect(await t.page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  });

  test('[RQ-R45] [RQ-R47] the last one saved ends it; a skipped one is null', async () => {
    const settlement = send('clarify', BATCH, QIDS);
    for (const qid of QIDS) {
      await press(part(qid), 'Skip it');
      await part(qid).getByText('To be skipped').waitFor();
      await press(part(qid), 'Save this one');
      if (qid !== 'q3') await part(qid).getByText('Skipped').waitFor();
    }
    expect(await settlement).toMatchObject({ result: { answers: { q1: null, q2: null, q3: null } }, via: 'lock' });
    await over('clarify').getByText('All of its questions were answered one by one.').waitFor();
  });

  test('[RQ-R36] all of it can be declined, in a second step', async () => {
    const settlement = send('clarify', BATCH, QIDS);
    await press(cards('clarify'), 'I would rather not answer');
    await press(cards('clarify'), 'Do not answer');
    expect(await settlement).toMatchObject({ kind: 'answered', result: {} });
    await over('clarify').getByText('Not answered', { exact: true }).waitFor();
  });

  test('by keyboard: numbers choose on the question at hand, Ctrl+Enter saves that one alone', async () => {
    const settlement = send('clarify', BATCH, QIDS);
    await cards('clarify').waitFor();
    await t.page.keyboard.press('2');
    await t.page.keyboard.press('Control+Enter');
    await part('q1').getByText('“Right”').waitFor();
    await part('q2').getByRole('checkbox').first().focus();
    await t.page.keyboard.press('3');
    expect(await part('q2').getByRole('checkbox', { name: 'Nails' }).isChecked()).toBe(true);
    expect(requests.openRequestCount()).toBe(1);
    requests.cancel('s1', 'interrupted');
    expect(await settlement).toMatchObject({ kind: 'cancelled', locked: { q1: 'Right' } });
    await over('clarify').getByText('Interrupted', { exact: true }).waitFor();
    expect(await over('clarify').innerText()).toContain('Nails');
  });

  test('the older form of one question', async () => {
    const settlement = send('clarify', { question: 'Shall I?', choices: ['Yes', 'No'], multi_select: false });
    await cards('clarify').getByText('Yes').click();
    await t.page.keyboard.press('Control+Enter');
    expect(await settlement).toMatchObject({ result: { answer: 'Yes' } });
  });
});

describe('several cards, and their ends', () => {
  test('[RQ-R133] [RQ-R137] [E6] cards of one kind stand side by side, and exactly one goes', async () => {
    const ask = (sid: string) =>
      requests.send('clarify', sid, { question: `From ${sid}?` }, { timeoutMs: sid === 's3' ? 400 : null });
    for (const sid of ['s1', 's2', 's3']) void ask(sid);
    await over('clarify').filter({ hasText: 'From s3?' }).getByText('Timed out').waitFor();
    await cards('clarify').nth(1).waitFor();
    await cards('clarify').filter({ hasText: 'From s1?' }).getByRole('textbox').fill('half');
    requests.cancel('s2', 'session_closed');
    await over('clarify').filter({ hasText: 'From s2?' }).getByText('Withdrawn').waitFor();
    expect(await cards('clarify').count()).toBe(1);
    expect(await cards('clarify').getByRole('textbox').inputValue()).toBe('half');
    await press(over('clarify').filter({ hasText: 'From s2?' }), 'Put away');
    expect(await over('clarify').count()).toBe(1);
    await t.page.locator('.history').getByText('From s2?').waitFor();
  });

  test('[RQ-R132] [RQ-R74] what no page shows is declined, and what nobody knows is refused', async () => {
    const read = await send('terminal.read', {});
    expect(read).toMatchObject({ kind: 'answered', via: 'quorum' });
    expect(await send('bot.relay', { payload: {} })).toMatchObject({ kind: 'failed', error: { code: -32601 } });
    expect(await t.page.locator('.card').count()).toBe(0);
  });

  test('a choice of a setup, and the consent to a server', async () => {
    const options = [{ id: 'd', label: 'Dark' }, 'light'];
    const picked = send('setup_choose', { kind: 'theme', question: 'Which theme?', options, multi_select: false });
    await cards('setup_choose').waitFor();
    await t.page.keyboard.press('1');
    await press(cards('setup_choose'), 'Choose');
    expect(await picked).toMatchObject({ result: { picked: 'd' } });
    const server = { name: 'files', command: 'npx', args: ['-y', 'files'], env: { KEY: 'canary' } };
    const agreed = send('mcp.setup', { server, consent: 'May this server be set up?' });
    await cards('mcp.setup').getByText('npx').waitFor();
    expect(await cards('mcp.setup').innerText()).not.toContain('canary');
    await press(cards('mcp.setup'), 'Agree');
    expect(await agreed).toMatchObject({ kind: 'answered' });
  });

  test('[E12] a reload loses no request', async () => {
    void send('clarify', BATCH, QIDS);
    void approve('make test');
    await cards('approval').waitFor();
    await t.page.reload();
    await cards('approval').waitFor();
    await cards('clarify').waitFor();
    expect(await t.page.title()).toBe('(2) readback');
    expect(requests.openRequestCount()).toBe(2);
  });
});

describe('a connection that breaks', () => {
  test('[RQ-R136] [RQ-R124] the card stays with all that was typed, and is the same one when it is shown again', async () => {
    const settlement = send('clarify', { question: 'Still there?' });
    const box = cards('clarify').getByRole('textbox');
    await box.fill('half an ans');
    const line = await cut();
    await cards('clarify').getByText('Reconnecting; your input is kept.').waitFor();
    expect(await cards('clarify').getByRole('button', { name: 'Send answer' }).isDisabled()).toBe(true);
    await box.focus();
    await box.pressSequentially('wer');
    await line.back();
    expect(await t.page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
    expect(await cards('clarify').count()).toBe(1);
    await press(cards('clarify'), 'Send answer');
    expect(await settlement).toMatchObject({ result: { answer: 'half an answer' } });
  });

  test('[E6] what ended meanwhile is taken away, and says so', async () => {
    void send('clarify', { question: 'Over soon?' });
    await cards('clarify').getByRole('textbox').fill('typed');
    const line = await cut();
    requests.cancel('s1', 'interrupted');
    await line.back();
    await over('clarify').waitFor();
    expect(await cards('clarify').count()).toBe(0);
    expect(await over('clarify').innerText()).toContain('typed');
  });
});

/** A second window, on a line that breaks when it is told to. */
async function fragile(): Promise<{ page: Page; wire: Wire; complaints: string[] }> {
  const wire = new Wire();
  const { page, complaints } = await openWindow(t.context, t.bench.host.link, wire.attach);
  return { page, wire, complaints };
}

describe('an answer on a dying socket', () => {
  test('[RQ-R124] [RQ-I27] is kept, said to be on its way, and sent again when the card is shown again', async () => {
    const { page, wire, complaints } = await fragile();
    const settlement = send('clarify', { question: 'Did it arrive?' });
    await cards('clarify', page).getByRole('textbox').fill('it did');
    wire.isMute = true;
    await press(cards('clarify', page), 'Send answer');
    await cards('clarify', page).getByText('Sent, waiting for the host.').waitFor();
    expect(requests.openRequestCount()).toBe(1);
    wire.isDown = true;
    wire.cut();
    await cards('clarify', page).getByText('Not confirmed', { exact: true }).waitFor();
    wire.isDown = false;
    expect(await settlement).toMatchObject({ result: { answer: 'it did' } });
    await over('clarify', page).getByText('Answered', { exact: true }).waitFor();
    const answers = wire.sent.filter((text) => text.includes('request.answer'));
    expect(answers).toHaveLength(2);
    expect(new Set(answers.map((text) => text.replace(/"id":\d+,/, ''))).size).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('[RQ-I27] [RQ-R105] [B2] arrived, but the host did not get through: sent again, it gets the same receipt', async () => {
    const { page, wire } = await fragile();
    const settlement = send('clarify', { question: 'Did it arrive?' });
    await cards('clarify', page).getByRole('textbox').fill('it did');
    wire.isDeaf = true;
    await press(cards('clarify', page), 'Send answer');
    expect(await settlement).toMatchObject({ result: { answer: 'it did' } });
    wire.cut();
    await over('clarify', page).getByText('Answered', { exact: true }).waitFor();
  });

  test('[RQ-R124] [F1] is sent again to the host that was started in its place', async () => {
    const { page, wire } = await fragile();
    const settlement = send('clarify', { question: 'Did it arrive?' });
    await cards('clarify', page).getByRole('textbox').fill('it did');
    wire.isMute = true;
    await press(cards('clarify', page), 'Send answer');
    await cards('clarify', page).getByText('Sent, waiting for the host.').waitFor();
    const line = await cut();
    wire.cut();
    await line.back();
    expect(await settlement).toMatchObject({ result: { answer: 'it did' } });
    await over('clarify', page).getByText('Answered', { exact: true }).waitFor();
  });

  test('[RQ-R127] another host shows the card: it has its draft, and says what is not known', async () => {
    const { page, wire } = await fragile();
    const settlement = send('clarify', { question: 'Did it arrive?' });
    void send('sudo', {});
    await cards('sudo', page).locator('input').fill('typed');
    await cards('clarify', page).getByRole('textbox').fill('it did not');
    wire.isMute = true;
    await press(cards('clarify', page), 'Send answer');
    await cards('clarify', page).getByText('Sent, waiting for the host.').waitFor();
    wire.epoch = 'another';
    wire.cut();
    await cards('clarify', page).getByText('The host was replaced before it replied.').waitFor();
    expect(await cards('clarify', page).getByRole('textbox').inputValue()).toBe('it did not');
    expect(await cards('sudo', page).locator('input').inputValue()).toBe('typed');
    expect(await page.locator('.card.closed').count()).toBe(0);
    await press(cards('clarify', page), 'Send answer');
    expect(await settlement).toMatchObject({ result: { answer: 'it did not' } });
    await over('clarify', page).getByText('Answered', { exact: true }).waitFor();
  });

  test('[RQ-R127] what another host does not show is over, and says so', async () => {
    const { page, wire } = await fragile();
    void send('clarify', { question: 'Still there?' });
    await cards('clarify', page).getByRole('textbox').fill('typed');
    wire.isDown = true;
    wire.cut();
    await page.getByText('The connection is lost.').waitFor();
    requests.cancel('s1', 'session_closed');
    wire.epoch = 'another';
    wire.isDown = false;
    await over('clarify', page).getByText('The host that asked was replaced by another one.').waitFor();
    expect(await over('clarify', page).innerText()).toContain('typed');
  });

  test('[A1] an agent knows it by its ask: it is shown as ours, and is on file once', async () => {
    const { page, wire } = await fragile();
    const { askId } = await openAsk(t.bench.rig, { question: 'Shall I go on?' });
    await t.card(askId, page).getByRole('textbox').fill('go on');
    wire.isDeaf = true;
    await t.send(askId, page).click();
    await t.card(askId).getByText('Answered in another window').waitFor();
    await t.card(askId, page).getByText('Sent, waiting for the host.').waitFor();
    wire.cut();
    await t.card(askId, page).getByText('Answered here').waitFor();
    expect((await t.bench.rig.asking.show(askId))?.answers).toHaveLength(1);
    expect(await t.card(askId, page).getByText('You had entered').count()).toBe(0);
  });
});

describe('secrets', () => {
  const CANARY = 'canary-5f1e"\\ö';

  /** Everything that a page could show, keep or tell of it. */
  async function traces(page: Page): Promise<string> {
    const own = await page.evaluate(() => {
      const values = [...document.querySelectorAll('input, textarea')].map((one) => (one as HTMLInputElement).value);
      const stores = [JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie, document.title];
      return [...values, ...stores, location.href, JSON.stringify(history.state)].join('\n');
    });
    return `${await page.content()}\n${own}`;
  }

  test.each([
    ['sudo', { command: 'apt update' }],
    ['secret', { env_var: 'TOKEN', prompt: 'A token, please.' }],
    ['vault.unlock_prompt', { backend: 'keyring', display_name: 'Work' }],
    ['vault.code', { site: 'example.org' }],
    ['vault.save_login', { origin: 'https://example.org', site: 'example.org' }],
  ])('%s is given once, and is nowhere on the page, in no store and in no other window', async (method, params) => {
    const { page, wire, complaints } = await fragile();
    const addresses: string[] = [];
    const said: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    page.on('console', (message) => said.push(message.text()));
    const settlement = send(method, params);
    const field = cards(method, page).locator('input[type="password"]');
    expect(await field.getAttribute('autocomplete')).toBe('off');
    if (method === 'vault.save_login') await cards(method, page).getByLabel('User name').fill('me');
    await field.fill(CANARY);
    expect(await page.content()).not.toContain('canary');
    await t.page.locator(`.card[data-method="${method}"]`).waitFor();
    await page.keyboard.press('Enter');
    const settled = await settlement;
    const value = settled.kind === 'answered' ? settled.result['value'] : undefined;
    if (method !== 'vault.save_login') expect(value).toBe(CANARY);
    else expect(JSON.parse(String(value))).toEqual({ identifier: 'me', password: CANARY });
    await over(method, page).getByText('is not stored here').waitFor();
    await over(method).getByText('Answered elsewhere').waitFor();
    expect(wire.sent.filter((text) => text.includes('canary'))).toHaveLength(1);
    expect(wire.received.join('')).not.toContain('canary');
    expect(`${addresses.join()}${said.join()}${complaints.join()}`).not.toContain('canary');
    expect(await traces(page)).not.toContain('canary');
    await page.reload();
    await page.getByText('Connected', { exact: true }).waitFor();
    expect(await traces(page)).not.toContain('canary');
  });

  test('is not in its field while it is under way, and arrives all the same', async () => {
    const { page, wire } = await fragile();
    const settlement = send('sudo', {});
    await cards('sudo', page).locator('input').fill(CANARY);
    wire.isMute = true;
    await press(cards('sudo', page), 'Give it');
    await cards('sudo', page).getByText('Sent, waiting for the host.').waitFor();
    expect(await traces(page)).not.toContain('canary');
    wire.cut();
    expect(await settlement).toMatchObject({ result: { value: CANARY } });
    await over('sudo', page).getByText('Given', { exact: true }).waitFor();
  });

  test('[RQ-R136] what was typed stays in its field while the connection is away', async () => {
    const { page, wire } = await fragile();
    const settlement = send('secret', { env_var: 'TOKEN', prompt: 'A token, please.' });
    await cards('secret', page).locator('input').fill(CANARY);
    wire.isDown = true;
    wire.cut();
    await cards('secret', page).getByText('Reconnecting; your input is kept.').waitFor();
    await page.keyboard.press('Enter');
    wire.isDown = false;
    await page.getByText('Connected', { exact: true }).waitFor();
    expect(await cards('secret', page).locator('input').inputValue()).toBe(CANARY);
    await press(cards('secret', page), 'Do not give it');
    expect(await settlement).toMatchObject({ result: { value: '' } });
    await over('secret', page).getByText('Not given').waitFor();
    expect(wire.sent.join('')).not.toContain('canary');
    expect(await traces(page)).not.toContain('canary');
  });
});
