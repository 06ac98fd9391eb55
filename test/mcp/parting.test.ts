import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Asking } from '../../src/api.ts';
import { SESSION_HEADER } from '../../src/mcp/http.ts';
import { COORDINATORS, withPage } from './coordinators.ts';
import { TestHost } from './host.ts';
import { answer, card, receipt } from './rig.ts';

describe.each(COORDINATORS)('an MCP endpoint that closes, over %s', (_name, make) => {
  let coordinator: Asking;
  let host: TestHost;

  beforeEach(async () => {
    ({ coordinator } = await withPage(make));
    host = await TestHost.start(coordinator);
  });

  afterEach(async () => {
    await host.crash();
    await coordinator.close();
  });

  it('[A1] gives each call that waits its result: pending, with the id to wait for', async () => {
    const { agent } = await host.client();
    const first = agent.ask('Held?', 20_000);
    const { askId } = await card(coordinator, 'Held?');
    const second = agent.wait(askId, 20_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const begun = Date.now();
    await host.mcp.close();
    expect(Date.now() - begun).toBeLessThan(1_500);
    expect(await first).toMatchObject({ outcome: 'pending', askId, isError: false });
    expect(await second).toMatchObject({ outcome: 'pending', askId, isError: false });
    expect((await coordinator.show(askId))?.state).toBe('open');
  });

  it('[A3] hands back what was written and not proven to be read', async () => {
    const { agent } = await host.client();
    const asked = agent.ask('Read?', 20_000);
    const { askId } = await card(coordinator, 'Read?');
    await answer(coordinator, 'Read?', { text: 'yes' });
    expect((await asked).outcome).toBe('answered');
    await host.mcp.close();
    expect(await receipt(coordinator, askId)).toBe('saved');
  });

  it('gives a forwarder no result, because its call goes on at the next host', async () => {
    const { agent } = await host.client({ [SESSION_HEADER]: randomUUID() });
    let settled = false;
    const asked = agent.ask('Forwarded?', 20_000).finally(() => {
      settled = true;
    });
    asked.catch(() => undefined);
    const { askId } = await card(coordinator, 'Forwarded?');
    await host.mcp.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(settled).toBe(false);
    expect((await coordinator.show(askId))?.state).toBe('open');
    await agent.client.close();
  });
});
