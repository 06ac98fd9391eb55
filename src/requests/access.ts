/** Whether a peer may answer for a session, as the host says. */
import { heed } from '../../machines/shared/heed.ts';
import type { Peer } from './api.ts';
import { type Log, reason } from './log.ts';

export type Access = (sid: string, peer: Peer | undefined) => boolean;

/** A host that fails, or gives a promise, has not said yes. */
export function accessOf(mayAccess: Access | undefined, log: Log): Access {
  if (mayAccess === undefined) return () => true;
  const failed = (error: unknown): void =>
    log.say('error', `whether a peer may answer could not be told: ${reason(error)}`);
  return (sid, peer) => {
    try {
      const word: unknown = mayAccess(sid, peer);
      heed(word, failed);
      return word === true;
    } catch (error) {
      failed(error);
      return false;
    }
  };
}
