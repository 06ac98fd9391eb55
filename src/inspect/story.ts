/** Finds the rows that tell the story of one entry, and has them told. */
import type { AuditQuery, AuditRow, ChartRow, RowQuery } from '../api.ts';
import type { JournalLimits } from '../limits.ts';
import { INSPECT_BOUNDS } from './inspect-bounds.ts';
import { isKept, keptSteps } from './kept-story.ts';
import { messagesOf } from './messages.ts';
import { Retold, TAB_EVENTS } from './retell.ts';
import type { Story, Told } from './told.ts';
import { whyOf, whyStanding, withBranch } from './why.ts';

/** What is read of a coordinator to tell a story. */
export interface Readable {
  /** The bounds of its journal. */
  readonly limits: Pick<JournalLimits, 'carriedReleases'>;
  audit(query: AuditQuery): Promise<readonly AuditRow[]>;
  rows(query: RowQuery): Promise<readonly ChartRow[]>;
}

const limit = INSPECT_BOUNDS.rows;
/** Restarts and renamed tabs say something of whatever was there. */
const EVERYWHERE = ['restarted', 'moved'];

/** The rows of an ask, with those of its tabs that say something of all that was on them. */
async function rowsOfAsk(from: Readable, askId: string): Promise<AuditRow[]> {
  const own = await from.audit({ askId, limit });
  const [first] = own;
  if (first === undefined) return [];
  const after = first.id - 1;
  const common = await from.audit({ events: EVERYWHERE, after, limit });
  const tabs = new Set(own.flatMap(({ tab }) => tab ?? []));
  // In the order of the rows, so that a tab that was renamed twice is followed twice.
  const moves = common.filter(({ event, detail, tab }) => {
    if (event !== 'moved' || !tabs.has(detail ?? '')) return false;
    tabs.add(tab ?? '');
    return true;
  });
  const onTabs = await Promise.all([...tabs].map((tab) => from.audit({ tab, events: TAB_EVENTS, after, limit })));
  const restarts = common.filter(({ event }) => event === 'restarted');
  return [...own, ...moves, ...restarts, ...onTabs.flat()].sort((a, b) => a.id - b.id);
}

const sameStates = (a: readonly string[] | undefined, b: readonly string[] | undefined): boolean =>
  a !== undefined && b !== undefined && [...a].sort().join() === [...b].sort().join();

function storyOf(row: ChartRow, isThere: boolean, steps: readonly Told[], rows: readonly AuditRow[]): Story {
  const { machine, id, askId, tab } = row;
  const now = isThere ? row.states : undefined;
  const last = steps.at(-1)?.after;
  const standing = now && whyStanding(machine, now, rows);
  const upTo = now === undefined ? steps.at(-1)?.row : undefined;
  return {
    ...{ machine, id, askId, tab, steps, now },
    messages: messagesOf(upTo === undefined ? rows : rows.filter((one) => one.id <= upTo || one.askId === askId)),
    isWhole: now === undefined || standing !== undefined || sameStates(now, last),
    why: standing ?? whyOf(machine, steps),
  };
}

type Known = ChartRow | undefined;

async function tellAsk(from: Readable, standing: Known, machine: string, id: string): Promise<Story | undefined> {
  const [named] = standing === undefined && machine === 'answer' ? await from.audit({ token: id, limit: 1 }) : [];
  const askId = standing?.askId ?? (machine === 'ticket' ? id : named?.askId);
  if (askId === undefined) return undefined;
  const rows = await rowsOfAsk(from, askId);
  const retold = new Retold(askId, from.limits.carriedReleases);
  for (const row of rows) retold.hear(row);
  const steps = machine === 'ticket' ? retold.card : retold.answer(id);
  if (standing === undefined && steps.length === 0) return undefined;
  const gone: ChartRow = { machine, id, states: [], askId, tab: rows[0]?.tab };
  const story = storyOf(standing ?? gone, standing !== undefined, steps, rows);
  const fence = (await from.rows({ find: askId, limit })).find((row) => row.machine === 'fence' && row.id === askId);
  return standing === undefined || fence === undefined ? story : { ...story, why: withBranch(story, fence, rows) };
}

async function tellKept(from: Readable, standing: Known, machine: string, id: string): Promise<Story | undefined> {
  const rows = await from.audit(machine === 'fence' ? { askId: id, limit } : { token: id, limit });
  const steps = isKept(machine) ? keptSteps(machine, rows) : [];
  if (standing === undefined && steps.length === 0) return undefined;
  return storyOf(standing ?? { machine, id, states: [] }, standing !== undefined, steps, rows);
}

/** Undefined when neither a row nor the audit knows it. */
export async function readStory(from: Readable, machine: string, id: string): Promise<Story | undefined> {
  const found = await from.rows({ find: id, limit });
  const standing = found.find((row) => row.machine === machine && row.id === id);
  const tell = machine === 'answer' || machine === 'ticket' ? tellAsk : tellKept;
  return tell(from, standing, machine, id);
}
