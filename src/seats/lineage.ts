/** `lineage()` and `lineages()`: what the log says of one anchor, or of many, seen from one leaf. */
import { type Finding, findingOf } from '../../machines/seats/finding.ts';
import type { Ask } from '../../machines/seats/verdict.ts';
import { start, step } from '../../machines/shared/step.ts';
import type { Id, LineageOptions, ReadEntry } from './api.ts';
import { type VerdictSnapshot, verdictChart } from './charts.ts';
import { Marks } from './marks.ts';
import { isId, type Settings, settingsOf } from './settings.ts';
import { type Walked, walk } from './walk.ts';
import { isLater, type Watch } from './watch.ts';

/**
 * Whether what is anchored still belongs to the branch of this leaf, and is still in front of the model.
 *
 * Always fulfils, whatever it is given, within `maxSteps + 1` reads, none of an id twice but perhaps the anchor; reads
 * in order and writes nothing. `reason === 'holds'` is the only licence; everything that is not proven is a refusal
 * . Steps are parent links, times are milliseconds.
 */
export async function lineage(
  read: ReadEntry,
  anchor: Id | null,
  leaf: Id | null,
  options?: LineageOptions,
): Promise<Finding> {
  try {
    const settings = settingsOf(options);
    const ask = settings === undefined ? 'bad_input' : askOf(read, anchor, leaf);
    const begun = begin(ask, settings);
    if (settings === undefined || ask !== 'walk') return concluded(begun, 0);
    return await walkOne(read, anchor as Id, leaf as Id, settings, begun);
  } catch {
    return unusable();
  }
}

/** A clock that throws, say: a caller's mistake is a refusal, not an error. */
export const unusable = (): Finding => concluded(begin('bad_input', undefined), 0);

/**
 * The same for many anchors in one walk, in their order: reads are the length of the walk, and one for each anchor
 * that is off the branch. Always fulfils; what is no list of anchors gives an empty list.
 */
export async function lineages(
  read: ReadEntry,
  anchors: readonly (Id | null)[],
  leaf: Id | null,
  options?: LineageOptions,
): Promise<readonly Finding[]> {
  const list = listOf(anchors);
  try {
    return await judgeAll(read, list, leaf, settingsOf(options));
  } catch {
    return list.map(unusable);
  }
}

async function judgeAll(
  read: ReadEntry,
  list: readonly unknown[],
  leaf: Id | null,
  settings: Settings | undefined,
): Promise<readonly Finding[]> {
  const found = new Array<Finding | undefined>(list.length);
  const marks = new Marks(list.length);
  const numbers = new Int32Array(list.length).fill(-1);
  const begun = begin('walk', settings);
  let wanted = 0;
  for (let i = 0; i < list.length; i += 1) {
    const ask = settings === undefined ? 'bad_input' : askOf(read, list[i], leaf);
    if (ask !== 'walk') found[i] = concluded(begin(ask, settings), 0);
    else {
      const number = marks.post(list[i] as Id);
      numbers[i] = number;
      wanted = Math.max(wanted, number + 1);
    }
  }
  if (settings === undefined || wanted === 0) return found as Finding[];
  const passed = new Array<Finding | undefined>(wanted);
  await walkMany(read, leaf as Id, { marks, settings, begun, passed, ids: idsOf(list, numbers, wanted) });
  for (let i = 0; i < list.length; i += 1) {
    const number = numbers[i] as number;
    if (number >= 0) found[i] = passed[number];
  }
  return found as Finding[];
}

/** What can be said without the log. */
export function askOf(read: unknown, anchor: unknown, leaf: unknown): Ask {
  if (typeof read !== 'function') return 'bad_input';
  if ((anchor !== null && !isId(anchor)) || (leaf !== null && !isId(leaf))) return 'bad_input';
  if (anchor === null) return 'null_anchor';
  if (leaf === null) return 'empty_branch';
  return anchor === leaf ? 'leaf_is_anchor' : 'walk';
}

export const begin = (ask: Ask, settings: Settings | undefined): VerdictSnapshot =>
  start(verdictChart, { ask, maxSteps: settings?.maxSteps ?? 1, stopAtBreak: settings?.stopAtBreak ?? false }).snapshot;

export const concluded = ({ value, context }: VerdictSnapshot, steps: number): Finding =>
  findingOf(value, context, steps);

async function walkOne(
  read: ReadEntry,
  anchor: Id,
  leaf: Id,
  settings: Settings,
  begun: VerdictSnapshot,
): Promise<Finding> {
  const marks = new Marks(1);
  marks.post(anchor);
  marks.visit(leaf);
  let found: Finding | undefined;
  const passed = (_number: number, finding: Finding): void => {
    found = finding;
  };
  const walked = await walk({ read, leaf, marks, settings, begun, passed, isLast: () => true });
  found ??= (await classify(read, anchor, walked)).finding;
  walked.watch.stop();
  return found;
}

export interface Many {
  readonly marks: Marks;
  readonly settings: Settings;
  readonly begun: VerdictSnapshot;
  /** The ids of the numbers. */
  readonly ids: readonly Id[];
  /** Filled by number. */
  readonly passed: (Finding | undefined)[];
  /** Whether the walk may end with this one; default: when all were passed. */
  readonly isLast?: (number: number) => boolean;
  /** Which of those that were not passed want a finding; default: all. */
  readonly wants?: (number: number) => boolean;
}

/** Fills in the finding of every id; those that were not passed share the end of the walk. Names unsure ones. */
export async function walkMany(read: ReadEntry, leaf: Id, many: Many): Promise<ReadonlySet<number>> {
  const { marks, settings, begun, ids, passed } = many;
  let left = ids.length;
  const countDown = (): boolean => {
    left -= 1;
    return left === 0;
  };
  const take = (number: number, finding: Finding): void => {
    passed[number] = finding;
  };
  marks.visit(leaf);
  const isLast = many.isLast ?? countDown;
  const walked = await walk({ read, leaf, marks, settings, begun, passed: take, isLast });
  const unsure = new Set<number>();
  for (let number = 0; number < ids.length && walked.end !== undefined; number += 1) {
    if (passed[number] !== undefined || many.wants?.(number) === false) continue;
    const { finding, isSure } = await classify(read, ids[number] as Id, walked);
    passed[number] = finding;
    if (!isSure) unsure.add(number);
  }
  walked.watch.stop();
  return unsure;
}

/** The finding for an anchor that was not passed. Off the branch it is already; whether the log knows it is the rest. */
async function classify(
  read: ReadEntry,
  anchor: Id,
  { end, steps, watch }: Walked,
): Promise<{ readonly finding: Finding; readonly isSure: boolean }> {
  const at = end as VerdictSnapshot;
  if (at.value !== 'classifying') return { finding: concluded(at, steps), isSure: true };
  const type = await lookUp(read, anchor, watch);
  const { snapshot } = step(verdictChart, at, { type });
  return { finding: concluded(snapshot, steps), isSure: type !== 'ANCHOR_UNREAD' };
}

async function lookUp(
  read: ReadEntry,
  anchor: Id,
  watch: Watch,
): Promise<'ANCHOR_FOUND' | 'ANCHOR_MISSING' | 'ANCHOR_UNREAD'> {
  if (watch.isLate) return 'ANCHOR_UNREAD';
  let answer: unknown;
  try {
    answer = read(anchor);
    if (isLater(answer)) {
      const heard = await watch.hear(answer);
      if (heard.kind !== 'answer') return 'ANCHOR_UNREAD';
      answer = heard.value;
    }
  } catch {
    return 'ANCHOR_UNREAD';
  }
  if (watch.isLate) return 'ANCHOR_UNREAD';
  return answer === null || answer === undefined ? 'ANCHOR_MISSING' : 'ANCHOR_FOUND';
}

/** A copy that nothing can change meanwhile; what is no list, or cannot be read, is none. */
export function listOf(anchors: unknown): readonly unknown[] {
  try {
    return Array.isArray(anchors) ? Array.from(anchors as unknown[]) : [];
  } catch {
    return [];
  }
}

function idsOf(list: readonly unknown[], numbers: Int32Array, count: number): Id[] {
  const ids = new Array<Id>(count);
  for (let i = 0; i < list.length; i += 1) {
    const number = numbers[i] as number;
    if (number >= 0) ids[number] = list[i] as Id;
  }
  return ids;
}
