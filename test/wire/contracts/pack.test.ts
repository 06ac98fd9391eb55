import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  answeringPack,
  ContractError,
  contracts,
  defaultPack,
  incompleteness,
  jsonObject,
  jsonValue,
  questionPack,
  type ResultSchema,
  requestContracts,
  secretPack,
  sessionPack,
  windowPack,
} from '../../../src/contracts.ts';

const empty = z.strictObject({});
const spec = { params: empty, result: empty };

describe('three tables', () => {
  it('[RQ-R150] hold what was declared, and an extended pack holds both', () => {
    const own = contracts().method('m', spec).request('r', spec).event('e').event('f', empty);
    const all = own.extend(contracts().method('n', spec));
    expect([...all.methods.keys()]).toEqual(['m', 'n']);
    expect([...all.requests.keys()]).toEqual(['r']);
    expect([...all.events.keys()]).toEqual(['e', 'f']);
    expect([...own.methods.keys()], 'a pack is never changed').toEqual(['m']);
  });

  it('[RQ-R150] a name declared twice in one table throws at load', () => {
    const twice = /"x".*declared twice/;
    expect(() => contracts().method('x', spec).method('x', spec)).toThrow(twice);
    expect(() => contracts().request('x', spec).request('x', spec)).toThrow(twice);
    expect(() => contracts().event('x').event('x')).toThrow(twice);
    expect(() => defaultPack.extend(contracts().request('clarify', spec))).toThrow(/"clarify".*declared twice/);
    expect(() => contracts().method('x', spec).request('x', spec).event('x')).not.toThrow();
  });

  it.each(['', ' ', 'a b', '__proto__', 'x'.repeat(129), 'a..b', 'ü', '1a', 'a\n'])(
    '[RQ-R150] %j is no name',
    (name) => {
      expect(() => contracts().method(name, spec)).toThrow(ContractError);
    },
  );

  it('[RQ-R150] a request is not named event: its frame would be one', () => {
    expect(() => contracts().request('event', spec)).toThrow(ContractError);
  });

  it('[RQ-R09] session_id is in the params of every request, said or not', () => {
    const pack = contracts()
      .request('a', spec)
      .request('b', { ...spec, params: z.strictObject({ session_id: z.string() }) });
    for (const name of ['a', 'b']) {
      const contract = requestContracts(pack).request(name);
      expect(contract?.wrongParams({ session_id: '' })).toEqual([]);
      expect(contract?.wrongParams({})).toEqual(['session_id']);
      expect(contract?.unknownParams({ session_id: '', more: 1 })).toEqual(['more']);
    }
  });
});

describe('a contract is closed and strict about types', () => {
  it.each<[string, ResultSchema]>([
    ['z.object, which strips', z.object({ a: z.string() })],
    ['z.looseObject', z.looseObject({})],
    ['a catchall beside fields', z.strictObject({ a: z.string() }).catchall(z.string())],
    ['one deep inside', z.strictObject({ a: z.array(z.union([z.string(), z.object({})])) })],
    ['one behind a lazy', z.strictObject({ a: z.lazy(() => z.looseObject({})) })],
    ['z.any', z.strictObject({ a: z.any() })],
    ['z.unknown', z.strictObject({ a: z.record(z.string(), z.unknown()) })],
    ['a field named __proto__', z.strictObject({ ['__proto__']: z.string() })],
    ['a field that every object inherits', z.strictObject({ a: z.strictObject({ toString: z.string().optional() }) })],
  ])('[RQ-R151] %s is refused at load', (_what, schema) => {
    expect(() => contracts().event('e', schema)).toThrow(ContractError);
    expect(() => contracts().method('m', { params: empty, result: schema })).toThrow(ContractError);
  });

  it('[RQ-R151] the place is named', () => {
    const result = z.strictObject({ list: z.array(z.strictObject({ bad: z.object({}) })) });
    expect(() => contracts().method('m', { params: empty, result })).toThrow(
      /m result list\.\[\]\.bad: lets keys through/,
    );
  });

  it('[RQ-R151] what is open says so with a JSON value', () => {
    const open = z.strictObject({ a: jsonValue, b: jsonObject, c: z.record(z.string(), z.string()) });
    expect(() => contracts().event('e', open)).not.toThrow();
  });

  it.each<[string, z.ZodType]>([
    ['coercion', z.coerce.number()],
    ['a transform', z.string().transform(Number)],
    ['a preprocess', z.preprocess(String, z.string())],
    ['a catch', z.string().catch('')],
    ['a text read as a boolean', z.stringbool()],
    ['coercion inside an optional list', z.array(z.coerce.string()).optional()],
  ])('[RQ-R158] %s is refused at load: it would hide a wrong type', (_what, schema) => {
    expect(() => contracts().event('e', z.strictObject({ a: schema }))).toThrow(ContractError);
  });

  it('[RQ-R158] a number as text is not a number', () => {
    const pack = contracts().event('e', z.strictObject({ n: z.number(), b: z.boolean() }));
    const faults = pack.events.get('e')?.payload?.wrong({ n: '1', b: 'true' });
    expect(faults?.map(({ path, problem }) => [path, problem])).toEqual([
      [['n'], 'wrong type or value'],
      [['b'], 'wrong type or value'],
    ]);
  });

  it('[RQ-R151] a schema of absurd depth is refused, not followed to the end of the stack', () => {
    let deep: z.ZodType = z.string();
    for (let level = 0; level < 3_000; level += 1) deep = z.array(deep);
    expect(() => contracts().event('e', z.strictObject({ deep }))).toThrow(/nested too deeply/);
  });
});

describe('completeness', () => {
  const pack = contracts().method('m', spec).request('r', spec).event('e');

  it('[RQ-R152] is silent where names and tables agree', () => {
    expect(incompleteness(pack, { handlers: ['m'], emitted: ['e', 'e'], sent: new Set(['r']) })).toEqual([]);
  });

  it('[RQ-R152] lists each of the six ways to differ', () => {
    expect(incompleteness(pack, { handlers: ['n'], emitted: ['f'], sent: ['s'] })).toEqual([
      'method without contract: n',
      'contract without handler: m',
      'emitted event without contract: f',
      'orphan event contract: e',
      'sent request without contract: s',
      'orphan request contract: r',
    ]);
  });
});

describe('the default pack', () => {
  it('[RQ-R150] declares the requests of the protocol, with their flags', () => {
    const flags = [...defaultPack.requests.values()].map(({ name, secret, windowOwned }) =>
      [name, secret && 'secret', windowOwned && 'window'].filter(Boolean).join(' '),
    );
    expect(flags.sort()).toEqual([
      'approval',
      'bot.relay',
      'clarify',
      'display.install.sudo secret',
      'mcp.setup',
      'preview.act window',
      'preview.read window',
      'secret secret',
      'setup_choose',
      'sudo secret',
      'terminal.read window',
      'tour window',
      'vault.code secret',
      'vault.save_login secret',
      'vault.unlock_prompt secret',
      'window.read window',
    ]);
  });

  it('[RQ-R150] is made of packs that a host may take one by one', () => {
    const parts = [questionPack, secretPack, windowPack, answeringPack, sessionPack];
    for (const table of ['methods', 'requests', 'events'] as const) {
      const names = parts.flatMap((part) => [...part[table].keys()]);
      expect(names.sort()).toEqual([...defaultPack[table].keys()].sort());
    }
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>, boolean]>([
    [
      'approval',
      { request_id: 'a', command: 'ls', description: '', choices: ['once', 'deny'] },
      { choice: 'once' },
      true,
    ],
    ['approval', { request_id: 'a', command: 'ls', description: '', choices: ['deny'] }, { choice: 'yes' }, false],
    ['clarify', { questions: [{ qid: '1', question: '?', choices: null, multi_select: false }] }, {}, true],
    ['clarify', { question: '?', choices: ['a'], multi_select: true }, { answer: 'a' }, true],
    ['clarify', { questions: [], answers: { q: null } }, { answers: null }, true],
    ['clarify', {}, { answers: { q: 1 } }, false],
    ['setup_choose', { kind: 'theme', question: '?', multi_select: false }, { picked: ['x'] }, true],
    ['setup_choose', { kind: 'theme', question: '?', multi_select: false }, { picked: 1 }, false],
    ['sudo', {}, { value: '' }, true],
    ['sudo', {}, { value: null }, false],
    ['tour', { action: 'start', steps: [{ any: 1 }] }, { value: '{}' }, true],
    ['bot.relay', { payload: { a: 1 } }, { result: null }, true],
  ])('[RQ-R38] %s takes and refuses results (%#)', (name, params, result, conforms) => {
    const contract = requestContracts(defaultPack).request(name);
    expect(contract?.wrongParams({ session_id: 's', ...(params as object) })).toEqual([]);
    expect(contract?.wrongResult(result as never)).toHaveLength(conforms ? 0 : 1);
  });

  it('[RQ-R64] names are sorted, and an unknown one is nobody', () => {
    const all = requestContracts(defaultPack);
    expect(all.requestNames).toEqual([...all.requestNames].sort());
    expect(all.requestNames).toHaveLength(16);
    expect(all.request('toString')).toBeUndefined();
    expect(all.request('__proto__')).toBeUndefined();
  });
});
