/** The same ask id, opened anew after its card has ended: one card a time, on every page, whatever host shows it. */
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { openCoordinator } from '../../src/coordinator.ts';
import { startHost } from '../../src/host/index.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { KeptLog } from '../../src/testing/index.ts';
import { createChannel } from '../../src/wire/channel.ts';
import { webSocketTransport } from '../../src/wire/socket-transport.ts';
import { until } from './support.ts';

test.each(['before', 'after'])(
  '[RQ-R125] a question that is opened anew %s a restart of the host is on a page that saw its first card end',
  async (when) => {
    const coordinator = await openCoordinator({ store: memoryStore(), logger: new KeptLog(), alwaysVisible: true });
    let host = await startHost({ coordinator });
    const { port, token, url } = host;
    const headers = { authorization: `Bearer ${token}` };
    const channel = createChannel({
      connect: webSocketTransport(`${url.replace('http', 'ws')}/ws`, {
        open: (to) => new WebSocket(to, { headers }),
      }),
      resume: { method: 'desk.resume', params: { window: 'window-1' } },
    });
    const shown = new Map<string, boolean>();
    const open = (): number => [...shown.values()].filter((isOver) => !isOver).length;
    channel.onRequest('ask', (card) => {
      shown.set(card.id, false);
      return { changed: () => void shown.set(card.id, card.isOver) };
    });
    channel.open();
    const askId = 'pa-again';
    const ask = { tabId: 'tab-1', fingerprint: 'f', question: 'Which door?' };
    await coordinator.journal.openAsk(askId, ask);
    await until(() => open() === 1);
    await coordinator.withdraw(askId, 'the plan changed', { surface: 'test' });
    await until(() => open() === 0);
    const openAnew = (): Promise<void> => coordinator.journal.openAsk(askId, { ...ask, question: 'Which then?' });
    if (when === 'before') await openAnew();
    await until(() => open() === (when === 'before' ? 1 : 0));
    await host.close();
    host = await startHost({ coordinator, port, token });
    await until(() => channel.state.generation === 2 && channel.state.caughtUp);
    if (when === 'after') await openAnew();
    await until(() => open() === 1);
    expect([...shown.keys()]).toHaveLength(2);
    channel.close();
    await host.close();
    await coordinator.close();
  },
);
