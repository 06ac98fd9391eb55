import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countMutants } from './support/mutants.ts';
import { ROOT } from './support/source.ts';

function mutation(...args: string[]) {
  const file = join(ROOT, 'test', 'support', 'mutate.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', file, ...args], {
    ...{ cwd: ROOT, encoding: 'utf8', timeout: 60_000 },
  });
  return { status, stdout, stderr };
}

const count = (text: string, first = 1, last = text.split('\n').length) =>
  countMutants({ path: 'a.ts', text }, [{ first, last }]);

describe('defects that are sown', () => {
  it('says how it is called when it is asked', () => {
    const { status, stdout, stderr } = mutation('--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const word of ['journal', 'tracker', '--sample', '--seed', '--quick', '-- FLAGS'])
      expect(stdout).toContain(word);
  });

  it.each([
    [[], 'say what defects are to be sown into'],
    [['constructor'], 'there is no constructor to sow defects into'],
    [['journal', '--sample=0'], '--sample is 0, not a number above 0, up to 1'],
    [['journal', '--fast'], "Unknown option '--fast'"],
  ])('called with %j says what is wrong, and how it is called', (args, problem) => {
    const { status, stdout, stderr } = mutation(...args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(`mutation: ${problem}`);
    expect(stderr).toContain('npm run mutation -- NAME');
    expect(stderr).not.toContain('    at ');
  });

  it('of a sample without a line says that nothing was sown, and reports nothing', () => {
    const { status, stdout, stderr } = mutation('coordinator', '--sample=0.000001');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain('nothing was sown, take a larger --sample');
  });

  it('sees lines that nothing can be sown into', async () => {
    expect(await count('/** Says why. */\nexport interface A {\n  readonly a: string;\n}\n')).toBe(0);
    expect(await count("export const a = { description: 'two words' };", 1, 1)).toBeLessThan(
      await count("export const a = { name: 'two words' };", 1, 1),
    );
    const lines = '// a\nexport const isLess = (a: number) => a < 2;\n// b';
    expect(await count(lines)).toBeGreaterThan(0);
    expect(await count(lines, 1, 1)).toBe(0);
    expect(await count(lines, 2, 2)).toBe(await count(lines));
    expect(await count(lines, 3, 3)).toBe(0);
  });
});
