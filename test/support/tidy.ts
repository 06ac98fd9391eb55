import { readdirSync } from 'node:fs';
import ts from 'typescript';
import { commentsOf, lineOf, parse, ROOT, type Source } from './source.ts';

export const FILE_LINES_MAX = 350;
/** A test file is a list of chapters; each is read on its own. */
export const TEST_FILE_LINES_MAX = 500;
/** A chart is one literal: whoever imports it from its code reads that file and no other. */
export const CHART_FILE_LINES_MAX = 500;
export const FUNCTION_LINES_MAX = 70;

const TOP_LEVEL = new Set(['machines', 'src', 'test', 'model-tests', '.ci']);
const GENERATED = new Set(['.git', 'node_modules', 'dist', 'coverage']);

const isCore = (path: string): boolean =>
  /^machines\/|^src\/(?!cli\/|host\/|inspect\/|mcp\/|panel\/|testing\/)/.test(path);
const isTest = (path: string): boolean => /\.test(?:-d)?\.tsx?$/.test(path);

/** Where the world outside comes in. Every other core file is given time, ids and timers. */
const RUNTIME = 'src/runtime.ts';
/** The page, and what the channel takes from a platform that may be a browser. */
const BROWSER = /^src\/(?:panel\/|inspect\/page\/|wire\/platform\.ts$)/;

const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate']);
const CLOCKS = new Set(['Date.now', 'Math.random', 'performance.now', 'randomUUID', 'AbortSignal.timeout']);
const NOT_IN_A_CHART = new Set(['invoke', 'after', 'enqueueActions', 'spawn', 'spawnChild']);

function nodesOf(source: Source): { file: ts.SourceFile; nodes: ts.Node[] } {
  const file = parse(source);
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { file, nodes };
}

/** Files that are too long to be read in one go. */
export function tooLongFile({ path, text }: Source): string[] {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  const isChart = path.startsWith('machines/') && text.includes('.createMachine({');
  const most = isTest(path) ? TEST_FILE_LINES_MAX : isChart ? CHART_FILE_LINES_MAX : FILE_LINES_MAX;
  return lines > most ? [`${path}: ${lines} lines, at most ${most}`] : [];
}

/** A `describe` block is a chapter, not a function. */
function isChapter(node: ts.Node): boolean {
  const call = node.parent;
  return call !== undefined && ts.isCallExpression(call) && /^describe\b/.test(call.expression.getText());
}

/** Functions that are too long to be read in one go. */
export function tooLongFunctions(source: Source): string[] {
  const { file, nodes } = nodesOf(source);
  const faults: string[] = [];
  for (const node of nodes) {
    if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined || isChapter(node)) continue;
    const first = lineOf(file, node);
    const lines = file.getLineAndCharacterOfPosition(node.getEnd()).line + 2 - first;
    if (lines > FUNCTION_LINES_MAX) {
      faults.push(`${source.path}:${first}: a function of ${lines} lines, at most ${FUNCTION_LINES_MAX}`);
    }
  }
  return faults;
}

const lastName = (owner: ts.Expression): string => (ts.isPropertyAccessExpression(owner) ? owner.getText() : '');

/** The callee as it is known: `Date.now`, `randomUUID`, `setTimeout`; members of modules and globals without their owner. */
function calleeName(callee: ts.Expression): string {
  if (ts.isIdentifier(callee)) return callee.text;
  if (!ts.isPropertyAccessExpression(callee)) return '';
  // Of a longer chain the owner is no name, and its text would be read again for each link.
  const owner = ts.isIdentifier(callee.expression) ? callee.expression.text : lastName(callee.expression);
  const name = callee.name.text;
  const bare = TIMERS.has(name) || name === 'randomUUID';
  return bare && /^(?:globalThis|global|window|timers|crypto|\w*[cC]rypto)$/.test(owner) ? name : `${owner}.${name}`;
}

/** Time, chance and timers that come from anywhere but the runtime. */
export function bannedCalls(source: Source): string[] {
  const { path } = source;
  if (!/^(?:machines|src)\//.test(path) || path === RUNTIME || BROWSER.test(path)) return [];
  const { file, nodes } = nodesOf(source);
  const faults: string[] = [];
  const blame = (node: ts.Node, name: string): void => {
    faults.push(`${path}:${lineOf(file, node)}: ${name} belongs to ${RUNTIME}`);
  };
  for (const node of nodes) {
    if (ts.isCallExpression(node)) {
      const name = calleeName(node.expression);
      if (TIMERS.has(name) || (isCore(path) && CLOCKS.has(name))) blame(node, name);
    } else if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length) {
      if (isCore(path)) blame(node, 'new Date()');
    } else if (ts.isImportDeclaration(node) && /^['"](?:node:)?timers/.test(node.moduleSpecifier.getText())) {
      blame(node, 'node:timers');
    }
  }
  return faults;
}

/** Features that a chart must not use: they cannot be compiled, path-tested and replayed. */
export function chartFaults(source: Source): string[] {
  if (!/^machines\/(?!shared\/)/.test(source.path)) return [];
  const { file, nodes } = nodesOf(source);
  const faults: string[] = [];
  for (const node of nodes) {
    let name: string | undefined;
    if (ts.isPropertyAssignment(node) || ts.isMethodDeclaration(node)) name = node.name.getText().replace(/['"]/g, '');
    else if (ts.isCallExpression(node)) name = node.expression.getText().split('.').at(-1);
    if (name !== undefined && NOT_IN_A_CHART.has(name)) {
      faults.push(`${source.path}:${lineOf(file, node)}: no ${name} in a chart`);
    }
  }
  return faults;
}

const SILENCED = /@ts-(?:ignore|nocheck)|biome-ignore[^\n]*noExplicitAny/;
const UNFINISHED = /\b(?:TODO|FIXME|XXX|HACK)\b/;

/** Ways around the type checker, and promises to finish later. */
export function looseEnds(source: Source): string[] {
  const { path } = source;
  const { file, nodes } = nodesOf(source);
  const faults = nodes
    .filter((node) => node.kind === ts.SyntaxKind.AnyKeyword)
    .map((node) => `${path}:${lineOf(file, node)}: any switches the type checker off`);
  for (const comment of commentsOf(source)) {
    if (SILENCED.test(comment)) faults.push(`${path}: a comment switches the type checker off`);
    if (UNFINISHED.test(comment)) faults.push(`${path}: unfinished: ${comment.trim().slice(0, 60)}`);
  }
  return faults;
}

const MACHINE_PATH = new RegExp(`(?<![\\w.\\-/])/(?:${['work', 'home', 'root', 'Users', 'tmp', 'mnt'].join('|')})/\\w`);

/** Paths that exist on one machine only. */
export function machinePaths({ path, text }: Source): string[] {
  return text
    .split('\n')
    .flatMap((line, at) =>
      MACHINE_PATH.test(line) ? [`${path}:${at + 1}: a path of one machine: ${line.trim()}`] : [],
    );
}

const RUNNERS = new Set(['it', 'test', 'describe', 'suite', 'bench']);
const PARKED = new Set(['only', 'skip', 'todo']);

/** Tests that do not run, or keep others from running. */
export function parkedTests(source: Source): string[] {
  if (!isTest(source.path)) return [];
  const { file, nodes } = nodesOf(source);
  const faults: string[] = [];
  for (const node of nodes) {
    if (!ts.isPropertyAccessExpression(node) || !PARKED.has(node.name.text)) continue;
    const root = node.expression.getText().split(/[.(]/)[0] ?? '';
    if (RUNNERS.has(root)) faults.push(`${source.path}:${lineOf(file, node)}: ${root}.${node.name.text}`);
  }
  return faults;
}

/** Folders at the top that the house does not have. */
export function strangeFolders(names: readonly string[]): string[] {
  return names.filter((name) => !TOP_LEVEL.has(name) && !GENERATED.has(name));
}

/** Names of the folders at the top of the repository. */
export function topFolders(): string[] {
  return readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}
