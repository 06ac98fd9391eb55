/** Every call ends as exactly one outcome, and "no" is said only where a person said it. */
import { type Call, isError } from '../truth.ts';
import type { World } from '../world.ts';
import { ERRORS } from './one-verdict.ts';

const OUTCOMES: ReadonlySet<string> = new Set([
  ...['answered', 'recovered', 'declined', 'pending', 'cancelled', 'expired', 'undeliverable', 'superseded'],
]);

export function oneOutcome(world: World): string[] {
  const { calls, crashed } = world.truth;
  return calls.flatMap((call) => {
    const most = crashed.has(call.run) || call.run === world.run ? [0, 1] : [1];
    const { length } = call.endings;
    const times = most.includes(length) ? [] : [`ended ${length} times`];
    const faults = [...times, ...call.endings.flatMap((ending) => faultsOf(world, ending))];
    return faults.map((fault) => `${call.kind} ${call.ask.number} ${fault}`);
  });
}

function faultsOf(world: World, ending: Call['endings'][number]): string[] {
  if (isError(ending)) return ERRORS.has(ending.error) ? [] : [`failed with ${ending.error}`];
  const faults = OUTCOMES.has(ending.outcome) ? [] : [`ended as ${ending.outcome}`];
  const given = 'token' in ending ? world.truth.answers.get(ending.token)?.text : undefined;
  if (given === undefined) return faults;
  const isNo = given.includes('"declined":true');
  return (ending.outcome === 'declined') === isNo ? faults : [...faults, `ended as ${ending.outcome}, given ${given}`];
}

/** When a process has closed, every call of it has ended. */
export function waitersSettle(world: World): string[] {
  const { closed, calls } = world.truth;
  return closed.flatMap(({ run, waiting }) => [
    ...(waiting === 0 ? [] : [`${waiting} asks were still waited for when run ${run} had closed`]),
    ...calls
      .filter((call) => call.run === run && call.endings.length !== 1)
      .map(({ kind, ask }) => `${kind} ${ask.number} did not end with run ${run}`),
  ]);
}
