import { defineConfig } from 'tsdown';

/**
 * The benchmarks as plain JavaScript, as the package is shipped: a loader that reads TypeScript names every function
 * that is made while it is timed. One folder deep in dist/, where `../` is what it is to the package.
 */
export default defineConfig({
  name: 'bench',
  cwd: process.cwd(),
  entry: ['test/bench/run.ts', 'test/bench/*-child.ts'],
  outDir: 'dist/bench',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  dts: false,
  fixedExtension: false,
  hash: false,
  clean: false,
  report: false,
  logLevel: 'warn',
  deps: { skipNodeModulesBundle: true },
});
