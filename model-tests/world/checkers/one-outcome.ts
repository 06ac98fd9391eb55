/** Every call ends as exactly one outcome, and "no" is said only where a person said it. */
import { isError } from '../truth.ts';
import type { World } from '../world.ts';
import { ERRORS } from './one-verdict.ts';

const OUTCOMES: ReadonlySet<string> = new Set([
  ...['answered', 'recovered', 'declined', 'pending', 'cancelled', 'expired', 'undeliverable', 'superseded'],
]);

export function oneOutcome(world: World): string[] {
  const faults: string[] = [];
  const { calls, crashed, answers } = world.truth;
  for (const { kind, ask, run, endings } of calls) {
    const isOpen = run === world.run;
    const may = crashed.has(run) || isOpen ? [0, 1] : [1];
    if (!may.includes(endings.length)) faults.push(`${kind} ${ask.number} ended ${endings.length} times`);
    for (const ending of endings) {
      if (isError(ending)) {
        if (!ERRORS.has(ending.error)) faults.push(`${kind} ${ask.number}: ${ending.error}`);
        continue;
      }
      if (!OUTCOMES.has(ending.outcome)) faults.push(`${kind} ${ask.number} ended as ${ending.outcome}`);
      const given = 'token' in ending ? answers.get(ending.token)?.text : undefined;
      const isNo = given?.includes('"declined":true') === true;
      if (given !== undefined && ending.outcome !== 'recovered' && (ending.outcome === 'declined') !== isNo) {
        faults.push(`${kind} ${ask.number} ended as ${ending.outcome}, and ${given} was given`);
      }
    }
  }
  return faults;
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
