/**
 * One walk from a leaf up through its parents, which looks out for one or many anchors.
 *
 * The verdict chart decides. It is stepped wherever something can be decided; over a stretch of ordinary entries it
 * would only come back to `reading`, so there the links are counted and the chart is told with the next event.
 */
import { type Finding, findingOf } from '../../machines/seats/finding.ts';
import type { Kind, VerdictEvent } from '../../machines/seats/verdict.ts';
import { heed } from '../../machines/shared/heed.ts';
import { step } from '../../machines/shared/step.ts';
import type { Id } from './api.ts';
import { type VerdictSnapshot, verdictChart } from './charts.ts';
import { type Marks, NEW, SEEN } from './marks.ts';
import type { Settings } from './settings.ts';
import { isLater, Watch } from './watch.ts';

export interface Walk {
  readonly read: (id: Id) => unknown;
  readonly leaf: Id;
  /** The ids that are looked out for; a finding belongs to each number. */
  readonly marks: Marks;
  readonly settings: Settings;
  /** The chart, about to read the leaf. */
  readonly begun: VerdictSnapshot;
  /** Whether the walk may end with this one; asked once for each that is passed. */
  readonly isLast: (number: number) => boolean;
  readonly passed: (number: number, finding: Finding) => void;
}

/** Where a walk ended; `classifying` if a root was reached. Undefined: every finding that was wanted is there. */
export interface Walked {
  readonly end: VerdictSnapshot | undefined;
  readonly steps: number;
  readonly watch: Watch;
}

/** A reader that answers at once is timed when it has been asked so often; the clock costs as much as a read. */
const TIMED_EVERY = 16;

/** Walks to the end. Never rejects; the watch it gives back goes on until it is stopped. */
export async function walk(plan: Walk): Promise<Walked> {
  const walker = new Walker(plan);
  for (;;) {
    const later = walker.goOn();
    if (later === undefined) return { end: walker.end, steps: walker.steps, watch: walker.watch };
    const heard = await walker.watch.hear(later);
    if (heard.kind === 'answer') walker.take(heard.value);
    else walker.say(heard.kind === 'failed' ? 'FAILED' : 'TIMEOUT');
  }
}

// Plain fields: private ones cost a good part of a step.
class Walker {
  readonly watch: Watch;
  steps = 0;
  end: VerdictSnapshot | undefined;
  private readonly plan: Walk;
  private at: VerdictSnapshot;
  private id: Id;
  private reads = 0;
  private isOver = false;
  /** What passing an anchor is, here and as long as nothing but ordinary entries follow. */
  private passing: VerdictSnapshot | undefined;

  constructor(plan: Walk) {
    this.plan = plan;
    this.watch = new Watch(plan.settings.runtime, plan.settings.deadlineMs);
    this.at = plan.begun;
    this.id = plan.leaf;
  }

  /** Reads on until something must be waited for; undefined: the walk is over. */
  goOn(): PromiseLike<unknown> | undefined {
    const { read } = this.plan;
    while (!this.isOver) {
      let answer: unknown;
      try {
        answer = read(this.id);
        if (isLater(answer)) return answer;
      } catch {
        this.say('FAILED');
        return undefined;
      }
      this.reads += 1;
      if (this.reads % TIMED_EVERY === 0 && this.watch.isLate) this.say('TIMEOUT');
      else this.take(answer);
    }
    return undefined;
  }

  /** Something about the read itself decides. */
  say(type: 'MISSING' | 'MALFORMED' | 'FAILED' | 'TIMEOUT'): void {
    const late = type !== 'TIMEOUT' && this.watch.isLate;
    this.send({ type: late ? 'TIMEOUT' : type, id: this.id, steps: this.steps });
  }

  take(answer: unknown): void {
    if (answer === null || answer === undefined) return this.say('MISSING');
    if (typeof answer !== 'object') return this.say('MALFORMED');
    const { settings, marks } = this.plan;
    let parent: unknown;
    let kind: Kind = 'ordinary';
    try {
      const entry = answer as { readonly parentId?: unknown; readonly type?: unknown };
      parent = entry.parentId;
      const { type } = entry;
      if (typeof type === 'string') {
        if (isParent(parent) && isBreak(settings, type)) kind = 'break';
      } else if (type !== undefined) parent = undefined;
      else if (!settings.isUntypedOrdinary) kind = 'untyped';
    } catch {
      return this.say('FAILED');
    }
    if (!isParent(parent)) return this.say('MALFORMED');
    const mark = parent === null ? SEEN : marks.visit(parent);
    if (mark === NEW && kind === 'ordinary' && this.steps + 1 < settings.maxSteps) {
      this.steps += 1;
      this.id = parent as Id;
      return;
    }
    this.weigh(kind, parent, mark);
  }

  private weigh(kind: Kind, parent: Id | null, mark: number): void {
    if (mark >= 0) {
      if (this.pass(kind, mark)) return;
      // Others are still looked for: to them this id is one like any other.
      if (kind === 'ordinary' && this.steps + 1 < this.plan.settings.maxSteps) this.steps += 1;
      else this.send(this.entry(kind, 'further'));
    } else this.send(this.entry(kind, parent === null ? 'root' : mark === SEEN ? 'seen' : 'further'));
    if (parent !== null) this.id = parent;
  }

  private entry(kind: Kind, parent: (VerdictEvent & { type: 'ENTRY' })['parent']): VerdictEvent {
    return { type: 'ENTRY', id: this.id, steps: this.steps, kind, parent };
  }

  /** Whether the walk is over. */
  private pass(kind: Kind, mark: number): boolean {
    const isOrdinary = kind === 'ordinary';
    const known = isOrdinary ? this.passing : undefined;
    const verdict = known ?? step(verdictChart, this.at, this.entry(kind, 'anchor')).snapshot;
    if (isOrdinary) this.passing = verdict;
    // With `stopAtBreak` a break ends the walk, whatever its parent is.
    if (verdict.value === 'stopped') {
      this.finish(verdict);
      return true;
    }
    const isLast = this.plan.isLast(mark);
    // What was found too late was not found.
    if (isLast && this.watch.isLate) {
      this.say('TIMEOUT');
      return true;
    }
    this.plan.passed(mark, findingOf(verdict.value, verdict.context, this.steps + 1));
    this.isOver = isLast;
    return isLast;
  }

  private send(event: VerdictEvent): void {
    const next = step(verdictChart, this.at, event).snapshot;
    const isOver = next.done || next.value === 'classifying';
    if (isOver && event.type === 'ENTRY' && this.watch.isLate) return this.say('TIMEOUT');
    this.at = next;
    this.passing = undefined;
    this.steps = next.context.steps;
    if (isOver) this.finish(next);
  }

  private finish(at: VerdictSnapshot): void {
    this.end = at;
    this.steps = at.context.steps;
    this.isOver = true;
  }
}

/** Throws for a promise: what it comes to is too late. */
function isBreak(settings: Settings, type: string): boolean {
  const word: unknown = settings.isBreak(type);
  if (typeof word === 'object' && heed(word, () => undefined)) throw new TypeError('isBreak gave a promise');
  return Boolean(word);
}

const isParent = (parent: unknown): parent is Id | null =>
  parent === null || (typeof parent === 'string' && parent !== '');
