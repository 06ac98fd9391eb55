/** The doctor's ask on a scratch store; a file of its own because it loads the whole core. */

import type { ReceiptState } from '../api.ts';
import { openCoordinator } from '../coordinator.ts';
import { memoryStore } from '../store/memory.ts';

const TAB = 'doctor';

/** Asks, answers, acks; how far the answer came. */
export async function scratchTrip(): Promise<ReceiptState> {
  const coordinator = await openCoordinator({ store: memoryStore() });
  try {
    coordinator.attachSurface({ kind: 'terminal', id: TAB });
    const outcome = await coordinator.ask(
      { question: 'Does an answer come back?', options: [{ id: 'yes', label: 'Yes' }] },
      {
        tab: TAB,
        timeoutMs: 5_000,
        attach: () => TAB,
        onOpen: (askId) => void coordinator.answer(askId, { selected: ['yes'] }, { surface: 'terminal', who: TAB }),
      },
    );
    if (outcome.outcome !== 'answered') throw new Error(`the scratch ask ended as ${outcome.outcome}`);
    await coordinator.ack([outcome.token], TAB);
    const receipt = (await coordinator.show(outcome.askId))?.answers[0]?.receipt;
    if (receipt === undefined) throw new Error('the scratch answer is not on file');
    return receipt;
  } finally {
    await coordinator.close();
  }
}
