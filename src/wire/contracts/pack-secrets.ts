/** Requests whose answer is a secret: it is kept nowhere, logged nowhere, and shown to nobody. */
import { z } from 'zod';
import { jsonObject } from './json-value.ts';
import { valueResult } from './models.ts';
import { contracts, type ParamsSchema } from './pack.ts';

const asking = (params: ParamsSchema) => ({ secret: true, params, result: valueResult });

/** `sudo`, `secret`, `vault.*`, `display.install.sudo`. */
export const secretPack = contracts()
  .request('sudo', asking(z.strictObject({ command: z.string().optional() })))
  .request(
    'secret',
    asking(z.strictObject({ env_var: z.string(), prompt: z.string(), metadata: jsonObject.optional() })),
  )
  .request('vault.unlock_prompt', asking(z.strictObject({ backend: z.string(), display_name: z.string() })))
  .request('vault.save_login', asking(z.strictObject({ origin: z.string(), site: z.string() })))
  .request('vault.code', asking(z.strictObject({ site: z.string().optional(), hint: z.string().optional() })))
  .request('display.install.sudo', asking(z.strictObject({})));
