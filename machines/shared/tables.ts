import type { Assign, Effect, EventLike, Guard, Model, Move, Op, Region, Scope, ValueLike } from './parts.ts';

/** What one microstep does: where it leads, and its actions in XState's order. */
export interface Plan {
  readonly to: Configuration;
  readonly ops: readonly Op[];
  /** The assigns alone, for a plan without computed params. */
  readonly assigns: readonly Assign[];
  /** The effects, when none of them has computed params. */
  readonly effects: readonly Effect[];
  readonly computed: boolean;
  /** Events that XState queues when a region reaches a final state. */
  readonly raised: readonly EventLike[];
  readonly live: boolean;
  /** The rules of its transitions, each once. */
  readonly rules: readonly string[];
}

/** A transition that may be taken here, or several taken together; `joined` finds it together with one more. */
export interface Choice {
  readonly guard: Guard | undefined;
  readonly moves: readonly Move[];
  readonly plan: Plan;
  readonly joined: Map<Choice, Choice>;
}

/** Which transitions an event can take: one from each part, or one of `fallback` when no part has any. */
export interface Decision {
  /** The one list that has any choice, when only one has. */
  readonly only: readonly Choice[] | undefined;
  readonly parts: readonly (readonly Choice[])[];
  readonly fallback: readonly Choice[];
}

/** One value of the chart. There is exactly one object for each, shared by every snapshot that stands there. */
export interface Configuration {
  readonly tables: Tables;
  readonly leaves: readonly number[];
  readonly value: ValueLike;
  readonly done: boolean;
  readonly decisions: Map<string, Decision>;
  always: Decision | undefined;
}

/** Event types are the sender's words: only so many that no state names are remembered for each value. */
const MAX_STRANGERS = 64;
const NOTHING: readonly never[] = Object.freeze([]);

/** The transition table of one chart. Rows are built when an event first meets a value. */
export class Tables {
  readonly model: Model;
  readonly configurations: readonly Configuration[];
  readonly types: ReadonlySet<string>;
  readonly initial: Plan;
  readonly #wild: boolean;
  readonly #nothing: Decision = { only: [], parts: [], fallback: [] };

  constructor(model: Model) {
    this.model = model;
    const scopes = [model.root, ...model.regions.flatMap((region) => [region.self, ...region.leaves])];
    const descriptors = new Set(scopes.flatMap((scope) => [...scope.on.keys()]));
    this.#wild = [...descriptors].some((descriptor) => descriptor.endsWith('*'));
    this.types = new Set([...descriptors].filter((descriptor) => !descriptor.endsWith('*')));
    this.configurations = combinations(model.regions).map((leaves) => this.#configuration(leaves));
    for (const each of this.configurations) each.always = this.#always(each);
    this.initial = this.#initial();
  }

  /** The row for an event; a new one is remembered within bounds. */
  decide(from: Configuration, type: string): Decision {
    const known = from.decisions.get(type);
    if (known !== undefined) return known;
    if (!this.#wild && !this.types.has(type)) return this.#nothing;
    const made = this.#decision(from, (scope) => movesFor(scope, type));
    if (this.types.has(type) || from.decisions.size < this.types.size + MAX_STRANGERS) from.decisions.set(type, made);
    return made;
  }

  at(leaves: readonly number[]): Configuration {
    const { regions } = this.model;
    const index = leaves.reduce((sum, leaf, region) => sum * (regions[region]?.leaves.length ?? 1) + leaf, 0);
    const found = this.configurations[index];
    if (found === undefined) throw new Error(`chart "${this.model.id}": no configuration ${leaves.join(',')}`);
    return found;
  }

  /** The configuration that a value names, or undefined. */
  find(value: unknown): Configuration | undefined {
    const { regions, parallel } = this.model;
    if (parallel && (typeof value !== 'object' || value === null)) return undefined;
    if (parallel && Object.keys(value as object).length !== regions.length) return undefined;
    let index = 0;
    for (const region of regions) {
      const name: unknown = parallel ? Reflect.get(value as object, region.name) : value;
      const leaf = region.leaves.findIndex((one) => one.name === name);
      if (leaf === -1) return undefined;
      index = index * region.leaves.length + leaf;
    }
    return this.configurations[index];
  }

  /** What is taken when another region has a transition for the same event. */
  join(from: Configuration, first: Choice, second: Choice): Choice {
    const known = first.joined.get(second);
    if (known !== undefined) return known;
    const made = this.#choice(from, undefined, [...first.moves, ...second.moves]);
    first.joined.set(second, made);
    return made;
  }

  #configuration(leaves: readonly number[]): Configuration {
    const { regions, parallel } = this.model;
    const active = leaves.map((leaf, region) => leafAt(regions, region, leaf));
    const names = active.map((leaf, region) => [regions[region]?.name ?? '', leaf.name] as const);
    return {
      tables: this,
      leaves,
      value: parallel ? Object.freeze(Object.fromEntries(names)) : (active[0]?.name ?? ''),
      done: active.every((leaf) => leaf.final),
      decisions: new Map(),
      always: undefined,
    };
  }

  #decision(from: Configuration, list: (scope: Scope) => readonly Move[]): Decision {
    const { regions, root } = this.model;
    const choices = (moves: readonly Move[]): Choice[] => moves.map((move) => this.#choice(from, move.guard, [move]));
    const parts = regions.map((region, index) =>
      choices([...list(leafAt(regions, index, from.leaves[index])), ...list(region.self)]),
    );
    const used = parts.filter((part) => part.length > 0);
    // XState sorts the nodes of a finished machine in reverse, and its regions are then asked in that order.
    if (from.done) used.reverse();
    const fallback = choices(list(root));
    const only = fallback.length === 0 && used.length < 2 ? (used[0] ?? []) : used.length === 0 ? fallback : undefined;
    return { only, parts: used, fallback };
  }

  #choice(from: Configuration, guard: Guard | undefined, moves: readonly Move[]): Choice {
    return { guard, moves, plan: this.#plan(from, moves), joined: new Map() };
  }

  #always(from: Configuration): Decision | undefined {
    if (from.done) return undefined;
    const decision = this.#decision(from, (scope) => scope.always);
    return decision.parts.length > 0 || decision.fallback.length > 0 ? decision : undefined;
  }

  #plan(from: Configuration, moves: readonly Move[]): Plan {
    const { regions, root } = this.model;
    const leaves = [...from.leaves];
    const left: Scope[] = [];
    const entered: Scope[] = [];
    const raised: EventLike[] = [];
    for (const move of moves) {
      for (const [index, leaf] of (move.to ?? []).entries()) {
        const region = regions[index];
        if (leaf < 0 || region === undefined) continue;
        left.push(leafAt(regions, index, leaves[index]));
        entered.push(leafAt(regions, index, leaf));
        if (move.outer) left.push(region.self);
        if (move.outer) entered.push(region.self);
        leaves[index] = leaf;
        if (leafAt(regions, index, leaf).final) raised.push(region.doneEvent);
      }
    }
    const to = this.at(leaves);
    const ops = [...exits(left), ...moves.flatMap((move) => move.ops), ...entries(entered)];
    // A finished machine leaves all its states in place, and again with every event that it still takes.
    if (to.done) ops.push(...exits([root, ...this.#active(to)]));
    return toPlan(
      to,
      ops,
      to.done ? [] : raised,
      moves.some((move) => move.live),
      moves.flatMap((move) => move.rules),
    );
  }

  #initial(): Plan {
    const { regions, root } = this.model;
    const to = this.at(regions.map((region) => region.initial));
    const ops = [...root.entry, ...entries(this.#active(to))];
    if (to.done) ops.push(...exits([root, ...this.#active(to)]));
    const raised = regions.filter((region) => region.leaves[region.initial]?.final).map((region) => region.doneEvent);
    return toPlan(to, ops, to.done ? [] : raised, true, []);
  }

  #active(at: Configuration): Scope[] {
    const { regions } = this.model;
    return regions.flatMap((region, index) => [region.self, leafAt(regions, index, at.leaves[index])]);
  }
}

function toPlan(
  to: Configuration,
  ops: readonly Op[],
  raised: readonly EventLike[],
  live: boolean,
  rules: readonly string[],
): Plan {
  const fixed = ops.flatMap((op) => op.fixed ?? []);
  return {
    to,
    ops,
    assigns: fuse(ops),
    effects: fixed.length === 0 ? NOTHING : Object.freeze(fixed),
    computed: ops.some((op) => op.made !== undefined),
    raised,
    live,
    rules: rules.length === 0 ? NOTHING : Object.freeze([...new Set(rules)]),
  };
}

// Copying the context is what a step costs. Constants may be written straight into the copy that the assign before
// them has just made; an assign with functions may not, for they could keep the context that they were shown.
function fuse(ops: readonly Op[]): Assign[] {
  const fused: Assign[] = [];
  let copied = false;
  for (const { assign, constants, whole } of ops) {
    if (assign === undefined) continue;
    // A whole context need not be a copy: it may be the one that went in.
    const before = constants === undefined || !copied ? undefined : fused.pop();
    if (before !== undefined) fused.push((args) => write(before(args), constants ?? []));
    else fused.push(assign);
    copied = !whole;
  }
  return fused;
}

function write(context: object, constants: readonly (readonly [string, unknown])[]): object {
  const own = context as Record<string, unknown>;
  for (const [key, value] of constants) own[key] = value;
  return own;
}

function exits(scopes: readonly Scope[]): Op[] {
  return [...scopes].sort((a, b) => b.order - a.order).flatMap((scope) => scope.exit);
}

function entries(scopes: readonly Scope[]): Op[] {
  return [...scopes].sort((a, b) => a.order - b.order).flatMap((scope) => scope.entry);
}

// An exact name first, then wildcards, the longest first: XState's order.
function movesFor(scope: Scope, type: string): readonly Move[] {
  const wildcards = [...scope.on.keys()]
    .filter((descriptor) => descriptor !== type && matches(type, descriptor))
    .sort((a, b) => b.length - a.length);
  return [type, ...wildcards].flatMap((descriptor) => scope.on.get(descriptor) ?? []);
}

function matches(type: string, descriptor: string): boolean {
  if (descriptor === '*') return true;
  if (!descriptor.endsWith('.*')) return false;
  const prefix = descriptor.slice(0, -2);
  return type === prefix || type.startsWith(`${prefix}.`);
}

function leafAt(regions: readonly Region[], region: number, leaf: number | undefined): Region['leaves'][number] {
  const found = regions[region]?.leaves[leaf ?? -1];
  if (found === undefined) throw new Error(`no state ${leaf} in region ${region}`);
  return found;
}

function combinations(regions: readonly Region[]): number[][] {
  return regions.reduce<number[][]>(
    (all, region) => all.flatMap((one) => region.leaves.map((_leaf, index) => [...one, index])),
    [[]],
  );
}
