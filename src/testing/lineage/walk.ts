/** Logs and checks of them as plain data: what is written, what cannot be read, and what a check then finds. */
import { HandRuntime } from '../hand-runtime.ts';
import { recorded } from '../recorded.ts';
import { Log, never } from './logs.ts';
import type { Finding, LineageSubject, ReadEntry } from './subject.ts';

const KINDS = { ordinary: 'message', break: 'compaction', untyped: undefined } as const;
export type EntryKind = keyof typeof KINDS;
/** What reading an entry comes to: nothing is there, no entry is, it throws, it never answers. */
export const TROUBLES = ['gone', 'malformed', 'fails', 'hangs'] as const;
export type Trouble = (typeof TROUBLES)[number];
/** Milliseconds of a check. */
const DEADLINE = 20;

export interface CheckStep {
  readonly do: 'check';
  readonly anchor: string | null;
  readonly leaf: string | null;
  readonly maxSteps: number;
  readonly stopAtBreak: boolean;
  /** The log answers with promises. */
  readonly later: boolean;
}

/** One thing that happens to a log, or one check of it. */
export type LineageStep =
  | { readonly do: 'add'; readonly id: string; readonly parent: string | null; readonly kind: EntryKind }
  | { readonly do: 'spoil'; readonly id: string; readonly how: Trouble }
  | CheckStep;

/** What comes of a step. */
export interface LineageSight {
  /** Ids that the log was asked for, in order. */
  readonly reads: readonly string[];
  /** What a check found. */
  readonly finding: Finding | null;
}

/** A log in memory, with a clock that goes on when a read hangs. */
export class LineageWorld {
  readonly log = new Log({});
  readonly troubles = new Map<string, Trouble>();
  readonly #runtime = new HandRuntime();
  readonly #subject: LineageSubject;

  constructor(subject: LineageSubject) {
    this.#subject = recorded(subject);
  }

  async perform(step: LineageStep): Promise<LineageSight> {
    this.log.reads = [];
    if (step.do === 'add') {
      this.log.add(step.id, step.parent, KINDS[step.kind]);
      this.troubles.delete(step.id);
    } else if (step.do === 'spoil') {
      this.troubles.set(step.id, step.how);
    } else {
      const { anchor, leaf, maxSteps, stopAtBreak, later } = step;
      const options = { maxSteps, stopAtBreak, deadlineMs: DEADLINE, runtime: this.#runtime };
      const read: ReadEntry = later ? async (id) => this.#read(id) : this.#read;
      const finding = await this.#subject.lineage(read, anchor, leaf, options);
      return { reads: this.log.reads, finding };
    }
    return { reads: [], finding: null };
  }

  readonly #read: ReadEntry = (id) => {
    const entry = this.log.read(id);
    switch (this.troubles.get(id)) {
      case 'gone':
        return undefined;
      case 'malformed':
        return 'no entry' as never;
      case 'fails':
        throw new Error('down');
      case 'hangs':
        void this.#runtime.settle().then(() => this.#runtime.advance(DEADLINE + 1));
        return never(id);
      default:
        return entry;
    }
  };
}
