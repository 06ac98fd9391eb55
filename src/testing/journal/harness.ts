/** A journal with everything around it in the test's hand: clock, log, and the four host callbacks. */
import type { JournalLimits } from '../../limits.ts';
import { recorded } from '../recorded.ts';
import { noteStep, subjectOf, Untried } from '../rules.ts';
import type { JournalAbility, JournalLike, JournalSubject } from './subject.ts';

type Journal = JournalLike;

export type Entry = ReturnType<Journal['record']>;
export type Ticket = NonNullable<ReturnType<Journal['ticketFor']>>;
export type Recovery = ReturnType<Journal['recover']>;
export type Payload = Parameters<Parameters<Journal['deliverPending']>[1]>[0];
export type Level = 'debug' | 'info' | 'warn' | 'error';

export type Call =
  | { readonly kind: 'log'; readonly level: Level; readonly text: string }
  | { readonly kind: 'flush'; readonly key: string }
  | { readonly kind: 'revoke'; readonly key: string; readonly token: string }
  | { readonly kind: 'attach'; readonly key: string; readonly token: string; readonly askId: string | undefined }
  | { readonly kind: 'resolve'; readonly key: string };
export type CallKind = Call['kind'];

export interface HarnessOptions {
  readonly limits?: Partial<JournalLimits>;
  /** `true`: answers from `occupants`. A function: answers itself. Left out: not wired. */
  readonly resolver?: true | ((key: string) => string | undefined);
  /** `true`: names `turn`. A function: answers itself. Left out: not wired. */
  readonly attacher?: true | ((key: string, token: string, askId?: string) => string | null);
  /** A boolean: always that. A function: answers itself. Left out: not wired. */
  readonly revoker?: boolean | ((key: string, token: string) => boolean);
  /** `false`: not wired. A function: runs after the call is noted. Left out: only noted. */
  readonly flusher?: false | ((key: string) => void);
}

export const TAB = 'tab-one-of-many';
export const OTHER_TAB = 'tab-two-of-many';
export const QUESTION = 'Which colour shall the door have?';
/** What every log line of the journal begins with. */
export const PREFIX = 'readback journal: ';

let fresh = 0;
/** An ask id nobody used before. Its first 12 characters are its own. */
export const newId = (): string => `pa-${String(++fresh).padStart(9, '0')}-ask`;

/** Any string names a question, as long as equal questions have equal ones. */
export const print = (question: string): string => `print of ${question}`;

/** The pure functions of the running test's subject. */
const pure = <Name extends 'askFingerprint' | 'answerText' | 'preview'>(
  name: Name,
): NonNullable<JournalSubject[Name]> => {
  const found = subjectOf<JournalSubject>()[name];
  if (found === undefined) throw new Untried(`it has no ${name}`);
  return found;
};
export const askFingerprint: NonNullable<JournalSubject['askFingerprint']> = (ask) => pure('askFingerprint')(ask);
export const answerText: NonNullable<JournalSubject['answerText']> = (reply) => pure('answerText')(reply);
export const preview: NonNullable<JournalSubject['preview']> = (question) => pure('preview')(question);

/** Element `i`, or a failure that says so. */
export function at<T>(list: readonly T[], i: number): T {
  const found = list[i];
  if (found === undefined) throw new Error(`no element ${i} in a list of ${list.length}`);
  return found;
}

/** The single element, or a failure that says how many there were. */
export function only<T>(list: readonly T[]): T {
  if (list.length !== 1) throw new Error(`expected one element, got ${list.length}`);
  return at(list, 0);
}

export class Harness {
  readonly journal: Journal;
  /** Everything the journal called, in order. */
  readonly calls: Call[] = [];
  /** Runs after each call is noted and before it is answered; may look, call back, or throw. */
  onCall: ((call: Call) => void) | undefined;
  /** Milliseconds. */
  now = 1_700_000_000_000;
  /** The running turn that an attacher given as `true` names. */
  turn: string | null = 'turn-1';
  /** Who holds which tab, for a resolver given as `true`. */
  readonly occupants = new Map<string, string>();
  readonly tabs = new Set<string>([TAB, OTHER_TAB]);
  readonly askIds = new Set<string>();

  /** The same journal; looks that the harness takes for itself are no steps of a test. */
  readonly #unwatched: Journal;
  readonly #has: (ability: JournalAbility) => boolean;

  constructor(options: HarnessOptions = {}, subject = subjectOf<JournalSubject>()) {
    this.#has = (ability) => subject.has?.[ability] !== false;
    if (options.limits !== undefined) this.#need('limits');
    const real = subject.create({
      ...(options.limits === undefined ? {} : { limits: options.limits }),
      clock: { now: () => this.now },
      logger: this.logger(),
    });
    this.#unwatched = real;
    this.journal = this.watched(real);
    const { resolver, attacher, revoker, flusher } = options;
    if (resolver !== undefined) this.#need('occupants');
    if (attacher !== undefined) this.#need('turns');
    if (revoker !== undefined) this.#need('recall');
    if (flusher !== false) {
      real.setFlusher((key) => {
        this.note({ kind: 'flush', key });
        flusher?.(key);
      });
    }
    if (revoker !== undefined) {
      real.setRevoker((key, token) => {
        this.note({ kind: 'revoke', key, token });
        return typeof revoker === 'function' ? revoker(key, token) : revoker;
      });
    }
    if (attacher !== undefined) {
      real.setTurnAttacher((key: string, token: string, askId?: string) => {
        this.note({ kind: 'attach', key, token, askId });
        return attacher === true ? this.turn : attacher(key, token, askId);
      });
    }
    if (resolver !== undefined) {
      real.setIncarnationResolver((key) => {
        this.note({ kind: 'resolve', key });
        return resolver === true ? this.occupants.get(key) : resolver(key);
      });
    }
  }

  #need(ability: JournalAbility): void {
    if (!this.#has(ability)) throw new Untried(`it does not claim: ${ability}`);
  }

  get lines(): { level: Level; text: string }[] {
    this.#need('log');
    return this.calls.flatMap((c) => (c.kind === 'log' ? [{ level: c.level, text: c.text }] : []));
  }

  /** Texts of the lines at one level. */
  at(level: Level): string[] {
    return this.lines.filter((line) => line.level === level).map((line) => line.text);
  }

  /** Tabs the flusher was called with. */
  get flushed(): string[] {
    return this.calls.flatMap((c) => (c.kind === 'flush' ? [c.key] : []));
  }

  get revoked(): string[] {
    return this.calls.flatMap((c) => (c.kind === 'revoke' ? [c.token] : []));
  }

  get attached(): { key: string; token: string; askId: string | undefined }[] {
    return this.calls.flatMap((c) => (c.kind === 'attach' ? [{ key: c.key, token: c.token, askId: c.askId }] : []));
  }

  count(...kinds: CallKind[]): number {
    return this.calls.filter((c) => kinds.includes(c.kind)).length;
  }

  /** Forgets what was called so far. */
  clear(): void {
    this.calls.length = 0;
  }

  /** Makes the n-th call (from 1) of these kinds from now on throw. Says whether it came to that. */
  failAt(n: number, ...kinds: CallKind[]): { readonly hit: boolean } {
    const report = { hit: false };
    let seen = 0;
    this.onCall = (call) => {
      if (!kinds.includes(call.kind) || ++seen !== n) return;
      report.hit = true;
      throw new Error(`planted: ${call.kind} ${n}`);
    };
    return report;
  }

  /** Takes the plant or the hook of `onCall` out again. */
  heal(): void {
    this.onCall = undefined;
  }

  /** The entry as it is now; fails when it is not on file. */
  entry(token: string): Entry {
    const found = this.find(token);
    if (!found) throw new Error(`no entry ${token}`);
    return found;
  }

  find(token: string): Entry | undefined {
    return this.entries().find((entry) => entry.token === token);
  }

  /** All entries on the tabs this harness has heard of. */
  entries(): Entry[] {
    return [...this.tabs].flatMap((tab) => [...this.#unwatched.entriesFor(tab)]);
  }

  /** Opens a card with a handler waiting; returns its id. */
  open(tab = TAB, question = QUESTION, askId = newId()): string {
    this.journal.openAsk(askId, { tabId: tab, fingerprint: print(question), question });
    return askId;
  }

  /** Opens a card whose handler has already gone; returns its id. */
  openAndClose(tab = TAB, question = QUESTION, askId = newId()): string {
    this.open(tab, question, askId);
    this.journal.closeAsk(askId);
    return askId;
  }

  record(askId: string, answer: unknown = 'green', tab = TAB): Entry {
    return this.journal.record(askId, answer, { tabId: tab });
  }

  /** An answer that came after its handler had gone: `pending`. */
  late(answer: unknown = 'green', tab = TAB, question = QUESTION, askId = newId()): Entry {
    this.openAndClose(tab, question, askId);
    return this.record(askId, answer, tab);
  }

  /** An answer whose handler still waits for it: `none`. The ask stays open. */
  direct(answer: unknown = 'green', tab = TAB, question = QUESTION, askId = newId()): Entry {
    this.open(tab, question, askId);
    return this.record(askId, answer, tab);
  }

  /** An ordinary ask to its end, but for the receipt: answered, returned in the running turn, closed. */
  returned(answer: unknown = 'green', tab = TAB, question = QUESTION, askId = newId()): Entry {
    const entry = this.direct(answer, tab, question, askId);
    this.journal.markReturned(entry.token);
    this.journal.closeAsk(entry.askId);
    return this.entry(entry.token);
  }

  /** Delivers one tab to an agent that takes the first `accept` payloads and refuses the next. */
  deliver(tab = TAB, accept = Number.POSITIVE_INFINITY) {
    const offers: { token: string; payload: Payload }[] = [];
    const outcome = this.journal.deliverPending(tab, (payload, token) => {
      offers.push({ token, payload });
      return offers.length <= accept;
    });
    return { ...outcome, offers, tokens: offers.map((offer) => offer.token) };
  }

  /** An answer in an agent's queue: `handed_off`, channel `queue`. */
  queued(answer: unknown = 'green', tab = TAB, question = QUESTION, askId = newId()): Entry {
    const entry = this.late(answer, tab, question, askId);
    this.deliver(tab);
    return this.entry(entry.token);
  }

  /** An answer that was owed a push and then rode a result instead: `handed_off`, channel `result`. Wants an attacher. */
  riding(answer: unknown = 'green', tab = TAB, question = QUESTION, askId = newId()): Entry {
    const entry = this.late(answer, tab, question, askId);
    this.journal.markReturned(entry.token);
    return this.entry(entry.token);
  }

  /** Everything a caller can see, as plain data: compare two of these to show that nothing changed. */
  visible() {
    const journal = this.#unwatched;
    const tabs = [...this.tabs].sort();
    const mark = this.calls.length;
    const hook = this.onCall;
    this.onCall = undefined;
    const seen = {
      entries: tabs.map((tab) => [tab, structuredClone(journal.entriesFor(tab))]),
      pending: tabs.map((tab) => [tab, journal.pending(tab).map((entry) => entry.token)]),
      dropped: tabs.map((tab) => [tab, journal.droppedFor(tab)]),
      tickets: [...this.askIds].sort().map((id) => [id, structuredClone(journal.ticketFor(id) ?? null)]),
      live: [...this.askIds].sort().map((id) => [id, journal.askBelongsToLiveConversation(id)]),
      debt: structuredClone(journal.outstandingDebt()),
      gate: journal.hasOutstanding(),
      outstanding: journal.allOutstanding().map((entry) => entry.token),
    };
    this.calls.length = mark;
    this.onCall = hook;
    return seen;
  }

  private note(call: Call): void {
    if (call.kind !== 'log') noteStep(`  ${call.kind} ${call.key}`);
    this.calls.push(call);
    this.onCall?.(call);
  }

  private logger() {
    const line =
      (level: Level) =>
      (...args: unknown[]): void => {
        const text = args.map((arg) => (typeof arg === 'string' ? arg : JSON.stringify(arg))).join(' ');
        this.note({ kind: 'log', level, text });
      };
    return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
  }

  /** Hears which tabs and ids are in use, so that `entry` and `visible` find them. */
  private watched(real: Journal): Journal {
    const hear = (name: string, args: readonly unknown[]): void => {
      const [first, second] = args;
      if (name === 'openAsk' || name === 'record') this.askIds.add(String(first));
      if (name === 'openAsk') this.tabs.add((second as { tabId: string }).tabId);
      if (name === 'record') this.tabs.add((args[2] as { tabId: string }).tabId);
      if (name === 'moveKey') this.tabs.add(String(first)).add(String(second));
    };
    return recorded(real, { hear });
  }
}

export const makeJournal = (options: HarnessOptions = {}): Harness => new Harness(options);
