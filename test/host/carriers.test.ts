import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { openCoordinator } from '../../src/coordinator.ts';
import { Carriers } from '../../src/host/carriers.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { KeptLog } from '../../src/testing/index.ts';

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
