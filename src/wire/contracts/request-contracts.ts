/** A pack as the registry of requests sees it: names, flags and key paths, no zod. */
import { requireGiven } from '../../given.ts';
import type { RequestContract, RequestContracts } from '../../requests/api.ts';
import { definition } from './definitions.ts';
import type { Pack, ServerRequestContract } from './pack.ts';
import { type Fault, keyPath, type Path } from './paths.ts';

const paths = (faults: readonly Fault[]): string[] => faults.map((one) => keyPath(one.path));

/** Of a secret even a key may be the secret: only a field that the contract itself names is shown. */
function secretPath(contract: ServerRequestContract, path: Path): string {
  const def = definition(contract.result.schema);
  const [first] = path;
  if (first === undefined) return '';
  return def.type === 'object' && Object.hasOwn(def.shape, first) ? String(first) : '(unknown key)';
}

function seenByRegistry(contract: ServerRequestContract): RequestContract {
  return Object.freeze({
    method: contract.name,
    secret: contract.secret,
    windowOwned: contract.windowOwned,
    unknownParams: (params) => paths(contract.params.unknown(params)),
    wrongParams: (params) => paths(contract.params.wrong(params)),
    wrongResult: (result) => {
      const faults = contract.result.wrong(result);
      if (!contract.secret) return paths(faults);
      return [...new Set(faults.map((one) => secretPath(contract, one.path)))];
    },
  } satisfies RequestContract);
}

/** What `ServerRequestsOptions.contracts` takes. A path of '' means the params or the result as a whole. */
export function requestContracts(pack: Pack): RequestContracts {
  requireGiven({ pack }, { 'pack.requests': 'object' });
  const byName = new Map([...pack.requests].map(([name, contract]) => [name, seenByRegistry(contract)]));
  return Object.freeze({
    request: (method: string) => byName.get(method),
    requestNames: Object.freeze([...byName.keys()].sort()),
  });
}
