/** `readback log`: the audit, once or as it grows. */

import type { AuditRow } from '../api.ts';
import { AsksKnown } from './asks-known.ts';
import { type Client, connect, isGone } from './client.ts';
import { find } from './find.ts';
import { stateFolder } from './home.ts';
import { type Global, type Io, json } from './io.ts';
import { whole } from './parse.ts';
import { EXIT } from './problem.ts';
import { auditTeller } from './view.ts';

export interface LogFlags extends Global {
  readonly follow?: boolean | undefined;
  readonly ask?: string | undefined;
  readonly after?: string | undefined;
  readonly limit?: string | undefined;
}

const POLL_MS = 300;
const PAGE = 1_000;

export async function log(io: Io, flags: LogFlags): Promise<number> {
  const limit = flags.limit === undefined ? 100 : whole('--limit', flags.limit, 1, PAGE);
  const after = flags.after === undefined ? undefined : whole('--after', flags.after, 0, Number.MAX_SAFE_INTEGER);
  const folder = stateFolder(flags.home, io.env);
  const client = connect(folder);
  const askId = flags.ask === undefined ? undefined : (await find(client, flags.ask)).askId;
  const scope = askId === undefined ? {} : { askId };
  const rows = await client.audit({ ...scope, ...(after === undefined ? {} : { after }), limit });
  if (flags.follow !== true) {
    if (flags.json === true) await json(io, { rows });
    else if (rows.length === 0) io.err(`readback: ${nothing(askId, after)}\n`);
    else await printer(io, flags)(client, rows);
    return EXIT.ok;
  }
  const print = printer(io, flags);
  await print(client, rows);
  return follow(io, folder, client, print, { scope, after: rows.at(-1)?.id ?? after ?? 0 });
}

function nothing(askId: string | undefined, after: number | undefined): string {
  if (askId === undefined && after === undefined) return 'the log is empty';
  const of = askId === undefined ? '' : ` about ${askId}`;
  return `the log has no row${of}${after === undefined ? '' : ` after number ${after}`}`;
}

async function follow(
  io: Io,
  folder: string,
  first: Client,
  print: Print,
  from: { scope: { askId?: string }; after: number },
): Promise<number> {
  const signal = io.interrupted();
  let { after } = from;
  let client: Client | undefined = first;
  while (!signal.aborted) {
    try {
      client ??= connect(folder);
      const rows = await client.audit({ ...from.scope, after, limit: PAGE });
      await print(client, rows);
      after = rows.at(-1)?.id ?? after;
    } catch (error) {
      if (!isGone(error)) throw error;
      // The rows are on disk: a host that restarts goes on counting where it stopped.
      client = undefined;
    }
    await io.sleep(POLL_MS, signal);
  }
  return EXIT.ok;
}

type Print = (client: Client, rows: readonly AuditRow[]) => Promise<void>;

function printer(io: Io, flags: LogFlags): Print {
  const known = new AsksKnown();
  const tell = auditTeller(io, (askId) => known.name(askId));
  return async (client, rows) => {
    if (flags.json === true) {
      for (const row of rows) await json(io, row);
    } else if (rows.length > 0) {
      const askIds = rows.flatMap(({ askId }) => askId ?? []);
      await known.learn(client, askIds);
      await io.out(`${tell(rows).join('\n')}\n`);
    }
  };
}
