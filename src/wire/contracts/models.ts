/** Schemas that more than one contract of the default pack uses, and that a host's own contracts may use. */
import { z } from 'zod';
import { jsonObject, whole } from './json-value.ts';

/** Where the answer is one text; the empty text means skipped or declined. */
export const valueResult = z.strictObject({ value: z.string() }).meta({ id: 'ValueResult' });

/** What a person may decide about a command. */
export const approvalChoice = z.enum(['once', 'session', 'always', 'deny']).meta({ id: 'ApprovalChoice' });

/** Answers of a batch by question id; null: skipped. */
export const batchAnswers = z.record(z.string(), z.string().nullable());

/** One open request in a snapshot. */
export const openRequest = z
  .strictObject({
    id: z.string(),
    method: z.string(),
    params: jsonObject,
    owner_quorum: z.literal(true).optional(),
  })
  .meta({ id: 'OpenRequest' });

/** For the result of any call that (re)connects a client to a session: spread it into the result's fields. */
export const openRequests = { open_requests: z.array(openRequest) };

/** One event as it is replayed. */
export const replayedEvent = z
  .strictObject({
    type: z.string(),
    session_id: z.string(),
    seq: whole.optional(),
    payload: jsonObject.optional(),
  })
  .meta({ id: 'ReplayedEvent' });

/** What a person sees of a command that waits for approval. The command is redacted before it gets here. */
export const approvalFields = {
  request_id: z.string(),
  approval_id: z.string().optional(),
  command: z.string(),
  description: z.string(),
  choices: z.array(approvalChoice),
  allow_permanent: z.boolean().optional(),
  allow_session: z.boolean().optional(),
  smart_denied: z.boolean().optional(),
  tool_name: z.string().optional(),
  pattern_keys: z.array(z.string()).optional(),
  /** Of what will run; an answer may name it, and is refused when it is of something else. */
  digest: z.string().optional(),
  expires_in_ms: z.number().nullable().optional(),
};

/** What a decision may say beside its choice. */
export const decisionFields = { reason: z.string().optional(), digest: z.string().optional() };
