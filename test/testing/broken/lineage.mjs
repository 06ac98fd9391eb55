/** A check of lineage with eight seeded defects, each of another kind. */
import { lineage as healthy } from 'readback/seats';
import { isIn, misled } from './seeded.mjs';

const OPTIONS = {
  'a break is passed over': () => ({ isBreak: () => false }),
  'every walk may be long': () => ({ maxSteps: 65_536 }),
  'what has no kind is ordinary': () => ({ untyped: 'ordinary' }),
};

/** Each looks at the finding once more. */
const FINDINGS = {
  'what cannot be read is on the branch': (found) =>
    found.onBranch === 'unknown' ? { onBranch: true, breaks: 0, reason: 'holds', steps: found.steps } : found,
  'another log is only moved off': (found) =>
    found.reason === 'foreign-log' ? { ...found, reason: 'moved-off' } : found,
  'a break does not stop who asks for it': (found, { stopAtBreak }) =>
    stopAtBreak === true && found.reason === 'compaction' ? { ...found, onBranch: true, breaks: 1 } : found,
};

export async function lineage(read, anchor, leaf, options = {}) {
  let failed;
  const own = (id) => {
    try {
      return read(id);
    } catch (error) {
      failed = { error };
      throw error;
    }
  };
  if (isIn('the anchor is read though it is the leaf') && anchor === leaf && anchor !== null) read(anchor);
  let found = await healthy(own, anchor, leaf, misled(options, OPTIONS));
  for (const [name, change] of Object.entries(FINDINGS)) if (isIn(name)) found = change(found, options);
  if (failed !== undefined && isIn('what a reader throws comes through')) throw failed.error;
  return found;
}
