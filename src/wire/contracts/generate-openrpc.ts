/** Writes the models of a pack as an OpenRPC 1.3 document. */
import type { JsonObject, JsonValue } from '../json.ts';
import type { Node } from './generate-model.ts';
import type { Direction, NamedEvent, NamedMethod, NamedPack, NamedRequest } from './generate-names.ts';

const textOf = (value: JsonValue): string => JSON.stringify(value);
const byText = (one: JsonValue, other: JsonValue): number => (textOf(one) < textOf(other) ? -1 : 1);

/** Alternatives, each once, in an order that declarations do not decide. */
function anyOf(options: readonly JsonObject[]): JsonObject {
  const unlike = [...new Map(options.map((one) => [textOf(one), one])).values()].sort(byText);
  const [only] = unlike;
  return unlike.length === 1 && only !== undefined ? only : { anyOf: unlike };
}

const component = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

class SchemaWriter {
  readonly #pack: NamedPack;

  constructor(pack: NamedPack) {
    this.#pack = pack;
  }

  schema(node: Node, direction: Direction): JsonObject {
    switch (node.kind) {
      case 'scalar':
        return { type: node.type };
      case 'json':
        return component('JsonValue');
      case 'literals':
        return node.values.length === 1 ? { const: node.values[0] ?? null } : { enum: [...node.values].sort(byText) };
      case 'array':
        return { type: 'array', items: this.schema(node.item, direction) };
      case 'record':
        return { type: 'object', additionalProperties: this.schema(node.value, direction) };
      case 'object':
        return this.#object(node, direction);
      case 'union':
        return anyOf(node.options.map((one) => this.schema(one, direction)));
      case 'ref':
        return component(this.#pack.nameOf(node.model, direction));
    }
  }

  #object(node: Extract<Node, { kind: 'object' }>, direction: Direction): JsonObject {
    const required = node.fields.filter((field) => !field.optional[direction]).map((field) => field.name);
    return {
      type: 'object',
      properties: Object.fromEntries(node.fields.map((field) => [field.name, this.schema(field.node, direction)])),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    };
  }

  /** Params by name: one descriptor a field. */
  descriptors(params: Node): JsonObject[] {
    const node = this.#pack.resolve(params);
    if (node.kind !== 'object') return [];
    return node.fields.map((field) => ({
      name: field.name,
      required: !field.optional.inbound,
      schema: this.schema(field.node, 'inbound'),
    }));
  }
}

function method(writer: SchemaWriter, { name, description, params, result }: NamedMethod): JsonObject {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    paramStructure: 'by-name',
    params: writer.descriptors(params),
    result: { name: 'result', required: true, schema: writer.schema(result, 'outbound') },
    // Descriptors cannot say that no other key is taken; this can.
    'x-params': writer.schema(params, 'inbound'),
  };
}

function request(writer: SchemaWriter, one: NamedRequest): JsonObject {
  return {
    name: one.name,
    ...(one.description === undefined ? {} : { description: one.description }),
    params: { name: 'params', required: true, schema: writer.schema(one.params, 'outbound') },
    result: { name: 'result', required: true, schema: writer.schema(one.result, 'inbound') },
    secret: one.secret,
    windowOwned: one.windowOwned,
  };
}

const event = (writer: SchemaWriter, { name, payload }: NamedEvent): JsonObject => ({
  name,
  ...(payload === undefined
    ? { payload: { name: 'payload', required: false, schema: { type: 'object', additionalProperties: false } } }
    : { payload: { name: 'payload', required: true, schema: writer.schema(payload, 'outbound') } }),
});

function notification(pack: NamedPack): JsonObject {
  const silent = pack.events.some(({ payload }) => payload === undefined);
  return {
    name: 'event',
    params: [
      { name: 'type', required: true, schema: { enum: pack.events.map(({ name }) => name) } },
      { name: 'session_id', required: true, schema: { type: 'string' } },
      { name: 'seq', required: false, schema: { type: 'integer' } },
      { name: 'payload', required: !silent, schema: { type: 'object', additionalProperties: component('JsonValue') } },
    ],
  };
}

/** The document, as an object that is written with its keys in this order. */
export function openRpc(pack: NamedPack, info: { readonly title: string; readonly version: string }): JsonObject {
  const writer = new SchemaWriter(pack);
  const schemas = pack.models.map(({ name, node, direction }): [string, JsonObject] => [
    name,
    writer.schema(node, direction),
  ]);
  const all = [...schemas, ['JsonValue', {}] satisfies [string, JsonObject]];
  return {
    openrpc: '1.3.2',
    info: { title: info.title, version: info.version },
    methods: pack.methods.map((one) => method(writer, one)),
    components: { schemas: Object.fromEntries(all.sort(([one], [other]) => (one < other ? -1 : 1))) },
    'x-server-requests': pack.requests.map((one) => request(writer, one)),
    'x-event-notification': notification(pack),
    'x-events': pack.events.map((one) => event(writer, one)),
  };
}
