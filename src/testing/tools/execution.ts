import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { live, macrotask, part, type Rig } from './rig.ts';

export const executionRules = new Chapter();
const { describe, test: it } = executionRules;

const only = (rig: Rig) => rig.results.map(({ result, isError }) => [result, isError]);

describe('reporting', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('host');
      },
    ],
    ['rejects', () => Promise.reject(new Error('host'))],
  ])('[TL-R91, TL-T22] notes a host callback that %s, and repeats nothing', async (_how, callback) => {
    const rig = live({ onResult: callback, onStatuses: callback });
    rig.push('s', part('{}'), part('{}', { id: 'u' }));
    await macrotask();
    rig.push('s', part('{}'), part('{}', { id: 'u' }));
    await macrotask();
    expect(rig.results.map(({ toolCallId }) => toolCallId)).toEqual(['t', 'u']);
    expect(new Set(rig.kinds)).toEqual(new Set(['handler-threw']));
    expect(only(rig)).toEqual([
      ['done', false],
      ['done', false],
    ]);
  });
});
