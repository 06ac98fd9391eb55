/** The rig of the kit, over the tracker of this package. */

import { Rig as KitRig, type RigOptions, type ToolsSubject } from '../../src/testing/tools/rig.ts';
import type { Tracker } from '../../src/tools/tracker.ts';
import { createToolTracker } from '../../src/tools.ts';

export const own: ToolsSubject = { create: createToolTracker };

export class Rig extends KitRig {
  declare readonly tracker: Tracker;

  constructor(options: RigOptions = {}) {
    super(options, own);
  }
}

/** A rig whose history is over. */
export const live = (options: RigOptions = {}): Rig => {
  const rig = new Rig(options);
  rig.push('s');
  return rig;
};
