import { describe, expect, it, test } from 'vitest';
import { ReadbackError } from '../../src/errors.ts';
import { createIdle } from '../../src/idle.ts';
import { rpcCode } from '../../src/wire/errors.ts';
import { deferred, type HandLedger, ledger, quiet, settled } from './support.ts';

function rig(...more: HandLedger[]) {
  const runs = ledger('runs', 'turn');
  const asks = ledger('asks', 'input');
  return { runs, asks, proof: createIdle({ ledgers: [runs, asks, ...more], logger: quiet }) };
}

const retiring = expect.objectContaining({ code: 'retiring', retry: true });

describe('a retirement', () => {
  test('[RQ-R148] of an idle process is committed, and nobody comes in afterwards', async () => {
    const { proof } = rig();
    const retirement = proof.prepare();
    expect(await retirement.commit()).toBe(true);
    expect(proof.doors).toBe('retired');
    expect(() => proof.admit()).toThrow(retiring);
    expect(() => proof.beginAdmission()).toThrow(retiring);
    expect(await proof.idle()).toEqual({ idle: true, reason: null });
  });

  test('[RQ-R148] preparing closes nothing and reads nothing', () => {
    const { proof, runs } = rig();
    proof.prepare();
    expect(proof.doors).toBe('open');
    expect(() => proof.admit()).not.toThrow();
    expect(runs.reads).toBe(0);
  });

  test('[RQ-R148] anybody who came in since it was prepared cancels it, though nothing is left of him', async () => {
    const { proof, runs } = rig();
    const retirement = proof.prepare();
    proof.admit();
    expect(await retirement.commit()).toBe(false);
    expect(runs.reads).toBe(0);
    expect(() => proof.admit()).not.toThrow();
    expect(await proof.prepare().commit()).toBe(true);
  });

  test('[RQ-R148] an idle answer from before is no permission: every ledger is read again', async () => {
    const { proof, runs, asks } = rig();
    const retirement = proof.prepare();
    expect(await proof.idle()).toMatchObject({ idle: true });
    asks.says = 1;
    expect(await retirement.commit()).toBe(false);
    expect([runs.reads, asks.reads]).toEqual([2, 2]);
    expect(proof.doors).toBe('open');
  });

  it.each([
    ['busy', 1],
    ['unreadable', () => Promise.reject(new Error('gone'))],
  ])('[RQ-R148] a %s ledger refuses it, and the doors are open again', async (_what, says) => {
    const { proof, runs } = rig();
    runs.says = says;
    expect(await proof.prepare().commit()).toBe(false);
    expect(proof.doors).toBe('open');
    expect(() => proof.admit()).not.toThrow();
  });

  test('[RQ-R148] while the ledgers are read nobody comes in, whatever comes of it', async () => {
    for (const says of [0, 1]) {
      const { proof, asks } = rig();
      const slow = deferred<number>();
      asks.says = () => slow.promise;
      const committed = proof.prepare().commit();
      expect(proof.doors).toBe('frozen');
      expect(() => proof.admit()).toThrow(retiring);
      await settled();
      expect(() => proof.beginAdmission()).toThrow(retiring);
      slow.resolve(says);
      expect(await committed).toBe(says === 0);
      expect(proof.doors).toBe(says === 0 ? 'retired' : 'open');
    }
  });

  test('[RQ-R148] who is being let in and is not on file yet is counted', async () => {
    const { proof, asks } = rig();
    const landed = proof.beginAdmission();
    const retirement = proof.prepare();
    expect(await proof.idle()).toEqual({
      idle: false,
      reason: 'turn_in_flight',
      detail: { ledger: 'admissions', count: 1 },
    });
    expect(await proof.prepare().commit()).toBe(false);
    asks.says = 1;
    landed();
    expect(await retirement.commit()).toBe(false);
    asks.says = 0;
    expect(await proof.prepare().commit()).toBe(true);
  });

  test('[RQ-R148] one who says twice that he is in does not hide the next one', async () => {
    const { proof } = rig();
    const landed = proof.beginAdmission();
    landed();
    landed();
    const next = proof.beginAdmission();
    expect(await proof.prepare().commit()).toBe(false);
    next();
    expect(await proof.prepare().commit()).toBe(true);
  });

  test('[RQ-R148] [RQ-I29] somebody who comes in while the ledgers are read makes the answer busy', async () => {
    const { proof, asks } = rig();
    const slow = deferred<number>();
    asks.says = () => slow.promise;
    const answer = proof.idle();
    await settled();
    proof.admit();
    slow.resolve(0);
    expect(await answer).toMatchObject({ idle: false, reason: 'turn_in_flight', detail: { ledger: 'admissions' } });
    asks.says = 0;
    expect(await proof.idle()).toEqual({ idle: true, reason: null });
  });
});

describe('giving a retirement up', () => {
  test('[RQ-R148] before it is committed', async () => {
    const { proof } = rig();
    const retirement = proof.prepare();
    retirement.cancel();
    expect(await retirement.commit()).toBe(false);
    expect(proof.doors).toBe('open');
  });

  test('[RQ-R148] while the ledgers are read: it says false, and the doors are open at once', async () => {
    const { proof, asks } = rig();
    const slow = deferred<number>();
    asks.says = () => slow.promise;
    const retirement = proof.prepare();
    const committed = retirement.commit();
    await settled();
    retirement.cancel();
    proof.admit();
    slow.resolve(0);
    expect(await committed).toBe(false);
    expect(proof.doors).toBe('open');
  });

  test('[RQ-R148] after it was committed, when the process stays after all', async () => {
    const { proof } = rig();
    const retirement = proof.prepare();
    await retirement.commit();
    retirement.cancel();
    expect(() => proof.admit()).not.toThrow();
    expect(await retirement.commit()).toBe(true);
  });
});

describe('several retirements', () => {
  test('[RQ-R148] one alone is told true, and only it can open the doors again', async () => {
    const { proof } = rig();
    const [first, second] = [proof.prepare(), proof.prepare()];
    const answers = await Promise.all([first.commit(), second.commit()]);
    expect(answers).toEqual([true, false]);
    second.cancel();
    expect(proof.doors).toBe('retired');
    expect(await proof.prepare().commit()).toBe(false);
    first.cancel();
    expect(proof.doors).toBe('open');
  });

  test('[RQ-R148] one that was cancelled while it read does not speak for the next one', async () => {
    const { proof, asks } = rig();
    const [before, after] = [deferred<number>(), deferred<number>()];
    asks.says = () => before.promise;
    const first = proof.prepare();
    const firstSaid = first.commit();
    await settled();
    first.cancel();
    asks.says = () => after.promise;
    const secondSaid = proof.prepare().commit();
    await settled();
    before.resolve(0);
    expect(await firstSaid).toBe(false);
    expect(proof.doors).toBe('frozen');
    after.resolve(1);
    expect(await secondSaid).toBe(false);
    expect(proof.doors).toBe('open');
  });

  test('[RQ-R148] committed twice it says the same twice, and reads once', async () => {
    const { proof, runs } = rig();
    const retirement = proof.prepare();
    expect(await Promise.all([retirement.commit(), retirement.commit()])).toEqual([true, true]);
    expect(runs.reads).toBe(1);
  });
});

test('[RQ-R148] the refusal has a number on the wire, a code here, and says what to do', () => {
  const error = new ReadbackError('retiring', 'This process is retiring.');
  expect(rpcCode(error.code as 'retiring')).toBe(5035);
  expect(error.message).toMatch(/Nothing was changed\..*another process/);
});
