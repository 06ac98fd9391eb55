/** What a random run is made of: who owns what, how the tools behave, and what happens when. */
import * as fc from 'fast-check';

export const IDS = ['a', 'b', 'c', 'd'] as const;
export type Id = (typeof IDS)[number];

const OWNERS = ['unknown', 'client', 'provider', 'throws'] as const;
const TOOLS = ['plain', 'reads', 'asks', 'callbackAsks', 'throws', 'callbackThrows', 'heeds', 'checks'] as const;
const TEXTS = ['cut3', 'cut9', 'whole', 'spaced', 'reordered', 'divergent', 'other', 'empty', 'missing'] as const;

export interface View {
  readonly id: Id;
  readonly text: (typeof TEXTS)[number];
  readonly result: 'none' | 'one' | 'null';
  readonly gated: boolean;
  readonly nested: boolean;
}
export type Command =
  | { readonly type: 'push'; readonly views: readonly View[]; readonly open: boolean; readonly loading: boolean }
  | { readonly type: 'abort'; readonly discard: boolean }
  | { readonly type: 'reset' }
  | { readonly type: 'fail' }
  | { readonly type: 'resume'; readonly id: Id }
  | { readonly type: 'adopt'; readonly id: Id }
  | { readonly type: 'settle'; readonly id: Id; readonly well: boolean }
  | { readonly type: 'micro'; readonly count: number }
  | { readonly type: 'macro' };
export interface Script {
  readonly owners: Readonly<Record<Id, (typeof OWNERS)[number]>>;
  readonly tools: Readonly<Record<Id, (typeof TOOLS)[number]>>;
  readonly loud: boolean;
  readonly commands: readonly Command[];
}

const id = fc.constantFrom(...IDS);
const view: fc.Arbitrary<View> = fc.record({
  id,
  text: fc.oneof({ weight: 3, arbitrary: fc.constant('whole' as const) }, fc.constantFrom(...TEXTS)),
  result: fc.oneof({ weight: 6, arbitrary: fc.constant('none' as const) }, fc.constantFrom('one', 'null')),
  gated: fc.oneof({ weight: 8, arbitrary: fc.constant(false) }, fc.constant(true)),
  nested: fc.boolean(),
});
const seldom = fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, fc.constant(true));
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('push' as const),
      views: fc.uniqueArray(view, { maxLength: 4, selector: (one) => one.id }),
      open: fc.boolean(),
      loading: seldom,
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('abort' as const), discard: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ type: 'reset' } as const) },
  { weight: 1, arbitrary: fc.constant({ type: 'fail' } as const) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('resume' as const), id }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('adopt' as const), id }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('settle' as const), id, well: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('micro' as const), count: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 4, arbitrary: fc.constant({ type: 'macro' } as const) },
);
export const script: fc.Arbitrary<Script> = fc.record({
  owners: fc.record({
    a: fc.constantFrom(...OWNERS),
    b: fc.constant('unknown'),
    c: fc.constantFrom(...OWNERS),
    d: fc.constant('unknown'),
  }),
  tools: fc.record({
    a: fc.constantFrom(...TOOLS),
    b: fc.constantFrom(...TOOLS),
    c: fc.constantFrom(...TOOLS),
    d: fc.constant('plain'),
  }),
  loud: seldom,
  commands: fc.array(command, { maxLength: 24, size: 'max' }),
}) as fc.Arbitrary<Script>;

const WHOLE = (name: string): string => `{"v":"${name}","n":[1,2]}`;
export const textOf = (name: string, text: View['text']): string | undefined => {
  switch (text) {
    case 'cut3':
      return WHOLE(name).slice(0, 3);
    case 'cut9':
      return WHOLE(name).slice(0, 9);
    case 'whole':
      return WHOLE(name);
    case 'spaced':
      return `${WHOLE(name)} `;
    case 'reordered':
      return `{"n":[1,2],"v":"${name}"}`;
    case 'divergent':
      return '{"q":';
    case 'other':
      return '{"v":"other"}';
    case 'empty':
      return '';
    default:
      return undefined;
  }
};

export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

export const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
