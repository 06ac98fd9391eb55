import { expect, it } from 'vitest';
import { BATCH, connected, ids, open, over, part, press, QIDS, saveLeft, tick, useEmbedder, lost } from './requests-support.ts';
const t = useEmbedder();
const wait = (ms: number) => new Promise((r) => setTimeout(r, ms));
it('live tick', { timeout: 60_000 }, async () => {
  const [first, second] = [await t.window(), await t.window()];
  void t.embedder.send('clarify', BATCH, { qids: QIDS });
  await open(second, 'clarify').waitFor();
  await saveLeft(first);
  await wait(500);
  console.log('LIVE TICK in the other window:', await tick(part(second, 'way')).count());
  void t.embedder.call('approvals.request', 's1', { sid: 's1', command: 'ls' });
  await wait(500);
  console.log('ACK live', JSON.stringify(await t.embedder.call('approvals.pending', 's1')));
});
it('ack by replay', { timeout: 60_000 }, async () => {
  void t.embedder.call('approvals.request', 's1', { sid: 's1', command: 'ls' });
  const page = await t.window();
  await open(page, 'approval').waitFor();
  await wait(1000);
  console.log('ACK replay', JSON.stringify(await t.embedder.call('approvals.pending', 's1')));
});
it('secret words after', { timeout: 60_000 }, async () => {
  for (const when of ['before', 'after'] as const) {
    const page = await t.window();
    void t.embedder.send('sudo', { command: 'x' }, { key: when });
    await open(page, 'sudo').locator('input').fill('abc');
    await t.embedder.call('own.dieAround', when);
    await press(open(page, 'sudo'), 'Give it');
    await t.embedder.dead();
    await wait(300);
    console.log(when, 'DEAD', await page.locator('main').innerText());
    await t.embedder.start();
    await connected(page);
    await wait(500);
    console.log(when, 'BACK', await page.locator('main').innerText());
    void t.embedder.send('sudo', { command: 'x' }, { key: when });
    await wait(500);
    console.log(when, 'ASKER', await page.locator('main').innerText());
    await page.close();
    await t.embedder.call('requests.cancel', null, 'interrupted');
  }
});
it('approve all and dies', { timeout: 60_000 }, async () => {
  const page = await t.window();
  for (const c of ['one', 'two', 'three']) void t.embedder.call('approvals.request', 's1', { sid: 's1', approvalId: c, command: c, timeoutMs: null });
  await open(page, 'approval').nth(2).waitFor();
  await wait(500);
  const card = open(page, 'approval').filter({ hasText: 'two' });
  await card.getByRole('checkbox').check();
  await t.embedder.call('own.dieAround', 'after', 1);
  await press(card, 'Allow once');
  await t.embedder.dead();
  await t.embedder.start();
  await connected(page);
  console.log('GRANTS', JSON.stringify(await t.embedder.call('approvals.grants', 's1')), JSON.stringify(await t.embedder.call('approvals.pending', 's1')));
  await wait(500);
  console.log('PAGE', await page.locator('main').innerText());
});
