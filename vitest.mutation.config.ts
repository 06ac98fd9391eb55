import { defineConfig } from 'vitest/config';

/** The folder of charts whose defects are sown; `test/support/mutate.ts` says which. */
const target = process.env['READBACK_MUTATE'] ?? 'tools';

export default defineConfig({
  test: {
    setupFiles: ['test/support/seed.ts'],
    include: [`test/${target}/**/*.test.ts`, `model-tests/${target}/**/*.test.ts`],
    // They hold a table against the chart that it was written from: any change of either is seen, and nothing is proved.
    exclude: [`model-tests/${target}/*chart*.test.ts`],
    env: { READBACK_RUNS: '60' },
    testTimeout: 60_000,
    hookTimeout: 30_000,
    restoreMocks: true,
  },
});
