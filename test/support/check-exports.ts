/** Checks what a user of the package gets: run it after a full build. Exits with 1 and the faults when there are any. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { importsOf, ROOT } from './source.ts';

interface Manifest {
  readonly exports: Record<string, string | { types: string; default: string }>;
  readonly bin: Record<string, string>;
  readonly dependencies: Record<string, string>;
  readonly peerDependencies: Record<string, string>;
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
const faults: string[] = [];

const entries = Object.entries(manifest.exports).flatMap(([name, target]) =>
  typeof target === 'string' ? [] : [{ name: name === '.' ? 'readback' : `readback${name.slice(1)}`, ...target }],
);

/** What the first ask of an embedder waits for; each more would be read, and its charts made, before it. */
const START = ['index', 'store/sqlite', 'chunks/base', 'chunks/coordinator', 'chunks/core', 'chunks/sqlite'];

/** The built files that are loaded together with one. */
function loadedWith(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const { file, dynamic } of importsOf({ path, text: readFileSync(join(ROOT, path), 'utf8') })) {
    if (file !== undefined && !dynamic) loadedWith(file, seen);
  }
  return seen;
}

function checkStart(): void {
  const loaded = ['dist/index.js', 'dist/store/sqlite.js'].flatMap((path) => [...loadedWith(path)]);
  const more = new Set(loaded.filter((path) => !START.includes(path.slice('dist/'.length, -'.js'.length))));
  if (more.size > 0) faults.push(`the first ask waits for ${[...more].join(', ')}, which it does not need`);
}

/** The packages that a built file loads, directly or through files of ours. */
function packagesOf(path: string, seen = new Set<string>(), packages = new Set<string>()): Set<string> {
  if (seen.has(path) || !existsSync(join(ROOT, path))) return packages;
  seen.add(path);
  for (const one of importsOf({ path, text: readFileSync(join(ROOT, path), 'utf8') })) {
    if (one.file === undefined) packages.add(one.packageName ?? '');
    else packagesOf(one.file, seen, packages);
  }
  return packages;
}

function checkFiles(packed: ReadonlySet<string>): void {
  const wanted = [
    ...entries.flatMap((entry) => [entry.types, entry.default]),
    ...Object.values(manifest.bin),
    './dist/panel/index.html',
    './README.md',
    './CHANGELOG.md',
    './LICENSE',
  ];
  for (const path of wanted) {
    if (!packed.has(path.slice(2))) faults.push(`${path} is not in the package`);
  }
  for (const path of packed) {
    if (/^(?:src|test|model-tests)\//.test(path)) faults.push(`${path} is in the package, and should not be`);
  }
}

function checkPackages(): void {
  for (const { name, default: code, types } of entries) {
    for (const used of packagesOf(posix.normalize(code))) {
      if (!used.startsWith('node:') && !(used in { ...manifest.dependencies, ...manifest.peerDependencies }))
        faults.push(`${name} loads ${used}, no dependency`);
      const alone = used === 'xstate' || used === 'node:crypto';
      if (name === 'readback/journal' && !alone) faults.push(`readback/journal loads ${used}`);
    }
    // What an embedder sees is this file; shared declaration files behind it may know the charts.
    const shown = existsSync(join(ROOT, types)) ? readFileSync(join(ROOT, types), 'utf8') : '';
    const hidden = !/\/(?:machines|testing)$/.test(name);
    if (hidden && /from ["']xstate["']/.test(shown)) faults.push(`${name} shows types of xstate`);
  }
}

/** What each entry gives at run time, by its name. */
const given = new Map<string, readonly string[]>();

async function checkImports(): Promise<void> {
  for (const { name, default: file } of entries) {
    try {
      const names = Object.keys((await import(pathToFileURL(join(ROOT, file)).href)) as object);
      given.set(name, names);
      if (names.length === 0) faults.push(`${name} exports nothing`);
    } catch (error) {
      faults.push(`${name} cannot be imported: ${String(error)}`);
    }
  }
}

/** Options of a stranger: strict, and none of our stricter ones. */
const PLAIN = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];

/** A stranger's project must compile against the declarations name by name, and so must the examples of the README. */
function checkTypes(): void {
  const folder = mkdtempSync(join(tmpdir(), 'readback-exports-'));
  const compiles = (what: string, files: readonly string[], ...options: readonly string[]): void => {
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, ...PLAIN, ...options, ...files], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (status !== 0) faults.push(`${what} do not compile: ${stdout}`);
  };
  try {
    const modules = join(folder, 'node_modules');
    mkdirSync(modules);
    for (const name of readdirSync(join(ROOT, 'node_modules'))) {
      if (!name.startsWith('.')) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
    }
    symlinkSync(ROOT, join(modules, 'readback'), 'dir');
    const lines = [...given].map(([name, names], at) => {
      const own = names.filter((one) => one !== 'default').map((one) => `${one} as n${at}_${one}`);
      return `import { ${own.join(', ')} } from '${name}';\nexport { ${own.map((one) => one.split(' as ')[1]).join(', ')} };`;
    });
    writeFileSync(join(folder, 'user.mts'), `${lines.join('\n')}\n`);
    compiles('the declarations', ['user.mts'], '--skipLibCheck');
    compiles('the declarations themselves', entries.map(({ types }) => join(ROOT, types)).filter(existsSync));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const examples = readdirSync(join(ROOT, 'test/examples')).filter((name) => name.endsWith('.ts'));
    for (const name of examples) copyFileSync(join(ROOT, 'test/examples', name), join(folder, name));
    compiles('the examples', examples, '--skipLibCheck', '--lib', 'es2023,dom,dom.iterable');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const listing = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
  cwd: ROOT,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
});
const [pack] = JSON.parse(listing) as { files: { path: string }[]; unpackedSize: number }[];
checkFiles(new Set(pack?.files.map(({ path }) => path)));
checkPackages();
checkStart();
await checkImports();
checkTypes();

if (faults.length > 0) {
  console.error(faults.map((fault) => `- ${fault}`).join('\n'));
  process.exitCode = 1;
} else {
  console.log(`exports: ${entries.length} entries, ${pack?.files.length} files, ${pack?.unpackedSize} bytes unpacked`);
}
