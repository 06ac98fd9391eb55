/** The contract of a registry of server-to-client requests, as a suite. */
import { admissionRules } from './requests/admission.ts';
import { admitRules } from './requests/admit.ts';
import { cancelRules } from './requests/cancel.ts';
import { capabilityRules } from './requests/capability.ts';
import { keyRules } from './requests/keys.ts';
import { ledgerRules } from './requests/ledger.ts';
import { locksRules } from './requests/locks.ts';
import { mirrorPathRules } from './requests/mirror-paths.ts';
import { pathRules } from './requests/paths.ts';
import { receiptsRules } from './requests/receipts.ts';
import { responsesRules } from './requests/responses.ts';
import type { RequestsSubject } from './requests/rig.ts';
import { secretsRules } from './requests/secrets.ts';
import { sendAsyncRules } from './requests/send-async.ts';
import { windowOwnedRules } from './requests/window-owned.ts';
import { register, type Suite } from './rules.ts';

const CHAPTERS = [
  admissionRules,
  admitRules,
  cancelRules,
  capabilityRules,
  keyRules,
  ledgerRules,
  locksRules,
  mirrorPathRules,
  pathRules,
  receiptsRules,
  responsesRules,
  secretsRules,
  sendAsyncRules,
  windowOwnedRules,
] as const;

/**
 * Runs a registry through the rules of admission, answers, cancelling, capability, keys, the ledger, locks, receipts, secrets and windows,
 * and through the generated paths.
 *
 * Promises exactly one settlement over clients and a ledger in the test's hand; a real socket and disk are not in it.
 */
export function requestsContract(name: string, make: RequestsSubject['create'] | RequestsSubject, suite: Suite): void {
  register(
    `the contract of a registry of requests: ${name}`,
    typeof make === 'function' ? { create: make } : make,
    CHAPTERS,
    suite,
  );
}
