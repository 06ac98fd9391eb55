import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../src/approvals.ts';
import { press } from '../host/browser.ts';
import { connected, ids, open, useEmbedder } from './requests-support.ts';
import { until } from './support.ts';

const t = useEmbedder();
const COMMAND = 'npm publish';
const DIGEST = digestOf({ method: 'shell', args: { command: COMMAND } });
const work = (dieAt?: 'claimed' | 'run') =>
  t.embedder.work({ sid: 's1', approvalId: 'ap-1', command: COMMAND, ...(dieAt === undefined ? {} : { dieAt }) });
const claim = () => t.embedder.call('approvals.claim', 'ap-1', DIGEST, { surface: 'library', who: 'worker' });
const grants = () => t.embedder.call<{ approvalId: string; state: string; choice: string }[]>('approvals.grants', 's1');

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
    const request = { sid: 's1', approvalId: 'ap-1', command: COMMAND, digest: DIGEST, tool: 'shell', timeoutMs: null };
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
    const back = () => t.embedder.call('approvals.request', 's1', request);
    for (const one of await Promise.all([back(), back()])) {
      expect(one).toMatchObject({ choice: 'once', receipt: 'not_started' });
    }
    const claims = await Promise.all([claim(), claim()]);
    expect(claims).toEqual([
      { ok: true, run: expect.any(String) },
      { ok: false, why: 'spent' },
    ]);
    expect(await t.embedder.call('approvals.done', 'ap-1')).toBe(true);
    expect(await work()).toMatchObject({ verdict: { choice: null, receipt: 'done' } });
    expect(await claim()).toMatchObject({ ok: false });
    expect(t.embedder.ran).toEqual([]);
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
      expect(await work()).toMatchObject({ verdict: { choice: null, receipt: 'unknown' } });
      expect(await claim()).toEqual({ ok: false, why: 'unknown_outcome' });
      expect(t.embedder.ran).toEqual(ran);
      expect(await ids(page)).toEqual([]);
      await t.embedder.kill();
    }
    await t.embedder.start();
    await connected(page);
    // Only a person lets it run once more.
    const again = { sid: 's1', approvalId: 'ap-1', command: COMMAND, digest: DIGEST, tool: 'shell', again: true };
    const asked = t.embedder.call('approvals.request', 's1', again);
    await press(open(page, 'approval'), 'Deny');
    expect(await asked).toMatchObject({ choice: 'deny' });
    expect(t.embedder.ran).toEqual(ran);
  });

  it.each([1, 2] as const)(
    '[RQ-R86] [RQ-I19] [RQ-I26] for all, dead after commit %i: what is decided is on no card, and the rest can be decided',
    async (nth) => {
      const page = await t.window();
      const commands = ['one', 'two', 'three'];
      for (const command of commands) {
        const request = { sid: 's1', approvalId: command, command, timeoutMs: null };
        void t.embedder.call('approvals.request', 's1', request);
      }
      const card = open(page, 'approval').filter({ hasText: 'two' });
      await card.getByRole('checkbox', { name: 'For all 3 that wait in this session' }).check();
      await t.embedder.call('own.dieAround', 'after', nth);
      await press(card, 'Allow once');
      await t.embedder.dead();
      await t.embedder.start();
      await connected(page);
      const pending = await t.embedder.call<{ command: string }[]>('approvals.pending', 's1');
      const asked = await t.embedder.call<{ params: { command: string } }[]>('requests.openRequests', 's1');
      expect(asked.map(({ params }) => params.command)).toEqual(pending.map(({ command }) => command));
      expect(await ids(page)).toHaveLength(pending.length);
      for (const { command } of pending) {
        const one = open(page, 'approval').filter({ hasText: command });
        await press(one, 'Allow once');
        await one.waitFor({ state: 'detached' });
      }
      const allowed = (await grants()).map(({ approvalId, state, choice }) => [approvalId, state, choice]);
      expect(allowed.sort()).toEqual(commands.sort().map((command) => [command, 'not_started', 'once']));
      expect(await t.embedder.call('coordinator.idle')).toEqual({ idle: true, reason: null });
    },
  );

  // After the press it is committed what the card said, what was decided, that it is claimed, that it is done.
  it.each([
    ['before', 1, 'once'],
    ['after', 1, 'once'],
    ['after', 2, 'once'],
    ['after', 3, 'unknown'],
    ['after', 4, 'done'],
  ] as const)('[B6] [B7] [RQ-I22] dead %s commit %i from the press on: %s', async (when, nth, end) => {
    const page = await t.window();
    void work();
    await shown(page);
    await t.embedder.call('own.dieAround', when, nth);
    await press(open(page, 'approval'), 'Allow once');
    await t.embedder.dead();
    expect(t.embedder.ran).toEqual(end === 'done' ? [COMMAND] : []);
    await t.embedder.start();
    await connected(page);
    const { verdict, claim: claimed } = await work();
    // What was decided is not asked again: where the answer had not arrived, the window has sent it again.
    if (end === 'once') expect([verdict, claimed]).toMatchObject([{ choice: 'once' }, { ok: true }]);
    else expect([verdict, claimed]).toMatchObject([{ choice: null, receipt: end }, undefined]);
    expect(t.embedder.ran).toEqual(end === 'unknown' ? [] : [COMMAND]);
    await until('no card', async () => ((await ids(page)).length === 0 ? true : undefined));
  });
});
