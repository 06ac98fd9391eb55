/** Why a row is where it is, in one sentence for somebody who has never seen a chart of this house. */
import type { AuditRow, ChartRow } from '../api.ts';
import { chartOf } from './charts.ts';
import type { Story, Told, Why } from './told.ts';

/** What an event did, by chart and by the state that it led to; the last word is that of the event alone. */
const BECAUSE: Readonly<Record<string, string>> = {
  'answer delivery.retired born': 'its conversation had been replaced before it arrived',
  'answer delivery.retired BOUNDARY': 'the conversation that asked was replaced',
  'answer delivery.retired FORGET': 'its tab is gone for good',
  'answer delivery.acked RECEIPT': 'the agent named its token',
  'answer delivery.acked HANDBACK': 'it was in front of the agent several times and counts as read',
  'answer delivery.handed_off OFFER_TAKEN': "the agent's queue took it",
  'answer delivery.handed_off RETURN': 'it was put into a tool result',
  'answer delivery.pending born': 'it came when no call was waiting for it',
  'answer delivery.pending CLOSE': 'the call that asked ended without returning it',
  'answer delivery.pending HANDBACK': 'it was handed back without a receipt',
  'answer delivery.pending RECALLED': 'its copy was pulled out of the queue, unread',
  'answer delivery.pending RESTART': 'whoever held it ended with the process',
  'answer delivery.none born': 'a call was waiting for it, or nobody could tell whose it is',
  'ticket withdrawn WITHDRAW': 'whoever asked took it back',
  'ticket superseded SUPERSEDE': 'another ask, or a message, took its place',
  'ticket expired DEADLINE': 'its deadline passed without an answer',
  'ticket evicted TRIM': 'too many cards were open',
  'ticket released ANSWER': 'it was answered when no call was waiting',
  'ticket released CLOSE': 'it was answered and every call has ended',
  'ticket released RESTART': 'it was answered before the process ended',
  'ticket unattended CLOSE': 'the call that asked has ended without an answer; another may wait for it',
  'ticket unattended RESTART': 'the call that asked ended with its process',
  'ticket awaited born': 'a call asked it and waits',
  'ticket awaited OPEN': 'it was asked again',
};

const NAMES: Readonly<Record<string, string>> = {
  'delivery.retired': 'Retired',
  'delivery.acked': 'Read back',
  'delivery.handed_off': 'Handed to the agent, not yet proven to have been read,',
  'delivery.pending': 'Waiting to be delivered',
  'delivery.none': 'On file, not owed a delivery,',
};

/** Of an answer that was retired: how far it had come by then. */
const BEFORE: Readonly<Record<string, string>> = {
  'delivery.none': ' before its call had returned it',
  'delivery.pending': ' before any agent was given it',
  'delivery.handed_off': ' before the agent had read it back',
  'delivery.acked': '; the agent had read it back before',
};

interface Branch {
  /** Of the fence itself. */
  readonly text: string;
  /** Of its answer, as long as that may still be given to somebody. */
  readonly answer?: string;
  /** The audit rows that can have led there. */
  readonly events: readonly string[];
}

/** What the log of the conversation says of a question: that stands in no row, so it is told from where the fence stands. */
const BRANCHES: Readonly<Record<string, Branch>> = {
  unanchored: {
    text: 'Its question is not in the log of its conversation yet, so only the call that asked may take the answer.',
    events: ['opened'],
  },
  pending: {
    text: 'Its question is in the log of its conversation, and nobody has answered it yet.',
    events: ['opened'],
  },
  judging: { text: 'The log of its conversation is being asked whether the answer still belongs there.', events: [] },
  deliverable: {
    text: 'The agent may be given the answer: its question is on the branch that the conversation follows now.',
    events: ['on_branch', 'owed_again', 'answered'],
  },
  delivered: {
    text: 'The agent has the answer, on the branch that the conversation follows now.',
    events: ['acked', 'on_branch'],
  },
  retired: {
    text: 'Retired because the conversation went back to before its question, or to a branch without it. Should the conversation come back, so does the answer.',
    answer:
      'Nobody is given it now, because the conversation went back to before its question, or to a branch without it. Should the conversation come back, so does the answer.',
    events: ['off_branch'],
  },
  held: {
    text: 'Held because the log of its conversation does not say whether its question is on the branch followed now: neither delivered nor retired.',
    answer:
      'Nobody is given it now, because the log of its conversation does not say whether its question is on the branch followed now.',
    events: ['undetermined', 'unproven'],
  },
  out_of_view: {
    text: 'Not used, because it permits what the agent no longer has before it since its conversation was shortened: it is asked again.',
    events: [],
  },
};

function branchOf(state: string, rows: readonly AuditRow[]): (Branch & Pick<Why, 'rules' | 'row' | 'at'>) | undefined {
  const branch = BRANCHES[state];
  if (branch === undefined) return undefined;
  const arrows = chartOf('fence')?.arrows ?? [];
  const rules = new Set(arrows.flatMap((arrow) => (arrow.to === state ? arrow.rules : [])));
  const row = rows.findLast(({ event }) => branch.events.includes(event));
  return { ...branch, rules: [...rules], row: row?.id, at: row?.at };
}

/** Of a fence; undefined for any other chart. */
export function whyStanding(machine: string, states: readonly string[], rows: readonly AuditRow[]): Why | undefined {
  if (machine !== 'fence') return undefined;
  const branch = branchOf(states[0] ?? '', rows);
  return branch && { text: branch.text, rules: branch.rules, row: branch.row, at: branch.at };
}

/** An answer that is still owed may stand where it would be delivered, and be kept from that by its branch. */
export function withBranch(
  { machine, now, why }: Pick<Story, 'machine' | 'now' | 'why'>,
  fence: ChartRow,
  rows: readonly AuditRow[],
): Why {
  const branch = branchOf(fence.states[0] ?? '', rows);
  const isOwed = machine === 'answer' && now?.[0] !== 'delivery.retired' && now?.[0] !== 'delivery.acked';
  if (!isOwed || branch?.answer === undefined) return why;
  const { row = why.row, at = why.at } = branch;
  return { text: `${why.text} ${branch.answer}`, rules: [...new Set([...why.rules, ...branch.rules])], row, at };
}

const worded = (state: string): string => {
  const word = state.replace(/^.*\./, '').replaceAll('_', ' ');
  return word.charAt(0).toUpperCase() + word.slice(1);
};

/** The last step that brought it into the state of its first region. */
function decider(steps: readonly Told[]): Told | undefined {
  const last = steps.at(-1)?.after[0];
  return steps.findLast(({ before, after }) => after[0] === last && before[0] !== last);
}

export function whyOf(machine: string, steps: readonly Told[]): Why {
  const step = decider(steps);
  const state = step?.after[0];
  if (step === undefined || state === undefined) {
    return { text: 'Nothing on file says how it came where it is: its rows may be older than the audit.', rules: [] };
  }
  const arrow = step.taken.find(({ to }) => to === state) ?? step.taken[0];
  const known = BECAUSE[`${machine} ${state} ${step.event}`];
  const far = state === 'delivery.retired' && step.event !== 'born' ? (BEFORE[step.before[0] ?? ''] ?? '') : '';
  const because = known ?? arrow?.description?.replace(/\.$/, '').toLowerCase() ?? `of ${step.event}`;
  const name = NAMES[state] ?? worded(state);
  return {
    text: `${name} because ${because}${far}.`,
    rules: arrow?.rules ?? [],
    row: step.row,
    at: step.at,
  };
}

/** What a state means, in the chart's own words. */
export const meaningOf = (machine: string, state: string): string | undefined =>
  chartOf(machine)
    ?.outline.regions.flatMap(({ states }) => states)
    .find(({ id }) => id === state)?.description;
