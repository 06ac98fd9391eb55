import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Check } from '../../src/cli/doctor.ts';
import { TIMES } from '../../src/limits.ts';
import { type FakeHost, fakeHost } from './fake-host.ts';
import { cli } from './hand-io.ts';

let host: FakeHost;

beforeEach(async () => {
  host = await fakeHost();
});

afterEach(async () => {
  await host.close();
  rmSync(host.home, { recursive: true, force: true });
});

/** What the doctor says of a client whose calls were seen to end after so many milliseconds. */
async function clientCheck(limitMs: number | undefined): Promise<Check | undefined> {
  host.clients.push({ name: 'claude-code', version: '2.1', ...(limitMs === undefined ? {} : { limitMs }) });
  const { checks } = JSON.parse((await cli(host.home, ['doctor', '--json'])).out) as { checks: Check[] };
  return checks.find(({ name }) => name === 'client');
}

describe('the doctor, of the time limit of a client', { timeout: 60_000 }, () => {
  it('[A4] says that it is not known before a call was given up', async () => {
    expect(await clientCheck(undefined)).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/not known yet/),
    });
  });

  it('[A4] says what was measured, where calls return before it', async () => {
    const check = await clientCheck(TIMES.hold + 10_000);
    expect(check).toMatchObject({ status: 'ok', detail: expect.stringContaining('after 1 min') });
  });

  it.each([
    [30_000, '30 s'],
    [2_500, '2500 ms'],
    [400, '400 ms'],
  ])('[A4] warns of %i ms, and names a hold that fits into it', async (limitMs, said) => {
    const { status, detail = '', remedy = '' } = (await clientCheck(limitMs)) ?? {};
    expect(status).toBe('warn');
    expect(detail).toContain(`gives up a call after ${said}`);
    const [, count, unit] = /--hold (\d+)(ms|s)$/.exec(remedy) ?? [];
    const hold = Number(count) * (unit === 's' ? 1_000 : 1);
    expect(hold).toBeGreaterThan(0);
    expect(hold).toBeLessThan(limitMs);
  });
});
