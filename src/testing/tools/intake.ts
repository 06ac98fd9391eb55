import { expect } from '../expect.ts';
import { Chapter } from '../rules.ts';
import { live, macrotask, part, Rig } from './rig.ts';

export const intakeRules = new Chapter();
const { describe, test: it } = intakeRules;

describe('construction', () => {
  it('[TL-R01] calls nothing of the host, and looks a tool up anew at each use', async () => {
    const asked: string[] = [];
    const rig = new Rig({
      tools: (name) => {
        asked.push(name);
        return asked.length > 2 ? { execute: () => 'late' } : undefined;
      },
    });
    expect(asked).toEqual([]);
    rig.push('s');
    rig.push('s', part('{}', { id: 'one' }));
    await macrotask();
    expect(rig.results).toEqual([]);
    rig.push('s', part('{}', { id: 'two' }));
    await macrotask();
    expect(rig.results.map(({ result }) => result)).toEqual(['late']);
  });

  it('[TL-R02] reads the first snapshot as history, whatever its flags', async () => {
    const rig = new Rig({ owner: () => 'client' });
    rig.push('r', part('{}'));
    await macrotask();
    rig.push('s', part('{}'));
    await macrotask();
    expect(rig.log).toEqual([]);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '[TL-R03] finds no tool named %s',
    async (name) => {
      const record: Record<string, { execute: () => string }> = { x: { execute: () => 'x' } };
      const rig = live({ tools: (wanted) => record[wanted] });
      rig.push('s', part('{}', { name }), part('{}', { id: 'good' }));
      await macrotask();
      expect(rig.results.map(({ toolCallId }) => toolCallId)).toEqual(['good']);
    },
  );
});
