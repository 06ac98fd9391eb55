/** The generator: a pack in, the text of two files out. Pure; the same pack gives the same bytes. */
import type { JsonObject } from '../json.ts';
import { assertSupported } from './generate-keywords.ts';
import { namedPack } from './generate-names.ts';
import { openRpc } from './generate-openrpc.ts';
import { typesFile } from './generate-types.ts';
import type { Pack } from './pack.ts';

export interface GenerateOptions {
  /** Default `readback`. */
  readonly title?: string | undefined;
  /** Of the contracts, not of a package. Default `1.0.0`. */
  readonly version?: string | undefined;
}

/** Texts by file name. */
export interface GeneratedFiles {
  readonly 'client.ts': string;
  readonly 'openrpc.json': string;
}

/**
 * Writes down a pack for clients: TypeScript types, and OpenRPC 1.3. Throws `ContractError`, naming model and field,
 * for a schema that either could only render by dropping something.
 */
export function generate(pack: Pack, options: GenerateOptions = {}): GeneratedFiles {
  const named = namedPack(pack);
  const document = openRpc(named, { title: options.title ?? 'readback', version: options.version ?? '1.0.0' });
  assertSupported((document['components'] as JsonObject)['schemas'] as JsonObject);
  return { 'client.ts': typesFile(named), 'openrpc.json': `${JSON.stringify(document, null, 2)}\n` };
}
