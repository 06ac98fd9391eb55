/** The models of a pack, and what each is called in which direction. Both outputs are written from this. */
import { ContractError } from './closed.ts';
import { ModelReader, type Node } from './generate-model.ts';
import type { Pack } from './pack.ts';

/** `inbound`: a client sends it. `outbound`: the backend sends it. */
export type Direction = 'inbound' | 'outbound';

export interface Root {
  readonly name: string;
  readonly node: Node;
}

export interface NamedMethod {
  readonly name: string;
  readonly description: string | undefined;
  readonly params: Node;
  readonly result: Node;
}

export interface NamedRequest extends NamedMethod {
  readonly secret: boolean;
  readonly windowOwned: boolean;
}

export interface NamedEvent {
  readonly name: string;
  readonly payload: Node | undefined;
}

/** One type to write: a model as one direction sees it. */
export interface NamedModel {
  readonly name: string;
  readonly node: Node;
  readonly direction: Direction;
}

export interface NamedPack {
  readonly methods: readonly NamedMethod[];
  readonly requests: readonly NamedRequest[];
  readonly events: readonly NamedEvent[];
  /** Sorted by name. */
  readonly models: readonly NamedModel[];
  nameOf(model: string, direction: Direction): string;
  /** What a reference stands for. */
  resolve(node: Node): Node;
}

/** Names that the outputs give to things of their own. */
const TAKEN = ['RpcMethods', 'ServerRequestMap', 'BackendGatewayEventMap', 'JsonValue'];

/** `vault.save_login` → `VaultSaveLogin`. */
const typeName = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('');

const byName = <T extends { readonly name: string }>(table: ReadonlyMap<string, T>): T[] =>
  [...table.values()].sort((one, other) => (one.name < other.name ? -1 : 1));

function inside(node: Node): readonly Node[] {
  if (node.kind === 'array') return [node.item];
  if (node.kind === 'record') return [node.value];
  if (node.kind === 'union') return node.options;
  return node.kind === 'object' ? node.fields.map((field) => field.node) : [];
}

/** Which directions each model travels in; what it holds travels along. */
class Uses {
  readonly #models: ReadonlyMap<string, Node>;
  readonly #used = new Map<string, Set<Direction>>();

  constructor(models: ReadonlyMap<string, Node>) {
    this.#models = models;
  }

  mark(node: Node, direction: Direction): void {
    if (node.kind === 'ref') {
      const used = this.#used.get(node.model) ?? new Set();
      if (used.has(direction)) return;
      this.#used.set(node.model, used.add(direction));
      const model = this.#models.get(node.model);
      if (model === undefined) throw new ContractError(node.model, 'is referred to, and is nowhere');
      this.mark(model, direction);
    }
    for (const inner of inside(node)) this.mark(inner, direction);
  }

  of(model: string): ReadonlySet<Direction> {
    return this.#used.get(model) ?? new Set();
  }
}

function namedModels(models: ReadonlyMap<string, Node>, uses: Uses, nameOf: NamedPack['nameOf']): NamedModel[] {
  const written = new Map<string, NamedModel>();
  for (const [model, node] of models) {
    for (const direction of uses.of(model)) {
      const name = nameOf(model, direction);
      if (TAKEN.includes(name)) throw new ContractError(model, 'is a name that the generated file itself uses');
      if (written.has(name)) throw new ContractError(model, `two models are named ${name}`);
      written.set(name, { name, node, direction });
    }
  }
  return byName(written);
}

/** Reads all that a pack declares. Throws `ContractError` for what no output can say. */
export function namedPack(pack: Pack): NamedPack {
  const reader = new ModelReader();
  const methods = byName(pack.methods).map(({ name, description, params, result }) => ({
    name,
    description,
    params: reader.root(`${typeName(name)}Params`, params.schema),
    result: reader.root(`${typeName(name)}Result`, result.schema),
  }));
  const requests = byName(pack.requests).map(({ name, description, secret, windowOwned, params, result }) => ({
    name,
    description,
    secret,
    windowOwned,
    params: reader.root(`${typeName(name)}RequestParams`, params.schema),
    result: reader.root(`${typeName(name)}RequestResult`, result.schema),
  }));
  const events = byName(pack.events).map(({ name, payload }) => ({
    name,
    payload: payload === undefined ? undefined : reader.root(`${typeName(name)}Payload`, payload.schema),
  }));
  const uses = new Uses(reader.models);
  for (const { params, result } of methods) {
    uses.mark(params, 'inbound');
    uses.mark(result, 'outbound');
  }
  for (const { params, result } of requests) {
    uses.mark(params, 'outbound');
    uses.mark(result, 'inbound');
  }
  for (const { payload } of events) if (payload !== undefined) uses.mark(payload, 'outbound');
  const nameOf = (model: string, direction: Direction): string =>
    direction === 'inbound' && uses.of(model).size === 2 ? `${model}Input` : model;
  const resolve = (node: Node): Node => (node.kind === 'ref' ? resolve(reader.models.get(node.model) ?? node) : node);
  return { methods, requests, events, models: namedModels(reader.models, uses, nameOf), nameOf, resolve };
}
