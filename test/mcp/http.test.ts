import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Asking } from '../../src/api.ts';
import { SIZES } from '../../src/limits.ts';
import { COORDINATORS, withPage } from './coordinators.ts';
import { INITIALIZE, TestHost, TOKEN } from './host.ts';
import { answer, card, free, handed, PATIENT, receipt } from './rig.ts';

describe.each(COORDINATORS)('the MCP endpoint over %s', (_name, make) => {
  let coordinator: Asking;
  let host: TestHost;

  beforeEach(async () => {
    ({ coordinator } = await withPage(make));
    host = await TestHost.start(coordinator, { graceMs: 50 });
  });

  afterEach(async () => {
    await host.stop();
    await coordinator.close();
  });

  it('[A1] carries an answer, its progress and its receipt', async () => {
    const { agent } = await host.client();
    const seen: number[] = [];
    const asked = agent.ask('Over HTTP?', 5_000, { onprogress: ({ progress }) => seen.push(progress) });
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(2), PATIENT);
    const { askId, from } = await answer(coordinator, 'Over HTTP?', { text: 'yes' });
    expect(from).toBe('http-agent');
    const { token } = await asked;
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
    await handed(coordinator, askId);
    await agent.call('ack_answers', { tokens: [token] });
    expect(await receipt(coordinator, askId)).toBe('read_back');
  });

  it('keeps many sessions apart: each has a tab of its own', async () => {
    const agents = await Promise.all([1, 2, 3].map(() => host.client()));
    for (const [at, { agent }] of agents.entries()) await agent.ask(`Mine ${at}?`);
    for (const at of agents.keys()) await answer(coordinator, `Mine ${at}?`, { text: `${at}` });
    const results = await Promise.all(agents.map(({ agent }) => agent.call('list_asks')));
    expect(results.map((result) => result.earlier.map((each) => each.answer))).toEqual([['0'], ['1'], ['2']]);
    expect(host.mcp.sessions()).toHaveLength(3);
    expect(host.mcp.sessions()[0]).toEqual({ name: 'http-agent', version: '2.0.0' });
  });

  it('[A2] a client whose socket is cut before the result was written has been handed nothing', async () => {
    const { agent } = await host.client();
    const { transport } = await host.client();
    const stop = new AbortController();
    const body = {
      jsonrpc: '2.0',
      id: 9,
      method: 'tools/call',
      params: { name: 'ask_user', arguments: { question: 'Cut?', hold_seconds: 20 } },
    };
    const headers = { 'mcp-session-id': transport.sessionId ?? '' };
    const response = await host.fetch(body, headers, { signal: stop.signal });
    const { askId } = await card(coordinator, 'Cut?');
    stop.abort();
    await expect(response.text()).rejects.toThrow();
    await vi.waitFor(async () => expect((await coordinator.show(askId))?.awaited).toBe(false), PATIENT);
    await answer(coordinator, 'Cut?', { text: 'late' });
    await free(coordinator, askId);
    const next = await host.fetch(
      { jsonrpc: '2.0', id: 10, method: 'tools/call', params: { name: 'list_asks' } },
      headers,
    );
    expect(await next.text()).toContain('Late answer');
    expect((await agent.call('list_asks')).earlier).toEqual([]);
  });

  it('[A2] a client that stops reading before the result left the process has been handed nothing', async () => {
    const { transport } = await host.client();
    const text = 'x'.repeat(SIZES.answerText);
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 9,
      method: 'tools/call',
      params: { name: 'list_asks', arguments: {} },
    });
    // So many large answers that the kernel cannot take the result without a reader.
    const session = transport.sessionId ?? '';
    const ask = (question: string) =>
      host
        .fetch(
          {
            jsonrpc: '2.0',
            id: question,
            method: 'tools/call',
            params: { name: 'ask_user', arguments: { question, hold_seconds: 0 } },
          },
          { 'mcp-session-id': session },
        )
        .then((response) => response.text());
    const questions = Array.from({ length: 18 }, (_, at) => `Large ${at}?`);
    for (const question of questions) await ask(question);
    for (const question of questions) await answer(coordinator, question, { text });
    const asks = await coordinator.list({ what: 'recent' });
    const socket = connect(Number(new URL(host.url).port), '127.0.0.1');
    socket.pause();
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\nMcp-Session-Id: ${session}\r\n` +
        `Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await handed(coordinator, asks[0]?.askId ?? '');
    socket.destroy();
    for (const { askId } of asks) await free(coordinator, askId);
  });

  it('[I1] the stream of a cancelled call ends, so that its socket is free', async () => {
    const { transport } = await host.client();
    const headers = { 'mcp-session-id': transport.sessionId ?? '' };
    const ids = [0, '', 'a', 4];
    const streams = await Promise.all(
      ids.map((id) =>
        host.fetch(
          {
            jsonrpc: '2.0',
            id,
            method: 'tools/call',
            params: { name: 'ask_user', arguments: { question: `Free ${id}?`, hold_seconds: 60 } },
          },
          headers,
        ),
      ),
    );
    for (const id of ids) await card(coordinator, `Free ${id}?`);
    for (const requestId of ids) {
      await host.fetch({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }, headers);
    }
    for (const stream of streams) expect(await stream.text()).not.toMatch(/"(?:result|error)"/);
    for (const ask of await coordinator.list({ what: 'open' })) expect(ask.awaited).toBe(false);
  });

  it('a cancelled call of a batch leaves the others their answers and lets the stream end', async () => {
    const { transport } = await host.client();
    const headers = { 'mcp-session-id': transport.sessionId ?? '' };
    const call = (id: number) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'ask_user', arguments: { question: `Batch ${id}?`, hold_seconds: 30 } },
    });
    const stream = await host.fetch([call(0), call(1)], headers);
    await card(coordinator, 'Batch 1?');
    await host.fetch({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } }, headers);
    const { askId } = await answer(coordinator, 'Batch 1?', { text: 'one' });
    const text = await stream.text();
    expect(text).toContain('"answer":"one"');
    expect(text).not.toContain('"id":0,"result"');
    await handed(coordinator, askId);
  });

  it('ends a session on DELETE, hands back what was not proven, and answers 404 from then on', async () => {
    const { agent, transport } = await host.client();
    const asked = agent.ask('Ended?', 5_000);
    const { askId } = await answer(coordinator, 'Ended?', { text: 'e' });
    await asked;
    await handed(coordinator, askId);
    const session = transport.sessionId ?? '';
    await transport.terminateSession();
    await free(coordinator, askId);
    expect(host.mcp.sessions()).toEqual([]);
    const after = await host.fetch({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'mcp-session-id': session });
    expect(after.status).toBe(404);
  });

  it.each([
    ['no JSON', '{', 400, -32700],
    ['no session', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, 400, -32000],
    ['nothing at all', '', 400, -32700],
    ['no object', '7', 400, -32000],
    ['more than a frame may hold', 'x'.repeat(SIZES.frame + 1), 413, -32000],
  ])('a body that is %s is refused in the words of the protocol', async (_what, body, status, code) => {
    const response = await host.fetch(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code } });
    expect(host.mcp.sessions()).toEqual([]);
  });

  it('a body without a length is bounded too, and the rest of it is not taken in', async () => {
    const chunk = new Uint8Array(65_536).fill(0x20);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (control) => {
        sent += chunk.length;
        control.enqueue(chunk);
        if (sent > 64 * SIZES.frame) control.close();
      },
    });
    const init = { body: endless, duplex: 'half' } as RequestInit;
    // Whoever goes on sending may see the connection end before it sees the refusal.
    const status = await host.fetch('', {}, init).then(
      (response) => response.status,
      () => 413,
    );
    expect(status).toBe(413);
    expect(sent).toBeLessThan(32 * SIZES.frame);
    expect(host.mcp.sessions()).toEqual([]);
  });

  it('an initialize that cannot be served leaves no session behind', async () => {
    const response = await host.fetch(INITIALIZE, { accept: 'text/plain' });
    expect(response.status).toBe(406);
    const good = await host.client();
    expect(good.transport.sessionId).toMatch(/./);
    expect(host.mcp.sessions()).toHaveLength(1);
  });

  it.each([
    ['x-readback-session', 'not a uuid'],
    ['x-readback-hold', '-1'],
    ['x-readback-hold', 'soon'],
  ])('a wrong %s header is refused by name', async (name, value) => {
    const response = await host.fetch(INITIALIZE, { [name]: value });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(name);
  });

  it('a named conversation that comes back keeps its tab, its unread answers and its count of repeats', async () => {
    const name = randomUUID();
    const first = await host.client({ 'x-readback-session': name });
    const asked = first.agent.ask('Kept?', 5_000);
    const { askId, tab } = await answer(coordinator, 'Kept?', { text: 'k' });
    expect(tab).toBe(`mcp:${name}`);
    const { token } = await asked;
    expect((await first.agent.call('list_asks')).earlier).toHaveLength(1);
    const second = await host.client({ 'x-readback-session': name });
    expect(host.mcp.sessions()).toHaveLength(1);
    for (let times = 0; times < 2; times += 1) {
      expect((await second.agent.call('list_asks')).earlier).toMatchObject([{ token, possible_repeat: true }]);
    }
    expect((await second.agent.call('list_asks')).data.parked).toMatchObject([{ token }]);
    expect((await second.agent.call('ack_answers', { tokens: [token] })).data.acks).toEqual([
      { token, accepted: true },
    ]);
    expect(await receipt(coordinator, askId)).toBe('read_back');
  });

  /** A host whose only session, when it ends, waits for a hand-back that hangs until it is let go. */
  const slowToEnd = async (headers: Record<string, string>, maxSessions: number) => {
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const handBack = vi.fn(async (...args: Parameters<Asking['handBack']>) => {
      await held;
      return coordinator.handBack(...args);
    });
    const slow = new Proxy(coordinator, {
      get: (of, name) => {
        const member: unknown = name === 'handBack' ? handBack : Reflect.get(of, name, of);
        return typeof member === 'function' ? member.bind(of) : member;
      },
    });
    const one = await TestHost.start(slow, { maxSessions, graceMs: 20 });
    const opened = await one.fetch(INITIALIZE, headers);
    await opened.text();
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const params = { name: 'ask_user', arguments: { question: 'Slow?', hold_seconds: 20 } };
    const asked = await one.fetch({ jsonrpc: '2.0', id: 7, method: 'tools/call', params }, session);
    const { askId } = await answer(coordinator, 'Slow?', { text: 's' });
    await asked.text();
    await handed(coordinator, askId);
    await one.fetch({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }, session);
    await vi.waitFor(() => expect(handBack).toHaveBeenCalled(), PATIENT);
    return { one, letGo, session };
  };

  it.each([
    ['one named conversation', { 'x-readback-session': randomUUID() }, 3],
    ['the last place of a host', {}, 1],
  ])('[F10] those that open %s at once get one session, and the latest has it', async (_what, headers, room) => {
    const { one, letGo } = await slowToEnd(headers, room);
    const opening = [1, 2, 3].map(() => one.fetch(INITIALIZE, headers));
    await new Promise((resolve) => setTimeout(resolve, 100));
    letGo();
    const opened = await Promise.all(opening);
    for (const response of opened) expect(await response.text()).toContain('"jsonrpc"');
    expect(one.mcp.sessions()).toHaveLength(1);
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const ids = opened.flatMap((response) => response.headers.get('mcp-session-id') ?? []);
    const used = await Promise.all(ids.map((id) => one.fetch(list, { 'mcp-session-id': id })));
    expect(used.filter(({ status }) => status === 200)).toHaveLength(1);
    await one.stop();
  });

  it('[F10] a conversation that comes back while its session is being ended waits until that is on file', async () => {
    const headers = { 'x-readback-session': randomUUID() };
    const { one, letGo, session } = await slowToEnd(headers, 3);
    const stop = new AbortController();
    const stream = { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream', ...session };
    await fetch(`${one.url}/mcp`, { headers: stream, signal: stop.signal });
    stop.abort();
    await new Promise((resolve) => setTimeout(resolve, 200));
    let isOpen = false;
    const opening = one.fetch(INITIALIZE, headers).then((response) => {
      isOpen = true;
      return response.text();
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(isOpen).toBe(false);
    letGo();
    expect(await opening).toContain('"result"');
    expect(one.mcp.sessions()).toHaveLength(1);
    await one.stop();
  });

  it('[A1] a request whose id is in use is refused before it takes the way of the first response', async () => {
    const { transport } = await host.client();
    const headers = { 'mcp-session-id': transport.sessionId ?? '' };
    const call = (question: string) => ({
      jsonrpc: '2.0',
      id: 'twin',
      method: 'tools/call',
      params: { name: 'ask_user', arguments: { question, hold_seconds: 20 } },
    });
    const first = await host.fetch(call('First?'), headers);
    await card(coordinator, 'First?');
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', id: 1, method: 'ping' },
    ];
    for (const body of [call('Second?'), { jsonrpc: '2.0', id: 'twin', method: 'ping' }, batch]) {
      const refused = await host.fetch(body, headers);
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ id: null, error: { code: -32600 } });
    }
    await answer(coordinator, 'First?', { text: 'home' });
    expect(await first.text()).toContain('"answer":"home"');
    expect((await coordinator.list({ what: 'recent' })).map(({ question }) => question)).not.toContain('Second?');
    expect(await (await host.fetch(call('Third?'), headers)).status).toBe(200);
  });

  it('[I1] the id of a cancelled call may be used again', async () => {
    const { transport } = await host.client();
    const headers = { 'mcp-session-id': transport.sessionId ?? '' };
    const params = { name: 'ask_user', arguments: { question: 'Cancelled?', hold_seconds: 20 } };
    await host.fetch({ jsonrpc: '2.0', id: 5, method: 'tools/call', params }, headers);
    await card(coordinator, 'Cancelled?');
    await host.fetch({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } }, headers);
    const again = await host.fetch({ jsonrpc: '2.0', id: 5, method: 'ping' }, headers);
    expect(await again.text()).toContain('"result"');
  });

  it('a forwarder that died without a word is noticed by its stream, and its answers are handed back', async () => {
    const name = randomUUID();
    const { agent, transport } = await host.client({ 'x-readback-session': name });
    const asked = agent.ask('Dead?', 5_000);
    const { askId } = await answer(coordinator, 'Dead?', { text: 'd' });
    await asked;
    await handed(coordinator, askId);
    await transport.close();
    await vi.waitFor(() => expect(host.mcp.sessions()).toEqual([]), PATIENT);
    await free(coordinator, askId);
  });

  it('a hold named by the forwarder is the hold of its calls', async () => {
    const slow = await TestHost.start(coordinator, { holdMs: 600_000 });
    const { agent } = await slow.client({ 'x-readback-hold': '0' });
    expect((await agent.call('ask_user', { question: 'No wait?' })).outcome).toBe('pending');
    await slow.stop();
  });

  it('a session beyond the bound ends the one that was idle longest, and only an idle one', async () => {
    const small = await TestHost.start(coordinator, { maxSessions: 2 });
    const open = async () => {
      const response = await small.fetch(INITIALIZE);
      await response.text();
      return { status: response.status, session: response.headers.get('mcp-session-id') ?? '' };
    };
    const hold = (session: string) =>
      small.fetch(
        {
          jsonrpc: '2.0',
          id: session,
          method: 'tools/call',
          params: { name: 'ask_user', arguments: { question: session, hold_seconds: 20 } },
        },
        { 'mcp-session-id': session },
      );
    const [one, two] = [await open(), await open()];
    await hold(one.session);
    await card(coordinator, one.session);
    const three = await open();
    expect(three.status).toBe(200);
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await small.fetch(list, { 'mcp-session-id': two.session })).status).toBe(404);
    await hold(three.session);
    await card(coordinator, three.session);
    expect((await open()).status).toBe(503);
    await small.stop();
  });

  it('[I1] closing ends waiting calls in bounded time and refuses new ones', async () => {
    const { agent } = await host.client();
    const asked = agent.ask('Closing?', 60_000).catch((error: unknown) => error);
    await card(coordinator, 'Closing?');
    const started = Date.now();
    await host.mcp.close();
    expect(Date.now() - started).toBeLessThan(1_000);
    expect((await host.fetch(INITIALIZE)).status).toBe(503);
    expect((await coordinator.list({ what: 'open' })).map((ask) => ask.question)).toEqual(['Closing?']);
    await agent.client.close();
    await asked;
  });
});
