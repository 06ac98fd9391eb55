/** What the contract of lineage is given: the check itself. */
import type { lineage as Lineage } from '../../seats.ts';
import { recorded } from '../recorded.ts';
import { subjectOf } from '../rules.ts';

export type { Entry, Finding, LineageOptions, ReadEntry } from '../../seats.ts';

/** A check of lineage: whether what was seen at an anchor is still on the way from a leaf to its root. */
export interface LineageSubject {
  readonly lineage: typeof Lineage;
}

export const lineage: typeof Lineage = (...args) => recorded(subjectOf<LineageSubject>()).lineage(...args);
