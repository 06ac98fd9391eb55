/** Methods that connect a client to a session, each with the open requests it must show. */
import { z } from 'zod';
import { jsonObject, whole } from './json-value.ts';
import { openRequests, replayedEvent } from './models.ts';
import { contracts } from './pack.ts';

const onSession = z.strictObject({ session_id: z.string() });
/** What a host says of a session beyond this contract goes under `info`. */
const connected = z.strictObject({ session_id: z.string(), info: jsonObject.optional(), ...openRequests });

/**
 * `session.resume`, `session.activate`, `session.events.since`, `session.interrupt`; `gateway.ready`.
 * A host with its own contracts of these names leaves this pack out and spreads `openRequests` into its results.
 */
export const sessionPack = contracts()
  .method('session.resume', { params: onSession, result: connected })
  .method('session.activate', { params: onSession, result: connected })
  .method('session.events.since', {
    params: z.strictObject({
      session_id: z.string(),
      last_seen: whole.default(0),
      epoch: z.string().optional(),
    }),
    result: z.strictObject({ epoch: z.string().optional(), events: z.array(replayedEvent), ...openRequests }),
  })
  .method('session.interrupt', { params: onSession, result: z.strictObject({ withdrawn: whole }) })
  .event('gateway.ready', z.strictObject({ epoch: z.string().optional(), info: jsonObject.optional() }));
