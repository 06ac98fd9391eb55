import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { type Host, startHost } from '../../src/host/index.ts';
import { isProvenIdle } from '../../src/idle-client.ts';
import { type HandLedger, ledger } from '../idle/support.ts';
import { type FakeRig, fakeRig } from './fake-coordinator.ts';
import { call, openAsk } from './support.ts';

let jobs: HandLedger;
let rig: FakeRig;
let host: Host;
beforeEach(async () => {
  jobs = ledger('jobs', 'turn');
  rig = fakeRig([jobs]);
  rig.asking.attachSurface({ kind: 'test', id: 'bench' });
  host = await startHost({ coordinator: rig.asking });
});
afterEach(async () => {
  await host.close();
  await rig.close();
});

const idle = async () => (await call(host, '/api/health/idle')).json<unknown>();

describe('GET /api/health/idle', () => {
  test('[RQ-R143] [RQ-R149] says that it is idle, and nobody may keep that', async () => {
    const reply = await call(host, '/api/health/idle');
    expect(reply.status).toBe(200);
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(reply.headers['content-type']).toMatch(/^application\/json/);
    expect(reply.json()).toEqual({ ok: true, idle: true, reason: null });
  });

  test('[RQ-R143] [RQ-R147] says what is busy, or cannot be read, with status 200', async () => {
    jobs.says = { count: 2, owners: ['job-7', 'job-9'] };
    expect(await idle()).toEqual({
      ok: true,
      idle: false,
      reason: 'turn_in_flight',
      detail: { ledger: 'jobs', count: 2, owners: ['job-7', 'job-9'] },
    });
    jobs.says = () => Promise.reject(new Error('locked'));
    const reply = await call(host, '/api/health/idle');
    expect(reply.status).toBe(200);
    expect(reply.json()).toEqual({
      ok: true,
      idle: null,
      reason: 'turn_probe_unavailable',
      detail: { ledger: 'jobs' },
    });
    expect(reply.text).not.toContain('locked');
  });

  test('[RQ-I29] is not idle while a question is open, although no call waits for it any more', async () => {
    const opened = await openAsk(rig, { question: 'Ship?' });
    expect(await idle()).toMatchObject({ idle: false, reason: 'turn_in_flight', detail: { ledger: 'calls' } });
    opened.hangUp();
    await opened.outcome;
    expect(await idle()).toEqual({
      ok: true,
      idle: false,
      reason: 'awaiting_human_input',
      detail: { ledger: 'asks', count: 1, owners: [opened.askId] },
    });
    await call(host, `/api/asks/${opened.askId}/answer`, { method: 'POST', body: { reply: { text: 'yes' } } });
    expect(await idle()).toEqual({ ok: true, idle: true, reason: null });
  });

  it.each([
    ['no token', null],
    ['a wrong token', 'x'.repeat(43)],
  ])('[RQ-R146] with %s: 401, nothing about idleness, and nothing is read', async (_what, token) => {
    const reply = await call(host, '/api/health/idle', { token });
    expect(reply.status).toBe(401);
    expect(reply.text).not.toMatch(/idle/i);
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(jobs.reads).toBe(0);
  });

  test('[RQ-R146] the liveness route says nothing of it', async () => {
    const health = (await call(host, '/api/health')).json<Record<string, unknown>>();
    expect(health).toMatchObject({ ok: true });
    expect(health).not.toHaveProperty('idle');
    expect(jobs.reads).toBe(0);
  });

  test('[RQ-R149] reads each time anew, and only reads', async () => {
    const changes: unknown[] = [];
    rig.asking.subscribe((change) => changes.push(change));
    for (const says of [0, 1, 0]) {
      jobs.says = says;
      expect(await idle()).toMatchObject({ idle: says === 0 });
    }
    expect(jobs.reads).toBe(3);
    expect(changes).toEqual([]);
    expect(rig.proof.doors).toBe('open');
  });

  test('[RQ-R149] takes no other method and no parameter, and reads nothing for them', async () => {
    const post = await call(host, '/api/health/idle', { method: 'POST', body: {} });
    expect(post.status).toBe(405);
    expect(post.headers['allow']).toBe('GET');
    expect((await call(host, '/api/health/idle?cached=yes')).status).toBe(400);
    expect(jobs.reads).toBe(0);
  });

  test('[RQ-R145] a coordinator that fails is no proof, whatever the status', async () => {
    const other = await startHost({ coordinator: rig.asking });
    rig.asking.idle = () => Promise.reject(new Error('bug'));
    const reply = await call(other, '/api/health/idle');
    expect(reply.status).toBe(500);
    expect(reply.text).not.toMatch(/idle/);
    expect(await isProvenIdle(other.url, other.token)).toBe(false);
    await other.close();
  });
});

describe('a process that retires', () => {
  test('[RQ-R148] refuses a new question with 503 and the code, and opens nothing', async () => {
    expect(await rig.proof.prepare().commit()).toBe(true);
    const reply = await call(host, '/api/asks', { method: 'POST', body: { question: { question: 'Ship?' } } });
    expect(reply.status).toBe(503);
    expect(reply.json().error).toMatchObject({ code: 'retiring', retry: true });
    expect(await rig.asking.list()).toEqual([]);
  });

  test('[RQ-R148] is not committed when a question came over HTTP after it was prepared', async () => {
    const retirement = rig.proof.prepare();
    expect(await isProvenIdle(host.url, host.token)).toBe(true);
    const opened = await openAsk(rig, { question: 'Ship?' });
    expect(await retirement.commit()).toBe(false);
    expect(await isProvenIdle(host.url, host.token)).toBe(false);
    opened.hangUp();
  });
});
