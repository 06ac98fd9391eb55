/** Who answers a call, as the host's predicate says it; what it cannot say is unknown. */
import type { Owner } from '../../machines/tools/call-facts.ts';
import type { CallView } from './types.ts';
import type { Desk } from './work.ts';

export function ownerOf({ options, notices }: Desk, view: CallView): Owner {
  try {
    const given: unknown = options.owner?.(view);
    return given === 'client' || given === 'provider' ? given : 'unknown';
  } catch (error) {
    notices.once('owner-threw', view.id, { toolCallId: view.id, error });
    return 'unknown';
  }
}
