/** Each chart is one literal in one file, as an importer of Stately's reads it: no spread, no name that stands elsewhere. */
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { MACHINES } from '../src/inspect/machines.ts';
import { parse, readSources, type Source } from './support/source.ts';

const charts = readSources(['machines']).filter(({ text }) => /\.createMachine\(/.test(text));

/** What keeps a file from being imported from its code. The first context may be computed. */
function literalFaults(source: Source): string[] {
  const calls: ts.CallExpression[] = [];
  const find = (node: ts.Node): void => {
    const isCall = ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression);
    if (isCall && node.expression.name.text === 'createMachine') calls.push(node);
    ts.forEachChild(node, find);
  };
  find(parse(source));
  const [call, ...others] = calls;
  if (call === undefined || others.length > 0) return [`${source.path}: ${calls.length} machines`];
  const [config] = call.arguments;
  return config === undefined
    ? [`${source.path}: no config`]
    : partFaults(config).map((fault) => `${source.path}: ${fault}`);
}

function partFaults(node: ts.Expression): string[] {
  if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return [];
  if (node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword) return [];
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(partFaults);
  if (!ts.isObjectLiteralExpression(node)) return [`"${node.getText().slice(0, 40)}" is no literal`];
  return node.properties.flatMap((one) => {
    if (!ts.isPropertyAssignment(one)) return [`"${one.getText().slice(0, 40)}" stands elsewhere`];
    return one.name.getText() === 'context' ? [] : partFaults(one.initializer);
  });
}

describe('each chart is one literal', () => {
  it('and readback/machines exports every one', () => {
    expect(charts.flatMap(literalFaults)).toEqual([]);
    const ids = charts.map(({ text }) => /createMachine\(\{\s*id: '(\w+)'/.exec(text)?.[1]);
    expect([...ids].sort()).toEqual(MACHINES.map(({ id }) => id).sort());
  });

  it.each([
    ['a spread', 'x.createMachine({ states: { a: { on: { ...ENDS } } } });'],
    ['a name', 'x.createMachine({ states: { a: { on: { RETIRE } } } });'],
    ['a name of a value', 'x.createMachine({ states: { a: { on: { B: SEALS } } } });'],
    ['a function', 'x.createMachine({ on: { B: { guard: () => true } } });'],
    ['two machines', 'x.createMachine({}); y.createMachine({});'],
  ])('%s is seen', (_what, text) => {
    expect(literalFaults({ path: 'machines/a.ts', text })).toHaveLength(1);
  });

  it('a computed context is none of it', () => {
    const text =
      "x.createMachine({ id: 'a', context: ({ input }) => ({ ...input }), states: { a: { type: 'final' } } });";
    expect(literalFaults({ path: 'machines/a.ts', text })).toEqual([]);
  });
});
