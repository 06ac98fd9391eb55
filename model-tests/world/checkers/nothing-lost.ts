/** Nothing that was accepted is lost: it is on file with its text, or the audit says that its tab was forgotten. */
import type { AuditRow } from '../../../src/api.ts';
import type { World } from '../world.ts';

export async function nothingLost(world: World): Promise<string[]> {
  const faults: string[] = [];
  const rows = await world.done(world.c.audit({ limit: 1_000_000 }));
  for (const answer of world.truth.answers.values()) {
    const { token, ask, text, forgotten, proven } = answer;
    const view = ask.id === undefined ? undefined : await world.done(world.c.show(ask.id));
    const found = view?.answers.find((one) => one.token === token);
    if (found === undefined) {
      const isReported = rows.some((row) => row.token === token && isFarewell(row));
      if (!forgotten || !isReported) faults.push(`${token} of ask ${ask.number} is on no file and in no report`);
      continue;
    }
    if (JSON.stringify(sorted(found.reply)) !== JSON.stringify(sorted(JSON.parse(text)))) {
      faults.push(`${token} reads ${JSON.stringify(found.reply)}, and ${text} was given`);
    }
    if (proven && found.receipt !== 'read_back') faults.push(`${token} was proven and now reads ${found.receipt}`);
  }
  return faults;
}

const isFarewell = ({ event, detail }: AuditRow): boolean => event !== 'answered' && detail !== undefined;
const sorted = (reply: object): unknown[] => Object.entries(reply).sort(([a], [b]) => (a < b ? -1 : 1));
