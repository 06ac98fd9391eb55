/** Methods by which a client answers, decides and says what it can do; and the events that end its cards. */
import { z } from 'zod';
import { jsonObject, jsonValue, whole } from './json-value.ts';
import { approvalChoice, approvalFields, decisionFields } from './models.ts';
import { contracts } from './pack.ts';

const pendingApproval = z
  .strictObject({ ...approvalFields, session_id: z.string().optional(), acknowledged: z.boolean().optional() })
  .meta({ id: 'PendingApproval' });

const ended = z.strictObject({ status: z.literal('expired') });

/** `client.capabilities`, `clarify.lock`, `request.answer`, `approval.*`; `request.cancel`, `request.settled`. */
export const answeringPack = contracts()
  .method('client.capabilities', {
    params: z.strictObject({ server_requests: z.boolean().default(false) }),
    result: z.strictObject({ server_requests: z.array(z.string()) }),
  })
  .method('clarify.lock', {
    params: z.strictObject({ request_id: z.string(), question_id: z.string(), answer: jsonValue.optional() }),
    result: z.discriminatedUnion('status', [
      z.strictObject({ status: z.literal('ok'), remaining: z.array(z.string()) }),
      ended,
    ]),
  })
  .method('request.answer', {
    params: z.strictObject({ id: z.string(), result: jsonObject }),
    result: z.strictObject({ status: z.enum(['ok', 'expired']) }),
  })
  .method('approval.pending', {
    params: z.strictObject({ session_id: z.string() }),
    result: z.strictObject({ approvals: z.array(pendingApproval) }),
  })
  .method('approval.received', {
    params: z.strictObject({ session_id: z.string(), request_id: z.string() }),
    result: z.strictObject({ acknowledged: z.boolean() }),
  })
  .method('approval.respond', {
    params: z.strictObject({
      session_id: z.string(),
      choice: approvalChoice.default('deny'),
      all: z.boolean().default(false),
      request_id: z.string().optional(),
      ...decisionFields,
    }),
    result: z.strictObject({ resolved: whole }),
  })
  .event(
    'request.cancel',
    z.strictObject({
      id: z.string(),
      method: z.string(),
      reason: z.enum(['timeout', 'interrupted', 'shutdown', 'resolved', 'session_closed']),
    }),
  )
  .event(
    'request.settled',
    z.strictObject({ id: z.string(), method: z.string(), by: z.enum(['response', 'lock', 'quorum', 'error']) }),
  );
