import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AskView } from '../../src/api.ts';
import { pause } from '../../src/cli/io.ts';
import { buildCli, removeCli, World } from './process.ts';

let world: World;

beforeAll(buildCli);

afterAll(removeCli);

beforeEach(() => {
  world = new World();
});

afterEach(async () => {
  await world.end();
});

describe('a host that fails at its start', { timeout: 30_000 }, () => {
  it.each(['host.json', 'address.json'])(
    'ends by itself when %s cannot be written, and leaves nothing',
    async (name) => {
      // A folder in its place stands for every reason: the write fails after the host listens.
      mkdirSync(join(world.home, name));
      const running = world.start(['serve']);
      const done = await Promise.race([running.done, pause(10_000)]);
      expect(done).toMatchObject({ code: 1 });
      expect(running.err()).toContain('cannot be written');
      expect(running.err()).toContain('readback doctor');
      expect(running.out()).not.toContain('is running');
      // The database is free: only the file in the way keeps the next one from starting.
      const next = await world.run(['serve']);
      expect(next.err).not.toContain('is running already');
    },
  );

  it.each([0, -1, 99_999])('starts all the same where the last address says port %i', async (port) => {
    const token = 'x'.repeat(43);
    writeFileSync(join(world.home, 'address.json'), JSON.stringify({ port, token }));
    const running = world.start(['serve']);
    await running.says(/is running \(pid/);
    // That token would be news to no page of the old port.
    expect(world.hostFile()?.token).not.toBe(token);
  });
});

describe('an orderly end', { timeout: 30_000 }, () => {
  it('[F1] gives an MCP client over HTTP the result of the call that it holds', async () => {
    const host = await world.serve('--terminal');
    const { url, token } = world.hostFile() ?? { url: '', token: '' };
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    });
    const client = new Client({ name: 'http-agent', version: '1' });
    await client.connect(transport as Parameters<Client['connect']>[0]);
    const params = { name: 'ask_user', arguments: { question: 'Still there?', hold_seconds: 60 } };
    const asked = client.request({ method: 'tools/call', params }, CallToolResultSchema);
    asked.catch(() => undefined);
    await host.says(/Still there\?/);
    expect((await world.run(['stop'])).code).toBe(0);
    const { structuredContent } = await asked;
    expect(structuredContent).toMatchObject({ outcome: 'pending', ask_id: expect.stringMatching(/^pa-/) });
    expect((await host.done).code).toBe(0);
    await client.close();
    await world.serve();
    const { asks } = await world.json<{ asks: AskView[] }>(['list']);
    expect(asks.map((ask) => ask.askId)).toEqual([(structuredContent as { ask_id: string }).ask_id]);
  });
});

describe.runIf(process.platform === 'linux')('--open', { timeout: 30_000 }, () => {
  it('gives the browser a file of this user alone, and no program the token', async () => {
    const opened = join(world.home, 'opened');
    writeFileSync(join(world.home, 'xdg-open'), `#!/bin/sh\necho "$@" > ${opened}\n`, { mode: 0o755 });
    const env = { DISPLAY: ':0', PATH: `${world.home}:${process.env.PATH}` };
    const running = world.start(['serve', '--open'], { env });
    await running.says(/is running \(pid/);
    for (let i = 0; i < 200 && !(existsSync(opened) && readFileSync(opened, 'utf8').endsWith('\n')); i += 1)
      await pause(20);
    const { token, url } = world.hostFile() ?? { token: 'none', url: 'none' };
    const file = readFileSync(opened, 'utf8').trim();
    expect(file).toBe(join(world.home, 'open.html'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain(`0;url=${url}/?token=${token}"`);
    running.kill();
    expect((await running.done).code).toBe(0);
    expect(existsSync(file)).toBe(false);
  });
});
