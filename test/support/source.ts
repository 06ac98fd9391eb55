import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The repository's folder. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** One file, as the checkers of layering and tidiness see it. */
export interface Source {
  /** Path from the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** One import, re-export or dynamic import. */
export interface Import {
  /** What is written, for example `../errors.ts` or `node:fs`. */
  readonly specifier: string;
  /** For a relative import, the path from the root; otherwise undefined. */
  readonly file: string | undefined;
  /** For any other import, the package, for example `@scope/name` or `node:fs`; otherwise undefined. */
  readonly packageName: string | undefined;
  /** True when nothing of it is left after compiling. */
  readonly typeOnly: boolean;
  /** Names taken as values; `*` stands for the whole module. */
  readonly values: readonly string[];
  readonly reexport: boolean;
  readonly dynamic: boolean;
}

const CODE = /\.(?:ts|tsx|mts|cts)$/;
const NEVER_ENTERED = new Set(['node_modules', 'dist', '.git', 'coverage']);

/** Every file below a folder of the repository, sorted; generated and installed ones are left out. */
export function listFiles(folder = '.', keep: (path: string) => boolean = () => true): string[] {
  const found: string[] = [];
  const walk = (absolute: string): void => {
    for (const entry of readdirSync(absolute, { withFileTypes: true })) {
      const path = join(absolute, entry.name);
      if (entry.isDirectory()) {
        if (!NEVER_ENTERED.has(entry.name)) walk(path);
      } else if (entry.isFile()) {
        const name = relative(ROOT, path).split(sep).join('/');
        if (keep(name)) found.push(name);
      }
    }
  };
  walk(join(ROOT, folder));
  return found.sort();
}

/** All TypeScript of the four folders, read. */
export function readSources(folders: readonly string[] = ['machines', 'src', 'test', 'model-tests']): Source[] {
  return folders
    .flatMap((folder) => listFiles(folder, (path) => CODE.test(path)))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/** Several checkers look at each file; it is parsed once. */
const trees = new WeakMap<Source, ts.SourceFile>();

/** The syntax tree of a source, with parents. */
export function parse(source: Source): ts.SourceFile {
  let tree = trees.get(source);
  if (tree === undefined) {
    const kind = source.path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
    tree = ts.createSourceFile(source.path, source.text, ts.ScriptTarget.ES2023, true, kind);
    trees.set(source, tree);
  }
  return tree;
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier);
}

function describe(from: string, specifier: string, rest: Omit<Import, 'specifier' | 'file' | 'packageName'>): Import {
  const relativeImport = specifier.startsWith('.');
  return {
    specifier,
    file: relativeImport ? posix.normalize(posix.join(posix.dirname(from), specifier)) : undefined,
    packageName: relativeImport ? undefined : packageOf(specifier),
    ...rest,
  };
}

function namesOf(clause: ts.ImportClause): string[] {
  if (clause.isTypeOnly) return [];
  const names = clause.name === undefined ? [] : ['default'];
  const bindings = clause.namedBindings;
  if (bindings === undefined) return names;
  if (ts.isNamespaceImport(bindings)) return [...names, '*'];
  const named = bindings.elements.filter((element) => !element.isTypeOnly);
  return [...names, ...named.map((element) => (element.propertyName ?? element.name).text)];
}

function ofImport(from: string, node: ts.ImportDeclaration): Import | undefined {
  if (!ts.isStringLiteral(node.moduleSpecifier)) return undefined;
  const clause = node.importClause;
  const values = clause === undefined ? ['*'] : namesOf(clause);
  const typeOnly = clause !== undefined && values.length === 0;
  return describe(from, node.moduleSpecifier.text, { typeOnly, values, reexport: false, dynamic: false });
}

function ofExport(from: string, node: ts.ExportDeclaration): Import | undefined {
  const specifier = node.moduleSpecifier;
  if (specifier === undefined || !ts.isStringLiteral(specifier)) return undefined;
  const clause = node.exportClause;
  let values = ['*'];
  if (node.isTypeOnly) values = [];
  else if (clause !== undefined && ts.isNamedExports(clause)) {
    const named = clause.elements.filter((element) => !element.isTypeOnly);
    values = named.map((element) => (element.propertyName ?? element.name).text);
  }
  return describe(from, specifier.text, { typeOnly: values.length === 0, values, reexport: true, dynamic: false });
}

function ofCall(from: string, node: ts.CallExpression): Import | undefined {
  const [first] = node.arguments;
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword;
  const { expression } = node;
  const named = ts.isCallExpression(expression) ? expression.expression : expression;
  const wanted = ts.isCallExpression(expression) ? 'createRequire' : 'require';
  const isRequire = ts.isIdentifier(named) && named.text === wanted;
  if (!(isImport || isRequire) || first === undefined || !ts.isStringLiteralLike(first)) return undefined;
  return describe(from, first.text, { typeOnly: false, values: ['*'], reexport: false, dynamic: true });
}

function ofTypeImport(from: string, node: ts.ImportTypeNode): Import | undefined {
  if (!ts.isLiteralTypeNode(node.argument) || !ts.isStringLiteral(node.argument.literal)) return undefined;
  const specifier = node.argument.literal.text;
  return describe(from, specifier, { typeOnly: true, values: [], reexport: false, dynamic: false });
}

const imports = new WeakMap<Source, Import[]>();

/** Every import of a source: static, re-exporting, dynamic and in a type. */
export function importsOf(source: Source): Import[] {
  const known = imports.get(source);
  if (known !== undefined) return known;
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    let one: Import | undefined;
    if (ts.isImportDeclaration(node)) one = ofImport(source.path, node);
    else if (ts.isExportDeclaration(node)) one = ofExport(source.path, node);
    else if (ts.isCallExpression(node)) one = ofCall(source.path, node);
    else if (ts.isImportTypeNode(node)) one = ofTypeImport(source.path, node);
    if (one !== undefined) found.push(one);
    ts.forEachChild(node, visit);
  };
  visit(parse(source));
  imports.set(source, found);
  return found;
}

/** The texts of all comments, each once. */
export function commentsOf(source: Source): string[] {
  const file = parse(source);
  const found = new Map<number, string>();
  const keep = (ranges: readonly ts.CommentRange[] | undefined): void => {
    for (const { pos, end } of ranges ?? []) found.set(pos, source.text.slice(pos, end));
  };
  const visit = (node: ts.Node): void => {
    keep(ts.getLeadingCommentRanges(source.text, node.getFullStart()));
    keep(ts.getTrailingCommentRanges(source.text, node.getEnd()));
    for (const child of node.getChildren(file)) visit(child);
  };
  visit(file);
  return [...found.values()];
}

/** The 1-based line of a node. */
export function lineOf(file: ts.SourceFile, node: ts.Node): number {
  return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
}
