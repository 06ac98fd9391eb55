/**
 * The invariants of lineage over random trees with injected faults. The oracle is the path from the leaf to the root,
 * taken from the tree in memory; nothing of the check itself is in it.
 */
import { isDeepStrictEqual } from 'node:util';
import { createLineageChecker, type Finding, type Id, lineage, lineages, type ReadEntry } from '../../src/seats.ts';
import { Random } from './random.ts';

interface Node {
  readonly parentId: Id | null;
  readonly type: string;
}
type Tree = Map<Id, Node>;
type Verdict = Pick<Finding, 'onBranch' | 'breaks' | 'reason' | 'steps'> & { readonly detail?: string };

const BREAK = 'compaction';
const MAX = 2_048;

function grow(random: Random): Tree {
  const size = 1 + random.below(random.one(3) ? 400 : 40);
  const tree: Tree = new Map();
  for (let n = 0; n < size; n += 1) {
    const parent = random.one(5) ? random.below(n || 1) : n - 1;
    const isRoot = n === 0 || random.one(150);
    tree.set(`n${n}`, {
      parentId: isRoot ? null : `n${parent}`,
      type: random.one(8) ? BREAK : random.pick(['m', 't']),
    });
  }
  return tree;
}

/** From the leaf to the root. */
function pathOf(tree: Tree, leaf: Id): Id[] {
  const path: Id[] = [];
  for (let id: Id | null = leaf; id !== null; id = (tree.get(id) as Node).parentId) path.push(id);
  return path;
}

const typeOf = (tree: Tree, id: Id): string => (tree.get(id) as Node).type;

function oracle(tree: Tree, anchor: Id | null, leaf: Id | null, max = MAX): Verdict {
  const open = { onBranch: 'unknown', breaks: 'unknown' } as const;
  if (anchor === null) return { ...open, reason: 'null-anchor', steps: 0 };
  if (leaf === null) return { onBranch: false, breaks: 0, reason: 'empty-branch', steps: 0 };
  if (leaf === anchor) return { onBranch: true, breaks: 0, reason: 'holds', steps: 0 };
  if (!tree.has(leaf)) return { ...open, reason: 'unreadable', detail: 'missing-leaf', steps: 0 };
  const path = pathOf(tree, leaf);
  const above = path.indexOf(anchor);
  if (above > 0 && above <= max) {
    const breaks = path.slice(0, above).filter((id) => typeOf(tree, id) === BREAK).length;
    return { onBranch: true, breaks, reason: breaks > 0 ? 'compaction' : 'holds', steps: above };
  }
  if (path.length > max) return { ...open, reason: 'bound-exceeded', steps: max };
  const steps = path.length - 1;
  if (typeOf(tree, path[steps] as Id) === BREAK) return { ...open, reason: 'unreadable', detail: 'severed', steps };
  return { onBranch: false, breaks: 0, reason: tree.has(anchor) ? 'moved-off' : 'foreign-log', steps };
}

const bare = ({ at, ...verdict }: Finding): Verdict => verdict;

class Judge {
  readonly faults: string[] = [];
  readonly #random: Random;
  readonly #tree: Tree;

  constructor(random: Random) {
    this.#random = random;
    this.#tree = grow(random);
  }

  draw(): Id | null {
    if (this.#random.one(25)) return null;
    return this.#random.one(15) ? 'elsewhere' : this.#random.pick([...this.#tree.keys()]);
  }

  same(rule: string, found: unknown, expected: unknown, what: unknown): void {
    if (isDeepStrictEqual(found, expected)) return;
    this.faults.push(
      `${rule}: ${JSON.stringify(what)}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`,
    );
  }

  holds(rule: string, is: boolean, what: unknown): void {
    if (!is) this.faults.push(`${rule}: ${JSON.stringify(what)}`);
  }

  /** A reader that counts: no id twice, but the anchor once more at the end; never more than the bound. */
  async counted(anchor: Id | null, leaf: Id | null, max: number, read: ReadEntry): Promise<Finding> {
    const reads: Id[] = [];
    const counting: ReadEntry = (id) => {
      reads.push(id);
      return read(id);
    };
    const finding = await lineage(counting, anchor, leaf, { maxSteps: max, deadlineMs: 60_000 });
    const onTheWay = reads.at(-1) === anchor ? reads.slice(0, -1) : reads;
    this.holds('I-07', new Set(onTheWay).size === onTheWay.length && reads.length <= max + 1, [anchor, leaf, reads]);
    return finding;
  }

  async pair(anchor: Id | null, leaf: Id | null): Promise<void> {
    const tree = this.#tree;
    const read: ReadEntry = (id) => tree.get(id);
    const later: ReadEntry = async (id) => tree.get(id);
    const found = bare(await this.counted(anchor, leaf, MAX, this.#random.one(4) ? later : read));
    this.same('I-01', found, oracle(tree, anchor, leaf), [anchor, leaf]);
    const max = 1 + this.#random.below(40);
    const short = bare(await this.counted(anchor, leaf, max, read));
    this.same('R-60', short, oracle(tree, anchor, leaf, max), [anchor, leaf, max]);
    this.holds('I-08', short.reason === 'bound-exceeded' || isDeepStrictEqual(short, found), [anchor, leaf, max]);
    if (anchor === null || leaf === null || !tree.has(leaf)) return;
    await this.#extended(anchor, leaf, found);
    await this.#copied(anchor, leaf, found);
    await this.#faulty(anchor, leaf, found);
  }

  /** I-02: what is appended under the leaf. */
  async #extended(anchor: Id, leaf: Id, found: Verdict): Promise<void> {
    if (found.reason !== 'holds') return;
    const tree = new Map(this.#tree);
    const read: ReadEntry = (id) => tree.get(id);
    tree.set('o', { parentId: leaf, type: 'm' }).set('k', { parentId: 'o', type: BREAK });
    tree.set('z', { parentId: 'k', type: 'm' });
    const reasons = [
      await lineage(read, anchor, 'o'),
      await lineage(read, anchor, 'k'),
      await lineage(read, anchor, 'z'),
    ];
    this.same(
      'I-02',
      reasons.map(({ reason }) => reason),
      ['holds', 'compaction', 'compaction'],
      [anchor, leaf],
    );
  }

  /** I-03, I-04, I-05. */
  async #copied(anchor: Id, leaf: Id, found: Verdict): Promise<void> {
    const tree = this.#tree;
    const path = pathOf(tree, leaf);
    const above = path.indexOf(anchor);
    if (above >= 0 && above < path.length - 1) {
      const higher = path[above + 1 + this.#random.below(path.length - above - 1)] as Id;
      const { reason, detail } = await lineage((id) => tree.get(id), anchor, higher);
      const rootType = typeOf(tree, path.at(-1) as Id);
      this.same('I-03', detail ?? reason, rootType === BREAK ? 'severed' : 'moved-off', [anchor, higher]);
    }
    if (above >= 0) this.holds('I-03', found.onBranch === true, [anchor, leaf]);
    const copy: Tree = new Map([...tree].map(([id, node]) => [id, { ...node }]));
    this.same('I-04', bare(await lineage((id) => copy.get(id), anchor, leaf)), found, ['copy', anchor, leaf]);
    const fresh: Tree = new Map(
      [...tree].map(([id, { parentId, type }]) => [`x${id}`, { parentId: parentId && `x${parentId}`, type }]),
    );
    const { reason, detail } = await lineage((id) => fresh.get(id), anchor, `x${leaf}`);
    this.holds('I-04', ['foreign-log', 'severed', 'bound-exceeded'].includes(detail ?? reason), [
      'fresh',
      anchor,
      leaf,
    ]);
    if (above < 0) return;
    for (const id of path.slice(above))
      copy.set(id, { ...(copy.get(id) as Node), type: this.#random.pick([BREAK, 'm']) });
    this.same('I-05', bare(await lineage((id) => copy.get(id), anchor, leaf)), found, [anchor, leaf]);
  }

  /** I-06: one fault on the segment refuses; at the anchor or above it changes nothing. */
  async #faulty(anchor: Id, leaf: Id, found: Verdict): Promise<void> {
    const path = pathOf(this.#tree, leaf);
    const above = path.indexOf(anchor);
    if (above <= 0) return;
    const fault = this.#random.below(5);
    const cyclic = path[this.#random.below(above)] as Id;
    const readerWith =
      (bad: Id): ReadEntry =>
      (id) => {
        if (id !== bad) return this.#tree.get(id);
        if (fault === 0) return undefined;
        if (fault === 1) return { parentId: 7, type: 'm' } as never;
        if (fault === 2) throw new Error('down');
        if (fault === 3) return new Promise(() => undefined);
        return { parentId: path.indexOf(cyclic) <= path.indexOf(bad) ? cyclic : bad, type: 'm' };
      };
    const options = { deadlineMs: fault === 3 ? 1 : 60_000 };
    const onSegment = path[this.#random.below(above)] as Id;
    const { reason } = await lineage(readerWith(onSegment), anchor, leaf, options);
    this.holds('I-06', reason === 'unreadable' || reason === 'bound-exceeded', [fault, onSegment, anchor, leaf]);
    if (fault === 3) return;
    const atOrAbove = path[above + this.#random.below(path.length - above)] as Id;
    const untouched = bare(await lineage(readerWith(atOrAbove), anchor, leaf, options));
    this.same('I-06', untouched, found, [fault, atOrAbove, anchor, leaf]);
  }

  /** many at once and from what is known are what a walk for each finds. */
  async many(): Promise<void> {
    const read: ReadEntry = (id) => this.#tree.get(id);
    const anchors = Array.from({ length: 8 }, () => this.draw());
    const checker = createLineageChecker(read);
    for (let n = 0; n < 4; n += 1) {
      const leaf = this.draw();
      const each = await Promise.all(anchors.map((anchor) => lineage(read, anchor, leaf)));
      this.same('R-94', await lineages(read, anchors, leaf), each, [anchors, leaf]);
      this.same('R-95', await checker.checkAll(anchors, leaf), each, [anchors, leaf]);
      this.same('R-72', await checker.checkAll(anchors, leaf), each, [anchors, leaf]);
    }
  }
}

/** What is broken in the world of one seed; empty when all holds. */
export async function judgeTree(seed: number): Promise<readonly string[]> {
  const judge = new Judge(new Random(seed));
  for (let n = 0; n < 3; n += 1) await judge.pair(judge.draw(), judge.draw());
  await judge.many();
  return judge.faults;
}
