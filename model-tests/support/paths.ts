/** Finds a shortest list of steps to each transition of a noun's charts, and keeps them as data for the test kit. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyStateMachine } from 'xstate';
import type { ChartPath } from '../../src/testing/paths.ts';
import { ROOT } from '../../test/support/source.ts';
import { allTransitions, Tracer } from './tracer.ts';

/** A transition as a path names it. */
export interface Known {
  readonly name: string;
  readonly rules: readonly string[];
}

/** Hears which transitions of some charts are taken. */
export class Ear {
  readonly #known = new Map<object, Known>();
  readonly #tracers = new Map<
    string,
    { readonly machine: AnyStateMachine; readonly tracer: Tracer<AnyStateMachine> }
  >();
  readonly #cache = new Map<string, readonly Known[]>();
  #heard = new Set<Known>();

  /** `prefix`: of the noun's rule ids. What a chart names beside the rules of its SPEC.md is in no title. */
  constructor(prefix: string, machines: readonly AnyStateMachine[]) {
    for (const machine of machines) {
      this.#tracers.set(machine.id, { machine, tracer: new Tracer(machine) });
      for (const { name, transition } of allTransitions(machine)) {
        const { meta } = transition as { meta?: { rules?: readonly string[] } };
        const rules = (meta?.rules ?? []).filter((rule) => /^[RIHT]-/.test(rule));
        this.#known.set(transition, {
          name: `${machine.id}: ${name.replaceAll(`${machine.id}.`, '')}`,
          rules: rules.map((rule) => `${prefix}-${rule.replace('-', '')}`),
        });
      }
    }
  }

  get names(): readonly string[] {
    return [...this.#known.values()].map(({ name }) => name);
  }

  /** An event comes to a row of a chart; a chart that is not its own is passed over. */
  hear(id: string, at: { readonly value: unknown; readonly context: unknown }, event: unknown): void {
    const chart = this.#tracers.get(id);
    if (chart === undefined) return;
    const key = `${id} ${JSON.stringify([at.value, at.context, event])}`;
    let found = this.#cache.get(key);
    if (found === undefined) {
      const before = chart.machine.resolveState({ value: at.value, context: at.context } as never);
      found = chart.tracer.ofEvent(before, event as never).flatMap((one) => this.#known.get(one) ?? []);
      this.#cache.set(key, found);
    }
    for (const one of found) this.#heard.add(one);
  }

  /** A transition is taken, by whoever knows which one. */
  note(transition: object): void {
    const known = this.#known.get(transition);
    if (known !== undefined) this.#heard.add(known);
  }

  /** What was heard since it was asked last. */
  take(): ReadonlySet<Known> {
    const heard = this.#heard;
    this.#heard = new Set();
    return heard;
  }
}

type Listed = ChartPath<unknown, unknown>;
/** What is walked: the steps, and whatever else the world of the path is made from. */
export type Walked<Path extends Listed> = Omit<Path, 'takes' | 'rules' | 'seen'> & Pick<Path, 'steps'>;

/** What a noun gives, to have paths. */
export interface PathSource<Path extends Listed> {
  /** Where its paths are kept, from the root. */
  readonly file: string;
  /** Hears every step that `walk` brings about. */
  readonly ear: Ear;
  /** Takes the steps one by one, and tells what is to be seen after each; and afterwards, where that says more. */
  readonly walk: (path: Walked<Path>, look: (seen: Path['seen'][number]) => void) => Promise<void>;
  /** Lists of steps in which the transitions are looked for, the same ones at each call. */
  readonly samples: () => readonly Walked<Path>[];
  /** Why no list of steps takes a transition; undefined: one should. */
  readonly whyNone: (name: string) => string | undefined;
}

/** A source of paths of any kind, behind what a run over all nouns asks of it. */
export class PathWriter<Path extends Listed> {
  readonly #source: PathSource<Path>;

  constructor(source: PathSource<Path>) {
    this.#source = source;
  }

  /** What each step takes and shows. */
  async #taken(path: Walked<Path>): Promise<{ steps: ReadonlySet<Known>[]; seen: Path['seen'][number][] }> {
    const { ear, walk } = this.#source;
    const steps: ReadonlySet<Known>[] = [];
    const seen: Path['seen'][number][] = [];
    ear.take();
    await walk(path, (sight) => {
      steps.push(ear.take());
      seen.push(sight);
    });
    return { steps, seen };
  }

  /** Leaves out steps for as long as the last one still takes the transition. */
  async #shortened(path: Walked<Path>, wanted: Known): Promise<Walked<Path>> {
    let best = path;
    for (let at = best.steps.length - 2; at >= 0; at--) {
      const fewer = { ...best, steps: best.steps.filter((_, one) => one !== at) };
      if ((await this.#taken(fewer)).steps[fewer.steps.length - 1]?.has(wanted) === true) best = fewer;
    }
    return best;
  }

  async #found(): Promise<Listed[]> {
    const paths = new Map<Known, Listed>();
    for (const sample of this.#source.samples()) {
      const { steps } = await this.#taken(sample);
      for (const [at, set] of steps.slice(0, sample.steps.length).entries()) {
        for (const one of set) {
          if (paths.has(one)) continue;
          const short = await this.#shortened({ ...sample, steps: sample.steps.slice(0, at + 1) }, one);
          const { seen } = await this.#taken(short);
          paths.set(one, { takes: one.name, rules: one.rules, ...short, seen });
        }
      }
    }
    return [...paths.values()].sort((a, b) => (a.takes < b.takes ? -1 : 1));
  }

  /** Writes the paths, and says which transitions have none; `isCheck`: writes nothing, and throws where that is not right. */
  async run(isCheck: boolean): Promise<void> {
    const { file, ear, whyNone } = this.#source;
    const paths = await this.#found();
    const missing = ear.names.filter((name) => paths.every((path) => path.takes !== name));
    const needless = paths.filter(({ takes }) => whyNone(takes) !== undefined).map(({ takes }) => takes);
    const text = `[\n${paths.map((path) => JSON.stringify(path)).join(',\n')}\n]\n`;
    const path = join(ROOT, file);
    if (!isCheck) {
      writeFileSync(path, text);
      console.log(`${file}: ${paths.length} paths; no path to:`);
      for (const name of missing) console.log(`  ${name}: ${whyNone(name) ?? 'NO REASON'}`);
      return;
    }
    const unexplained = missing.filter((name) => whyNone(name) === undefined);
    if (unexplained.length > 0) throw new Error(`${file}: no path, no reason: ${unexplained.join(', ')}`);
    if (needless.length > 0) throw new Error(`${file}: a path, and a reason for none: ${needless.join(', ')}`);
    if (readFileSync(path, 'utf8') !== text) throw new Error(`${file} is not that of the charts: npm run paths`);
  }
}
