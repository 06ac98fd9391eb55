/** What a process held when it ended is owed again in the next one: nothing stays in the hands of the dead. */
import { TABS, type World } from '../world.ts';

/** Judged directly after a start, before anything is handed over. */
export async function owedAgain(world: World): Promise<string[]> {
  const faults: string[] = [];
  for (const tab of TABS) {
    for (const { token, state } of await world.done(world.c.journal.entriesFor(tab))) {
      if (state === 'handed_off') faults.push(`${token} is still in the hands of a process that has ended`);
    }
  }
  return faults;
}
