/** Requests that only the window showing the session can answer. */
import { z } from 'zod';
import { jsonValue, whole } from './json-value.ts';
import { valueResult } from './models.ts';
import { contracts, type ParamsSchema } from './pack.ts';

const reading = (params: ParamsSchema) => ({ windowOwned: true, params, result: valueResult });
const range = z.strictObject({ start: whole.optional(), count: whole.optional() });

/** `terminal.read`, `preview.read`, `preview.act`, `window.read`, `tour`. */
export const windowPack = contracts()
  .request('terminal.read', reading(range))
  .request('preview.read', reading(range))
  .request('window.read', reading(z.strictObject({})))
  .request(
    'preview.act',
    reading(
      z.strictObject({
        action: z.string(),
        ref: z.string().optional(),
        selector: z.string().optional(),
        text: z.string().optional(),
        key: z.string().optional(),
        submit: z.boolean().optional(),
        to: z.string().optional(),
        amount: z.number().optional(),
        max: z.number().optional(),
      }),
    ),
  )
  .request(
    'tour',
    reading(
      z.strictObject({
        action: z.string(),
        surface: z.string().optional(),
        selector: z.string().optional(),
        steps: z.array(jsonValue).optional(),
        step_index: whole.optional(),
      }),
    ),
  );
