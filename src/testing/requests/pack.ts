/** A small pack, written by hand: what the registry needs to know of a method, and no more. */
import type { RequestContract, RequestContracts } from '../../requests/api.ts';
import type { JsonObject } from '../../wire/json.ts';

interface Shape {
  readonly params: Readonly<Record<string, (value: unknown) => boolean>>;
  readonly needed?: readonly string[];
  readonly result: (result: JsonObject) => string[];
  readonly secret?: boolean;
  readonly windowOwned?: boolean;
}

const text = (value: unknown): boolean => typeof value === 'string';
const any = (): boolean => true;
const value = (result: JsonObject): string[] => [
  ...(typeof result['value'] === 'string' ? [] : ['value']),
  ...Object.keys(result).filter((name) => name !== 'value'),
];

function clarifyResult(result: JsonObject): string[] {
  const { answers, answer, ...rest } = result;
  const odd = Object.entries((answers ?? {}) as JsonObject).filter(
    ([, one]) => one !== null && typeof one !== 'string',
  );
  return [
    ...odd.map(([qid]) => `answers.${qid}`),
    ...(answer === undefined || text(answer) ? [] : ['answer']),
    ...Object.keys(rest),
  ];
}

const CHOICES = ['once', 'session', 'always', 'deny'];

const SHAPES: Readonly<Record<string, Shape>> = {
  clarify: { params: { questions: any, question: text }, result: clarifyResult },
  approval: {
    params: { request_id: text, command: text },
    needed: ['command'],
    result: ({ choice, all: _all, ...rest }) => [
      ...(CHOICES.includes(String(choice)) ? [] : ['choice']),
      ...Object.keys(rest),
    ],
  },
  sudo: { params: { command: text }, result: value, secret: true },
  'terminal.read': { params: { start: any }, result: value, windowOwned: true },
  tour: { params: { action: text }, result: value, windowOwned: true },
  'window.form': { params: {}, result: clarifyResult, windowOwned: true },
  'window.title': { params: {}, result: value },
  'bot.relay': { params: { payload: any }, result: () => [] },
};

function contract(method: string, { params, needed = [], result, ...flags }: Shape): RequestContract {
  const unknown = (given: JsonObject): string[] =>
    Object.keys(given).filter((name) => name !== 'session_id' && !Object.hasOwn(params, name));
  return {
    method,
    secret: flags.secret === true,
    windowOwned: flags.windowOwned === true,
    unknownParams: unknown,
    wrongParams: (given) => [
      ...unknown(given),
      ...needed.filter((name) => !(name in given)),
      ...Object.entries(params).flatMap(([name, fits]) => (name in given && !fits(given[name]) ? [name] : [])),
    ],
    wrongResult: result,
  };
}

const CONTRACTS = new Map(Object.entries(SHAPES).map(([method, shape]) => [method, contract(method, shape)]));

export const PACK: RequestContracts = {
  request: (method) => CONTRACTS.get(method),
  requestNames: [...CONTRACTS.keys()].sort(),
};
