import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answerMachine } from '../machines/journal/answer.ts';
import { toMermaid } from '../src/inspect/mermaid.ts';
import { outline } from '../src/inspect/outline.ts';
import { importsOf } from './support/source.ts';

const README = new URL('../README.md', import.meta.url);
const MANIFEST = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Readonly<
  Record<'exports' | 'dependencies' | 'devDependencies', Readonly<Record<string, unknown>>>
>;

/** The part of an example that the README shows. */
function region(path: string, name: string): string {
  const text = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
  const found = new RegExp(`// #region ${name}\\n([\\s\\S]*?)// #endregion`).exec(text)?.[1];
  if (found === undefined) throw new Error(`${path} has no region ${name}`);
  return found;
}

/** The README with its examples and its chart as they are now. `READBACK_WRITE=1` writes it. */
function current(text: string): string {
  return text
    .replace(/<!-- (\S+\.ts)#(\w+) -->\n```ts\n[\s\S]*?```/g, (_, path: string, name: string) => {
      return `<!-- ${path}#${name} -->\n\`\`\`ts\n${region(path, name)}\`\`\``;
    })
    .replace(/<!-- chart: answer -->\n```mermaid\n[\s\S]*?```/, () => {
      return `<!-- chart: answer -->\n\`\`\`mermaid\n${toMermaid(outline(answerMachine), 'moves')}\n\`\`\``;
    });
}

/** What an example of the README imports though a reader has it not: a path of this repository, an entry that there is not. */
function unreachable(text: string): string[] {
  const entries = new Set(Object.keys(MANIFEST.exports).map((entry) => `readback${entry.slice(1)}`));
  const packages = { ...MANIFEST.dependencies, ...MANIFEST.devDependencies };
  return [...text.matchAll(/^```tsx?\n([\s\S]*?)^```/gm)]
    .flatMap(([, code = ''], at) => importsOf({ path: `README.md#${at}.ts`, text: code }))
    .filter(({ specifier, packageName }) => {
      if (packageName === undefined) return true;
      return packageName === 'readback'
        ? !entries.has(specifier)
        : !(packageName.startsWith('node:') || packageName in packages);
    })
    .map(({ specifier }) => specifier);
}

describe('README', () => {
  it('shows the examples and the chart as they are', () => {
    const text = readFileSync(README, 'utf8');
    if (process.env.READBACK_WRITE === '1') writeFileSync(README, current(text));
    expect(readFileSync(README, 'utf8')).toBe(current(text));
  });

  it('imports nothing in an example but public entries, and packages that a reader can install', () => {
    const fenced = (...lines: string[]) => `\`\`\`ts\n${lines.join('\n')}\n\`\`\`\n`;
    const hidden = [
      "import '../a.ts';",
      "import 'readback/gate';",
      "type A = import('./b.ts').A;",
      "import 'no-such';",
    ];
    expect(unreachable(fenced(...hidden))).toEqual(['../a.ts', 'readback/gate', './b.ts', 'no-such']);
    expect(unreachable(readFileSync(README, 'utf8'))).toEqual([]);
  });

  it.each([
    'embed',
    'journal',
    'batch',
    'requests',
    'window',
    'tools',
    'tools-durable',
    'testing',
    'testing-random',
    'seats',
    'fencing',
    'stately',
    'inspect',
  ])('its example %s runs and ends as it says', async (name) => {
    await import(`./examples/${name}.ts`);
  });
});
