/** Times and names as the page writes them. */
import type { ChartRow } from '../../api.ts';

// Made once, for one costs more than all that else is done for a long history; and not before it is needed.
let time: Intl.DateTimeFormat | undefined;
let moment: Intl.DateTimeFormat | undefined;

/** The time of day, in this browser's own zone. */
export function clock(at: number): string {
  time ??= new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
  return time.format(at);
}

export function when(at: number): string {
  moment ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
  return moment.format(at);
}

/** A state without its region, as people read it. */
export const bare = (state: string): string => state.slice(state.lastIndexOf('.') + 1).replaceAll('_', ' ');

const PLURALS: Readonly<Record<string, string>> = {
  answer: 'Answers',
  ticket: 'Asks',
  request: 'Requests',
  approval: 'Approvals',
  grant: 'Decisions',
  loss: 'Losses',
  debt: 'Warnings',
  call: 'Tool calls',
  spend: 'Calls on file',
  tracker: 'Trackers',
  seat: 'Seats',
  coordinator: 'Coordinator',
  retirement: 'Doors',
  card: 'Cards',
  mirror: 'Mirrors',
  follower: 'Followers',
  verdict: 'Verdicts',
  fence: 'Branches of answers',
};

export const plural = (machine: string): string => PLURALS[machine] ?? machine;

/** What a row is called: a call by its tool, all else by its id. */
export const titleOf = ({ name, id }: Pick<ChartRow, 'name' | 'id'>): string => name ?? id;
