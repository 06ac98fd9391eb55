import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { listFiles, ROOT, readSources, type Source } from './support/source.ts';
import { citations, citedIn, coverageFaults, idsIn, malformedRules, rulesOf } from './support/spec-coverage.ts';

// The first look parses every source there is, beside whatever else runs.
vi.setConfig({ testTimeout: 60_000 });

const read = (path: string): Source => ({ path, text: readFileSync(join(ROOT, path), 'utf8') });
const specs = listFiles('machines', (path) => /^machines\/[^/]+\/SPEC\.md$/.test(path)).map(read);
const rules = specs.flatMap(rulesOf);

// This file and its helper hold ids as examples.
const isCited = ({ path }: Source): boolean => !path.includes('spec-coverage');
const scenarios = listFiles('test', (path) => /^test\/scenarios\/.*\.txt$/.test(path)).map(read);
// The kit holds tests too: each is registered by the contract that it belongs to.
const tests = [...readSources(['test', 'model-tests', 'src/testing']).filter(isCited), ...scenarios];

describe('every rule has a test', () => {
  it('and every id that a test names is a rule', () => {
    expect(coverageFaults(rules, citations(tests))).toEqual([]);
  });

  it('every folder of charts has its rules', () => {
    const nouns = new Set(
      listFiles('machines', (path) => /^machines\/[^/]+\/./.test(path)).map((path) => path.split('/')[1]),
    );
    nouns.delete('shared');
    expect(specs.map(({ path }) => path.split('/')[1])).toEqual([...nouns]);
  });

  it('no rule is malformed', () => {
    expect(specs.flatMap(malformedRules)).toEqual([]);
  });

  it('the rules of the journal are numbered without a gap', () => {
    const numbers = (kind: string): number[] =>
      rules.filter(({ id }) => id.startsWith(`J-${kind}`)).map(({ id }) => Number(id.slice(3)));
    const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);
    expect(numbers('R')).toEqual(upTo(214));
    expect(numbers('H')).toEqual(upTo(15));
    expect(numbers('I')).toEqual(upTo(34));
  });
});

const SPEC: Source = {
  path: 'machines/journal/SPEC.md',
  text: [
    '- **R-050** one',
    '- **I-07** two',
    '- **H-03** three',
    '- **A1** four',
    'R-051 in passing',
    '- **I2** five',
  ].join('\n'),
};
const IDS = ['J-R050', 'J-I07', 'J-H03', 'A1', 'I2'];
const TITLES: Source = {
  path: 'test/a.test.ts',
  text: "it('[J-R050] [J-I07] a', f); it.each(rows)(`[J-H03, A1] $" + "{b}`, f); describe('[I2]', f); // [J-R999]",
};

describe('the checker of rule coverage', () => {
  it('reads rules and cases', () => {
    expect(rulesOf(SPEC).map(({ id }) => id)).toEqual(IDS);
    expect(() => rulesOf({ path: 'machines/unheard/SPEC.md', text: '' })).toThrow('prefix');
  });

  it('reads ids in titles, several in one, and none in comments', () => {
    expect(citedIn(TITLES)).toEqual(IDS);
    expect(idsIn('[J-R050][A1] a [b] [J-R1] [J-050] [Z9]')).toEqual(['J-R050', 'A1']);
  });

  it('reads the edge cases of the tools, which have a letter of their own', () => {
    const spec: Source = { path: 'machines/tools/SPEC.md', text: '- **T-01** one\n- **R-53** two' };
    expect(rulesOf(spec).map(({ id }) => id)).toEqual(['TL-T01', 'TL-R53']);
    expect(idsIn('[TL-T01, TL-R53]')).toEqual(['TL-T01', 'TL-R53']);
  });

  it('reads the first line of a scenario', () => {
    expect(citedIn({ path: 'test/scenarios/a.txt', text: '# [C4] both\n[A1]\n' })).toEqual(['C4']);
  });

  it('passes when each rule is named', () => {
    expect(coverageFaults(rulesOf(SPEC), citations([TITLES]))).toEqual([]);
  });

  it('fails for a rule without a test', () => {
    const some = { ...TITLES, text: TITLES.text.replace('[I2]', '') };
    expect(coverageFaults(rulesOf(SPEC), citations([some]))).toEqual(['I2 of machines/journal/SPEC.md has no test']);
  });

  it('fails for a test without a rule', () => {
    const more = { path: 'test/b.test.ts', text: "it('[J-R215] x', f)" };
    expect(coverageFaults(rulesOf(SPEC), citations([TITLES, more]))).toEqual([
      'J-R215, named by test/b.test.ts, is no rule',
    ]);
  });

  it('fails for a rule stated twice, and for one that is not well formed', () => {
    expect(coverageFaults([...rulesOf(SPEC), ...rulesOf(SPEC)], citations([TITLES]))).toHaveLength(
      2 * IDS.length - IDS.length,
    );
    expect(
      malformedRules({ path: 'a', text: '- **R-5** short\n- **R-050**\n- **R-050** good\n- **Note** free' }),
    ).toHaveLength(2);
  });
});
