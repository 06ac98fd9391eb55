import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../src/approvals.ts';
import { connected, ids, open, press, useEmbedder } from './requests-support.ts';
import { until } from './support.ts';

const t = useEmbedder();
const COMMAND = 'npm publish';
const work = (dieAt?: 'claimed' | 'run') =>
  t.embedder.work({ sid: 's1', approvalId: 'ap-1', command: COMMAND, ...(dieAt === undefined ? {} : { dieAt }) });
const grants = () => t.embedder.call<{ state: string }[]>('approvals.grants', 's1');

/** A card that a person can see now: whatever its arrival writes is on file. */
async function shown(page: Page): Promise<void> {
  await open(page, 'approval').getByText(COMMAND).waitFor();
  await until('the card to be acknowledged', async () => {
    const [first] = await t.embedder.call<{ acknowledged: boolean }[]>('approvals.pending', 's1');
    return first?.acknowledged === true ? true : undefined;
  });
}

describe('a decision, and a server that is killed', { timeout: 60_000 }, () => {
  it('[B7] [B5] between decision and execution: not started, asked no more, and claimed once', async () => {
    const page = await t.window();
    const digest = digestOf({ method: 'shell', args: { command: COMMAND } });
    const request = { sid: 's1', approvalId: 'ap-1', command: COMMAND, digest, tool: 'shell', timeoutMs: null };
    const verdict = t.embedder.call('approvals.request', 's1', request);
    await shown(page);
    await press(open(page, 'approval'), 'Allow once');
    expect(await verdict).toMatchObject({ choice: 'once' });
    await t.embedder.kill();
    await t.embedder.start();
    await connected(page);
    expect(await grants()).toMatchObject([{ approvalId: 'ap-1', state: 'not_started', choice: 'once' }]);
    const other = { ...request, command: 'npm publish --force', digest: digestOf({ method: 'shell' }) };
    await expect(t.embedder.call('approvals.request', 's1', other)).rejects.toThrow(/not shown/);
    const [first, second] = await Promise.all([work(), work()]);
    expect(first).toMatchObject({ verdict: { choice: 'once', receipt: 'not_started' }, claim: { ok: true } });
    expect(second.claim ?? { ok: false }).toMatchObject({ ok: false });
    expect((await work()).claim).toMatchObject({ ok: false });
    expect(t.embedder.ran).toEqual([COMMAND]);
    expect(await ids(page)).toEqual([]);
  });

  it.each([
    ['claimed', []],
    ['run', [COMMAND]],
  ] as const)('[B6] %s, but not done: unknown, and it does not run again by itself', async (dieAt, ran) => {
    const page = await t.window();
    void work(dieAt);
    await shown(page);
    await press(open(page, 'approval'), 'Allow once');
    await t.embedder.dead();
    for (const _ of [1, 2]) {
      await t.embedder.start();
      await connected(page);
      expect(await grants()).toMatchObject([{ approvalId: 'ap-1', state: 'unknown' }]);
      const { verdict, claim } = await work();
      expect(verdict).toMatchObject({ receipt: 'unknown' });
      expect(claim ?? { ok: false }).toMatchObject({ ok: false });
      expect(t.embedder.ran).toEqual(ran);
      expect(await ids(page)).toEqual([]);
      await t.embedder.kill();
    }
    await t.embedder.start();
    await connected(page);
    // Only a person lets it run once more.
    const digest = digestOf({ method: 'shell', args: { command: COMMAND } });
    const again = { sid: 's1', approvalId: 'ap-1', command: COMMAND, digest, tool: 'shell', again: true };
    const asked = t.embedder.call('approvals.request', 's1', again);
    await press(open(page, 'approval'), 'Deny');
    expect(await asked).toMatchObject({ choice: 'deny' });
    expect(t.embedder.ran).toEqual(ran);
  });

  const moments = [1, 2, 3, 4].flatMap((nth) => [['before', nth] as const, ['after', nth] as const]);
  it.each(moments)(
    '[B6] [B7] [RQ-I22] dead %s commit %i from the press on: it runs once, or its outcome is unknown',
    async (when, nth) => {
      const page = await t.window();
      void work();
      await shown(page);
      await t.embedder.call('own.dieAround', when, nth);
      await press(open(page, 'approval'), 'Allow once');
      await t.embedder.dead();
      const before = t.embedder.ran;
      await t.embedder.start();
      await connected(page);
      const { verdict, claim } = await work();
      // What was decided is never asked again: the window has sent its answer again, where that had not arrived.
      expect(verdict).toMatchObject({ resolved: true, choice: 'once' });
      if (claim?.['ok'] !== true) expect(['unknown', 'done']).toContain(verdict['receipt']);
      else expect(before).toEqual([]);
      if (verdict['receipt'] !== 'unknown') expect(t.embedder.ran).toEqual([COMMAND]);
      expect(t.embedder.ran.length).toBeLessThanOrEqual(1);
      await until('no card', async () => ((await ids(page)).length === 0 ? true : undefined));
    },
  );
});
