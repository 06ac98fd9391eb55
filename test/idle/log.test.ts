import { beforeEach, expect, test, vi } from 'vitest';
import { ledger, quiet } from './support.ts';

/** "Once per process" is state of the module: each test has a module, and so a process, of its own. */
let createIdle: typeof import('../../src/idle.ts').createIdle;
beforeEach(async () => {
  vi.resetModules();
  ({ createIdle } = await import('../../src/idle.ts'));
});

const broken = (): never => {
  throw new Error('the table is locked');
};
const unreadable = (name = 'runs') => [ledger(name, 'turn', broken), ledger('asks', 'input')];

test('[RQ-R147] an unreadable ledger is logged once per process, with its name and why', async () => {
  const warn = vi.fn();
  const one = createIdle({ ledgers: unreadable(), logger: { ...quiet, warn } });
  const other = createIdle({ ledgers: unreadable('jobs'), logger: { ...quiet, warn } });
  for (const proof of [one, one, other, one]) expect(await proof.idle()).toMatchObject({ idle: null });
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls[0]?.[0]).toMatch(/^readback: idle proof: .*"runs".*the table is locked/);
});

test('[RQ-R147] what is only busy or idle is not logged', async () => {
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const runs = ledger('runs', 'turn', 1);
  const proof = createIdle({ ledgers: [runs, ledger('asks', 'input')], logger: log });
  await proof.idle();
  runs.says = 0;
  await proof.idle();
  for (const level of Object.values(log)) expect(level).not.toHaveBeenCalled();
});

test('[RQ-R147] a logger that throws spoils no answer, and the next reading tells again', async () => {
  const warn = vi.fn(() => {
    throw new Error('disk full');
  });
  const proof = createIdle({ ledgers: unreadable(), logger: { ...quiet, warn } });
  expect(await proof.idle()).toMatchObject({ idle: null });
  expect(await proof.idle()).toMatchObject({ idle: null });
  expect(warn).toHaveBeenCalledTimes(2);
});

test('[RQ-R147] a logger that rejects is told once, and ends no process', async () => {
  const unheard: unknown[] = [];
  const hear = (error: unknown): void => void unheard.push(error);
  process.on('unhandledRejection', hear);
  let said = 0;
  const warn = (): Promise<never> => {
    said += 1;
    return Promise.reject(new Error('disk full'));
  };
  const proof = createIdle({ ledgers: unreadable(), logger: { ...quiet, warn } });
  for (let n = 0; n < 2; n += 1) expect(await proof.idle()).toMatchObject({ idle: null });
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off('unhandledRejection', hear);
  expect([said, unheard]).toEqual([1, []]);
});

test('[RQ-R147] that nobody gave a ledger is said too', async () => {
  const warn = vi.fn();
  await createIdle({ ledgers: [], logger: { ...quiet, warn } }).idle();
  expect(warn.mock.calls[0]?.[0]).toContain('there is no turn ledger');
});

test('[RQ-R144] what a ledger says is never repeated in the log', async () => {
  const warn = vi.fn();
  const ledgers = [ledger('runs', 'turn', { count: 'canary' }), ledger('asks', 'input')];
  await createIdle({ ledgers, logger: { ...quiet, warn } }).idle();
  expect(warn.mock.calls[0]?.[0]).not.toContain('canary');
});

test('[RQ-R147] of an error that never stops talking the log has the beginning', async () => {
  const warn = vi.fn();
  const failing = ledger('runs', 'turn', () => Promise.reject(new Error('x'.repeat(100_000))));
  await createIdle({ ledgers: [failing, ledger('asks', 'input')], logger: { ...quiet, warn } }).idle();
  expect(warn.mock.calls[0]?.[0].length).toBeLessThan(500);
});
