/** What the last process left open is open again, under the same ids: a restart is never a cancellation. */
import type { RequestContext } from '../../machines/requests/request-facts.ts';
import { restore, step } from '../../machines/shared/step.ts';
import { ReadbackError } from '../errors.ts';
import type { JsonObject } from '../wire/json.ts';
import type { Ledger, RequestContracts, RequestRow } from './api.ts';
import { type RequestSnapshot, requestChart } from './charts.ts';
import { type Entry, newEntry } from './entry.ts';
import { frozenCopy } from './frames.ts';
import { reason } from './log.ts';
import type { Registry } from './registry.ts';
import type { Sender } from './sender.ts';

export function restoreAll(registry: Registry, sender: Sender, contracts: RequestContracts, ledger: Ledger): void {
  const rows = ledger.rows('request') as unknown as readonly RequestRow[];
  const open: Entry[] = [];
  for (const row of [...rows].sort((a, b) => a.seq - b.seq)) {
    if (row.settlement !== undefined) {
      registry.kept.keep(row, row.settlement);
      if (row.receipt !== undefined) registry.receipts.keep(row, row.receipt, false);
      continue;
    }
    const contract = contracts.request(row.method);
    if (contract === undefined) {
      registry.log.say(
        'error',
        `${row.id} waits on file for ${row.method}, which has no contract any more: left there`,
      );
      continue;
    }
    const params = shownParams(registry, row);
    if (params === undefined) continue;
    const locked = new Map(Object.entries(row.locked));
    open.push(newEntry({ ...row, params, contract, at: standing(row, registry) }, locked));
  }
  // All are read before the first deadline runs: whoever gets no registry must be left no timer either.
  for (const entry of open) {
    registry.insert(entry);
    if (entry.expiresAt === null) sender.armUnattended(entry);
    else sender.armDeadline(entry, Math.max(entry.expiresAt - registry.runtime.now(), 0));
  }
}

/** Undefined for what an earlier version let in and no window can be shown now: it must not keep the others away. */
function shownParams({ log }: Registry, { id, params }: RequestRow): JsonObject | undefined {
  try {
    return frozenCopy(params).copy;
  } catch (cause) {
    log.say('error', `${id} waits on file with params that cannot be shown (${reason(cause)}): left there`);
    return undefined;
  }
}

function standing({ id, state, context }: RequestRow, { watch }: Registry): RequestSnapshot {
  try {
    const at = restore(requestChart, state, context as JsonObject as unknown as RequestContext);
    const event = { type: 'RESTART' } as const;
    const stepped = step(requestChart, at, event);
    watch?.tell?.(requestChart.id, id, at, event, stepped);
    return stepped.snapshot;
  } catch (cause) {
    throw new ReadbackError('store_unreadable', `request ${id}: ${reason(cause)}.`, { cause });
  }
}
