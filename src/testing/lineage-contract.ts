/** The contract of a check of lineage, as a suite. */
import { lineageRules } from './lineage/lineage.ts';
import { pathRules } from './lineage/paths.ts';
import type { LineageSubject } from './lineage/subject.ts';
import { register, type Suite } from './rules.ts';

const CHAPTERS = [lineageRules, pathRules] as const;

/**
 * Runs a check of lineage through the rules: what was seen is proven on the branch, or refused.
 *
 * Promises the verdicts over logs in memory, healthy and spoilt; it does not show that a log of your own is read right.
 */
export function lineageContract(name: string, make: LineageSubject['lineage'] | LineageSubject, suite: Suite): void {
  register(`the contract of lineage: ${name}`, typeof make === 'function' ? { lineage: make } : make, CHAPTERS, suite);
}
