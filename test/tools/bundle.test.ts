import { describe, expect, it } from 'vitest';
import { bundled } from '../support/bundle.ts';

/** Bytes of the tracker as it is, with little to spare: whatever makes it heavier is to be noticed. */
const BYTES = 8_200;

/** A copy in which defects are sown carries all of them at once. */
const isSown = process.env['READBACK_MUTATE'] !== undefined;

describe.skipIf(isSown)('in a browser', () => {
  it('the tracker is light, and nothing of XState, Node or the rest of the package comes with it', async () => {
    const { code, gzip } = await bundled('src/tools.ts');
    expect(code).toContain('add-tool-result');
    expect(code).not.toMatch(/xstate|from\s*["']|require\(|process\.|Buffer/);
    // A bound of another part stands for what must not come along.
    expect(code).not.toContain('entriesPerTab');
    expect(gzip).toBeLessThanOrEqual(BYTES);
    expect(gzip).toBeGreaterThan(BYTES / 2);
  }, 60_000);

  it('the surface for hosts of assistant-ui adds less than a tenth', async () => {
    const [plain, dressed] = [await bundled('src/tools.ts'), await bundled('src/tools/assistant-ui.ts')];
    expect(dressed.code).not.toContain('xstate');
    expect(dressed.gzip).toBeLessThan(plain.gzip * 1.1);
  }, 60_000);
});
