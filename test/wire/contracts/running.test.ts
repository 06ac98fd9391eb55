import { describe, expect, it } from 'vitest';
import { createApprovals } from '../../../src/approvals.ts';
import {
  createDispatcher,
  defaultPack,
  eventChecks,
  type Handler,
  incompleteness,
  requestContracts,
  requestHandlers,
  withOpenRequests,
} from '../../../src/contracts.ts';
import { createServerRequests } from '../../../src/requests.ts';
import { HandRuntime } from '../../../src/testing/hand-runtime.ts';
import type { JsonObject, RpcFrame } from '../../../src/wire/json.ts';
import { isJsonObject } from '../../../src/wire/jsonrpc.ts';
import { type Line, linked } from '../../../src/wire/linked.ts';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A small host made of the real parts, all of them strict, that notes the names it uses. */
function runningHost() {
  const said: string[] = [];
  const say = (...args: unknown[]) => void said.push(args.map(String).join(' '));
  const logger = { debug: () => undefined, info: () => undefined, warn: say, error: say };
  const runtime = new HandRuntime();
  const requests = createServerRequests({
    contracts: requestContracts(defaultPack),
    policy: 'strict',
    runtime,
    logger,
  });
  const approvals = createApprovals({ requests, runtime, logger });
  const connect: Handler = ({ session_id: sid }) => ({ session_id: text(sid) });
  const handlers: Record<string, Handler> = {
    ...requestHandlers(requests),
    'approval.pending': ({ session_id: sid }) => ({ approvals: approvals.pending(text(sid)) }) as unknown as JsonObject,
    'approval.received': ({ session_id: sid, request_id: id }) => ({
      acknowledged: approvals.received(text(sid), text(id)),
    }),
    'approval.respond': ({ session_id: sid, ...params }) => approvals.respond({ ...params, sid: text(sid) }),
    'session.resume': withOpenRequests(requests, connect),
    'session.activate': withOpenRequests(requests, connect),
    'session.events.since': withOpenRequests(requests, () => ({ epoch: 'e', events: [] })),
    'session.interrupt': ({ session_id: sid }) => ({ withdrawn: requests.cancel(text(sid), 'interrupted') }),
  };
  const dispatcher = createDispatcher({ pack: defaultPack, handlers, requests, logger, policy: 'strict' });
  return { requests, approvals, runtime, dispatcher, said, ...clientOf(requests, dispatcher, logger) };
}

function clientOf(
  requests: ReturnType<typeof createServerRequests>,
  dispatcher: ReturnType<typeof createDispatcher>,
  logger: Parameters<typeof eventChecks>[2],
) {
  const events = eventChecks(defaultPack, 'strict', logger);
  const sent: string[] = [];
  const replies: JsonObject[] = [];
  const ids: string[] = [];
  const open: Line[] = [];
  const pending: Promise<void>[] = [];
  const wire = linked({
    accept: (line) => {
      open.push(line);
      return requests.attach(line.peer, '*');
    },
    onFrame: (frame, line) => void pending.push(dispatcher.receive(line.peer, frame)),
  });
  const transport = wire.connect({
    open: () => undefined,
    closed: () => undefined,
    message: (data) => {
      const { id, method, params, ...rest } = JSON.parse(text(data)) as JsonObject;
      if (method === 'event' && isJsonObject(params)) events.check(text(params['type']), params['payload']);
      else if (typeof method === 'string') {
        sent.push(method);
        ids.push(text(id));
      } else replies.push(rest);
    },
  });
  // `request.settled` goes to everybody but the one who answered.
  requests.attach({ kind: 'stdio', closed: false, send: (frame) => noted(events, frame) }, '*');
  const move = async () => {
    open[0]?.flush('up');
    await Promise.all(pending.splice(0));
    open[0]?.flush('down');
  };
  const call = async (method: string, params: JsonObject) => {
    transport.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    await move();
    return replies.at(-1);
  };
  const write = (frame: JsonObject) => transport.send(JSON.stringify({ jsonrpc: '2.0', ...frame }));
  return { events, sent, ids, call, write, move };
}

/** A window that looks on: it only sees events. */
function noted(events: ReturnType<typeof eventChecks>, frame: RpcFrame): boolean {
  if ('method' in frame && frame.method === 'event' && isJsonObject(frame.params)) {
    events.check(text(frame.params['type']), frame.params['payload']);
  }
  return true;
}

/** The least that each request of the default pack can say. */
const LEAST: Readonly<Record<string, JsonObject>> = {
  'bot.relay': { payload: {} },
  clarify: { questions: [{ qid: 'q', question: '?', choices: null, multi_select: false }] },
  'display.install.sudo': {},
  'mcp.setup': { server: {}, consent: 'may it?' },
  'preview.act': { action: 'click' },
  'preview.read': {},
  secret: { env_var: 'KEY', prompt: '?' },
  setup_choose: { kind: 'theme', question: '?', multi_select: false },
  sudo: {},
  'terminal.read': {},
  tour: { action: 'start' },
  'vault.code': {},
  'vault.save_login': { origin: 'https://example.org', site: 'example' },
  'vault.unlock_prompt': { backend: 'b', display_name: 'B' },
  'window.read': {},
};

describe('names taken from running code', () => {
  it('[RQ-R152] [RQ-R155] the default pack is complete: nothing without a contract, no contract without use', async () => {
    const host = runningHost();
    await host.move();
    expect(await host.call('client.capabilities', { server_requests: true })).toMatchObject({
      result: { server_requests: [...defaultPack.requests.keys()].sort() },
    });
    const waits = Object.entries(LEAST).map(([method, params]) =>
      host.requests.send(method, 's', params, { timeoutMs: 1_000, ...(method === 'clarify' ? { qids: ['q'] } : {}) }),
    );
    const verdict = host.approvals.request('s', { sid: 's', command: 'ls' });
    await host.move();
    const [pending] = host.approvals.pending('s');
    const id = pending?.request_id ?? '';
    expect(await host.call('approval.pending', { session_id: 's' })).toMatchObject({
      result: { approvals: [{ command: 'ls' }] },
    });
    expect(await host.call('approval.received', { session_id: 's', request_id: id })).toMatchObject({
      result: { acknowledged: true },
    });
    expect(await host.call('approval.respond', { session_id: 's', choice: 'once', request_id: id })).toMatchObject({
      result: { resolved: 1 },
    });
    expect(await verdict).toMatchObject({ resolved: true, choice: 'once' });
    const idOf = (method: string) => host.ids[host.sent.indexOf(method)] ?? '';
    host.write({ id: idOf('sudo'), result: { value: '' } });
    expect(await host.call('clarify.lock', { request_id: idOf('clarify'), question_id: 'q', answer: 'a' })).toEqual({
      jsonrpc: '2.0',
      result: { status: 'ok', remaining: [] },
    });
    expect(await host.call('request.answer', { id: idOf('secret'), result: { value: 'x' } })).toMatchObject({
      result: { status: 'ok' },
    });
    for (const method of ['session.resume', 'session.activate', 'session.events.since']) {
      const reply = await host.call(method, { session_id: 's' });
      expect(reply?.['result']).toMatchObject({
        open_requests: expect.arrayContaining([expect.objectContaining({ method: 'tour' })]),
      });
    }
    expect(await host.call('session.interrupt', { session_id: 's' })).toMatchObject({
      result: { withdrawn: LEAST_OPEN },
    });
    await Promise.all(waits);
    await host.move();
    const names = { handlers: host.dispatcher.methods, emitted: host.events.emitted(), sent: host.sent };
    expect(incompleteness(defaultPack, names)).toEqual([]);
    expect(host.said).toEqual([]);
  });
});

/** All but the three that were answered. */
const LEAST_OPEN = Object.keys(LEAST).length - 3;
