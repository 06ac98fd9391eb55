/**
 * Pure: what the ledgers said → idle, not idle, or not proven.
 *
 * Neither clock nor ledger is known here. The shell takes a value down, and asks what it means.
 */

/** `turn`: work that runs, or is about to. `input`: a person is being asked (RQ-R142). */
export type Probe = 'turn' | 'input';

/** What one ledger said, once. */
export type Reading =
  | { readonly kind: 'count'; readonly count: number; readonly owners: readonly string[] }
  | { readonly kind: 'unreadable'; readonly why: string };

export type ProbeState = 'clear' | 'busy' | 'unreadable';

export type IdleVerdict =
  | { readonly idle: true; readonly reason: null }
  | { readonly idle: false; readonly reason: 'turn_in_flight' | 'awaiting_human_input' }
  | { readonly idle: null; readonly reason: 'turn_probe_unavailable' | 'input_probe_unavailable' };

const IDLE: IdleVerdict = Object.freeze({ idle: true, reason: null });
const TURN: IdleVerdict = Object.freeze({ idle: false, reason: 'turn_in_flight' });
const ASKED: IdleVerdict = Object.freeze({ idle: false, reason: 'awaiting_human_input' });
const NO_TURN: IdleVerdict = Object.freeze({ idle: null, reason: 'turn_probe_unavailable' });
const NO_INPUT: IdleVerdict = Object.freeze({ idle: null, reason: 'input_probe_unavailable' });

/** The whole answer, turn probe first (RQ-R143). */
export const IDLE_TABLE: Readonly<Record<ProbeState, Readonly<Record<ProbeState, IdleVerdict>>>> = {
  clear: { clear: IDLE, busy: ASKED, unreadable: NO_INPUT },
  busy: { clear: TURN, busy: TURN, unreadable: TURN },
  unreadable: { clear: NO_TURN, busy: NO_TURN, unreadable: NO_TURN },
};

/** Takes down what a ledger said. Anything but a count, or a count with its owners, is unreadable (RQ-R144). */
export function takeReading(value: unknown): Reading {
  if (isCount(value)) return { kind: 'count', count: value, owners: [] };
  if (typeof value !== 'object' || value === null) return unreadable('what it said is no count');
  // Each member is read once: a getter may say something else the next time.
  const { count, owners } = value as { readonly count?: unknown; readonly owners?: unknown };
  if (!isCount(count)) return unreadable('what it said has no count');
  if (owners === undefined) return { kind: 'count', count, owners: [] };
  if (!Array.isArray(owners)) return unreadable('its owners are no list');
  const copied: readonly unknown[] = Array.from(owners);
  if (!copied.every((owner) => typeof owner === 'string')) return unreadable('its owners are no texts');
  // Something that is counted has one owner, so such a ledger contradicts itself; above all one that says 0.
  if (copied.length > count) return unreadable('it names more owners than it counts');
  return { kind: 'count', count, owners: copied };
}

export function unreadable(why: string): Reading {
  return { kind: 'unreadable', why };
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;

/** True when the ledgers after this one need no reading: this one has decided the probe. */
export function decides(reading: Reading): boolean {
  return reading.kind === 'unreadable' || reading.count > 0;
}

/**
 * The state of a probe, from its ledgers in the order in which they were read: the first one that is not empty decides
 * (RQ-R144). Where nothing was read, nothing is proven.
 */
export function probeState(readings: readonly Reading[]): ProbeState {
  const first = readings.find(decides);
  if (first === undefined) return readings.length === 0 ? 'unreadable' : 'clear';
  return first.kind === 'unreadable' ? 'unreadable' : 'busy';
}

/** True when the input probe cannot change the answer any more, and is not read (RQ-R143). */
export function shortCircuits(turn: ProbeState): boolean {
  return turn !== 'clear';
}

export function idleVerdict(turn: ProbeState, input: ProbeState): IdleVerdict {
  return IDLE_TABLE[turn][input];
}
