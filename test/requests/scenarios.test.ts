/** The scenarios of the contract that concern the registry, as texts under test/scenarios/, run line by line. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/source.ts';
import { Script } from './support/script.ts';

const NAMES = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'O'];

describe('scenarios of server requests', () => {
  for (const name of NAMES) {
    const [title = '', ...lines] = readFileSync(join(ROOT, `test/scenarios/${name}.txt`), 'utf8').split('\n');
    it(`${name}: ${title.replace(/^# /, '')}`, async () => {
      const script = new Script();
      for (const [at, line] of lines.entries()) {
        if (line.trim() === '' || line.startsWith('#')) continue;
        const { said, expected } = await script.run(line);
        expect(said, `${name}.txt:${at + 2}: ${line}`).toBe(expected);
      }
      expect(script.expectations).toBeGreaterThan(0);
    });
  }
});

describe('the runner of scenarios', () => {
  it('refuses a line that it does not know, and sees a wrong expectation', async () => {
    await expect(new Script().run('dance')).rejects.toThrow(/dance/);
    const script = new Script();
    await script.run('send q window.title');
    const { said, expected } = await script.run('q: answered {}');
    expect(said).toBe('open');
    expect(expected).toBe('answered {}');
  });
});
