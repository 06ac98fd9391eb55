import { describe, expect, it } from 'vitest';
import { pause } from '../../src/cli/io.ts';
import { progress } from '../../src/cli/progress.ts';
import { handIo } from './hand-io.ts';

describe('the sign of life', () => {
  it('appears after a second where a person looks, and leaves nothing behind', async () => {
    const io = { ...handIo('/nowhere'), errTTY: true };
    await progress(io, 'working', () => pause(1_250));
    expect(io.written.err).toContain('working (1 s)');
    expect(io.written.err.endsWith('\r\u001b[K')).toBe(true);
    expect(io.written.out).toBe('');
  });

  it('does not appear for what is quick, nor in a file, and never hides an error', async () => {
    const quick = { ...handIo('/nowhere'), errTTY: true };
    expect(await progress(quick, 'working', async () => 7)).toBe(7);
    expect(quick.written.err).toBe('');
    const file = handIo('/nowhere');
    await expect(progress(file, 'working', async () => Promise.reject(new Error('broke')))).rejects.toThrow('broke');
    expect(file.written.err).toBe('');
  });
});
