/** What happens when a contract is violated: a test is told by an exception, a running system by one log line. */
import { heed } from '../../../machines/shared/heed.ts';
import type { Logger } from '../../runtime.ts';
import { type Fault, faultText, keyPath } from './paths.ts';

/** `strict`: a violation throws. `production`: it is logged once, and the value is delivered unchanged. */
export type ContractPolicy = 'strict' | 'production';

/** Reads the policy from the text of an environment variable: only `1` and `true` are strict. */
export const contractPolicy = (value: string | undefined): ContractPolicy =>
  value === '1' || value === 'true' ? 'strict' : 'production';

export type ViolationKind = 'params' | 'result' | 'payload';

/** A value that travelled, or was about to, does not conform. Names contract and key path, never a value. */
export class ContractViolation extends Error {
  readonly kind: ViolationKind;
  readonly contract: string;
  /** Text of the key path; '' is the value as a whole. */
  readonly path: string;

  constructor(kind: ViolationKind, contract: string, fault: Fault) {
    super(`${contract} ${kind}: ${faultText(fault)}`);
    this.name = 'ContractViolation';
    this.kind = kind;
    this.contract = contract;
    this.path = keyPath(fault.path);
  }
}

/** Violations a process remembers to have logged. Beyond it none is logged any more: a hot fault must not flood. */
const REMEMBERED = 1_024;

/** The same logger, except that a failing one neither changes nor interrupts what it was told about. */
export function guarded(logger: Logger): Logger {
  const safe =
    (level: keyof Logger) =>
    (...args: unknown[]) => {
      try {
        heed(logger[level](...args), () => undefined);
      } catch {
        // There is nobody left to tell.
      }
    };
  return { debug: safe('debug'), info: safe('info'), warn: safe('warn'), error: safe('error') };
}

export interface Violations {
  /** Throws the first fault, or logs those that were not logged before. No fault: does nothing. */
  report(kind: ViolationKind, contract: string, faults: readonly Fault[]): void;
}

/** Positions of a list are one place in the log: the thousandth element is no news. */
const place = (fault: Fault): string => keyPath(fault.path.map((part) => (typeof part === 'number' ? '*' : part)));

/** One memory of what was logged; two of them know nothing of each other. */
export function violations(policy: ContractPolicy, logger: Logger): Violations {
  const logged = new Set<string>();
  const { warn } = guarded(logger);
  return {
    report(kind, contract, faults) {
      const [first] = faults;
      if (first === undefined) return;
      if (policy === 'strict') throw new ContractViolation(kind, contract, first);
      for (const fault of faults) {
        const key = JSON.stringify([kind, contract, place(fault)]);
        if (logged.has(key) || logged.size > REMEMBERED) continue;
        logged.add(key);
        const full = logged.size > REMEMBERED;
        const what = `readback contracts: ${contract} ${kind}: ${faultText(fault)}`;
        warn(full ? `${what} (further violations are not logged)` : what);
      }
    },
  };
}
