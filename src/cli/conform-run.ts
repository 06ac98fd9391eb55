/** Puts a module through the contracts in processes of their own: whatever it does, this ends in bounded time. */

import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { CONFORM } from '../limits.ts';
import { type Cancel, nodeRuntime } from '../runtime.ts';

const text = z.string().transform((value) => value.slice(0, CONFORM.text));
const fault = z.object({ contract: text.nullable(), message: text });
const test = z.object({ contract: text, title: text, rules: z.array(text) });
const said = z.discriminatedUnion('type', [
  z.object({ type: z.literal('loaded'), tests: z.array(test), faults: z.array(fault) }),
  z.object({ type: z.literal('begin'), at: z.number().int().nonnegative() }),
  z.object({
    type: z.literal('end'),
    at: z.number().int().nonnegative(),
    outcome: z.enum(['held', 'broken', 'untried']),
    message: text.optional(),
    steps: z.array(text).optional(),
  }),
  z.object({
    type: z.literal('shorter'),
    at: z.number().int().nonnegative(),
    message: text,
    steps: z.array(text),
  }),
  z.object({ type: z.literal('done') }),
]);
type Said = z.infer<typeof said>;
/** The test, what it does next, and which call that is; test -1: what is made while the module is loaded. */
const told = z.tuple([z.number().int(), text, text.nullable()]);
/** Where the process tells each step. */
const STEPS = 4;

export type Test = z.infer<typeof test>;
export type Fault = z.infer<typeof fault>;
export interface Result {
  readonly outcome: 'held' | 'broken' | 'untried';
  readonly message?: string | undefined;
  readonly steps?: readonly string[] | undefined;
}
export interface Findings {
  readonly faults: readonly Fault[];
  readonly tests: readonly Test[];
  /** One for each test, in the same order. */
  readonly results: readonly Result[];
}

export interface ConformBounds {
  readonly load: number;
  readonly test: number;
  readonly processes: number;
  readonly total: number;
}

/** How one process ended: everything tried, or in the middle of loading or of a test. */
type End = { readonly kind: 'done' } | { readonly kind: 'cut'; readonly why: string };

class Conform {
  readonly #child: string;
  readonly #module: string;
  readonly #bounds: ConformBounds;
  readonly #deadline: number;
  faults: Fault[] = [];
  tests: readonly Test[] | undefined;
  readonly results: Result[] = [];
  /** A test that has begun and not ended. */
  running = false;
  /** A process was lost outside of a test: to what fewer steps of one do. Sequences are told as they are from now on. */
  isWhole = false;
  /** What the process was doing: the latest test that told a step, and its steps. */
  #doing: { at: number; readonly steps: string[]; call: string | null } = { at: -2, steps: [], call: null };
  /** How many processes were lost in which call. */
  readonly #losses = new Map<string, number>();

  constructor(child: string, module: string, bounds: ConformBounds) {
    this.#child = child;
    this.#module = module;
    this.#bounds = bounds;
    this.#deadline = nodeRuntime.now() + bounds.total;
  }

  get isOver(): boolean {
    return nodeRuntime.now() >= this.#deadline;
  }

  /** One process, from the first test without a result. */
  round(signal: AbortSignal): Promise<End> {
    const avoided = [...this.#losses].filter(([, count]) => count >= CONFORM.losses).map(([call]) => call);
    const from = String(this.results.length);
    const child = fork(
      this.#child,
      [this.#module, from, this.isWhole ? 'whole' : 'shortest', String(STEPS), avoided.join(',')],
      { stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'] },
    );
    this.#doing = { at: -2, steps: [], call: null };
    createInterface({ input: child.stdio[STEPS] as Readable }).on('line', (one) => this.#note(one));
    let err = '';
    child.stderr?.on('data', (part: Buffer) => {
      err = `${err}${String(part)}`.slice(-CONFORM.text);
    });
    return this.#watch(child, signal, () => err);
  }

  #watch(child: ChildProcess, signal: AbortSignal, err: () => string): Promise<End> {
    return new Promise((resolve) => {
      let cancel: Cancel = () => undefined;
      let isLoaded = false;
      let ended: string | undefined;
      const end = (how: End): void => {
        cancel();
        signal.removeEventListener('abort', stop);
        child.removeAllListeners();
        child.kill('SIGKILL');
        // A process that the module has started may hold them.
        for (const stream of child.stdio) stream?.destroy();
        resolve(how);
      };
      const stop = (): void => end({ kind: 'cut', why: 'it was interrupted' });
      const wait = (): void => {
        cancel();
        const ms = Math.min(isLoaded ? this.#bounds.test : this.#bounds.load, this.#deadline - nodeRuntime.now());
        const why = `it did not end within ${this.#bounds[isLoaded ? 'test' : 'load']} ms`;
        cancel = nodeRuntime.after(Math.max(ms, 0), () => end({ kind: 'cut', why: ended ?? why }));
      };
      signal.addEventListener('abort', stop);
      if (signal.aborted) return stop();
      wait();
      child.on('message', (message) => {
        const read = said.safeParse(message);
        if (!read.success) return end({ kind: 'cut', why: 'it spoke on the channel of its parent' });
        isLoaded = true;
        this.#hear(read.data);
        if (read.data.type === 'done') end({ kind: 'done' });
        else wait();
      });
      child.on('error', (error) => end({ kind: 'cut', why: error.message }));
      child.on('exit', (code, by) => {
        ended = `its process ended (${by ?? code})`;
      });
      // Not before all that it said is read.
      child.on('close', () => {
        const last = err().trim().split('\n').at(-1) ?? '';
        end({ kind: 'cut', why: `${ended}${last === '' ? '' : `: ${last}`}` });
      });
      return undefined;
    });
  }

  #note(words: string): void {
    const read = told.safeParse(parsed(words));
    if (!read.success) return;
    const [at, step, call] = read.data;
    if (at !== this.#doing.at) this.#doing = { at, steps: [], call: null };
    const { steps } = this.#doing;
    steps.push(step);
    if (steps.length > CONFORM.told) steps.shift();
    if (call !== null) this.#doing.call = call;
  }

  /** What was made when the process was lost, if the module itself was loaded. */
  get making(): string | undefined {
    return this.#doing.at === -1 ? this.#doing.steps.at(-1) : undefined;
  }

  /** The running test has lost its process: it is broken, in the call that it made last. */
  lose(why: string): void {
    const { at, steps, call } = this.#doing;
    const isKnown = at === this.results.length;
    if (isKnown && call !== null) this.#losses.set(call, (this.#losses.get(call) ?? 0) + 1);
    const last = isKnown ? steps.findLast((step) => !step.startsWith(' ')) : undefined;
    const message = `${why}${last === undefined ? '' : `; its last step: ${last}`}`;
    this.results.push({ outcome: 'broken', message, steps: isKnown ? [...steps] : [] });
    this.running = false;
  }

  #hear(message: Said): void {
    if (message.type === 'loaded') {
      this.tests ??= message.tests;
      if (this.results.length === 0) this.faults = message.faults;
    } else if (message.type === 'begin') this.running = true;
    else if (message.type === 'end') {
      this.running = false;
      const { outcome, message: words, steps } = message;
      this.results.push({ outcome, message: words, steps });
    } else if (message.type === 'shorter' && message.at === this.results.length - 1) {
      this.results[message.at] = { outcome: 'broken', message: message.message, steps: message.steps };
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Everything that was found of a module. Never rejects for what the module does, and ends in bounded time. */
export async function conformModule(
  child: string,
  module: string,
  signal: AbortSignal,
  bounds: ConformBounds = CONFORM,
): Promise<Findings> {
  const run = new Conform(child, module, bounds);
  let why = `the module hung or ended ${bounds.processes} processes before its turn`;
  for (let process = 0; process < bounds.processes; process++) {
    const end = await run.round(signal);
    if (end.kind === 'done') break;
    if (run.tests === undefined) {
      const { making } = run;
      const when = making === undefined ? 'it was loaded' : `its ${making} was made`;
      run.faults.push({ contract: null, message: `while ${when}, ${end.why}` });
      break;
    }
    if (run.running) run.lose(end.why);
    else run.isWhole = true;
    if (run.isOver || signal.aborted) {
      why = signal.aborted ? end.why : `no time was left after ${bounds.total} ms`;
      break;
    }
  }
  const tests = run.tests ?? [];
  while (run.results.length < tests.length) run.results.push({ outcome: 'untried', message: why });
  return { faults: run.faults, tests, results: run.results };
}
