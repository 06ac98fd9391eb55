import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The tests that must notice, in the order in which they are asked; `test/support/mutate.ts` says which. */
const tests = JSON.parse(process.env['READBACK_MUTATION_TESTS'] ?? '[]') as readonly string[];

const place = ({ moduleId }: TestSpecification): number => tests.findIndex((path) => moduleId.endsWith(`/${path}`));

/** Models seed their properties themselves. What no test needs is not loaded anew for each defect. */
const draws = tests.some((path) => path.startsWith('test/') && readFileSync(path, 'utf8').includes("'fast-check'"));

/** The first test that fails ends the run. */
class AsAsked extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    setupFiles: draws ? ['test/support/seed.ts'] : [],
    include: [...tests],
    sequence: { sequencer: AsAsked },
    // Each run has a worker of its own; its files share what they load, which is most of what a run costs.
    isolate: false,
    env: { READBACK_RUNS: '24' },
    testTimeout: Number(process.env['READBACK_MUTATION_PATIENCE'] ?? 60_000),
    hookTimeout: 30_000,
    restoreMocks: true,
  },
});
