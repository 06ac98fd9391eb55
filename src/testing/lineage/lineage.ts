import { expect } from '../expect.ts';
import { HandRuntime } from '../hand-runtime.ts';
import { Chapter } from '../rules.ts';
import { Log, never } from './logs.ts';
import { type Entry, type Finding, type LineageOptions, lineage, type ReadEntry } from './subject.ts';

export const lineageRules = new Chapter();
const { describe, test: it } = lineageRules;

type Row = readonly [anchor: string | null, leaf: string | null, options: LineageOptions, finding: Finding];

const on = (steps: number): Finding => ({ onBranch: true, breaks: 0, reason: 'holds', steps });
const off = (reason: 'moved-off' | 'foreign-log', steps: number): Finding => ({
  onBranch: false,
  breaks: 0,
  reason,
  steps,
  at: 'a',
});
const broken = (breaks: number, at: string, steps: number): Finding => ({
  onBranch: true,
  breaks,
  reason: 'compaction',
  steps,
  at,
});
const unknown = (reason: Finding['reason'], steps: number, more: Partial<Finding> = {}): Finding => ({
  onBranch: 'unknown',
  breaks: 'unknown',
  reason,
  steps,
  ...more,
});
const unread = (detail: NonNullable<Finding['detail']>, steps: number, at?: string): Finding =>
  unknown('unreadable', steps, at === undefined ? { detail } : { detail, at });

/** The finding, when so much time has passed since its last read. */
async function outOfTime(runtime: HandRuntime, ms: number, finding: Promise<Finding>): Promise<Finding> {
  // Both are waited for, so that a check that rejects is heard at once.
  const [found] = await Promise.all([finding, runtime.settle().then(() => runtime.advance(ms))]);
  return found;
}

const TABLE: readonly Row[] = [
  [null, 'd', {}, unknown('null-anchor', 0)],
  ['c', null, {}, { onBranch: false, breaks: 0, reason: 'empty-branch', steps: 0 }],
  ['c', 'c', {}, on(0)],
  ['b', 'd', {}, on(2)],
  ['c', 'b', {}, off('moved-off', 1)],
  ['c', 'y', {}, off('moved-off', 3)],
  ['b', 'y', {}, on(2)],
  ['zz', 'd', {}, off('foreign-log', 3)],
  ['c', 'k', {}, broken(1, 'k', 2)],
  ['d', 'f', {}, broken(1, 'k', 3)],
  ['k', 'f', {}, on(2)],
  ['e', 'f', {}, on(1)],
  ['x', 'f', {}, off('moved-off', 6)],
  ['c', 'qq', {}, unread('missing-leaf', 0, 'qq')],
  ['b', 'd', { maxSteps: 1 }, unknown('bound-exceeded', 1, { at: 'd' })],
  ['b', 'd', { maxSteps: 2 }, on(2)],
  ['c', 'k', { stopAtBreak: true }, unknown('compaction', 1, { at: 'k' })],
  ['d', 'f', { stopAtBreak: true }, unknown('compaction', 3, { at: 'k' })],
  ['k', 'f', { stopAtBreak: true }, on(2)],
];

describe('the examples of the contract', () => {
  it.each(TABLE)(
    '[SE-R51] [SE-R52] [SE-R53] [SE-R54] [SE-R55] [SE-R56] [SE-R57] [SE-R58] [SE-R60] [SE-R61] [SE-R64] %s seen from %s %o',
    async (anchor, leaf, options, finding) => {
      const log = new Log();
      expect(await lineage(log.read, anchor, leaf, options)).toEqual(finding);
      if (finding.steps === 0 && finding.reason !== 'unreadable') expect(log.reads).toEqual([]);
      expect(await lineage(log.readLater, anchor, leaf, options)).toEqual(finding);
    },
  );

  it('[SE-R56] a break at the anchor or above refuses nothing, a break that is the leaf does', async () => {
    const log = new Log();
    expect((await lineage(log.read, 'k', 'e')).reason).toBe('holds');
    expect((await lineage(log.read, 'e', 'f')).reason).toBe('holds');
    expect((await lineage(log.read, 'd', 'k')).reason).toBe('compaction');
  });

  it('[SE-R57] several breaks are counted, and the one nearest the leaf is named', async () => {
    const log = new Log().add('k2', 'f', 'compaction').add('g', 'k2', 'message');
    expect(await lineage(log.read, 'c', 'g')).toEqual(broken(2, 'k2', 6));
  });

  it('[SE-R57] what counts as a break is the caller’s word', async () => {
    const log = new Log().add('s', 'f', 'summary');
    expect((await lineage(log.read, 'f', 's')).reason).toBe('holds');
    expect((await lineage(log.read, 'f', 's', { isBreak: (type) => type === 'summary' })).reason).toBe('compaction');
  });

  it('[SE-R59] entries of other writers do not refuse', async () => {
    const log = new Log().add('o', 'd', 'tool').add('p', 'o', 'anything');
    expect((await lineage(log.read, 'd', 'p')).reason).toBe('holds');
  });
});

describe('bounds', () => {
  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 65_537, '9', null])(
    '[SE-R60] maxSteps %s is the default of 2,048 links',
    async (maxSteps) => {
      const log = Log.chain(2_051);
      const options = { maxSteps } as LineageOptions;
      expect((await lineage(log.read, 'n2', 'n2050', options)).reason).toBe('holds');
      log.reads = [];
      expect(await lineage(log.read, 'n1', 'n2050', options)).toMatchObject({ reason: 'bound-exceeded', steps: 2_048 });
      expect(log.reads).toHaveLength(2_048);
    },
  );

  it('[SE-R60] 65,536 links can be asked for', async () => {
    const log = Log.chain(65_538);
    const options = { maxSteps: 65_536, deadlineMs: 60_000 };
    expect((await lineage(log.read, 'n1', 'n65537', options)).reason).toBe('holds');
    expect((await lineage(log.read, 'n0', 'n65537', options)).reason).toBe('bound-exceeded');
  });

  it('[SE-R71] ids that hash badly are told apart all the same', async () => {
    const log = new Log({});
    const id = (n: number): string => `entry-${n}-of-the-one-conversation`;
    for (let n = 0; n < 3_000; n += 1) log.add(id(n), n === 0 ? null : id(n - 1), 'message');
    expect(await lineage(log.read, id(0), id(2_999), { maxSteps: 5_000 })).toEqual(on(2_999));
    log.add(id(0), id(2_500), 'message');
    const looped = await lineage(log.read, 'none', id(2_999), { maxSteps: 5_000 });
    expect(looped).toEqual(unread('cycle', 3_000, id(0)));
  });
});

describe('a root without the anchor', () => {
  const rejects: ReadEntry = () => Promise.reject(new Error('down'));

  it.each<[string, (log: Log) => ReadEntry]>([
    ['throws', (log) => (id) => (id === 'c' ? rejects(id) : log.read(id))],
    [
      'throws at once',
      (log) => (id) => {
        if (id === 'c') throw new Error('down');
        return log.read(id);
      },
    ],
    ['is late', (log) => (id) => (id === 'c' ? never(id) : log.read(id))],
  ])('[SE-R62] that the last read %s leaves the finer reason open only', async (_what, reader) => {
    const runtime = new HandRuntime();
    const finding = lineage(reader(new Log()), 'c', 'y', { runtime, deadlineMs: 20 });
    expect(await outOfTime(runtime, 21, finding)).toEqual(off('moved-off', 3));
  });

  it('[SE-R61] what the log has for the anchor may be anything but nothing', async () => {
    expect((await lineage(new Log().spoil('c', 7).read, 'c', 'y')).reason).toBe('moved-off');
    expect((await lineage(new Log().spoil('c', null).read, 'c', 'y')).reason).toBe('foreign-log');
  });

  it('[SE-R63] that is a break, or may be one, says nothing of the branch', async () => {
    const log = new Log({ r: [null, 'compaction'], s: ['r', 'message'], u: [null], v: ['u', 'message'] });
    expect(await lineage(log.read, 'c', 's')).toEqual(unread('severed', 1, 'r'));
    expect(await lineage(log.read, 'c', 'v')).toEqual(unread('untyped', 1, 'u'));
    expect((await lineage(log.read, 'c', 'v', { untyped: 'ordinary' })).reason).toBe('foreign-log');
    expect(await lineage(log.read, 'r', 's')).toEqual(on(1));
  });
});

const SPOILT: readonly (readonly [string, unknown, NonNullable<Finding['detail']>])[] = [
  ['no entry', undefined, 'dangling-parent'],
  ['null', null, 'dangling-parent'],
  ['a number', 5, 'malformed'],
  ['a text', 'b', 'malformed'],
  ['a function', () => 'b', 'malformed'],
  ['a list', ['b'], 'malformed'],
  ['no parent id', { type: 'message' }, 'malformed'],
  ['an empty parent id', { parentId: '', type: 'message' }, 'malformed'],
  ['a number for a parent', { parentId: 4, type: 'message' }, 'malformed'],
  ['a number for a kind', { parentId: 'b', type: 4 }, 'malformed'],
  ['null for a kind', { parentId: 'b', type: null }, 'malformed'],
  ['itself for a parent', { parentId: 'c', type: 'message' }, 'cycle'],
  ['a descendant for a parent', { parentId: 'd', type: 'message' }, 'cycle'],
];

describe('what cannot be read', () => {
  it.each(SPOILT)('[SE-R64] [SE-R65] [SE-R66] [SE-R69] %s on the segment refuses', async (_what, entry, detail) => {
    const log = new Log().spoil('c', entry);
    const finding = await lineage(log.read, 'a', 'd');
    expect(finding).toMatchObject({ onBranch: 'unknown', breaks: 'unknown', reason: 'unreadable', detail });
    expect(log.reads).toEqual(['d', 'c']);
  });

  it('[SE-R67] what throws, wherever it throws', async () => {
    const log = new Log();
    const thrower = {
      get parentId(): string {
        throw new Error('no');
      },
    };
    const kindless = {
      parentId: 'b',
      get type(): string {
        throw new Error('no');
      },
    };
    const thenable = Object.defineProperty({ parentId: 'b', type: 'm' }, 'then', {
      get: () => {
        throw new Error('no');
      },
    });
    for (const entry of [thrower, kindless, thenable, Promise.reject(new Error('no'))]) {
      expect(await lineage(new Log().spoil('c', entry).read, 'a', 'd')).toEqual(unread('read-failed', 1, 'c'));
    }
    const isBreak = (): boolean => {
      throw new Error('no');
    };
    expect(await lineage(log.read, 'a', 'd', { isBreak })).toEqual(unread('read-failed', 0, 'd'));
  });

  it('[SE-R68] an entry without a kind may be a break, unless the adapter says otherwise', async () => {
    const log = new Log().add('c', 'b');
    const finding = { onBranch: true, breaks: 'unknown', reason: 'unreadable', detail: 'untyped', steps: 3, at: 'c' };
    expect(await lineage(log.read, 'a', 'd')).toEqual(finding);
    expect((await lineage(log.read, 'a', 'd', { untyped: 'ordinary' })).reason).toBe('holds');
    expect((await lineage(log.read, 'a', 'd', { untyped: 'whatever' } as unknown as LineageOptions)).reason).toBe(
      'unreadable',
    );
    // Off the branch is settled all the same.
    expect((await lineage(log.read, 'x', 'd')).reason).toBe('moved-off');
  });
});

describe('time', () => {
  it('[SE-R67] a reader that never answers is given up, and asked no more', async () => {
    const log = new Log();
    let asked = 0;
    const read: ReadEntry = (id) => {
      asked += 1;
      return id === 'c' ? never(id) : log.read(id);
    };
    const runtime = new HandRuntime();
    const finding = lineage(read, 'a', 'd', { runtime, deadlineMs: 15 });
    expect(await outOfTime(runtime, 16, finding)).toEqual(unread('timeout', 1, 'c'));
    expect(asked).toBe(2);
  });

  it('[SE-R67] a late answer is not heard, and nothing is read after it', async () => {
    const runtime = new HandRuntime();
    const log = new Log();
    let give: (entry: Entry) => void = () => undefined;
    const read: ReadEntry = (id) => {
      log.reads.push(id);
      return new Promise((resolve) => {
        give = resolve;
      });
    };
    const finding = lineage(read, 'a', 'd', { runtime, deadlineMs: 100 });
    await runtime.settle();
    runtime.advance(101);
    give({ parentId: 'a', type: 'message' });
    expect(await finding).toEqual(unread('timeout', 0, 'd'));
    expect(log.reads).toEqual(['d']);
  });

  it('[SE-R67] a reader that answers at once but slowly is stopped too, and what it found too late is not found', async () => {
    const runtime = new HandRuntime();
    const log = Log.chain(200);
    const read: ReadEntry = (id) => {
      runtime.advance(10);
      return log.read(id);
    };
    const finding = await lineage(read, 'n0', 'n199', { runtime, deadlineMs: 500 });
    expect(finding).toMatchObject({ reason: 'unreadable', detail: 'timeout' });
    expect(log.reads.length).toBeLessThanOrEqual(50 + 16);
    log.reads = [];
    expect((await lineage(read, 'n198', 'n199', { runtime, deadlineMs: 9 })).detail).toBe('timeout');
    expect((await lineage(read, 'n198', 'n199', { runtime, deadlineMs: 10 })).reason).toBe('holds');
  });

  it('[SE-R70] leaves no timer behind', async () => {
    const runtime = new HandRuntime();
    const log = new Log();
    const finding = lineage(log.readLater, 'a', 'd', { runtime });
    await finding;
    expect(runtime.timers).toBe(0);
  });
});
