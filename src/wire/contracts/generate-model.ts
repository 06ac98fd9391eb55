/** Turns zod definitions into models, or throws: what cannot be written down faithfully is not written. */
import { z } from 'zod';
import { ContractError } from './closed.ts';
import { behindLazy, definition, type Schema } from './definitions.ts';
import { isJsonValue, isWhole, realChecks } from './json-value.ts';

export type Literal = string | number | boolean | null;

/** The shapes that both outputs can say. */
export type Node =
  | { readonly kind: 'scalar'; readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'null' }
  | { readonly kind: 'json' }
  | { readonly kind: 'literals'; readonly values: readonly Literal[] }
  | { readonly kind: 'array'; readonly item: Node }
  | { readonly kind: 'record'; readonly value: Node }
  | { readonly kind: 'object'; readonly fields: readonly Field[] }
  | { readonly kind: 'union'; readonly options: readonly Node[] }
  | { readonly kind: 'ref'; readonly model: string };

export interface Field {
  readonly name: string;
  readonly node: Node;
  /** Whether it may be left out: by a client, and by the backend. */
  readonly optional: { readonly inbound: boolean; readonly outbound: boolean };
}

const MODEL_NAME = /^[A-Z][A-Za-z0-9]*$/;
/** Schemas inside one another without a name between. */
const DEEPEST = 200;
const PLAIN_SCALARS = ['string', 'number', 'boolean', 'null'] as const;

/** What a person calls the construct that cannot be said. */
function unsupported(schema: Schema): string | undefined {
  const def = definition(schema);
  // A check is a range, a length, a pattern, or a refinement, which no output would show.
  const checks = realChecks(schema).map((one) => one._zod.def.check);
  if (checks.length > 0) return `the check ${checks[0]}`;
  if ('format' in def && def.format !== undefined) return `the format ${String(def.format)}`;
  if ('check' in def && def.check !== undefined) return `the check ${String(def.check)}`;
  if ('coerce' in def && def.coerce === true) return 'coercion';
  return undefined;
}

/** Reads the schemas of one pack. One reader knows all models, so that a name stands for one of them. */
export class ModelReader {
  readonly models = new Map<string, Node>();
  readonly #schemas = new Map<string, Schema>();
  /** Schemas that are being read, up to here: meeting one again without a name between would never end. */
  readonly #open = new Set<Schema>();

  /** Reads the schema of one side as the model of that name, or under the name that the schema itself has. */
  root(name: string, schema: Schema): Node {
    const own = z.globalRegistry.get(schema)?.id;
    return own === undefined ? this.#model(name, schema, name) : this.#node(schema, name);
  }

  #node(schema: Schema, where: string): Node {
    const name = z.globalRegistry.get(schema)?.id;
    return name === undefined ? this.#anonymous(schema, where) : this.#model(name, schema, where);
  }

  #model(name: string, schema: Schema, where: string): Node {
    if (!MODEL_NAME.test(name))
      throw new ContractError(where, `the model name ${JSON.stringify(name)} is no type name`);
    const known = this.#schemas.get(name);
    if (known !== undefined && known !== schema) throw new ContractError(where, `two models are named ${name}`);
    if (known === undefined) {
      this.#schemas.set(name, schema);
      this.models.set(name, this.#anonymous(schema, name));
    }
    return { kind: 'ref', model: name };
  }

  #anonymous(schema: Schema, where: string): Node {
    if (isJsonValue(schema)) return { kind: 'json' };
    if (isWhole(schema)) return { kind: 'scalar', type: 'integer' };
    if (this.#open.has(schema)) throw new ContractError(where, 'holds itself; give it a name with .meta({ id })');
    if (this.#open.size >= DEEPEST) throw new ContractError(where, 'is nested too deeply to be generated');
    const fault = unsupported(schema);
    if (fault !== undefined) throw new ContractError(where, `${fault} cannot be generated`);
    this.#open.add(schema);
    const node = this.#read(schema, where);
    this.#open.delete(schema);
    return node;
  }

  #read(schema: Schema, where: string): Node {
    const def = definition(schema);
    for (const type of PLAIN_SCALARS) if (def.type === type) return { kind: 'scalar', type };
    switch (def.type) {
      case 'literal':
        return literals(def.values, where);
      case 'enum':
        return literals([...(schema as z.core.$ZodEnum)._zod.values], where);
      case 'array':
        return { kind: 'array', item: this.#node(def.element, `${where}[]`) };
      case 'record':
        return this.#record(def, where);
      case 'object':
        return this.#object(def, where);
      case 'union':
        return this.#union(def, where);
      case 'nullable':
        return union([this.#node(def.innerType, where), { kind: 'scalar', type: 'null' }]);
      case 'readonly':
        return this.#node(def.innerType, where);
      case 'lazy':
        return this.#node(behindLazy(schema), where);
      case 'optional':
      case 'default':
      case 'prefault':
        throw new ContractError(where, `z.${def.type} stands where nothing can be left out`);
      default:
        throw new ContractError(where, `z.${def.type} cannot be generated`);
    }
  }

  #record(def: z.core.$ZodRecordDef, where: string): Node {
    const key = definition(def.keyType);
    if (key.type !== 'string' || unsupported(def.keyType) !== undefined) {
      throw new ContractError(where, 'keys other than any text cannot be generated');
    }
    return { kind: 'record', value: this.#node(def.valueType, `${where}.*`) };
  }

  #object(def: z.core.$ZodObjectDef, where: string): Node {
    const names = Object.keys(def.shape).sort();
    const rest = def.catchall === undefined ? undefined : definition(def.catchall).type;
    if (def.catchall !== undefined && rest !== 'never' && rest !== 'unknown' && rest !== 'any') {
      // Fields and typed extra keys at once: one of them would be lost.
      if (names.length > 0) throw new ContractError(where, 'fields and a catchall at once cannot be generated');
      return { kind: 'record', value: this.#node(def.catchall, `${where}.*`) };
    }
    if (rest !== 'never') throw new ContractError(where, 'an object that is not closed cannot be generated');
    return { kind: 'object', fields: names.map((name) => this.#field(name, def.shape[name], `${where}.${name}`)) };
  }

  #field(name: string, schema: Schema | undefined, where: string): Field {
    if (schema === undefined || name === '__proto__') throw new ContractError(where, 'cannot be the name of a field');
    const { optin, optout } = schema._zod;
    return {
      name,
      node: this.#present(schema, where),
      optional: { inbound: optin !== undefined, outbound: optout === 'optional' },
    };
  }

  /** What a field holds when it is there. */
  #present(schema: Schema, where: string): Node {
    const def = definition(schema);
    const named = z.globalRegistry.get(schema)?.id !== undefined;
    if (
      named &&
      ['optional', 'default', 'nullable', 'readonly'].includes(def.type) &&
      schema._zod.optin !== undefined
    ) {
      throw new ContractError(where, 'a model that may be left out cannot be generated; name what is inside');
    }
    if (unsupported(schema) === undefined && !named) {
      if (def.type === 'optional' || def.type === 'default' || def.type === 'readonly') {
        return this.#present(def.innerType, where);
      }
      if (def.type === 'nullable')
        return union([this.#present(def.innerType, where), { kind: 'scalar', type: 'null' }]);
    }
    return this.#node(schema, where);
  }

  #union(def: z.core.$ZodUnionDef, where: string): Node {
    if (def.inclusive === false && !('discriminator' in def)) {
      throw new ContractError(where, 'z.xor cannot be generated');
    }
    if (def.options.length === 0) throw new ContractError(where, 'a union of nothing cannot be generated');
    return union(def.options.map((one) => this.#node(one, where)));
  }
}

function literals(values: readonly unknown[], where: string): Node {
  const said = values.map((one): Literal => {
    if (one === null || typeof one === 'string' || typeof one === 'boolean') return one;
    if (typeof one === 'number' && Number.isFinite(one)) return one;
    throw new ContractError(where, `the literal ${typeof one} cannot be generated`);
  });
  if (said.length === 0) throw new ContractError(where, 'an empty enum cannot be generated');
  return { kind: 'literals', values: said };
}

const union = (options: readonly Node[]): Node => ({
  kind: 'union',
  options: options.flatMap((one) => (one.kind === 'union' ? one.options : [one])),
});
