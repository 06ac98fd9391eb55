/** Whoever follows a host goes on over its end, in whatever moment of it they call. */
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { run } from '../../src/cli/program.ts';
import { type FakeHost, fakeHost } from './fake-host.ts';
import { handIo, until } from './hand-io.ts';

let host: FakeHost;
beforeEach(async () => {
  host = await fakeHost();
});
afterEach(async () => {
  await host.close();
  rmSync(host.home, { recursive: true, force: true });
});

it('[F10] the log goes on when it was read just as the host was closing', async () => {
  host.put({ question: 'First?' });
  const io = handIo(host.home);
  const running = run(io, ['log', '--follow', '--json']);
  await until('the first row', () => io.written.out.includes('"id":1'));
  host.closing = true;
  const before = host.seen.length;
  await until('a refusal', () => host.seen.length > before + 1);
  host.put({ question: 'Second?' });
  host.closing = false;
  await until('the second row', () => io.written.out.includes('"id":2'));
  io.interrupt();
  expect(await running).toBe(0);
  expect(io.written.err).toBe('');
});

it('[F10] the list goes on when the next host was closing as well', async () => {
  const io = handIo(host.home);
  host.closing = true;
  const running = run(io, ['list', '--follow', '--json']);
  await until('a refusal', () => host.seen.length > 0);
  const { askId } = host.put({ question: 'Which?' });
  host.closing = false;
  await until('the list', () => io.written.out.includes(askId));
  io.interrupt();
  expect(await running).toBe(0);
});
