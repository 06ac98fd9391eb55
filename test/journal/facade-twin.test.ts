import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import { createJournal } from '../../src/journal.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { parts, told } from '../../src/testing/commands.ts';
import { type HandRuntime, handRuntime, KeptLog } from '../../src/testing/index.ts';
import {
  perform,
  QUERIES,
  type Step,
  TABS,
  WALK_LIMITS,
  type WalkedJournal,
  WalkWorld,
} from '../../src/testing/journal/walk.ts';
import { ended } from './ended.ts';

interface Twin {
  readonly name: string;
  readonly outside: WalkWorld;
  readonly hand: HandRuntime;
  readonly c: Coordinator;
}

async function twin(name: string, store: Store, resolver: boolean): Promise<Twin> {
  const hand = handRuntime();
  const opening = openCoordinator({ store, runtime: hand, limits: WALK_LIMITS, logger: new KeptLog() });
  const c = (await ended(hand, opening)) as Coordinator;
  const outside = new WalkWorld();
  outside.wire(c.journal as unknown as WalkedJournal, resolver);
  return { name, outside, hand, c };
}

async function compare(steps: readonly Step[], resolver: boolean): Promise<void> {
  const clock = { at: 0, now: () => clock.at };
  const outside = new WalkWorld();
  const journal = createJournal({ limits: WALK_LIMITS, clock, logger: new KeptLog() });
  outside.wire(journal, resolver);
  const twins = [
    await twin('memory', memoryStore(), resolver),
    await twin('SQLite', openSqliteStore(':memory:'), resolver),
  ];
  try {
    clock.at = twins[0]?.hand.now() ?? 0;
    for (const [at, one] of steps.entries()) {
      if (one.do === 'time') clock.at += one.ms;
      // Waiting for a commit takes a little time; all three are asked at the same moment.
      for (const { hand } of twins) hand.jump(clock.at - hand.now());
      const expected = perform(journal, outside, one);
      for (const key of TABS) for (const entry of journal.entriesFor(key)) outside.meet(entry.token);
      const wanted = QUERIES.map((query) => query(journal));
      for (const { name, outside: theirs, hand, c } of twins) {
        const said = `${name}, step ${at}: ${JSON.stringify(one)}`;
        expect(await ended(hand, perform(c.journal as unknown as WalkedJournal, theirs, one)), said).toEqual(expected);
        hand.jump(clock.at - hand.now());
        const got = await ended(
          hand,
          Promise.all(QUERIES.map((query) => query(c.journal as unknown as WalkedJournal))),
        );
        expect(got, said).toEqual(wanted);
        expect(theirs.calls, said).toEqual(outside.calls);
        theirs.tokens.splice(0, theirs.tokens.length, ...outside.tokens);
      }
    }
  } finally {
    for (const { hand, c } of twins) await ended(hand, c.close());
  }
}

const seed = Number(process.env['READBACK_SEED'] ?? 20_260_101);
const numRuns = Number(process.env['READBACK_TWIN_RUNS'] ?? 100);

describe('the same core, one implementation', () => {
  it.each([false, true])(
    'a journal in memory, a coordinator in memory and one on SQLite agree after every step (resolver: %s)',
    async (resolver) => {
      await fc.assert(
        fc.asyncProperty(parts(12), (list) => compare(told(list), resolver)),
        { seed, numRuns },
      );
    },
    60_000,
  );
});
