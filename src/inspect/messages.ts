/** Who said what to whom: the rows of the audit as a sequence between person, page, coordinator and agent. */
import type { AuditRow } from '../api.ts';
import type { Lane, Message } from './told.ts';

type Hop = readonly [from: Lane, to: Lane, text: string];

const card = (text: string): Hop => ['coordinator', 'page', text];
const given = (text: string): Hop => ['coordinator', 'agent', text];
const said = (text: string): Hop => ['agent', 'coordinator', text];
const noted = (text: string): Hop => ['coordinator', 'coordinator', text];
const submitted = (text: string): Hop[] => [
  ['person', 'page', text],
  ['page', 'coordinator', text],
];

const HOPS: Readonly<Record<string, readonly Hop[]>> = {
  opened: [said('asks'), card('shows the card')],
  closed: [said('its first wait has ended; it may wait again')],
  awaited: [said('waits for it again')],
  unattended: [noted('nobody waits for it now; another call may')],
  returned: [given('puts it into a tool result')],
  pushed: [given('puts it into the queue')],
  acked: [said('names the token: read back')],
  handed_back: [said('gives it back unread')],
  recalled: [given('pulls the copy out of the queue')],
  parked: [noted('nobody tries again')],
  boundary: [said('a new conversation begins')],
  retired: [noted('retired, unread')],
  forgotten: [said('the tab is gone')],
  forgotten_answer: [noted('leaves the journal')],
  occupant_gone: [said('its occupant is gone')],
  unreachable: [noted('no reader is left')],
  moved: [said('the tab has a new name')],
  restarted: [noted('the process starts again')],
  evicted: [noted('a bound takes it')],
  card_evicted: [noted('a bound takes the card'), card('takes the card off')],
  withdrawn: [card('takes the card off: withdrawn')],
  superseded: [card('takes the card off: superseded')],
  expired: [noted('its deadline passed'), card('takes the card off: expired')],
  loss_told: [noted('the loss was told')],
  loss_surfaced: [noted('the loss was told to the log')],
  loss_cancelled: [noted('the loss is cancelled: it was read after all')],
  off_branch: [noted('its conversation left the branch of the question')],
  on_branch: [noted('its conversation is back on the branch of the question')],
  unproven: [noted('the log no longer says whose branch it is')],
  undetermined: [noted('the log does not prove its branch: kept, and given to nobody')],
  owed_again: [noted('owed once more')],
  warned: [given('tells of dropped answers')],
  'request.opened': [said('asks the windows'), card('shows the request')],
  'request.locked': [...submitted('fixes one answer')],
  'request.answered': [...submitted('answers'), given('gets the result')],
  'request.failed': [['page', 'coordinator', 'cannot answer'], given('gets the error')],
  'request.cancelled': [card('takes the request off')],
  'request.timed_out': [noted('its deadline passed'), card('takes the request off')],
  approval_requested: [said('asks whether it may'), card('shows the approval')],
  approval_decided: [...submitted('decides')],
  approval_resolved: [given('gets the decision')],
  approval_withdrawn: [card('takes the approval off')],
  approval_expired: [noted('its deadline passed'), card('takes the approval off')],
  approval_interrupted: [said('interrupts'), card('takes the approval off')],
  approval_notify_failed: [noted('no surface could be told')],
  approval_claimed: [said('spends the decision')],
  approval_drifted: [said('would run something else: refused')],
  approval_done: [said('has run')],
  approval_failed: [said('has failed')],
  approval_revoked: [noted('the decision is taken back')],
  approval_unknown: [noted('whether it ran is unknown')],
  approval_asked_again: [said('asks again')],
  call_claimed: [said('begins the call')],
  call_done: [said('the call is done')],
  call_failed: [said('the call has failed')],
  call_unknown: [noted('whether the call ran is unknown')],
};

/** Where a submission came from; what authenticated it was the surface. */
const onSurface = (surface: string | undefined): string =>
  surface === undefined || surface === 'page' ? '' : ` (${surface})`;

function hopsOf({ event, surface }: AuditRow): readonly Hop[] {
  if (event === 'answered') return submitted(`answers${onSurface(surface)}`);
  if (event.startsWith('submission_')) {
    const verdict = event.replace('submission_', '');
    return [...submitted(`answers${onSurface(surface)}`), card(`says: ${verdict}`)];
  }
  return HOPS[event] ?? [noted(event.replaceAll('_', ' '))];
}

/** Nothing of a row's words is in it: details may hold what was answered or asked. */
export function messagesOf(rows: readonly AuditRow[]): Message[] {
  return rows.flatMap((row) =>
    hopsOf(row).map(([from, to, text]) => ({
      ...{ row: row.id, at: row.at, from, to, text },
      ...(row.token === undefined ? {} : { token: row.token }),
    })),
  );
}
