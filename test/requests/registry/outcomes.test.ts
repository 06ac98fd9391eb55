import { describe, expect, it } from 'vitest';
import type { Settlement } from '../../../src/requests/api.ts';
import { clarifyOutcome, createProbe, oneString } from '../../../src/requests/outcomes.ts';
import type { JsonObject } from '../../../src/wire/json.ts';

const answered = (result: JsonObject): Settlement => ({ kind: 'answered', result, via: 'response' });
const cancelled = (reason: 'interrupted' | 'shutdown' | 'session_closed' | 'timeout' | 'resolved'): Settlement => ({
  kind: 'cancelled',
  reason,
});
const DEAF: Settlement = { kind: 'cancelled', reason: 'session_closed', cause: 'no_capable_client' };
const UNANSWERABLE: Settlement = { kind: 'unanswerable' };
const TIMED_OUT: Settlement = { kind: 'timed_out', locked: {} };
const failed = (code: number): Settlement => ({ kind: 'failed', error: { code } });

describe('what callers make of a settlement', () => {
  it('[RQ-R25] one text, with how it came about', () => {
    expect(oneString(answered({ value: 'pass' }))).toEqual({ value: 'pass', kind: 'answered' });
    expect(oneString(answered({ value: '' }))).toEqual({ value: '', kind: 'answered' });
    for (const value of [null, 7, true, ['x'], { a: 1 }]) {
      expect(oneString(answered({ value } as JsonObject))).toEqual({ value: '', kind: 'failed' });
    }
    expect(oneString(answered({}))).toEqual({ value: '', kind: 'failed' });
    for (const other of [UNANSWERABLE, TIMED_OUT, DEAF, failed(1)]) {
      expect(oneString(other)).toEqual({ value: '', kind: other.kind });
    }
  });

  it.each([
    [answered({ answers: { q0: 'a' } }), 'submitted'],
    [answered({ answers: {} }), 'submitted'],
    [answered({ answer: 'legacy' }), 'submitted'],
    [answered({}), 'cancelled_by_user'],
    [TIMED_OUT, 'timed_out'],
    [cancelled('interrupted'), 'interrupted'],
    [cancelled('shutdown'), 'interrupted'],
    [cancelled('timeout'), 'timed_out'],
    [DEAF, 'undelivered'],
    [UNANSWERABLE, 'undelivered'],
    [failed(-32601), 'undelivered'],
  ] as [Settlement, string][])('[RQ-R26][G3][G4] %j of a clarification is %s', (settlement, outcome) => {
    expect(clarifyOutcome(settlement)).toBe(outcome);
  });

  it('[RQ-R78] a first use is a probe; an answer lifts it; only "cannot" ends it, and for that session only', () => {
    for (const settlement of [TIMED_OUT, failed(-32601), UNANSWERABLE, DEAF]) {
      const probe = createProbe();
      expect(probe.timeoutFor('s')).toBe(10_000);
      probe.learn('s', settlement);
      expect(probe.timeoutFor('s')).toBeNull();
      expect(probe.timeoutFor('t')).toBe(10_000);
      probe.forget('s');
      expect(probe.timeoutFor('s')).toBe(10_000);
    }
    for (const settlement of [
      cancelled('interrupted'),
      cancelled('shutdown'),
      cancelled('session_closed'),
      failed(-32603),
    ]) {
      const probe = createProbe();
      probe.learn('s', settlement);
      expect(probe.timeoutFor('s')).toBe(10_000);
    }
    const probe = createProbe({ probeMs: 5, fullMs: 50 });
    probe.learn('s', answered({ value: '' }));
    expect(probe.timeoutFor('s')).toBe(50);
    probe.learn('s', cancelled('interrupted'));
    expect(probe.timeoutFor('s')).toBe(50);
    expect(() => createProbe({ probeMs: -1 })).toThrow(/probeMs/);
  });
});
