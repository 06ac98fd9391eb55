import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test, vi } from 'vitest';
import type { Asking } from '../../src/api.ts';
import { openCoordinator } from '../../src/coordinator.ts';
import { HOST_BOUNDS } from '../../src/host/bounds.ts';
import { Carriers } from '../../src/host/carriers.ts';
import { startHost } from '../../src/host/index.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { faultyStore, KeptLog } from '../../src/testing/index.ts';

/** The reply of one call, which is written or breaks off. */
class Outgoing extends EventEmitter {
  destroyed = false;
  writableFinished = false;

  end(written: boolean): void {
    this.writableFinished = written;
    this.emit('close');
  }
}

test.each([true, false])(
  'a reply that breaks off takes no receipt from another call (it began first: %s)',
  async (first) => {
    const logger = new KeptLog();
    const c = await openCoordinator({ store: memoryStore(), logger, alwaysVisible: true });
    const carriers = new Carriers(c, logger);
    const { askId } = await c.ask({ question: 'Which?' }, { tab: 'cli:0', timeoutMs: 0 });
    await c.answer(askId, { text: 'this' }, { surface: 'page' });
    const give = async (carrier: string): Promise<Outgoing> => {
      const given = await c.awaitAnswer(askId, { attach: () => carrier });
      const outgoing = new Outgoing();
      if ('token' in given) carriers.remember(given.token, carrier, outgoing as unknown as ServerResponse);
      return outgoing;
    };
    const replies = [await give('cli:1'), await give('cli:2')];
    const [broken, read] = first ? replies : replies.reverse();
    broken?.end(false);
    read?.end(true);
    expect(await carriers.ack(['aa1'])).toEqual([{ token: 'aa1', accepted: true }]);
    expect((await c.show(askId))?.answers[0]?.receipt).toBe('read_back');
    await c.close();
  },
);

test('a script that waits for one answer again and again is remembered by its latest calls', async () => {
  const acked: string[] = [];
  const asking = {
    ack: async (tokens: readonly string[], carrier: string) => {
      acked.push(carrier);
      return tokens.map((token) => ({ token, accepted: true }));
    },
    handBack: async () => true,
  } as unknown as Asking;
  const carriers = new Carriers(asking, new KeptLog());
  const replies = Array.from({ length: HOST_BOUNDS.perToken + 5 }, (_, n) => {
    const outgoing = new Outgoing();
    carriers.remember('aa1', `cli:${n}`, outgoing as unknown as ServerResponse);
    return outgoing;
  });
  const latest = replies.slice(-HOST_BOUNDS.perToken);
  for (const outgoing of latest.slice(1)) outgoing.end(false);
  expect(await carriers.ack(['aa1'])).toEqual([{ token: 'aa1', accepted: true }]);
  expect(acked).toEqual(['cli:5']);
  latest[0]?.end(false);
  expect(await carriers.ack(['aa1'])).toEqual([{ token: 'aa1', accepted: false }]);
});

test('[J-R142] a shell is told of losses and leaves no warning open, for it has no receipt for one', async () => {
  const store = memoryStore();
  const logger = new KeptLog();
  const c = await openCoordinator({ store, logger, alwaysVisible: true, limits: { entriesPerTab: 1 } });
  const host = await startHost({ coordinator: c, logger });
  const late = async (question: string): Promise<string> => {
    const { askId } = await c.ask({ question }, { tab: 'agent', timeoutMs: 0 });
    await c.answer(askId, { text: 'this' }, { surface: 'page' });
    return askId;
  };
  await late('One?');
  const askId = await late('Two?');
  const headers = { authorization: `Bearer ${host.token}` };
  for (let n = 0; n < 2; n += 1) {
    const reply = await fetch(`${host.url}/api/asks/${askId}/await`, { method: 'POST', headers, body: '{}' });
    expect(await reply.json()).toMatchObject({ outcome: 'answered', dropped: { count: 1 } });
  }
  expect(store.book.warnings()).toEqual([]);
  expect(await c.journal.droppedFor('agent')).toBe(1);
  await host.close();
  await c.close();
});

test('[A2] a reply that broke off is handed back although the first commit of that fails', async () => {
  const store = faultyStore(memoryStore());
  const logger = new KeptLog();
  const c = await openCoordinator({ store, logger, alwaysVisible: true });
  const carriers = new Carriers(c, logger);
  const { askId } = await c.ask({ question: 'Which?' }, { tab: 'cli:0', timeoutMs: 0 });
  await c.answer(askId, { text: 'this' }, { surface: 'page' });
  const given = await c.awaitAnswer(askId, { attach: () => 'cli:1' });
  const outgoing = new Outgoing();
  if ('token' in given) carriers.remember(given.token, 'cli:1', outgoing as unknown as ServerResponse);
  store.plant({ on: 'commit', nth: 1 });
  outgoing.end(false);
  const hands = async () => (await c.unread('cli:0')).map(({ handedTo }) => handedTo);
  await vi.waitFor(() => expect(store.struck).toBe(1), { timeout: 5_000 });
  expect(await hands()).toEqual([['cli:1']]);
  await vi.waitFor(async () => expect(await hands()).toEqual([[]]), { timeout: 5_000 });
  await c.close();
});
