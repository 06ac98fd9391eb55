/** Tests as data: a chapter collects them when it is loaded, and any runner registers them against any subject. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { CONFORM } from '../limits.ts';

type Body = () => void | Promise<void>;

/** What a runner passes to a test, as far as the kit uses it; vitest and node:test both do. */
export interface TestContext {
  /** Marks the running test as skipped. */
  skip?(reason?: string): void;
  /** Aborted when the test is given up; what it did so far is in the report all the same. */
  readonly signal?: AbortSignal | undefined;
  /** Hears of each step before it is taken; may throw instead of it. Who hears of them tells them, not the error. */
  noteStep?(step: string): void;
}

/** `describe` and `test` of whichever runner there is. */
export interface Suite {
  describe(name: string, body: () => void): void;
  test(name: string, body: (context?: TestContext) => void | Promise<void>): void;
}

/** One test of a chapter. */
export interface Rule {
  /** With the ids of the rules that it shows, in brackets. */
  readonly title: string;
  /** Names of the groups that it stands in, the outermost first. */
  readonly groups: readonly string[];
  readonly body: Body;
}

/** Why a test was not tried: the subject does not claim what the test needs. */
export class Untried extends Error {
  override readonly name = 'Untried';
}

interface Running {
  readonly subject: unknown;
  /** Calls that the test made of its subject. */
  readonly steps: string[];
  readonly context: TestContext | undefined;
}

// The subject of a test is no argument of its helpers, and two tests may run side by side.
const running = new AsyncLocalStorage<Running>();

function current(): Running {
  const found = running.getStore();
  if (found === undefined) throw new Error('a rule of the kit ran outside its contract; register it with a suite');
  return found;
}

/** The subject of the test that is running. */
export function subjectOf<Subject>(): Subject {
  return current().subject as Subject;
}

/** True inside a test of a contract. */
export function isRunning(): boolean {
  return running.getStore() !== undefined;
}

/** Notes one call that the running test makes, for the report of what broke it. */
export function noteStep(text: string): void {
  const test = running.getStore();
  test?.steps.push(text);
  test?.context?.noteStep?.(text);
}

/** What a failed test did before it failed. Errors of the kit carry it as `steps`. */
export function stepsOf(error: unknown): readonly string[] {
  const { steps } = (error ?? {}) as { steps?: unknown };
  return Array.isArray(steps) ? steps.map(String) : [];
}

interface Each {
  /** One test for each row, which is spread over the arguments; `%s` in the title is filled from it, `$name` too. */
  <T extends readonly [unknown, ...unknown[]]>(
    rows: readonly T[],
  ): (title: string, body: (...row: [...T]) => void | Promise<void>) => void;
  <T>(rows: readonly T[]): (title: string, body: (row: T) => void | Promise<void>) => void;
}

/** Tests that belong together. */
export class Chapter {
  readonly rules: Rule[] = [];
  #groups: readonly string[] = [];

  readonly describe = (name: string, body: () => void): void => {
    const outer = this.#groups;
    this.#groups = [...outer, name];
    body();
    this.#groups = outer;
  };

  readonly #add = (title: string, body: Body): void => {
    this.rules.push({ title, groups: this.#groups, body });
  };

  readonly #each: Each =
    (rows: readonly unknown[]) =>
    (title: string, body: (...row: never[]) => void | Promise<void>): void => {
      const areSpread = rows.every((row) => Array.isArray(row));
      for (const row of rows) {
        const values: readonly unknown[] = areSpread ? (row as readonly unknown[]) : [row];
        this.#add(filled(title, values), () => Reflect.apply(body, undefined, values));
      }
    };

  readonly test = Object.assign(this.#add, { each: this.#each });
}

/** Characters of one value that are shown; a step is read, not run. */
const SHOWN = 160;

/** Shows a value in one line, its beginning if it is long. */
export function shown(value: unknown): string {
  const text = written(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

function written(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'function') return '<function>';
  if (typeof value === 'object' && value !== null) {
    try {
      return JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? `${inner}n` : (inner as unknown)));
    } catch {
      return '<object>';
    }
  }
  return String(value);
}

function filled(title: string, values: readonly unknown[]): string {
  let next = 0;
  const words = (value: unknown): string => (typeof value === 'string' ? value : shown(value));
  const [row] = values;
  return title.replace(/%[sdijo]|\$(\w+)/g, (mark, member?: string) => {
    if (member === undefined) return next < values.length ? words(values[next++]) : mark;
    return typeof row === 'object' && row !== null && member in row ? words(Reflect.get(row, member)) : mark;
  });
}

async function finished(work: Promise<void>, steps: readonly string[], context: TestContext | undefined) {
  try {
    await (context?.signal === undefined ? work : Promise.race([work, givenUp(context.signal)]));
  } catch (error) {
    failed(error, steps, context);
  }
}

function givenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function failed(error: unknown, steps: readonly string[], context: TestContext | undefined): void {
  if (error instanceof Untried) {
    // Without a way to say so, a test that was not tried must not look like one that passed.
    if (context?.skip === undefined) throw error;
    context.skip(error.message);
    return;
  }
  if (error instanceof Error && Object.isExtensible(error)) {
    Object.assign(error, { steps: [...steps] });
    // A runner shows what the error says and nothing else of it.
    if (context?.noteStep === undefined) tellSteps(error, steps);
  }
  throw error;
}

/** What errors said before the steps were put to it: a subject may throw the same one in every test. */
const said = new WeakMap<Error, string>();

function tellSteps(error: Error, steps: readonly string[]): void {
  const message = said.get(error) ?? error.message;
  said.set(error, message);
  if (steps.length === 0) return;
  const left = Math.max(steps.length - CONFORM.steps, 0);
  const lines = steps.slice(left).map((step, at) => `${String(left + at + 1).padStart(4)}  ${step}`);
  const after = left > 0 ? ` (after ${left} before these)` : '';
  const told = `${message}\n\nsteps${after}:\n${lines.join('\n')}`;
  // The stack begins with the message as it was; some runners show that.
  const stack = error.stack?.replace(error.message, () => told);
  Object.assign(error, { message: told, ...(stack !== undefined && { stack }) });
}

/** Registers chapters with a runner, each test with the subject as its own. */
export function register(name: string, subject: unknown, chapters: readonly Chapter[], suite: Suite): void {
  suite.describe(name, () => {
    for (const { title, groups, body } of chapters.flatMap(({ rules }) => rules)) {
      suite.test([...groups, title].join(' > '), (context) => {
        const store: Running = { subject, steps: [], context };
        try {
          const work: unknown = running.run(store, body);
          if (work instanceof Promise) return finished(work as Promise<void>, store.steps, context);
        } catch (error) {
          failed(error, store.steps, context);
        }
        return undefined;
      });
    }
  });
}

/** The ids of rules that a title names: `J-R050`, `F3`. */
export function rulesIn(title: string): string[] {
  return [...title.matchAll(/\[([A-Z][A-Z0-9, -]*\d)\]/g)].flatMap((match) => (match[1] ?? '').split(/[, ]+/));
}
