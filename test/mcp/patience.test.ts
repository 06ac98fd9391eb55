import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Patience } from '../../src/mcp/patience.ts';

describe('[A4] the time limit of a client', () => {
  it('is unknown at first and then holds are as long as wanted', () => {
    const patience = new Patience();
    expect(patience.limitMs).toBeUndefined();
    expect(patience.hold(50_000)).toEqual({ ms: 50_000, shortened: false });
  });

  it('is the shortest one seen, in whatever order they came', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 600_000 }), { minLength: 1 }), fc.nat(600_000), (seen, wanted) => {
        const patience = new Patience();
        for (const ms of seen) patience.cancelled(ms, 'McpError: MCP error -32001: Request timed out');
        const shortest = Math.min(...seen);
        expect(patience.limitMs).toBe(shortest);
        const { ms, shortened } = patience.hold(wanted);
        expect(ms).toBe(Math.min(wanted, Math.floor(shortest * 0.8)));
        expect(shortened).toBe(ms < wanted);
      }),
    );
  });

  it.each([undefined, 'AbortError: This operation was aborted', 'interrupted'])(
    'is not taken from one cancellation that says %s',
    (reason) => {
      const patience = new Patience();
      patience.cancelled(2_000, reason);
      expect(patience.limitMs).toBeUndefined();
      patience.cancelled(17_000, reason);
      expect(patience.limitMs).toBeUndefined();
    },
  );

  it('is taken from two unexplained cancellations after about the same time', () => {
    const patience = new Patience();
    patience.cancelled(30_010, undefined);
    patience.cancelled(4_000, undefined);
    patience.cancelled(29_990, undefined);
    expect(patience.limitMs).toBe(29_990);
  });

  it('is never taken from a clock that was set back', () => {
    const patience = new Patience();
    patience.cancelled(-5, 'timed out');
    expect(patience.limitMs).toBeUndefined();
  });
});
