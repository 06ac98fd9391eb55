/** Looks at every generated schema once more: only the words of R-164, and no reference that leads nowhere. */
import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../jsonrpc.ts';
import { ContractError } from './closed.ts';

const ANNOTATIONS = new Set(['title', 'description', 'default', 'deprecated', 'examples', '$comment']);
const PREFIX = '#/components/schemas/';
/** The one schema that may be empty. */
const ANYTHING = 'JsonValue';

interface Walk {
  readonly schemas: JsonObject;
  readonly where: string;
}

function each(walk: Walk, word: string, value: JsonValue | undefined): void {
  if (!isJsonObject(value)) throw new ContractError(walk.where, `${word} holds no schemas`);
  for (const [name, one] of Object.entries(value)) visit({ ...walk, where: `${walk.where}.${name}` }, one);
}

function visitAll(walk: Walk, word: string, value: JsonValue | undefined): void {
  if (!Array.isArray(value) || value.length === 0) throw new ContractError(walk.where, `${word} is no list of schemas`);
  for (const one of value) visit(walk, one);
}

function reference(walk: Walk, value: JsonValue | undefined): void {
  const name = typeof value === 'string' && value.startsWith(PREFIX) ? value.slice(PREFIX.length) : undefined;
  if (name === undefined || !Object.hasOwn(walk.schemas, name)) {
    throw new ContractError(walk.where, `refers to ${JSON.stringify(value)}, which is nowhere`);
  }
}

function additional(walk: Walk, schema: JsonObject): void {
  const rest = schema['additionalProperties'];
  if (rest === false) return;
  const fields = schema['properties'];
  if (!isJsonObject(rest)) throw new ContractError(walk.where, 'additionalProperties is neither false nor a schema');
  if (isJsonObject(fields) && Object.keys(fields).length > 0) {
    throw new ContractError(walk.where, 'properties and additionalProperties at once');
  }
  visit({ ...walk, where: `${walk.where}.*` }, rest);
}

function keyword(walk: Walk, schema: JsonObject, word: string): void {
  const value = schema[word];
  if (ANNOTATIONS.has(word) || ['type', 'required', 'const', 'enum'].includes(word)) return;
  if (word === '$ref') return reference(walk, value);
  if (word === 'properties' || word === '$defs') return each(walk, word, value);
  if (word === 'items') return visit({ ...walk, where: `${walk.where}[]` }, value);
  if (word === 'anyOf' || word === 'oneOf') return visitAll(walk, word, value);
  if (word === 'additionalProperties') return additional(walk, schema);
  throw new ContractError(walk.where, `the keyword ${JSON.stringify(word)} is not supported`);
}

function visit(walk: Walk, schema: JsonValue | undefined): void {
  if (!isJsonObject(schema)) throw new ContractError(walk.where, 'is not a schema');
  const words = Object.keys(schema).filter((word) => !ANNOTATIONS.has(word));
  if (words.length === 0) throw new ContractError(walk.where, 'an empty schema is not supported');
  if (schema['type'] === 'array' && !('items' in schema)) throw new ContractError(walk.where, 'an array without items');
  if (schema['type'] === 'object' && !('additionalProperties' in schema)) {
    throw new ContractError(walk.where, 'an object that is not closed');
  }
  for (const word of words) keyword(walk, schema, word);
}

/** Throws `ContractError`, naming model and field path, unless all schemas keep to the supported words. */
export function assertSupported(schemas: JsonObject): void {
  for (const [name, schema] of Object.entries(schemas)) {
    const isAnything = name === ANYTHING && isJsonObject(schema) && Object.keys(schema).length === 0;
    if (!isAnything) visit({ schemas, where: name }, schema);
  }
}
