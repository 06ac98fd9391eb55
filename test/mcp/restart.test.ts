import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Coordinator } from '../../src/coordinator.ts';
import { openCoordinator } from '../../src/coordinator.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { TestHost } from './host.ts';
import { answer, receipt, wire } from './rig.ts';

const quiet = () => undefined;
const QUIET = { debug: quiet, info: quiet, warn: quiet, error: quiet };

describe('the whole way over a database that outlives its process', () => {
  let folder: string;
  let coordinator: Coordinator;
  let host: TestHost;
  const name = randomUUID();

  const start = async () => {
    coordinator = await openCoordinator({ store: openSqliteStore(join(folder, 'readback.db')) });
    coordinator.attachSurface({ kind: 'page', id: 'window-1' });
    host = await TestHost.start(coordinator);
  };

  const stop = async () => {
    await host.stop();
    await coordinator.close();
  };

  const forwarder = async () => (await host.client({ 'x-readback-session': name })).agent;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'readback-mcp-'));
    await start();
  });

  afterEach(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('[F1] [F10] a question asked before a restart is answered after it and reaches the same conversation', async () => {
    const { askId } = await (await forwarder()).ask('Across?');
    await stop();
    await start();
    await answer(coordinator, 'Across?', { text: 'yes' });
    const next = await (await forwarder()).call('list_asks');
    expect(next.earlier).toMatchObject([{ ask_id: askId, answer: 'yes', late: true, possible_repeat: false }]);
  });

  it('an answer that was read before a restart and not proven comes again with its label, and can be proven then', async () => {
    const before = await forwarder();
    const asked = before.ask('Proven?', 5_000);
    const { askId } = await answer(coordinator, 'Proven?', { text: 'p' });
    const { token } = await asked;
    await stop();
    await start();
    const after = await forwarder();
    const next = await after.call('list_asks');
    expect(next.earlier).toMatchObject([{ token, ask_id: askId, possible_repeat: true, late: false }]);
    expect((await after.call('ack_answers', { tokens: [token] })).data.acks).toEqual([{ token, accepted: true }]);
    expect(await receipt(coordinator, askId)).toBe('read_back');
  });

  it('a new session fetches by ask id what an earlier one asked, and gets it by no other way', async () => {
    const { askId } = await (await forwarder()).ask('Fetch?');
    await answer(coordinator, 'Fetch?', { text: 'fetched' });
    await stop();
    await start();
    const { agent } = await host.client();
    const same = await agent.ask('Fetch?');
    expect(same.outcome).toBe('pending');
    expect(JSON.stringify(same.raw)).not.toContain('fetched');
    const fetched = await agent.wait(askId);
    expect(fetched.data.answer).toBe('fetched');
    expect((await agent.call('ack_answers', { tokens: [fetched.token] })).data.acks).toMatchObject([
      { accepted: true },
    ]);
    expect(await receipt(coordinator, askId)).toBe('read_back');
  });
});

describe('what the journal adds to a result', () => {
  it('an equal question of the same session gets the earlier answer, which says when and to which ask it was given', async () => {
    const coordinator = await openCoordinator({ store: memoryStore() });
    coordinator.attachSurface({ kind: 'page', id: 'w' });
    const { agent, server } = await wire(coordinator);
    const { askId } = await agent.ask('Again and again?');
    await answer(coordinator, 'Again and again?', { text: 'once' });
    const second = await agent.ask('Again and again?');
    expect(second).toMatchObject({ outcome: 'recovered', earlier: [] });
    expect(second.data).toMatchObject({ answer: 'once', from_ask_id: askId, possible_repeat: false });
    expect(second.text).toContain('Answered earlier');
    expect((await agent.call('ack_answers', { tokens: [second.token] })).data.acks).toMatchObject([{ accepted: true }]);
    await server.close();
    await coordinator.close();
  });

  it('[J-H05] [G1] an equal question that was declined is declined, and says when and which ask it was', async () => {
    const coordinator = await openCoordinator({ store: memoryStore() });
    coordinator.attachSurface({ kind: 'page', id: 'w' });
    const { agent, server } = await wire(coordinator);
    const { askId } = await agent.ask('Must I say?');
    await answer(coordinator, 'Must I say?', { declined: true });
    const second = await agent.ask('Must I say?');
    expect(second).toMatchObject({ outcome: 'declined', earlier: [] });
    expect(second.data).toMatchObject({ reply: { declined: true }, from_ask_id: askId });
    expect(second.text).toMatch(/looked at the identical question “Must I say\?” .* and chose not to answer it/);
    expect(await coordinator.list()).toEqual([]);
    expect((await agent.call('ack_answers', { tokens: [second.token] })).data.acks).toMatchObject([{ accepted: true }]);
    await server.close();
    await coordinator.close();
  });

  it('an answer to another question rides with its token and is not quoted a second time', async () => {
    const coordinator = await openCoordinator({ store: memoryStore() });
    coordinator.attachSurface({ kind: 'page', id: 'w' });
    const { agent, server } = await wire(coordinator);
    await agent.ask('First?');
    await answer(coordinator, 'First?', { text: 'unique words' });
    const second = await agent.ask('Second?');
    expect(second.earlier).toMatchObject([{ answer: 'unique words' }]);
    expect(second.data.others).toBeUndefined();
    expect(second.text.split('unique words')).toHaveLength(2);
    await server.close();
    await coordinator.close();
  });

  it('losses are told with a token of their own, and no longer once that was acknowledged', async () => {
    const coordinator = await openCoordinator({ store: memoryStore(), limits: { entriesPerTab: 1 }, logger: QUIET });
    coordinator.attachSurface({ kind: 'page', id: 'w' });
    const { agent, server } = await wire(coordinator);
    for (const question of ['A?', 'B?']) await agent.ask(question);
    for (const question of ['A?', 'B?']) await answer(coordinator, question, { text: question });
    const told = await agent.ask('C?');
    expect(told.data.dropped_answers).toBe(1);
    expect(told.text).toContain('could not be kept');
    await agent.call('ack_answers', { tokens: [String(told.data.dropped_token)] });
    expect((await agent.ask('D?')).data.dropped_answers).toBeUndefined();
    await server.close();
    await coordinator.close();
  });
});
