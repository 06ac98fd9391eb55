/** The contracts that a module can be put through, by the name of the export that holds its subject. */

import { channelContract } from './channel-contract.ts';
import { JOURNAL_METHODS, type JournalSubject } from './journal/subject.ts';
import { journalContract } from './journal-contract.ts';
import type { LineageSubject } from './lineage/subject.ts';
import { lineageContract } from './lineage-contract.ts';
import { PACK } from './requests/pack.ts';
import { requestsContract } from './requests-contract.ts';
import { rulesIn, type Suite, stepsOf, Untried } from './rules.ts';
import { type Shorten, shortenOf } from './shrink.ts';
import { type StoreFixture, storeContract } from './store-contract.ts';
import { toolTrackerContract } from './tools-contract.ts';

interface Contract {
  /** How the export looks, for whoever got it wrong. */
  readonly shape: string;
  /** What is missing, or undefined; may throw what the subject throws. */
  lacks(subject: unknown): string | undefined;
  register(subject: unknown, suite: Suite): void;
}

/** Names of methods that an object does not have. */
function missing(made: unknown, names: readonly string[]): string | undefined {
  if (typeof made !== 'object' || made === null)
    return `it made ${made === null ? 'null' : typeof made}, not an object`;
  const gone = names.filter((name) => typeof (made as Record<string, unknown>)[name] !== 'function');
  return gone.length === 0 ? undefined : `it has no method ${gone.join(', ')}`;
}

const isClass = (subject: unknown): boolean =>
  typeof subject === 'function' && /^class\b/.test(Function.prototype.toString.call(subject));

const asFactory = (subject: unknown): ((options: object) => unknown) | undefined => {
  const made = typeof subject === 'function' ? subject : (subject as { create?: unknown } | null)?.create;
  return typeof made === 'function' ? (options) => Reflect.apply(made, subject, [options]) as unknown : undefined;
};

const journal: Contract = {
  shape: 'export const journal = (options) => …, or { create, askFingerprint?, answerText?, preview?, has? }',
  lacks(subject) {
    const create = asFactory(subject);
    return create === undefined ? 'it is no function and has no create' : missing(create({}), JOURNAL_METHODS);
  },
  register: (subject, suite) => journalContract('this module', subject as JournalSubject, suite),
};

const store: Contract = {
  shape: 'export const store = () => ({ open, keeps, end })',
  lacks(subject) {
    if (typeof subject !== 'function') return 'it is no function';
    const fixture: unknown = subject();
    const faults = missing(fixture, ['open', 'end']);
    if (faults === undefined) (fixture as StoreFixture).end();
    return faults;
  },
  register: (subject, suite) => storeContract('this module', subject as () => StoreFixture, suite),
};

/** A contract whose subject is made by a function, with the options that make an idle one. */
const made = (
  name: string,
  options: object,
  methods: readonly string[],
  register: (name: string, make: never, suite: Suite) => void,
): Contract => ({
  shape: `export const ${name} = (options) => …, or { create }`,
  lacks(subject) {
    const create = asFactory(subject);
    return create === undefined ? 'it is no function and has no create' : missing(create(options), methods);
  },
  register: (subject, suite) => register('this module', subject as never, suite),
});

const idleLine = { connect: () => ({ send: () => true, close: () => undefined }), heartbeat: false };

export const CONTRACTS: Readonly<Record<string, Contract>> = {
  journal,
  store,
  channel: made(
    'channel',
    idleLine,
    ['open', 'close', 'call', 'onRequest', 'onEvent', 'question', 'show', 'hurry'],
    channelContract,
  ),
  requests: {
    ...made(
      'requests',
      { contracts: PACK },
      [
        'send',
        'sendAsync',
        'resolveResponse',
        'answer',
        'lockAnswer',
        'cancel',
        'openRequests',
        'attach',
        'advertise',
        'shutdown',
      ],
      requestsContract,
    ),
    shape: 'export const requests = (options) => …, or { create, mirror? }',
  },
  tools: made(
    'tools',
    { tools: () => undefined, onResult: () => undefined },
    ['push', 'abort', 'reset', 'resume', 'adopt', 'statuses'],
    toolTrackerContract,
  ),
  lineage: {
    shape: 'export const lineage = (read, anchor, leaf, options) => …, or { lineage }',
    lacks(subject) {
      const check = typeof subject === 'function' ? subject : (subject as { lineage?: unknown } | null)?.lineage;
      return typeof check === 'function' ? undefined : 'it is no function and has no lineage';
    },
    register: (subject, suite) => lineageContract('this module', subject as LineageSubject, suite),
  },
};

/** One test that a module is put through. */
export interface Trial {
  readonly contract: string;
  readonly title: string;
  /** Ids of the rules that it shows; the title where it names none. */
  readonly rules: readonly string[];
  readonly run: Parameters<Suite['test']>[1];
}

export interface Loaded {
  readonly trials: readonly Trial[];
  /** What keeps a contract, or all, from being tried. */
  readonly faults: readonly { readonly contract: string | null; readonly message: string }[];
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Finds what a module exports for the contracts, and collects their tests without running any. Of each contract one is
 * made to see what it lacks; `making` hears of it before, for it may never be done.
 */
export function trialsOf(module: Readonly<Record<string, unknown>>, making?: (name: string) => void): Loaded {
  const trials: Trial[] = [];
  const faults: { contract: string | null; message: string }[] = [];
  const names = Object.keys(CONTRACTS).filter((name) => module[name] !== undefined);
  if (names.length === 0) {
    faults.push({ contract: null, message: `it exports none of: ${Object.keys(CONTRACTS).join(', ')}` });
  }
  for (const name of names) {
    const contract = CONTRACTS[name] as Contract;
    making?.(name);
    try {
      const lack = isClass(module[name])
        ? 'it is a class, not a function that makes one'
        : contract.lacks(module[name]);
      if (lack !== undefined) throw new Error(`${lack}; expected: ${contract.shape}`);
      const groups: string[] = [];
      contract.register(module[name], {
        describe(title, body) {
          groups.push(title);
          body();
          groups.pop();
        },
        test(title, run) {
          const ids = rulesIn(title);
          const whole = [...groups.slice(1), title].join(' > ');
          trials.push({ contract: name, title: whole, rules: ids.length === 0 ? [whole] : ids, run });
        },
      });
    } catch (error) {
      faults.push({ contract: name, message: messageOf(error) });
    }
  }
  return { trials, faults };
}

export interface Verdict {
  readonly outcome: 'held' | 'broken' | 'untried';
  readonly message?: string | undefined;
  readonly steps?: readonly string[] | undefined;
  /** Looks for fewer steps that break the same, where the steps are data. */
  readonly shorten?: Shorten | undefined;
}

/** Runs one trial. Whoever calls it bounds its time: a test that never yields cannot be given up from within. */
export async function tried(
  trial: Trial,
  signal?: AbortSignal,
  noteStep: (step: string) => void = () => undefined,
): Promise<Verdict> {
  let skipped: string | undefined;
  const skip = (reason?: string): void => {
    skipped = reason ?? '';
  };
  try {
    await trial.run({ skip, signal, noteStep });
  } catch (error) {
    if (error instanceof Untried) return { outcome: 'untried', message: error.message };
    return { outcome: 'broken', message: messageOf(error), steps: stepsOf(error), shorten: shortenOf(error) };
  }
  return skipped === undefined ? { outcome: 'held' } : { outcome: 'untried', message: skipped };
}
