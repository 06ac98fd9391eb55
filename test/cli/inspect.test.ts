/** `readback inspect`: the link, and the page that is loaded only when somebody looks. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inspectMount } from '../../src/cli/inspect.ts';
import { openCoordinator } from '../../src/coordinator.ts';
import { startHost } from '../../src/host/index.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { type FakeHost, fakeHost } from './fake-host.ts';
import { cli } from './hand-io.ts';

/** Of a coordinator that was never asked anything. */
const DOORS = ['coordinator', 'retirement'].map((machine) => ({ machine, states: ['open'] }));
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
let host: FakeHost;

beforeEach(async () => {
  host = await fakeHost();
});
afterEach(async () => {
  await host.close();
  rmSync(host.home, { recursive: true, force: true });
});

describe('readback inspect', () => {
  it('prints the link of the charts, and nothing else', async () => {
    expect(await cli(host.home, ['inspect'])).toEqual({
      code: 0,
      out: `${host.url}/inspect?token=${host.token}\n`,
      err: '',
    });
  });

  it('names in it what is to be found, whatever it is made of', async () => {
    const { out } = await cli(host.home, ['inspect', 'chat 1 & more/#x']);
    const link = new URL(out.trim());
    expect([link.searchParams.get('find'), link.searchParams.get('token'), link.hash]).toEqual([
      'chat 1 & more/#x',
      host.token,
      '',
    ]);
  });

  it('says that a name is not known, and gives the link all the same', async () => {
    const coordinator = await openCoordinator({ store: memoryStore(), logger: SILENT, alwaysVisible: true });
    const served = await startHost({ coordinator, mounts: [inspectMount({ coordinator })] });
    const at = new URL(served.link);
    const token = at.searchParams.get('token');
    writeFileSync(join(host.home, 'host.json'), JSON.stringify({ url: at.origin, token, pid: process.pid }));
    let askId = '';
    await coordinator.ask({ question: 'Which?' }, { tab: 'chat-1', timeoutMs: 0, onOpen: (id) => (askId = id) });
    const none = await cli(host.home, ['inspect', 'pa-none']);
    expect([none.code, none.out]).toEqual([0, `${at.origin}/inspect?token=${token}&find=pa-none\n`]);
    expect(none.err).toContain('nothing on file is known as "pa-none"');
    for (const known of [askId, 'chat-1']) expect((await cli(host.home, ['inspect', known])).err).toBe('');
    await served.close();
    await coordinator.close();
  });

  it('as JSON is one object', async () => {
    const { code, out } = await cli(host.home, ['inspect', 'aa12', '--json']);
    expect([code, JSON.parse(out)]).toEqual([0, { link: `${host.url}/inspect?token=${host.token}&find=aa12` }]);
  });

  it('prints the link, and says that no browser can be started, where there is no display', async () => {
    const { code, out, err } = await cli(host.home, ['inspect', '--open']);
    expect([code, out]).toEqual([0, `${host.url}/inspect?token=${host.token}\n`]);
    expect(err).toContain('open the link above yourself');
  });

  it('says that no host runs, instead of giving a link that leads nowhere', async () => {
    await host.close();
    const { code, out, err } = await cli(host.home, ['inspect']);
    expect([code === 0, out]).toEqual([false, '']);
    expect(err).toContain('readback');
  });
});

describe('the mount of the served page', () => {
  it('answers behind the token, and lets go of its pages when the host closes', async () => {
    const coordinator = await openCoordinator({ store: memoryStore(), logger: SILENT, alwaysVisible: true });
    const served = await startHost({ coordinator, mounts: [inspectMount({ coordinator })] });
    const link = (path: string): string => served.link.replace('/?', `/inspect${path}?`);
    const open = async (path: string): Promise<Response> => fetch(link(path));
    expect((await fetch(`${served.url}/inspect/charts`)).status).toBe(401);
    expect((await open('')).headers.get('content-type')).toContain('text/html');
    expect(await (await open('/rows')).json()).toMatchObject({ rows: DOORS });
    const live = await open('/live');
    expect(live.headers.get('content-type')).toContain('text/event-stream');
    const ended = live.text();
    await served.close();
    expect(await ended).toContain('event: ready');
    await coordinator.close();
  });

  it('is closed without ever having been looked at', async () => {
    const coordinator = await openCoordinator({ store: memoryStore(), logger: SILENT, alwaysVisible: true });
    const mount = inspectMount({ coordinator });
    expect(() => mount.close?.()).not.toThrow();
    await coordinator.close();
  });
});
