import { defineConfig } from 'vitest/config';
import { findChromium } from './test/support/chromium.ts';

const mustRunBrowser = process.env['READBACK_REQUIRE_BROWSER'] === '1';
const runBrowser = mustRunBrowser || findChromium() !== undefined;
const report = process.env['READBACK_TEST_REPORT'];

// Where a browser is demanded and missing, its tests run all the same, and fail with the reason.
if (!runBrowser) {
  console.warn('readback: no Chromium found, *.browser.test.ts are left out (READBACK_REQUIRE_BROWSER=1 forbids that)');
}

export default defineConfig({
  test: {
    pool: 'forks',
    // One more than the cores that CI has: what asks a browser or a process waits for most of its time.
    maxWorkers: 3,
    passWithNoTests: false,
    allowOnly: false,
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    teardownTimeout: 5_000,
    env: { NO_COLOR: '1' },
    projects: [
      {
        extends: true,
        test: {
          name: 'test',
          setupFiles: ['test/support/seed.ts'],
          include: ['test/**/*.test.ts'],
          exclude: runBrowser ? [] : ['test/**/*.browser.test.ts'],
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'model',
          setupFiles:
            process.env['READBACK_MODEL_RECORDS'] === undefined ? [] : ['model-tests/support/record.setup.ts'],
          include: ['model-tests/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 30_000,
        },
      },
    ],
  },
});
