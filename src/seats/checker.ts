/** A check bound to one log, which remembers what an append-only log can never take back. */
import { LRUCache } from 'lru-cache';
import { type Finding, isSettled, joinFindings } from '../../machines/seats/finding.ts';
import type { Id, LineageChecker, LineageOptions, ReadEntry } from './api.ts';
import { SEAT_LIMITS } from './limits.ts';
import { askOf, begin, concluded, listOf, unusable, walkMany } from './lineage.ts';
import { Marks } from './marks.ts';
import { type Settings, settingsOf } from './settings.ts';

/** The last settled finding of an anchor. */
interface Known {
  readonly leaf: Id;
  readonly finding: Finding;
}

/**
 * Makes a checker for one append-only log. What is settled is remembered, 1,024 findings at most, and the next leaf
 * needs a walk only down to the last one that is known. `maxSteps` counts the links of one walk, so a
 * branch may be proven bit by bit that is too long for one walk. Never throws, and its promises always fulfil.
 *
 * It trusts that what was read stays as it was. After a log was rewritten under the same ids, `forget()`.
 */
export function createLineageChecker(read: ReadEntry, options?: LineageOptions): LineageChecker {
  const checker = new Checker(read, settingsOf(options));
  return Object.freeze({
    check: async (anchor, leaf) => (await checker.checkAll([anchor], leaf).catch(() => [unusable()]))[0] as Finding,
    checkAll: (anchors, leaf) => checker.checkAll(anchors, leaf).catch(() => listOf(anchors).map(unusable)),
    forget: () => checker.forget(),
  } satisfies LineageChecker);
}

/** Ids may hold anything, so the length says where the first one ends. */
const keyOf = (anchor: Id, leaf: Id): string => `${anchor.length}:${anchor}${leaf}`;

class Checker {
  readonly #read: ReadEntry;
  readonly #settings: Settings | undefined;
  readonly #findings = new LRUCache<string, Finding>({ max: SEAT_LIMITS.remembered });
  readonly #last = new LRUCache<Id, Known>({ max: SEAT_LIMITS.remembered });
  /** How often everything was forgotten. */
  #forgotten = 0;

  constructor(read: ReadEntry, settings: Settings | undefined) {
    this.#read = read;
    this.#settings = settings;
  }

  forget(): void {
    this.#forgotten += 1;
    this.#findings.clear();
    this.#last.clear();
  }

  async checkAll(anchors: unknown, leaf: Id | null): Promise<readonly Finding[]> {
    const settings = this.#settings;
    const list = listOf(anchors);
    const found = list.map((anchor) => {
      const ask = settings === undefined ? 'bad_input' : askOf(this.#read, anchor, leaf);
      if (ask !== 'walk') return concluded(begin(ask, settings), 0);
      return this.#findings.get(keyOf(anchor as Id, leaf as Id));
    });
    const wanted = new Set(list.filter((_, i) => found[i] === undefined) as Id[]);
    if (settings !== undefined && wanted.size > 0) {
      const fresh = await this.#walk([...wanted], leaf as Id, settings);
      for (let i = 0; i < list.length; i += 1) found[i] ??= fresh.get(list[i] as Id);
    }
    return found as Finding[];
  }

  async #walk(anchors: readonly Id[], leaf: Id, settings: Settings): Promise<Map<Id, Finding>> {
    const search = new Search(anchors, (anchor) => this.#last.get(anchor));
    const begun = begin('walk', settings);
    const forgotten = this.#forgotten;
    const unsure = await walkMany(this.#read, leaf, { ...search, settings, begun });
    const fresh = new Map<Id, Finding>();
    for (let number = 0; number < anchors.length; number += 1) {
      const anchor = anchors[number] as Id;
      const finding = search.findingOf(number);
      fresh.set(anchor, finding);
      // What was read before the log was rewritten is not known of it.
      if (!isSettled(finding) || unsure.has(number) || forgotten !== this.#forgotten) continue;
      // It is given out again: whoever has it may not change what the next one is told.
      this.#findings.set(keyOf(anchor, leaf), Object.freeze(finding));
      this.#last.set(anchor, { leaf, finding });
    }
    return fresh;
  }
}

/** What one walk looks out for: the anchors themselves, and for each the last leaf of which it is known. */
class Search {
  readonly marks: Marks;
  readonly ids: Id[] = [];
  readonly passed: (Finding | undefined)[] = [];
  readonly #known: (Known | undefined)[];
  /** By the number of an anchor: the number of its old leaf. */
  readonly #old: number[] = [];
  /** By the number of an old leaf: the anchors that it answers for. */
  readonly #answers = new Map<number, number[]>();
  readonly #open: Set<number>;

  constructor(anchors: readonly Id[], lastOf: (anchor: Id) => Known | undefined) {
    this.marks = new Marks(anchors.length * 2);
    this.#known = anchors.map(lastOf);
    this.#open = new Set(anchors.keys());
    for (const anchor of anchors) this.#post(anchor);
    for (const [number, known] of this.#known.entries()) {
      if (known === undefined) continue;
      const old = this.#post(known.leaf);
      this.#old[number] = old;
      const answered = this.#answers.get(old);
      if (answered === undefined) this.#answers.set(old, [number]);
      else answered.push(number);
    }
  }

  readonly isLast = (number: number): boolean => {
    this.#open.delete(number);
    for (const anchor of this.#answers.get(number) ?? []) this.#open.delete(anchor);
    return this.#open.size === 0;
  };

  /** Of those that were not passed only anchors want a finding, and only if their old leaf has not answered for them. */
  readonly wants = (number: number): boolean => number < this.#known.length && this.#answered(number) === undefined;

  findingOf(number: number): Finding {
    return (this.passed[number] ?? this.#answered(number)) as Finding;
  }

  #answered(number: number): Finding | undefined {
    const upper = this.passed[this.#old[number] ?? -1];
    const known = this.#known[number];
    // An old leaf may be wanted for itself and be off the branch; then it answers for nothing.
    return upper?.onBranch !== true || known === undefined ? undefined : joinFindings(upper, known.finding);
  }

  #post(id: Id): number {
    const number = this.marks.post(id);
    if (number === this.ids.length) this.ids.push(id);
    return number;
  }
}
