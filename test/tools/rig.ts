/** The rig of the kit, over the tracker of this package. */

import { Rig as KitRig, type RigOptions, type ToolsSubject } from '../../src/testing/tools/rig.ts';
import type { Call } from '../../src/tools/record.ts';
import type { Tracker } from '../../src/tools/tracker.ts';
import { createToolTracker } from '../../src/tools.ts';

export const own: ToolsSubject = { create: createToolTracker };

export class Rig extends KitRig {
  declare readonly tracker: Tracker;

  constructor(options: RigOptions = {}) {
    super(options, own);
  }

  record(id = 't'): Call | undefined {
    return this.tracker.memory.calls.get(id);
  }

  /** How much is kept: records, ids without a record, notices. */
  get kept(): { records: number; ids: number; withheld: number; notices: number } {
    const { memory, notices } = this.tracker;
    const { calls, spent, withheld } = memory;
    return { records: calls.size, ids: spent.size, withheld: withheld.size, notices: notices.given.size };
  }
}

/** A rig whose history is over. */
export const live = (options: RigOptions = {}): Rig => {
  const rig = new Rig(options);
  rig.push('s');
  return rig;
};
