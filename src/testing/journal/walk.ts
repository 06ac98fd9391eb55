/**
 * Sequences of calls as plain data: what people, agents and time do to a journal, and what it shows after each.
 *
 * The same steps run on a journal whose operations return at once and on one whose operations return promises.
 */
import type { Journal, JournalOptions } from '../../journal.ts';
import type { JournalLimits } from '../../limits.ts';
import type { Later } from './subject.ts';

export const TABS = ['one', 'two', 'three'] as const;
export const IDS = ['pa-1', 'pa-2', 'pa-3', 'pa-4', 'pa-5'] as const;
export const QUESTIONS = ['colour?', 'name?'] as const;
/** Small, so that every bound is hit. */
export const WALK_LIMITS: JournalLimits = {
  tickets: 3,
  entriesPerTab: 3,
  entriesTotal: 5,
  recoverForMs: 1_000,
  carriedReleases: 2,
};

/** One call, or one change of the world around the journal. Tokens are counted back from the newest, 0 is the newest. */
export type Step =
  | { readonly do: 'open'; readonly id: string; readonly tab: string; readonly question: string }
  | { readonly do: 'record'; readonly id: string; readonly tab: string; readonly text: string }
  | { readonly do: 'close'; readonly id: string }
  | { readonly do: 'deliver'; readonly tab: string; readonly room: number; readonly named: boolean }
  | { readonly do: 'return'; readonly token: number; readonly replay: boolean; readonly id: string | null }
  | { readonly do: 'ack'; readonly token: number; readonly carrier: string | null }
  | { readonly do: 'release'; readonly token: number; readonly carrier: string | null; readonly carried: boolean }
  | { readonly do: 'report'; readonly tab: string; readonly id: string | null }
  | { readonly do: 'retire'; readonly tab: string; readonly occupant: string | null }
  | { readonly do: 'move'; readonly tab: string; readonly to: string }
  | { readonly do: 'forget'; readonly tab: string }
  | { readonly do: 'boundary'; readonly tab: string }
  | {
      readonly do: 'world';
      readonly tab: string;
      readonly occupant: string | null;
      readonly turn: string | null;
      readonly revokes: boolean;
    }
  | { readonly do: 'time'; readonly ms: number };

/** The operations that a walk uses, each now or later. */
export type WalkedJournal = {
  readonly [Name in Exclude<keyof Journal, 'reset' | 'mayDisclose'>]: Journal[Name] extends (
    ...args: infer Args
  ) => infer Result
    ? (...args: Args) => Later<Result>
    : never;
};

const print = (question: string): string => `print of ${question}`;

/** The world outside: who holds which tab, which turn runs, whether a copy can be fetched back, what time it is. */
export class WalkWorld {
  readonly occupants = new Map<string, string>(TABS.map((tab) => [tab, 'ann']));
  turn: string | null = 'turn-1';
  revokes = false;
  now = 1_700_000_000_000;
  /** Tokens that were seen, oldest first. */
  readonly tokens: string[] = [];
  /** Calls that the journal made, in order. */
  calls: unknown[] = [];

  readonly options: JournalOptions = {
    limits: WALK_LIMITS,
    clock: { now: () => this.now },
    logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  };

  /** Sets the four callbacks. */
  wire(journal: WalkedJournal, isResolved: boolean): void {
    void journal.setFlusher((key) => void this.calls.push(['flush', key]));
    void journal.setRevoker((key, token) => {
      this.calls.push(['revoke', key, token]);
      return this.revokes;
    });
    void journal.setTurnAttacher((key, token, askId) => {
      this.calls.push(['attach', key, token, askId ?? null]);
      this.meet(token);
      return this.turn;
    });
    if (isResolved) void journal.setIncarnationResolver((key) => this.occupants.get(key));
  }

  meet(token: string): void {
    if (!this.tokens.includes(token)) this.tokens.push(token);
  }

  named(back: number): string {
    return this.tokens.at(-1 - back) ?? 'aa999';
  }
}

/** One step on a journal; what the operation returns. */
export function perform(journal: WalkedJournal, world: WalkWorld, step: Step): Later<unknown> {
  const token = 'token' in step ? world.named(step.token) : '';
  const asker = 'id' in step && step.id !== null ? { askId: step.id } : {};
  const from = 'carrier' in step && step.carrier !== null ? { carrier: step.carrier } : undefined;
  switch (step.do) {
    case 'open':
      return journal.openAsk(step.id, { tabId: step.tab, question: step.question, fingerprint: print(step.question) });
    case 'record':
      return journal.record(step.id, step.text, { tabId: step.tab });
    case 'close':
      return journal.closeAsk(step.id);
    case 'deliver': {
      let left = step.room;
      return journal.deliverPending(step.tab, (payload, offered) => {
        world.calls.push(['offer', offered, payload]);
        left -= 1;
        return left >= 0 && (step.named ? { carrier: 'queue-1' } : true);
      });
    }
    case 'return':
      return step.replay ? journal.markSurfaced(token, asker) : journal.markReturned(token, asker);
    case 'ack':
      return journal.ack(token, from);
    case 'release':
      return journal.release(token, { carried: step.carried, ...from });
    case 'report':
      return journal.reportDropped(step.tab, asker);
    case 'retire':
      return journal.retireDebt(step.tab, step.occupant);
    case 'move':
      return journal.moveKey(step.tab, step.to);
    case 'forget':
      return journal.forget(step.tab);
    case 'boundary':
      return journal.closeAsks(step.tab);
    case 'world':
      if (step.occupant === null) world.occupants.delete(step.tab);
      else world.occupants.set(step.tab, step.occupant);
      world.turn = step.turn;
      world.revokes = step.revokes;
      return undefined;
    default:
      world.now += step.ms;
      return undefined;
  }
}

/** Everything that can be asked of a journal, as a list of questions. */
export const QUERIES: readonly ((journal: WalkedJournal) => Later<unknown>)[] = [
  ...TABS.flatMap((tab) => [
    (journal: WalkedJournal) => journal.entriesFor(tab),
    (journal: WalkedJournal) => journal.pending(tab),
    (journal: WalkedJournal) => journal.orphansFor(tab),
    (journal: WalkedJournal) => journal.droppedFor(tab),
    (journal: WalkedJournal) => journal.recover(tab, print(QUESTIONS[0]), IDS[0]),
    (journal: WalkedJournal) => journal.recover(tab, print(QUESTIONS[1])),
  ]),
  ...IDS.flatMap((id) => [
    (journal: WalkedJournal) => journal.ticketFor(id),
    (journal: WalkedJournal) => journal.askBelongsToLiveConversation(id),
    (journal: WalkedJournal) => journal.tracks(id),
  ]),
  (journal) => journal.hasOutstanding(),
  (journal) => journal.outstandingDebt(),
  (journal) => journal.allOutstanding(),
];

/** What a journal shows after a step, in few words: where each answer, each card and each debt stands. */
export interface Sight {
  /** Calls that it made in this step: `flush one`, `offer aa1`, `attach aa1`, `revoke aa1`. */
  readonly calls: readonly string[];
  /**
   * Words in this order: token, tab, delivery state, channel, label, the answer itself, flags (`returned`, `recoverable`,
   * `retired`, `ambiguous`, `seen`, `unfetched`), and `rides` with the turns that carry it; `aa1 two none none matched yes`.
   */
  readonly answers: readonly string[];
  /** Open cards: id, tab, epoch, awaited or not, reused or not. */
  readonly cards: readonly string[];
  /** Losses that are owed, by tab. */
  readonly owed: readonly string[];
  /** Whether a restart has to wait. */
  readonly gate: boolean;
}

type Done = <T>(work: Later<T>) => Promise<T>;
const at = (value: unknown): string => (value === undefined || value === null ? '-' : String(value));

/** Looks at a journal, and forgets the calls that were seen. */
export async function sight(journal: WalkedJournal, world: WalkWorld, done: Done): Promise<Sight> {
  const calls = world.calls.map((call) => {
    const [kind, first, second] = call as [string, string, unknown];
    return kind === 'flush' || kind === 'offer' ? `${kind} ${first}` : `${kind} ${at(second)}`;
  });
  const answers: string[] = [];
  const owed: string[] = [];
  for (const tab of TABS) {
    for (const entry of await done(journal.entriesFor(tab))) {
      world.meet(entry.token);
      const flags = [
        ...[entry.returned && 'returned', entry.recoverable && 'recoverable', entry.retired && 'retired'],
        ...[entry.ambiguousId && 'ambiguous', entry.replayHint && 'seen', entry.copyOut && 'unfetched'],
      ].filter((flag) => flag !== false);
      const rides = entry.rides.length === 0 ? [] : [`rides ${entry.rides.join('+')}`];
      const said = [entry.token, tab, entry.state, entry.channel, entry.correlation.status, entry.answer];
      answers.push([...said, ...flags, ...rides].join(' '));
    }
    const count = await done(journal.droppedFor(tab));
    if (count > 0) owed.push(`${tab} ${count}`);
  }
  const cards: string[] = [];
  for (const id of IDS) {
    const ticket = await done(journal.ticketFor(id));
    if (ticket === undefined) continue;
    const flags = [ticket.awaiting && 'awaited', ticket.reused && 'reused'].filter((flag) => flag !== false);
    cards.push([id, ticket.tabId, `epoch ${ticket.epoch}`, ...flags].join(' '));
  }
  const gate = await done(journal.hasOutstanding());
  world.calls = [];
  return { calls, answers: answers.sort(), cards, owed, gate };
}
