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
    if (!sameReply(found.reply, JSON.parse(text))) {
      faults.push(`${token} reads ${JSON.stringify(found.reply)}, and ${text} was given`);
    }
    if (proven && found.receipt !== 'read_back') faults.push(`${token} was proven and now reads ${found.receipt}`);
  }
  return faults;
}

/** What nobody was told is accepted is not on file, unless the process died before it could say so. */
export async function nothingInvented(world: World): Promise<string[]> {
  const faults: string[] = [];
  const { asks, submissions, crashed } = world.truth;
  for (const { id, number } of asks) {
    const view = id === undefined ? undefined : await world.done(world.c.show(id));
    for (const { token, reply } of view?.answers ?? []) {
      const isGiven = submissions.some(
        (one) =>
          one.id === id &&
          one.text !== '' &&
          sameReply(JSON.parse(one.text), reply) &&
          (one.endings.some((ending) => 'saved' in ending && ending.saved && ending.verdict !== 'duplicate') ||
            (one.endings.length === 0 && crashed.has(one.run))),
      );
      if (!isGiven) faults.push(`${token} of ask ${number} is on file, and nobody was told that it was accepted`);
    }
  }
  return faults;
}

export const sameReply = (a: object, b: object): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
const isFarewell = ({ event, detail }: AuditRow): boolean => event !== 'answered' && detail !== undefined;
const sorted = (reply: object): unknown[] => Object.entries(reply).sort(([a], [b]) => (a < b ? -1 : 1));
