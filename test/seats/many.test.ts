/** One walk for many anchors, and walks that go on from what is known. */
import { describe, expect, it } from 'vitest';
import { createLineageChecker, type Id, lineage, lineages, type ReadEntry } from '../../src/seats.ts';
import { HandRuntime } from '../../src/testing/hand-runtime.ts';
import { Log, never } from '../../src/testing/lineage/logs.ts';

const ANCHORS: readonly (Id | null)[] = ['d', null, 'a', 'zz', 'f', 'x', 'k', 'd', '', 'c', 'e'];

describe('many anchors', () => {
  it.each(['f', 'y', 'd', 'qq', null])(
    '[SE-R94] are each what a walk of their own finds, in their order, seen from %s',
    async (leaf) => {
      const log = new Log();
      const alone = await Promise.all(ANCHORS.map((anchor) => lineage(log.read, anchor, leaf)));
      expect(await lineages(log.read, ANCHORS, leaf)).toEqual(alone);
      expect(await lineages(log.readLater, ANCHORS, leaf)).toEqual(alone);
    },
  );

  it('[SE-R94] cost the reads of the longest walk', async () => {
    const log = Log.chain(1_000);
    const anchors = Array.from({ length: 500 }, (_, n) => `n${n * 2}`);
    const findings = await lineages(log.read, anchors, 'n999');
    expect(findings.map(({ steps }) => steps)).toEqual(anchors.map((_, n) => 999 - n * 2));
    expect(log.reads).toHaveLength(999);
    log.reads = [];
    await lineages(log.read, ['n990', 'n980'], 'n999');
    expect(log.reads).toHaveLength(19);
  });

  it('[SE-R94] count the breaks that each one has below it', async () => {
    const log = new Log().add('k2', 'f', 'compaction').add('g', 'k2', 'message');
    const findings = await lineages(log.read, ['f', 'k2', 'k', 'd', 'a'], 'g');
    expect(findings.map(({ breaks }) => breaks)).toEqual([1, 0, 1, 2, 2]);
  });

  it('[SE-R94] those passed before a fault are proven, the others are not', async () => {
    const log = new Log().spoil('k', 'x');
    const findings = await lineages(log.read, ['f', 'e', 'k', 'd'], 'f');
    expect(findings.map(({ reason }) => reason)).toEqual(['holds', 'holds', 'holds', 'unreadable']);
  });

  it('[SE-R66] an anchor that is passed twice is a cycle for the others', async () => {
    const log = new Log().add('a', 'c', 'message');
    const findings = await lineages(log.read, ['c', 'zz'], 'd');
    expect(findings.map(({ reason, detail }) => detail ?? reason)).toEqual(['holds', 'cycle']);
    expect(log.reads).toEqual(['d', 'c', 'b', 'a']);
  });

  it('[SE-R60] the bound is for each', async () => {
    const log = Log.chain(20);
    const findings = await lineages(log.read, ['n10', 'n9', 'n15'], 'n19', { maxSteps: 9 });
    expect(findings.map(({ reason }) => reason)).toEqual(['holds', 'bound-exceeded', 'holds']);
  });

  it('[SE-R67] those that were passed in time stay, the last one that came late does not', async () => {
    const runtime = new HandRuntime();
    const log = Log.chain(12);
    const read: ReadEntry = (id) => {
      runtime.advance(10);
      return log.read(id);
    };
    const findings = await lineages(read, ['n10', 'n1'], 'n11', { runtime, deadlineMs: 95 });
    expect(findings.map(({ reason, detail }) => detail ?? reason)).toEqual(['holds', 'timeout']);
  });

  it('[SE-R67] one deadline is for all reads, those that answer at once and those that do not', async () => {
    for (const spent of [90, 5_000]) {
      const runtime = new HandRuntime();
      const read: ReadEntry = (id) => {
        if (id !== 'n11') return never(id);
        runtime.advance(spent);
        return Log.chain(12).read(id);
      };
      let detail: string | undefined;
      void lineage(read, 'n1', 'n11', { runtime, deadlineMs: 100 }).then((finding) => {
        detail = finding.detail;
      });
      await new Promise((resolve) => setTimeout(resolve));
      runtime.advance(Math.max(100 - spent, 0));
      await new Promise((resolve) => setTimeout(resolve));
      expect(detail).toBe('timeout');
    }
  });

  it('[SE-R70] [SE-I07] junk is an answer', async () => {
    const log = new Log();
    for (const junk of [undefined, null, 1, 'abc', {}]) {
      expect(await lineages(log.read, junk as unknown as Id[], 'f')).toEqual([]);
      expect((await lineages(junk as unknown as ReadEntry, ['c'], 'f'))[0]?.detail).toBe('bad-input');
    }
    expect(await lineages(log.read, [], 'f')).toEqual([]);
  });
});

describe('a checker', () => {
  it('[SE-R72] remembers what is settled, and nothing else', async () => {
    const log = new Log().add('u', 'f');
    const checker = createLineageChecker(log.read);
    for (const [anchor, leaf, isKept] of [
      ['d', 'f', true],
      ['x', 'f', true],
      ['zz', 'f', true],
      ['e', 'f', true],
      ['f', 'u', false],
      ['c', 'qq', false],
    ] as const) {
      const first = await checker.check(anchor, leaf);
      expect(first).toEqual(await lineage(log.read, anchor, leaf));
      log.reads = [];
      expect(await checker.check(anchor, leaf)).toEqual(first);
      expect(log.reads.length === 0).toBe(isKept);
      // What is given out again is nobody's to change.
      if (isKept) expect(() => Object.assign(first, { reason: 'holds' })).toThrow();
    }
  });

  it('[SE-R62] [SE-R72] does not remember a reason that it could not read', async () => {
    const log = new Log();
    let isDown = true;
    const checker = createLineageChecker((id) => (isDown && id === 'zz' ? Promise.reject(new Error()) : log.read(id)));
    expect((await checker.check('zz', 'd')).reason).toBe('moved-off');
    isDown = false;
    expect((await checker.check('zz', 'd')).reason).toBe('foreign-log');
  });

  it('[SE-R72] remembers nothing of a log that was rewritten while it was read', async () => {
    const log = new Log();
    const checker = createLineageChecker((id) => {
      if (id === 'c') checker.forget();
      return log.read(id);
    });
    expect((await checker.check('b', 'd')).reason).toBe('holds');
    log.reads = [];
    await checker.check('b', 'd');
    expect(log.reads).not.toEqual([]);
  });

  it('[SE-R95] walks a new leaf only down to what is known', async () => {
    const log = Log.chain(1_000);
    const checker = createLineageChecker(log.read, { maxSteps: 600 });
    await checker.check('n500', 'n999');
    for (let n = 1_000; n < 1_400; n += 1) {
      log.add(`n${n}`, `n${n - 1}`, n === 1_200 ? 'compaction' : 'message');
      log.reads = [];
      const finding = await checker.check('n500', `n${n}`);
      expect(finding.breaks).toBe(n >= 1_200 ? 1 : 0);
      expect(finding.steps).toBe(n - 500);
      expect(log.reads).toEqual([`n${n}`]);
    }
  });

  it('[SE-R95] [SE-R90] a branch that leaves below what is known is walked to the anchor, and the old one still counts', async () => {
    const log = new Log();
    const checker = createLineageChecker(log.read);
    expect((await checker.check('c', 'd')).reason).toBe('holds');
    expect((await checker.check('c', 'y')).reason).toBe('moved-off');
    expect((await checker.check('c', 'f')).reason).toBe('compaction');
    log.reads = [];
    expect((await checker.check('c', 'd')).reason).toBe('holds');
    expect(log.reads).toEqual([]);
  });

  it('[SE-R94] [SE-R95] many anchors go on from what is known of each', async () => {
    const log = new Log();
    const checker = createLineageChecker(log.read);
    const anchors = ['a', 'c', 'x', 'zz', 'd', null];
    await checker.checkAll(anchors, 'd');
    for (const leaf of ['k', 'e', 'f', 'y', 'f']) {
      log.reads = [];
      const fresh = await lineages(log.read, anchors, leaf);
      const reads = log.reads.length;
      log.reads = [];
      expect(await checker.checkAll(anchors, leaf)).toEqual(fresh);
      // The other branch has nothing that is known but its own end.
      expect(log.reads.length).toBeLessThan(leaf === 'y' ? reads + 1 : reads);
    }
  });

  it('[SE-R72] forgets when told so', async () => {
    const log = new Log();
    const checker = createLineageChecker(log.read);
    await checker.check('b', 'd');
    log.add('c', 'a', 'message');
    expect((await checker.check('b', 'd')).reason).toBe('holds');
    checker.forget();
    expect((await checker.check('b', 'd')).reason).toBe('moved-off');
  });

  it('[SE-R67] [SE-R70] a log that stops answering half-way leaves no finding out', async () => {
    const log = new Log();
    let isDown = false;
    const checker = createLineageChecker((id) => (isDown && id === 'k' ? never(id) : log.read(id)), { deadlineMs: 15 });
    await checker.checkAll(['a', 'c'], 'd');
    isDown = true;
    const findings = await checker.checkAll(['a', 'c', 'e'], 'f');
    expect(findings.map(({ reason, detail }) => detail ?? reason)).toEqual(['timeout', 'timeout', 'holds']);
    isDown = false;
    expect((await checker.check('a', 'f')).reason).toBe('compaction');
  });

  it('[SE-R50] [SE-R70] junk is an answer', async () => {
    const checker = createLineageChecker(5 as unknown as ReadEntry, 7 as never);
    expect((await checker.check('a', 'b')).detail).toBe('bad-input');
    expect(await checker.checkAll(undefined as never, 'b')).toEqual([]);
  });
});
