/** Commit, then speak: what could not be written has not happened, and the caller is told. */
import { describe, expect, it } from 'vitest';
import { breathe, KEY, Rig } from './support.ts';

const FULL = new Error('disk full');

describe('a ledger that fails', () => {
  it('[RQ-R81] an approval that could not be written is asked of nobody', async () => {
    const rig = new Rig();
    rig.ledger.broken = FULL;
    const asking = rig.ask('a');
    await breathe();
    expect(asking.error).toBe(FULL);
    expect([rig.card.shown, rig.before, rig.ids(), rig.runtime.timers]).toEqual([[], [], [], 0]);
    rig.ledger.broken = undefined;
    rig.ask('a');
    expect(rig.ids()).toEqual(['a']);
  });

  it('[RQ-R85] a decision that could not be written has not been made', async () => {
    const rig = new Rig();
    const asked = [rig.twin('a'), rig.twin('b'), rig.ask('c')];
    rig.ledger.broken = FULL;
    for (const choice of ['once', 'always', 'deny']) {
      expect(() => rig.approvals.resolve(KEY, choice, { all: true })).toThrow(FULL);
    }
    await breathe();
    expect(asked.map(({ ends }) => ends)).toEqual([0, 0, 0]);
    expect([rig.ids(), rig.approvals.standing(KEY), rig.approvals.grants(KEY)]).toEqual([['a', 'c'], [], []]);
    expect(rig.card.shown.map(({ taken }) => taken)).toEqual([[], []]);
    rig.ledger.broken = undefined;
    expect(rig.approvals.resolve(KEY, 'session', { all: true })).toBe(2);
    await breathe();
    expect(asked.map(({ verdict }) => verdict?.choice)).toEqual(['session', 'session', 'session']);
  });

  it('[RQ-R91, RQ-R92] withdrawals that could not be written have not happened', () => {
    const rig = new Rig();
    rig.ask('a');
    rig.ledger.broken = FULL;
    expect(() => rig.approvals.withdraw(KEY, 'a', 'x')).toThrow(FULL);
    expect(() => rig.approvals.clear(KEY, 'x')).toThrow(FULL);
    expect(() => rig.approvals.notifierGone(KEY, 'x')).toThrow(FULL);
    expect(rig.ids()).toEqual(['a']);
  });

  it('[RQ-R89] a deadline frees its caller with the error, and the expiry follows once it can be written', async () => {
    const rig = new Rig();
    const asking = rig.ask('a', { timeoutMs: 100 });
    rig.ledger.broken = FULL;
    rig.runtime.advance(100);
    await breathe();
    expect([asking.error, rig.ids()]).toEqual([FULL, ['a']]);
    rig.ledger.broken = undefined;
    rig.runtime.advance(1_000);
    expect(rig.ids()).toEqual([]);
    expect(rig.after).toMatchObject([{ outcome: 'expired' }]);
    expect(rig.runtime.timers).toBe(0);
  });

  it('[RQ-R90] an interrupt frees its caller with the error, and nothing is released', async () => {
    const rig = new Rig();
    const abort = new AbortController();
    const asking = rig.ask('a', { signal: abort.signal });
    rig.ledger.broken = FULL;
    abort.abort();
    await breathe();
    expect([asking.error, rig.ids()]).toEqual([FULL, ['a']]);
  });

  it('[RQ-R90] an interrupt after the decision that cannot be written gives the error, never the choice', async () => {
    const rig = new Rig();
    const abort = new AbortController();
    const asking = rig.ask('a', { signal: abort.signal });
    rig.approvals.resolve(KEY, 'once');
    abort.abort();
    rig.ledger.broken = FULL;
    await breathe();
    expect([asking.error, asking.verdict]).toEqual([FULL, undefined]);
  });

  it('[RQ-R85] everything of one decision is one commit: its end, its grants, its permission, the next in line', () => {
    const rig = new Rig();
    for (const id of ['a', 'b', 'c']) rig.twin(id);
    const commits: string[][] = [];
    rig.ledger.onCommit = (changes) =>
      void commits.push(changes.map(({ kind, row }) => `${kind} ${row ? 'put' : 'gone'}`));
    rig.approvals.resolve(KEY, 'once');
    rig.approvals.resolve(KEY, 'session');
    expect(commits).toEqual([
      ['approval gone', 'grant put', 'approval put'],
      ['approval gone', 'grant put', 'grant put', 'grant put'],
    ]);
  });

  it('[RQ-R83] a ledger that calls back is refused', () => {
    const rig = new Rig();
    rig.ask('a');
    rig.ask('b');
    rig.ledger.onCommit = () => void rig.approvals.resolve(KEY, 'once');
    expect(() => rig.approvals.resolve(KEY, 'deny')).toThrow('called back');
    rig.ledger.onCommit = undefined;
    expect(rig.approvals.resolve(KEY, 'deny', { all: true })).toBe(2);
  });

  it('[RQ-R84] hooks, surfaces and loggers that throw change nothing', async () => {
    const fail = (): never => {
      throw new Error('not mine');
    };
    const rig = new Rig({
      hooks: { before: fail, after: fail },
      notify: [() => fail],
      onHeartbeat: fail,
      logger: { debug: fail, info: fail, warn: fail, error: fail },
    });
    const asked = [rig.ask('a'), rig.twin('b'), rig.twin('c')];
    rig.runtime.advance(20_000);
    expect(rig.approvals.resolve(KEY, 'session', { all: true })).toBe(2);
    await breathe();
    expect(asked.map(({ verdict }) => verdict?.choice)).toEqual(['session', 'session', 'session']);
  });
});
