import { Instrumenter } from '@stryker-mutator/instrumenter';
import { strykerPlugins } from './mutation-words.mjs';
import type { Source } from './source.ts';

/** Lines of one file, counted from 1, both included. */
export interface Lines {
  readonly first: number;
  readonly last: number;
}

const nothing = (): void => undefined;
const no = (): boolean => false;
const SILENT = {
  ...{ trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing, fatal: nothing },
  ...{ isTraceEnabled: no, isDebugEnabled: no, isInfoEnabled: no, isWarnEnabled: no, isErrorEnabled: no },
  isFatalEnabled: no,
};

/** How many defects can be sown into these lines: none into comments, types and words for a reader. */
export async function countMutants({ path, text }: Source, lines: readonly Lines[]): Promise<number> {
  // Here, unlike on a command line, the tester counts lines from 0.
  const mutate = lines.map(({ first, last }) => ({
    start: { line: first - 1, column: 0 },
    end: { line: last - 1, column: Number.MAX_SAFE_INTEGER },
  }));
  const ignorers = strykerPlugins.map(({ value }) => value);
  const options = { plugins: null, excludedMutations: [], ignorers };
  const { mutants } = await new Instrumenter(SILENT).instrument([{ name: path, content: text, mutate }], options);
  return mutants.filter(({ status }) => status === undefined).length;
}
