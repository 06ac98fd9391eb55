/** The builder: three tables of contracts, put together at load, closed ever after. */
import { z } from 'zod';
import { type Side, side } from './check.ts';
import { assertClosed, ContractError } from './closed.ts';
import { definition, type Schema } from './definitions.ts';

/** Params of a request or method: an object by name. */
export type ParamsSchema = z.ZodObject;
/** A result or payload. An object, or a union of objects, or a `jsonObject`. */
export type ResultSchema = z.core.$ZodType<Readonly<Record<string, unknown>>>;

export interface MethodSpec {
  readonly params: ParamsSchema;
  readonly result: ResultSchema;
  readonly description?: string | undefined;
}

export interface RequestSpec extends MethodSpec {
  /** The answer must not be kept or shown anywhere. Default false. */
  readonly secret?: boolean | undefined;
  /** Only the window that shows the session can answer. Default false. */
  readonly windowOwned?: boolean | undefined;
}

/** A call of a client: it sends the params, the backend sends the result. */
export interface MethodContract {
  readonly name: string;
  readonly description: string | undefined;
  readonly params: Side;
  readonly result: Side;
}

/** A request of the backend: it sends the params, a client sends the result. */
export interface ServerRequestContract extends MethodContract {
  readonly secret: boolean;
  readonly windowOwned: boolean;
}

export interface EventContract {
  readonly name: string;
  /** Undefined: the event says all by its name. */
  readonly payload: Side | undefined;
}

/** The three tables. Immutable: each call gives a new pack, and throws `ContractError` at load. */
export interface Pack {
  readonly methods: ReadonlyMap<string, MethodContract>;
  readonly requests: ReadonlyMap<string, ServerRequestContract>;
  readonly events: ReadonlyMap<string, EventContract>;
  /** A client→server method. */
  method(name: string, spec: MethodSpec): Pack;
  /** A server→client request. `session_id` is in the params of all of them and need not be said. */
  request(name: string, spec: RequestSpec): Pack;
  /** An event; without a payload any non-empty payload violates it. */
  event(name: string, payload?: ResultSchema): Pack;
  /** Both packs in one. A name that both declare throws. */
  extend(other: Pack): Pack;
}

interface Tables {
  readonly methods: ReadonlyMap<string, MethodContract>;
  readonly requests: ReadonlyMap<string, ServerRequestContract>;
  readonly events: ReadonlyMap<string, EventContract>;
}

const NAME = /^[A-Za-z][A-Za-z0-9_]*(?:[./-][A-Za-z0-9_]+)*$/;
const LONGEST_NAME = 128;

function added<T>(table: ReadonlyMap<string, T>, kind: string, name: string, one: T): Map<string, T> {
  const where = `${kind} ${JSON.stringify(name)}`;
  if (typeof name !== 'string' || name.length > LONGEST_NAME || !NAME.test(name)) {
    throw new ContractError(where, `a name is up to ${LONGEST_NAME} letters, digits and _ in parts joined by . - or /`);
  }
  if (table.has(name)) throw new ContractError(where, 'is declared twice');
  return new Map(table).set(name, one);
}

function closedSide(where: string, schema: Schema, direction: 'inbound' | 'outbound'): Side {
  assertClosed(where, schema);
  return Object.freeze(side(schema, direction));
}

function paramsOf(where: string, schema: ParamsSchema): ParamsSchema {
  if (definition(schema).type !== 'object') throw new ContractError(where, 'params are a z.strictObject');
  return schema;
}

function withSession(where: string, schema: ParamsSchema): ParamsSchema {
  const params = paramsOf(where, schema);
  return Object.hasOwn(params.shape, 'session_id') ? params : params.safeExtend({ session_id: z.string() });
}

function methodContract(name: string, spec: MethodSpec): MethodContract {
  return Object.freeze({
    name,
    description: spec.description,
    params: closedSide(`${name} params`, paramsOf(`${name} params`, spec.params), 'inbound'),
    result: closedSide(`${name} result`, spec.result, 'outbound'),
  });
}

function requestContract(name: string, spec: RequestSpec): ServerRequestContract {
  // A frame of that name is an event and nothing else (2.2).
  if (name === 'event') throw new ContractError('request "event"', 'is the name of the notification');
  return Object.freeze({
    name,
    description: spec.description,
    secret: spec.secret ?? false,
    windowOwned: spec.windowOwned ?? false,
    params: closedSide(`${name} params`, withSession(`${name} params`, spec.params), 'outbound'),
    result: closedSide(`${name} result`, spec.result, 'inbound'),
  });
}

function eventContract(name: string, payload: ResultSchema | undefined): EventContract {
  const side = payload === undefined ? undefined : closedSide(`${name} payload`, payload, 'outbound');
  return Object.freeze({ name, payload: side });
}

function merged<T>(kind: string, one: ReadonlyMap<string, T>, other: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  let all = one;
  for (const [name, contract] of other) all = added(all, kind, name, contract);
  return all;
}

function pack(tables: Tables): Pack {
  return Object.freeze({
    ...tables,
    method: (name: string, spec: MethodSpec) =>
      pack({ ...tables, methods: added(tables.methods, 'method', name, methodContract(name, spec)) }),
    request: (name: string, spec: RequestSpec) =>
      pack({ ...tables, requests: added(tables.requests, 'request', name, requestContract(name, spec)) }),
    event: (name: string, payload?: ResultSchema) =>
      pack({ ...tables, events: added(tables.events, 'event', name, eventContract(name, payload)) }),
    extend: (other: Pack) =>
      pack({
        methods: merged('method', tables.methods, other.methods),
        requests: merged('request', tables.requests, other.requests),
        events: merged('event', tables.events, other.events),
      }),
  });
}

/** An empty pack to declare contracts on: `contracts().request('ask', { params: …, result: … })`. */
export const contracts = (): Pack => pack({ methods: new Map(), requests: new Map(), events: new Map() });
