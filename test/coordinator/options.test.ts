import { describe, expect, it } from 'vitest';
import { type CoordinatorOptions, openCoordinator } from '../../src/coordinator.ts';
import { memoryStore } from '../../src/store/memory.ts';

/** Opens with what a program without types could give. */
const opening = (options: unknown): Promise<unknown> => openCoordinator(options as CoordinatorOptions);

describe('options of a coordinator', () => {
  it.each([
    ['conversationLog', 5, 'must be a function, not a number'],
    ['conversationLog', {}, 'must be a function, not an object'],
    ['openSurface', true, 'must be a function, not true or false'],
    ['ledgers', { name: 'jobs' }, 'must be a list, not an object'],
    ['limits', [], 'must be an object, not a list'],
    ['logger', null, 'must be an object, not null'],
    ['alwaysVisible', 'yes', 'must be true or false, not a string'],
  ])('%s: %j is refused, with the field, the reason and the remedy', async (field, value, reason) => {
    await expect(opening({ store: memoryStore(), [field]: value })).rejects.toMatchObject({
      code: 'invalid_input',
      field,
      message: `${field}: ${reason}. Nothing was changed. Correct the named field and call again.`,
    });
  });

  it('a name that is none is refused, and those that there are are told', async () => {
    const refused = opening({ store: memoryStore(), aliasVisible: true });
    await expect(refused).rejects.toMatchObject({ code: 'invalid_input', field: 'aliasVisible' });
    await expect(refused).rejects.toThrow(/is no option of openCoordinator; the options are: store, .*alwaysVisible\./);
    await expect(opening({ store: memoryStore(), constructor: 1 })).rejects.toMatchObject({ field: 'constructor' });
  });

  it('without a store nothing is opened', async () => {
    for (const none of [undefined, null, {}, { store: 5 }]) {
      await expect(opening(none)).rejects.toMatchObject({ code: 'invalid_input', field: 'store' });
    }
  });

  it('one that is undefined counts as left out', async () => {
    const coordinator = await openCoordinator({ store: memoryStore(), conversationLog: undefined, limits: undefined });
    await coordinator.close();
  });
});
