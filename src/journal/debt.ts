/** Losses and the warnings that tell of them (4.18, 4.19). Losses are named, never counted. */

import { heed } from '../../machines/shared/heed.ts';
import { start } from '../../machines/shared/step.ts';
import { debtChart } from './charts.ts';
import type { Core } from './core.ts';
import type { Effects, Op, TurnAttacher } from './operation.ts';
import { type LossRow, type WarningRow, warningTokenOf } from './rows.ts';

/**
 * Warnings of one tab that may be out at a time. Beyond it the oldest counts as handed back: its receipt says nothing then,
 * and its losses are told once more at worst.
 */
export const WARNINGS_KEPT = 64;

/** Losses that a report to the current occupant counts: its own and those of an unknown occupant. */
export function owedNow(core: Core, tab: string, occupant: string | null): LossRow[] {
  return core.book.losses(tab).filter((row) => {
    const owner = row.at.context.occupant;
    return row.at.value === 'pending' && (core.resolver === undefined || owner === null || owner === occupant);
  });
}

export function* reportDropped(
  core: Core,
  tab: string,
  { askId, attach: own }: { askId?: string | undefined; attach?: TurnAttacher | undefined } = {},
): Op<number> {
  const losses = owedNow(core, tab, core.occupant(tab));
  core.tellTroubles();
  if (losses.length === 0) return 0;
  const n = core.book.nextNumber();
  const carrier = attach(core, tab, warningTokenOf(n), askId, own);
  // The attacher may have called back: only what is still owed can be named.
  const named = losses.filter((row) => core.book.loss(row.id) === row).map((row) => row.id);
  if (carrier === null || named.length === 0) return losses.length;
  const born = start(debtChart, { token: warningTokenOf(n), tab, carrier, losses: named });
  const row: WarningRow = { n, at: born.snapshot };
  core.watch?.tell?.(
    debtChart.id,
    warningTokenOf(n),
    undefined,
    { type: 'xstate.init', tab, carrier, losses: named },
    born,
  );
  core.book.addWarning(row);
  const mine = core.book.warnings().filter(({ at }) => at.context.tab === tab);
  for (const oldest of mine.slice(0, -WARNINGS_KEPT)) core.stepWarning(oldest, { type: 'HANDBACK' }, core.effects());
  core.note?.('warned', { token: warningTokenOf(n), tab, who: carrier });
  yield;
  return losses.length;
}

/** The carrier that the host names for a hand-over, or null; a host that throws has none. */
export function attach(
  core: Core,
  tab: string,
  token: string,
  askId: string | undefined,
  own?: TurnAttacher,
): string | null {
  const attacher = own ?? core.attacher;
  if (attacher === undefined) return null;
  try {
    const carrier: unknown = askId === undefined ? attacher(tab, token) : attacher(tab, token, askId);
    if (typeof carrier === 'string') return carrier;
    if (carrier !== null && carrier !== undefined) {
      heed(carrier, () => undefined);
      core.say('warn', `no carrier for ${token}: the attacher gave ${typeof carrier} where text is the name of a turn`);
    }
    return null;
  } catch (error) {
    core.say('warn', `no carrier for ${token}, the attacher failed (${String(error)})`);
    return null;
  }
}

/**
 * Tells the log of losses and then forgets them. In memory the line comes first, and one that
 * cannot be written leaves the debt whole. With a store the audit row and the destruction are one commit, and
 * the line follows it.
 */
export function surface(core: Core, tab: string, rows: readonly LossRow[], why: string, fx: Effects): void {
  if (rows.length === 0) return;
  const text = `${rows.length} dropped answer${rows.length === 1 ? '' : 's'} of tab ${tab.slice(0, 8)} will not be told to a reader: ${why}`;
  if (core.durable === undefined) core.report('error', text);
  else {
    core.note?.('debt_surfaced', { tab, detail: text });
    fx.say('error', text);
  }
  for (const row of rows) core.stepLoss(row, { type: 'SURFACE' }, fx);
}
