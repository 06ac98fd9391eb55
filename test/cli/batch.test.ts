import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AskView } from '../../src/api.ts';
import { run } from '../../src/cli/program.ts';
import { type FakeHost, fakeHost } from './fake-host.ts';
import { cli, handIo, until } from './hand-io.ts';

let host: FakeHost;
let members: readonly AskView[];

beforeEach(async () => {
  host = await fakeHost();
  host.put({ question: 'Alone?' });
  members = ['Colour?', 'Name?', 'Size?'].map((question, i) =>
    host.put({ question, batch: { id: 'pb-1', index: i + 1, of: 3 } }),
  );
});

afterEach(async () => {
  await host.close();
  rmSync(host.home, { recursive: true, force: true });
});

describe('questions that were put together', () => {
  it('are marked with their places in the list, and one that was put alone is not', async () => {
    const { out, code } = await cli(host.home, ['list']);
    expect(code).toBe(0);
    for (const [i, { question }] of members.entries()) expect(out).toContain(`(${i + 1} of 3) ${question}`);
    expect(out.split('\n').find((text) => text.includes('Alone?'))).not.toMatch(/\d of \d/);
  });

  it('[C10] one that is answered leaves the others open, and keeps its mark among the latest', async () => {
    const [, name] = members;
    expect((await cli(host.home, ['answer', name?.askId ?? '', '--text', 'Fido'])).code).toBe(0);
    const open = (await cli(host.home, ['list'])).out;
    expect(open).toContain('(1 of 3) Colour?');
    expect(open).toContain('(3 of 3) Size?');
    expect(open).not.toContain('Name?');
    expect((await cli(host.home, ['list', '--recent'])).out).toContain('Fido · (2 of 3) Name?');
  });

  it('one of them is shown with its place, one that was put alone without', async () => {
    const [, name] = members;
    expect((await cli(host.home, ['show', name?.askId ?? ''])).out).toMatch(
      /batch +2 of 3; each is answered by itself/,
    );
    const alone = [...host.asks.values()].find(({ question }) => question === 'Alone?');
    expect((await cli(host.home, ['show', alone?.askId ?? ''])).out).not.toContain('batch');
    const shown = (await cli(host.home, ['show', name?.askId ?? '', '--json'])).out;
    expect(JSON.parse(shown)).toMatchObject({ batch: { id: 'pb-1', index: 2, of: 3 } });
  });

  it('the place is told when a card comes while the list is followed', async () => {
    const io = handIo(host.home);
    const done = run(io, ['list', '--follow']);
    await until('the list', () => io.written.out.includes('Size?'));
    const ask = host.put({ question: 'Fourth?', batch: { id: 'pb-2', index: 1, of: 2 } });
    host.change(ask.askId, {}, 'opened');
    await until('the card', () => io.written.out.includes('Fourth?'));
    expect(io.written.out).toMatch(/open {2}from agent, 1 of 2\n/);
    io.interrupt();
    await done;
  });
});
