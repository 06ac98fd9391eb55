/** What travels on the page socket: the default pack, and what only this host says or is asked. */
import { z } from 'zod';
import { jsonObject } from '../wire/contracts/json-value.ts';
import { openRequests } from '../wire/contracts/models.ts';
import { contracts, type Pack, type ParamsSchema, type ResultSchema } from '../wire/contracts/pack.ts';
import { answeringPack } from '../wire/contracts/pack-answering.ts';
import { questionPack } from '../wire/contracts/pack-questions.ts';
import { secretPack } from '../wire/contracts/pack-secrets.ts';
import { windowPack } from '../wire/contracts/pack-windows.ts';
import { askView, replySchema, verdictSchema } from './schemas.ts';

/** The server request by which an agent's question reaches a page. */
export const ASK = 'ask';

/** Methods that say more here than in the default pack. */
const RICHER = new Set(['request.answer']);

function answeringHere(): Pack {
  let pack = contracts();
  for (const [name, { description, params, result }] of answeringPack.methods) {
    if (RICHER.has(name)) continue;
    const spec = { description, params: params.schema as ParamsSchema, result: result.schema as ResultSchema };
    pack = pack.method(name, spec);
  }
  for (const [name, { payload }] of answeringPack.events) pack = pack.event(name, payload?.schema as ResultSchema);
  return pack;
}

const oneAsk = z.strictObject({ ask_id: z.string() });

/**
 * All contracts of the page socket. A page is not connected to one session but shows all of them, so that the methods
 * `session.*` are left out and `desk.resume` takes their place.
 */
export const hostPack: Pack = contracts()
  .extend(questionPack)
  .extend(secretPack)
  .extend(windowPack)
  .extend(answeringHere())
  .request(ASK, {
    description: 'A question of an agent. The journal decides what becomes of an answer.',
    params: z.strictObject({ ask: askView }),
    result: replySchema,
  })
  .method('request.answer', {
    description: 'The verdict is there for questions of agents.',
    params: answeringPack.methods.get('request.answer')?.params.schema as ParamsSchema,
    result: z.strictObject({ status: z.enum(['ok', 'expired']), verdict: verdictSchema.optional() }),
  })
  .method('desk.resume', {
    description: 'Names the window, and tells it all that is open, page by page.',
    params: z.strictObject({ window: z.string(), cursor: z.string().optional() }),
    result: z.strictObject({
      ...openRequests,
      more: z.string().optional(),
      recent: z.array(askView).optional(),
      open_total: z.number(),
      now: z.number(),
    }),
  })
  .method('ask.show', { params: oneAsk, result: z.strictObject({ ask: askView.nullable() }) })
  .method('ask.withdraw', { params: oneAsk.extend({ reason: z.string() }), result: verdictSchema })
  .method('ping', { params: z.strictObject({}), result: z.strictObject({ now: z.number() }) })
  .event(
    'request.refused',
    z.strictObject({
      id: z.string(),
      error: z.strictObject({ code: z.number(), message: z.string(), data: jsonObject.optional() }),
    }),
  )
  .event('ask.changed', z.strictObject({ ask: askView, cause: z.string(), now: z.number() }))
  .event('gateway.ready', z.strictObject({ epoch: z.string(), now: z.number(), heartbeat_ms: z.number() }));
