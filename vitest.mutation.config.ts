import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The folder of charts whose defects are sown; `test/support/mutate.ts` says which. */
const target = process.env['READBACK_MUTATE'] ?? 'tools';
/** Without models and paths: what is noticed then is the least that is noticed. */
const isQuick = process.env['READBACK_MUTATE_QUICK'] === '1';

const cost = ({ moduleId }: TestSpecification): number =>
  Number(moduleId.includes('model-tests')) +
  Number(moduleId.includes('.paths.')) +
  Number(moduleId.includes('.model.'));

/** Most defects are noticed by the quick tests, and the first test that fails ends the run. */
class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort((a, b) => cost(a) - cost(b));
  }
}

export default defineConfig({
  test: {
    setupFiles: ['test/support/seed.ts'],
    include: [`test/${target}/**/*.test.ts`, ...(isQuick ? [] : [`model-tests/${target}/**/*.test.ts`])],
    // They hold a table against the chart that it was written from: any change of either is seen, and nothing is proved.
    exclude: [`model-tests/${target}/*chart*.test.ts`],
    sequence: { sequencer: QuickFirst },
    env: { READBACK_RUNS: '24' },
    testTimeout: 60_000,
    hookTimeout: 30_000,
    restoreMocks: true,
  },
});
