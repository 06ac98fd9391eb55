/** The code that a browser is given for an entry: bundled and minified by the bundler that most applications use. */
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

export interface Bundle {
  readonly code: string;
  /** Bytes after gzip at its strongest. */
  readonly gzip: number;
}

/** As part of an application: Vite leaves the blanks in what it builds as a library. */
export async function bundled(entry: string): Promise<Bundle> {
  const made = await build({
    logLevel: 'silent',
    configFile: false,
    build: {
      write: false,
      minify: true,
      modulePreload: false,
      rolldownOptions: { input: entry, preserveEntrySignatures: 'strict', output: { format: 'es' } },
    },
  });
  const code = ('output' in made ? made.output : []).map((one) => ('code' in one ? one.code : '')).join('');
  return { code, gzip: gzipSync(code, { level: 9 }).byteLength };
}
