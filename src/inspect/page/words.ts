/** Times and names as the page writes them. */

/** The time of day, in this browser's own zone. */
export const clock = (at: number): string =>
  new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

export const when = (at: number): string => new Date(at).toLocaleString();

/** A state without its region, as people read it. */
export const bare = (state: string): string => state.replace(/^.*\./, '').replaceAll('_', ' ');

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
  card: 'Cards',
  mirror: 'Mirrors',
  follower: 'Followers',
  verdict: 'Verdicts',
};

export const plural = (machine: string): string => PLURALS[machine] ?? machine;
