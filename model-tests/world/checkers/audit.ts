/** The audit has a row for everything that was said to have happened. */
import type { AuditRow } from '../../../src/api.ts';
import type { World } from '../world.ts';

export async function auditComplete(world: World): Promise<string[]> {
  const rows = await world.done(world.c.audit({ limit: 1_000_000 }));
  const { truth } = world;
  const missing: string[] = [];
  const must = (what: string, find: (row: AuditRow) => boolean): void => {
    if (!rows.some(find)) missing.push(`no row for ${what}`);
  };
  for (const { id, number } of truth.asks) {
    if (id !== undefined) must(`the opening of ask ${number}`, (row) => row.event === 'opened' && row.askId === id);
  }
  for (const { token, ask } of truth.answers.values()) {
    must(`answer ${token}`, (row) => row.event === 'answered' && row.token === token && row.askId === ask.id);
  }
  const proven = new Set<string>();
  for (const { token, turn, accepted } of truth.receipts) {
    if (!accepted || proven.has(token)) continue;
    proven.add(token);
    // The receipt that proved it may have died with a process before its sender was told.
    must(`the receipt of ${token} by ${turn}`, (row) => row.event === 'acked' && row.token === token);
  }
  for (const { ask, kind, verdict } of truth.verdicts) {
    const word = verdict.verdict;
    const isOwn = (row: AuditRow): boolean => row.askId === verdict.askId;
    if (kind === 'withdraw' && word === 'withdrawn') {
      must(`the withdrawal of ask ${ask.number}`, (row) => row.event === 'withdrawn' && isOwn(row));
    } else if (kind === 'answer' && (word === 'conflict' || word === 'duplicate')) {
      must(`a ${word} at ask ${ask.number}`, (row) => row.event === `submission_${word}` && isOwn(row));
    }
  }
  const ends = rows.filter(({ event }) => event === 'boundary' || event === 'forgotten');
  for (const tab of new Set(truth.boundaries)) {
    const said = truth.boundaries.filter((one) => one === tab).length;
    if (ends.filter((row) => row.tab === tab).length < said) missing.push(`too few rows for the ends of ${tab}`);
  }
  const isRising = rows.every((row, i) => i === 0 || row.id > (rows[i - 1]?.id ?? 0));
  return isRising ? missing : [...missing, 'ids of rows do not rise'];
}
