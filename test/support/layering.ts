import ts from 'typescript';
import { LAYERS, type Layer } from './layers.ts';
import { commentsOf, type Import, importsOf, parse, type Source } from './source.ts';

/** Values that may be taken from xstate, and where. Types may be taken anywhere a layer allows the package. */
const XSTATE_VALUES: readonly { files: RegExp; names: readonly string[] }[] = [
  { files: /^machines\/shared\/(?:step|compile|parts|tables)\.ts$/, names: ['*'] },
  { files: /^machines\//, names: ['setup', 'assign'] },
  { files: /^src\/(?:journal\/)?tabs\.ts$/, names: ['createActor'] },
  { files: /^src\//, names: [] },
];

/** Files that do nothing but pass names on. Each is an entry of the package. */
const BARRELS = new Set([
  'src/index.ts',
  'src/channel.ts',
  'src/contracts.ts',
  'src/seats.ts',
  'src/inspect/index.ts',
  'src/mcp/server.ts',
  'machines/index.ts',
  'src/testing/index.ts',
]);

const DISABLED_RULE =
  /(?:biome-ignore|eslint-disable)[^\n]*(?:noRestrictedImports|noBarrelFile|noImportCycles|import\/)/;

function matches(patterns: readonly string[], target: string, group: string): boolean {
  return patterns.some((pattern) => new RegExp(`^(?:${pattern.replaceAll('$1', group)})$`).test(target));
}

function judge(path: string, layer: Layer, one: Import): string | undefined {
  const group = layer.files.exec(path)?.[1] ?? '';
  if (one.file === undefined) {
    const name = one.packageName ?? '';
    const allowed = matches(layer.packages, name, group);
    return allowed ? undefined : `${path}: ${layer.name} must not import the package ${name}`;
  }
  if (!/\.(?:ts|tsx|json)$/.test(one.file)) return `${path}: the import ${one.specifier} must end in .ts`;
  if (matches(layer.ours, one.file, group)) return undefined;
  if (!matches(layer.types ?? [], one.file, group)) return `${path}: ${layer.name} must not import ${one.file}`;
  return one.typeOnly ? undefined : `${path}: ${layer.name} may import types only of ${one.file}`;
}

function judgeXState(path: string, one: Import): string[] {
  if (one.packageName !== 'xstate') return [];
  const rule = XSTATE_VALUES.find(({ files }) => files.test(path));
  if (rule === undefined || rule.names.includes('*')) return [];
  return one.values
    .filter((name) => !rule.names.includes(name))
    .map((name) => `${path}: must not take the value ${name} from xstate`);
}

function isBarrel(source: Source, imports: readonly Import[]): boolean {
  if (imports.some((one) => one.reexport && one.file !== undefined && one.values.includes('*'))) return true;
  const { statements } = parse(source);
  const passesOn = statements.some((one) => ts.isExportDeclaration(one));
  return passesOn && statements.every((one) => ts.isImportDeclaration(one) || ts.isExportDeclaration(one));
}

/** What one file of machines/ or src/ imports against the rules of the house; empty when it keeps them. */
export function layeringFaults(source: Source): string[] {
  const { path } = source;
  const faults: string[] = [];
  if (DISABLED_RULE.test(source.text) && commentsOf(source).some((comment) => DISABLED_RULE.test(comment)))
    faults.push(`${path}: a lint rule about imports is switched off`);
  const imports = importsOf(source);
  if (!BARRELS.has(path) && isBarrel(source, imports)) faults.push(`${path}: is a barrel`);
  if (!/^(?:machines|src)\//.test(path)) return faults;
  const layer = LAYERS.find(({ files }) => files.test(path));
  if (layer === undefined) return [...faults, `${path}: belongs to no layer`];
  for (const one of imports) {
    const fault = judge(path, layer, one);
    if (fault !== undefined) faults.push(fault);
    faults.push(...judgeXState(path, one));
  }
  return faults;
}

/** Cycles of value imports; each as its files in order. */
export function importCycles(sources: readonly Source[]): string[] {
  const edges = new Map<string, string[]>();
  for (const source of sources) {
    const targets = importsOf(source).filter((one) => !one.typeOnly && !one.dynamic && one.file !== undefined);
    edges.set(source.path, [...new Set(targets.map((one) => one.file ?? ''))]);
  }
  const cycles: string[] = [];
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) cycles.push([...trail.slice(at), path].join(' -> '));
    if (at >= 0 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) walk(path, []);
  return cycles;
}

/** Packages that machines/ and src/ load and package.json does not install for a user. */
export function undeclaredPackages(sources: readonly Source[], dependencies: readonly string[]): string[] {
  const faults: string[] = [];
  for (const source of sources) {
    // The pages are bundled: what they need is inside, and is no dependency.
    if (/^src\/(?:panel|inspect\/page)\//.test(source.path)) continue;
    for (const { packageName } of importsOf(source)) {
      if (packageName === undefined || packageName.startsWith('node:')) continue;
      if (!dependencies.includes(packageName)) faults.push(`${source.path}: ${packageName} is no dependency`);
    }
  }
  return faults;
}
