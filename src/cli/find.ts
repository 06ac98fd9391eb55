/** From what a person typed to exactly one ask. Never by position, by age or by text (C1, C5, C7). */

import type { AskView } from '../api.ts';
import type { Client } from './client.ts';
import { EXIT, Problem, usage } from './problem.ts';
import { brief } from './text.ts';

const PREFIX = 'pa-';
/** Shorter ones could be a number of a list, and would soon mean another ask. */
const SHORTEST = 4;
export const LOOK_BACK = 1_000;

/** The ask with this id, or with the only id that begins so; refuses what fits none or several. */
export async function find(client: Client, typed: string): Promise<AskView> {
  // In a path these lead elsewhere, or nowhere.
  if (/^[\s.]*$/.test(typed)) throw unknown(typed, 'it has no sign that an id has');
  const exact = await client.show(typed);
  if (exact !== undefined) return exact;
  const wanted = bare(typed);
  if (!/^[0-9a-z-]+$/i.test(wanted)) throw unknown(typed, 'it has signs that no id has');
  if (wanted.length < SHORTEST) {
    throw usage(
      'ID',
      `"${brief(typed, 60)}" is too short to name one ask`,
      `type at least ${SHORTEST} characters after ${PREFIX}; see: readback list`,
    );
  }
  const [open, recent] = await Promise.all([client.list('open', LOOK_BACK), client.list('recent', LOOK_BACK)]);
  const fits = new Map<string, AskView>();
  for (const ask of [...open, ...recent]) {
    if (bare(ask.askId).startsWith(wanted.toLowerCase())) fits.set(ask.askId, ask);
  }
  const [first, ...others] = fits.values();
  if (first === undefined)
    throw unknown(typed, `no open ask and none of the latest ${LOOK_BACK} others has an id like it`);
  if (others.length > 0) throw ambiguous(typed, [first, ...others]);
  return first;
}

/** The shortest form that still names one of these asks, at least six signs after the prefix. */
export function shortIds(asks: readonly { readonly askId: string }[]): Map<string, string> {
  const ids = [...new Set(asks.map((ask) => ask.askId))];
  const short = new Map<string, string>();
  for (const id of ids) {
    let length = PREFIX.length + 6;
    const shared = (): boolean => ids.some((other) => other !== id && other.startsWith(id.slice(0, length)));
    // A trailing hyphen would look like a cut-off word.
    while (length < id.length && (id[length - 1] === '-' || shared())) length += 1;
    short.set(id, id.slice(0, length));
  }
  return short;
}

function bare(id: string): string {
  const lower = id.toLowerCase();
  return lower.startsWith(PREFIX) ? lower.slice(PREFIX.length) : lower;
}

function unknown(typed: string, why: string): Problem {
  return new Problem({
    code: 'unknown',
    field: 'ID',
    message: `"${brief(typed, 60)}" is unknown: ${why}`,
    remedy:
      'nothing was changed; see the ids with: readback list, or readback list --recent; what is older is found by its whole id',
    exit: EXIT.unknown,
  });
}

function ambiguous(typed: string, asks: readonly AskView[]): Problem {
  const some = asks.slice(0, 5).map((ask) => `${ask.askId} (${brief(ask.question, 40)})`);
  const more = asks.length > 5 ? `, and ${asks.length - 5} more` : '';
  return new Problem({
    code: 'ambiguous',
    field: 'ID',
    message: `"${brief(typed, 60)}" could be ${some.join(', ')}${more}`,
    remedy: 'nothing was changed; type more of the id',
    exit: EXIT.usage,
  });
}
