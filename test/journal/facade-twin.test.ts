import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import { askFingerprint, createJournal, type Journal } from '../../src/journal.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type HandRuntime, handRuntime, KeptLog } from '../../src/testing/index.ts';

const TABS = ['one', 'two', 'three'] as const;
const IDS = ['pa-1', 'pa-2', 'pa-3', 'pa-4', 'pa-5'] as const;
const QUESTIONS = ['colour?', 'name?'] as const;
const LIMITS = { tickets: 3, entriesPerTab: 3, entriesTotal: 5, recoverForMs: 1_000, carriedReleases: 2 };

const tab = fc.constantFrom(...TABS);
const id = fc.constantFrom(...IDS);
/** Which of the tokens seen so far; counted from the newest. */
const token = fc.nat(3);
const carrier = fc.constantFrom(undefined, 'turn-1', 'turn-2', 'queue-1');
const occupant = fc.constantFrom('ann', 'ann', 'ann', 'bob', undefined);

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('open' as const), id, tab, question: fc.constantFrom(...QUESTIONS) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('record' as const), id, tab, text: fc.constantFrom('yes', 'no', '') }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('close' as const), id }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('deliver' as const), tab, room: fc.nat(3), named: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('return' as const), token, replay: fc.boolean(), id: fc.option(id) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('ack' as const), token, carrier }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('release' as const), token, carrier, carried: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('report' as const), tab, id: fc.option(id) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('retire' as const), tab, occupant }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move' as const), tab, to: tab }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), tab }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('boundary' as const), tab }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('world' as const), tab, occupant, turn: carrier, revokes: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('time' as const), ms: fc.integer({ min: -2_000, max: 2_000 }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** Whole stories of an ask of its own, for chance alone rarely tells one. */
const story = fc.record({
  story: fc.constantFrom('late', 'direct', 'pushed'),
  tab,
  question: fc.constantFrom(...QUESTIONS),
});
const part = fc.oneof({ weight: 2, arbitrary: story }, { weight: 3, arbitrary: step });
type Part = typeof part extends fc.Arbitrary<infer One> ? One : never;

function told(parts: readonly Part[]): Step[] {
  return parts.flatMap((one, at): Step[] => {
    if (!('story' in one)) return [one];
    const own = `pa-story-${at}` as (typeof IDS)[number];
    const open: Step = { do: 'open', id: own, tab: one.tab, question: one.question };
    const close: Step = { do: 'close', id: own };
    const answer: Step = { do: 'record', id: own, tab: one.tab, text: 'yes' };
    if (one.story === 'direct') return [open, answer, { do: 'return', token: 0, replay: false, id: own }, close];
    const late: Step[] = [open, close, answer];
    return one.story === 'late' ? late : [...late, { do: 'deliver', tab: one.tab, room: 2, named: at % 3 === 0 }];
  });
}

/** The world outside, the same for both: who holds which tab, which turn runs, whether a copy can be fetched back. */
class Outside {
  readonly occupants = new Map<string, string>(TABS.map((key) => [key, 'ann']));
  turn: string | undefined = 'turn-1';
  revokes = false;
  readonly calls: unknown[] = [];
  readonly tokens: string[] = [];

  wire(
    journal: Pick<Journal, 'setFlusher' | 'setRevoker' | 'setTurnAttacher' | 'setIncarnationResolver'>,
    resolver: boolean,
  ): void {
    journal.setFlusher((key) => void this.calls.push(['flush', key]));
    journal.setRevoker((key, name) => {
      this.calls.push(['revoke', key, name]);
      return this.revokes;
    });
    journal.setTurnAttacher((key: string, name: string, askId?: string) => {
      this.calls.push(['attach', key, name, askId]);
      this.meet(name);
      return this.turn ?? null;
    });
    if (resolver) journal.setIncarnationResolver((key) => this.occupants.get(key));
  }

  meet(name: string): void {
    if (!this.tokens.includes(name)) this.tokens.push(name);
  }

  named(back: number): string {
    return this.tokens.at(-1 - back) ?? 'aa999';
  }

  change({ tab: where, occupant: who, turn, revokes }: Extract<Step, { do: 'world' }>): void {
    if (who === undefined) this.occupants.delete(where);
    else this.occupants.set(where, who);
    this.turn = turn;
    this.revokes = revokes;
  }
}

type Either = { readonly [Name in keyof Journal]: Journal[Name] } | Coordinator['journal'];

/** One operation on either; what it returns or throws. */
function perform(journal: Either, outside: Outside, one: Step): unknown {
  const name = 'token' in one ? outside.named(one.token) : '';
  const asker = 'id' in one && one.id !== null ? { askId: one.id } : {};
  switch (one.do) {
    case 'open':
      return journal.openAsk(one.id, {
        tabId: one.tab,
        question: one.question,
        fingerprint: askFingerprint({ question: one.question }),
      });
    case 'record':
      return journal.record(one.id, one.text, { tabId: one.tab });
    case 'close':
      return journal.closeAsk(one.id);
    case 'deliver': {
      let left = one.room;
      return journal.deliverPending(one.tab, (payload, offered) => {
        outside.calls.push(['offer', offered, payload]);
        left -= 1;
        return left >= 0 && (one.named ? { carrier: 'queue-1' } : true);
      });
    }
    case 'return':
      return one.replay ? journal.markSurfaced(name, asker) : journal.markReturned(name, asker);
    case 'ack':
      return journal.ack(name, one.carrier === undefined ? undefined : { carrier: one.carrier });
    case 'release':
      return journal.release(name, {
        carried: one.carried,
        ...(one.carrier === undefined ? {} : { carrier: one.carrier }),
      });
    case 'report':
      return journal.reportDropped(one.tab, asker);
    case 'retire':
      return journal.retireDebt(one.tab, one.occupant);
    case 'move':
      return journal.moveKey(one.tab, one.to);
    case 'forget':
      return journal.forget(one.tab);
    case 'boundary':
      return journal.closeAsks(one.tab);
    default:
      return outside.change(one as Extract<Step, { do: 'world' }>);
  }
}

/** Everything that can be asked, as one list of questions to either. */
const QUERIES: readonly ((journal: Either) => unknown)[] = [
  ...TABS.flatMap((key) => [
    (journal: Either) => journal.entriesFor(key),
    (journal: Either) => journal.pending(key),
    (journal: Either) => journal.orphansFor(key),
    (journal: Either) => journal.droppedFor(key),
    (journal: Either) => journal.recover(key, askFingerprint({ question: QUESTIONS[0] }), IDS[0]),
    (journal: Either) => journal.recover(key, askFingerprint({ question: QUESTIONS[1] })),
  ]),
  ...IDS.flatMap((key) => [
    (journal: Either) => journal.ticketFor(key),
    (journal: Either) => journal.askBelongsToLiveConversation(key),
    (journal: Either) => journal.tracks(key),
  ]),
  (journal) => journal.hasOutstanding(),
  (journal) => journal.outstandingDebt(),
  (journal) => journal.allOutstanding(),
];

/** Lets a promise come to its end, and fails if it does not. */
async function ended(hand: HandRuntime, result: unknown): Promise<unknown> {
  let end: { value: unknown } | undefined;
  void Promise.resolve(result).then((value) => {
    end = { value };
  });
  for (let round = 0; end === undefined && round < 2; round++) {
    await hand.settle();
    if (end === undefined) hand.advance(50);
    await hand.settle();
  }
  if (end === undefined) throw new Error('it never ended');
  return end.value;
}

interface Twin {
  readonly name: string;
  readonly outside: Outside;
  readonly hand: HandRuntime;
  readonly c: Coordinator;
}

async function twin(name: string, store: Store, resolver: boolean): Promise<Twin> {
  const hand = handRuntime();
  const opening = openCoordinator({ store, runtime: hand, limits: LIMITS, logger: new KeptLog() });
  const c = (await ended(hand, opening)) as Coordinator;
  const outside = new Outside();
  outside.wire(c.journal, resolver);
  return { name, outside, hand, c };
}

async function compare(steps: readonly Step[], resolver: boolean): Promise<void> {
  const clock = { at: 0, now: () => clock.at };
  const outside = new Outside();
  const journal = createJournal({ limits: LIMITS, clock, logger: new KeptLog() });
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
        expect(await ended(hand, perform(c.journal, theirs, one)), said).toEqual(expected);
        hand.jump(clock.at - hand.now());
        const got = await ended(hand, Promise.all(QUERIES.map((query) => query(c.journal))));
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
        fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 25, size: 'max' }), (parts) =>
          compare(told(parts), resolver),
        ),
        { seed, numRuns },
      );
    },
    60_000,
  );
});
