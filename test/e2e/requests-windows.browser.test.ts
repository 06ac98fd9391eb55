import { describe, expect, it } from 'vitest';
import { press } from '../host/browser.ts';
import { OldClient } from './old-client.ts';
import {
  BATCH,
  connected,
  ids,
  noted,
  open,
  over,
  part,
  QIDS,
  saveLeft,
  stillWaits,
  tick,
  useEmbedder,
  watched,
} from './requests-support.ts';
import { until } from './support.ts';

const t = useEmbedder();
const approve = (command: string, sid = 's1') =>
  t.embedder.call<{ choice: string | null }>('approvals.request', sid, { sid, command });

describe('two windows', { timeout: 60_000 }, () => {
  it('[RQ-R139] [E8] what one saved early is ticked in the other; answered there, it goes here and says why', async () => {
    const first = await t.window();
    const settlement = t.embedder.send('clarify', BATCH, { qids: QIDS });
    await saveLeft(first);
    const second = await t.window();
    await tick(part(second, 'way')).waitFor();
    expect(await part(second, 'way').innerText()).toContain('“Left”');
    expect(await ids(second)).toEqual(await ids(first));
    await part(first, 'depth').getByRole('textbox').fill('half an ans');
    await part(second, 'depth').getByRole('textbox').fill('three feet');
    await part(second, 'name').getByRole('textbox').fill('a well');
    await press(open(second, 'clarify'), 'Send all 3');
    const answers = { way: 'Left', depth: 'three feet', name: 'a well' };
    expect(await settlement).toEqual({ kind: 'answered', result: { answers }, via: 'response' });
    await over(second, 'clarify').getByText('Answered', { exact: true }).waitFor();
    await over(first, 'clarify').getByText('Answered elsewhere').waitFor();
    expect(await over(first, 'clarify').innerText()).toContain('Another window answered it.');
    expect(await over(first, 'clarify').innerText()).toContain('half an ans');
    expect(await ids(first)).toEqual([]);
    expect(await t.embedder.call('requests.openRequestCount')).toBe(0);
  });

  it('[RQ-R85] [E8] allowed once in one, gone in the other; denied there, gone here', async () => {
    const [first, second] = [await t.window(), await t.window()];
    const allowed = approve('rm -r build');
    await open(second, 'approval').getByText('rm -r build').waitFor();
    await press(open(first, 'approval'), 'Allow once');
    expect(await allowed).toMatchObject({ resolved: true, choice: 'once' });
    await over(second, 'approval').getByText('Decided elsewhere').waitFor();
    const denied = approve('rm -r src');
    await open(first, 'approval').getByText('rm -r src').waitFor();
    await press(open(second, 'approval'), 'Deny');
    expect(await denied).toMatchObject({ resolved: true, choice: 'deny' });
    await over(first, 'approval').filter({ hasText: 'rm -r src' }).getByText('Decided elsewhere').waitFor();
    await over(second, 'approval').getByText('Denied', { exact: true }).waitFor();
    expect([await ids(first), await ids(second)]).toEqual([[], []]);
    expect(await t.embedder.call('approvals.count')).toBe(0);
  });

  it('[RQ-R101] an approval that a window shows only because it came later is acknowledged too', async () => {
    const allowed = approve('make install');
    await until('the approval', async () => (await t.embedder.call('approvals.count')) === 1 || undefined);
    const window = await t.window();
    await open(window, 'approval').getByText('make install').waitFor();
    await until('its acknowledgement', async () => {
      const [pending] = await t.embedder.call<{ acknowledged: boolean }[]>('approvals.pending', 's1');
      return pending?.acknowledged === true || undefined;
    });
    await press(open(window, 'approval'), 'Deny');
    expect(await allowed).toMatchObject({ choice: 'deny' });
  });

  it('[RQ-R86] [RQ-I23] all that wait in the session are allowed at once, in both; another session still waits', async () => {
    const [first, second] = [await t.window(), await t.window()];
    const verdicts = [approve('one'), approve('two'), approve('three')];
    const foreign = approve('foreign', 's2');
    await open(second, 'approval').nth(3).waitFor();
    const card = open(first, 'approval').filter({ hasText: 'two' });
    await card.getByRole('checkbox', { name: 'For all 3 that wait in this session' }).check();
    await press(card, 'Allow once');
    for (const verdict of verdicts) expect(await verdict).toMatchObject({ resolved: true, choice: 'once' });
    for (const page of [first, second]) {
      await until('one card', async () => ((await ids(page)).length === 1 ? true : undefined));
      await open(page, 'approval').getByText('foreign').waitFor();
    }
    expect(await over(second, 'approval').getByText('Decided elsewhere').count()).toBe(3);
    expect(await stillWaits(foreign)).toBe(true);
    await press(open(second, 'approval'), 'Deny');
    expect(await foreign).toMatchObject({ choice: 'deny' });
  });

  it('[RQ-R134] [E12] a reload loses nothing: cards, what was saved and what was typed; and it notifies nobody again', async () => {
    const notes: string[] = [];
    const page = await t.window(watched(notes));
    const settlement = t.embedder.send('clarify', BATCH, { qids: QIDS });
    const verdict = approve('make all');
    await noted(notes, 2);
    await saveLeft(page);
    await part(page, 'depth').getByRole('textbox').fill('three fe');
    const before = await ids(page);
    await page.reload();
    await connected(page);
    expect(await ids(page)).toEqual(before);
    await tick(part(page, 'way')).waitFor();
    expect(await part(page, 'depth').getByRole('textbox').inputValue()).toBe('three fe');
    expect(await page.title()).toBe('(2) readback');
    expect(notes).toHaveLength(2);
    await part(page, 'depth').getByRole('textbox').fill('three feet');
    await part(page, 'name').getByRole('textbox').fill('a well');
    await press(open(page, 'clarify'), 'Send all 3');
    expect(await settlement).toMatchObject({ result: { answers: { way: 'Left', depth: 'three feet' } } });
    await press(open(page, 'approval'), 'Allow once');
    expect(await verdict).toMatchObject({ choice: 'once' });
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  });
});

describe('an old client that never says that it answers', { timeout: 60_000 }, () => {
  const clarify = () => t.embedder.send('clarify', BATCH, { qids: QIDS });

  it('[RQ-R69] silent, it gets its grace and no longer; then the question is taken back', async () => {
    const old = await OldClient.connect(t.embedder.link);
    const asked = clarify();
    await until('the frame', () => (old.asked.length > 0 ? true : undefined));
    expect(await stillWaits(asked)).toBe(true);
    expect(await asked).toEqual({ kind: 'cancelled', reason: 'session_closed', cause: 'no_capable_client' });
    await until('the cancel', () => (old.cancelled.length > 0 ? true : undefined));
    expect(old.cancelled).toEqual(['session_closed']);
    expect(await clarify()).toEqual({ kind: 'unanswerable' });
    expect(old.asked).toEqual(['clarify']);
    await old.close();
  });

  it('[RQ-R69] [RQ-I11] known by its first other request: at once unanswerable, and nothing is written to it', async () => {
    // So long a grace that it is its request, and not the clock, that decides.
    await t.embedder.stop();
    await t.embedder.start(60_000);
    const old = await OldClient.connect(t.embedder.link);
    const early = clarify();
    await until('the frame', () => (old.asked.length > 0 ? true : undefined));
    expect(await old.call('ping')).toHaveProperty('result.now');
    expect(await early).toMatchObject({ kind: 'cancelled', cause: 'no_capable_client' });
    expect(await clarify()).toEqual({ kind: 'unanswerable' });
    expect(await approve('ls')).toMatchObject({ choice: null, cancelled: 'client cannot answer' });
    expect(await t.embedder.call('requests.openRequestCount')).toBe(0);
    expect(old.asked).toEqual(['clarify']);
    await old.close();
  });

  it('[G1] [RQ-R70] [RQ-R66] agents are told that nobody sees them; a modern page that joins gets everything', async () => {
    const waiting = t.embedder.send('sudo', { command: 'apt update' });
    const old = await OldClient.connect(t.embedder.link);
    await old.call('desk.resume', { window: 'old' });
    const ask = () => t.embedder.call('coordinator.ask', { question: 'Anybody?' }, { tab: 'tab-1', timeoutMs: 20_000 });
    expect(await ask()).toMatchObject({ outcome: 'undeliverable' });
    expect(await clarify()).toEqual({ kind: 'unanswerable' });
    expect(await stillWaits(waiting)).toBe(true);
    const page = await t.window();
    await open(page, 'sudo').waitFor();
    const [answered, outcome, verdict] = [clarify(), ask(), approve('make')];
    await open(page, 'clarify').waitFor();
    await press(open(page, 'approval'), 'Allow once');
    expect(await verdict).toMatchObject({ choice: 'once' });
    const card = page.locator('.card.open[data-ask]');
    await card.getByRole('textbox').fill('me');
    await press(card, 'Send answer');
    expect(await outcome).toMatchObject({ outcome: 'answered', text: 'me' });
    await press(open(page, 'sudo'), 'Do not give it');
    expect(await waiting).toMatchObject({ result: { value: '' } });
    // The able one leaves and the deaf one stays: nobody waits for it.
    await page.close();
    expect(await answered).toMatchObject({ kind: 'cancelled', cause: 'no_capable_client' });
    await old.close();
  });

  it('[RQ-R69] a page that connects within the grace gets what was asked before', async () => {
    await t.embedder.stop();
    await t.embedder.start(30_000);
    const old = await OldClient.connect(t.embedder.link);
    const asked = clarify();
    const page = await t.window();
    await saveLeft(page);
    await old.call('ping');
    expect(await stillWaits(asked)).toBe(true);
    await part(page, 'depth').getByRole('textbox').fill('1');
    await part(page, 'name').getByRole('textbox').fill('2');
    await press(open(page, 'clarify'), 'Send all 3');
    expect(await asked).toMatchObject({ result: { answers: { way: 'Left', depth: '1', name: '2' } } });
    await old.close();
  });
});
