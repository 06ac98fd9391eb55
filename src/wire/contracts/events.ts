/** Checks events where they are emitted. */
import type { Logger } from '../../runtime.ts';
import { isJsonObject } from '../jsonrpc.ts';
import type { Pack } from './pack.ts';
import type { Fault } from './paths.ts';
import { type ContractPolicy, violations } from './policy.ts';

export interface EventChecks {
  /** Throws under `strict`, else logs once; the payload is never altered. An undeclared type passes: R-152 finds it. */
  check(type: string, payload: unknown): void;
  /** Types that were checked so far, sorted: what the running code emits. */
  emitted(): string[];
}

/** Types that are remembered. A type comes from code, so that more of them are a fault and not news. */
const REMEMBERED = 1_024;

function faults(pack: Pack, type: string, payload: unknown): Fault[] {
  const contract = pack.events.get(type);
  if (contract === undefined) return [];
  if (contract.payload !== undefined) return contract.payload.wrong(payload);
  if (payload === undefined || payload === null) return [];
  if (!isJsonObject(payload)) return [{ path: [], problem: 'wrong type or value' }];
  return Object.keys(payload)
    .slice(0, 1)
    .map((key) => ({ path: [key], problem: 'unknown key' }));
}

export function eventChecks(pack: Pack, policy: ContractPolicy, logger: Logger): EventChecks {
  const reports = violations(policy, logger);
  const seen = new Set<string>();
  return {
    check(type, payload) {
      if (seen.size < REMEMBERED) seen.add(type);
      reports.report('payload', type, faults(pack, type, payload));
    },
    emitted: () => [...seen].sort(),
  };
}
