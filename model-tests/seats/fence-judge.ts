/** What holds in every history of answers over a log: the coordinator against the tree, from outside. */
import type { ConversationLog } from '../../src/seats.ts';
import { type Kind, Rig, TAB } from '../../test/coordinator/rig.ts';
import { HandLog } from '../../test/fences/log.ts';
import { type Expected, expectedOf } from './fence-oracle.ts';
import { Random } from './random.ts';

export interface Answer {
  readonly askId: string;
  readonly question: string;
  askedAt: string | null;
  deliveredAt: string | null;
  token: string | undefined;
  /** It was handed over, and that delivery is not in the log yet. */
  isGiven: boolean;
  /** It was handed over once more although the log has it; nobody says what the log does not. */
  isLoose: boolean;
  /** Its turn ended, and its question was not in the log. */
  isUnwritten: boolean;
  /** A conversation boundary fell while its question was not in the log. */
  isBounded: boolean;
}

interface Says {
  readonly fences: { says(askId: string): string | undefined };
}

/** What can be seen of it from outside, as states of its fence: one of these. Held and being judged look the same. */
function statesOf(entry: { readonly retired: boolean } | undefined, word: string): string[] {
  const counts = entry?.retired === false;
  const states = {
    gone: entry === undefined,
    retired: entry?.retired === true || word === 'off',
    unanchored: counts && word === 'unplaced',
    unproven: counts && word === 'unsure',
    deliverable: counts && word === 'on',
    delivered: counts && word === 'kept',
  };
  return Object.entries(states).flatMap(([name, holds]) => (holds ? [name] : []));
}

export class FenceJudge {
  readonly faults: string[] = [];
  readonly counts: Record<string, number> = {};
  protected readonly random: Random;
  protected readonly rig: Rig;
  protected readonly log = new HandLog();
  protected readonly answers: Answer[] = [];
  protected readonly trace: string[] = [];
  protected isLeafDown = false;

  constructor(seed: number, kind: Kind) {
    this.random = new Random(seed);
    const read: ConversationLog = {
      read: this.log.read,
      leaf: () => {
        if (this.isLeafDown) throw new Error('the log is down');
        return this.log.at;
      },
      lineage: {},
    };
    this.log.add('root');
    this.rig = new Rig(kind, {
      conversationLog: (tab) => (tab === TAB ? read : undefined),
      revoker: (_tab, token) => this.recall(token),
      alwaysVisible: true,
    });
  }

  protected up(): void {
    this.log.isDown = false;
    this.isLeafDown = false;
  }

  /** What leaves the coordinator is held against the tree as it is now. */
  protected wasGiven(answer: Answer, by: string, isOwnCall: boolean): string {
    const expected = this.expected(answer);
    this.count(`given to ${by}`);
    if (!isOwnCall && (expected === 'retire' || expected === 'hold')) {
      this.fault(`${answer.question} was given to ${by}, and the tree says ${expected}`);
    }
    if (expected === 'keep') answer.isLoose = true;
    answer.isGiven = true;
    return expected;
  }

  /** Which copies are out after a hand-back is the journal's own business. */
  protected async seeGiven(answer: Answer): Promise<void> {
    if (answer.token === undefined) return;
    const entry = await this.rig.entry(answer.token);
    if (entry?.state === 'pending') answer.isGiven = false;
  }

  protected recall(token: string): boolean {
    const answer = this.answers.find((one) => one.token === token);
    const isRecalled = this.random.one(2);
    if (answer !== undefined && isRecalled) answer.isGiven = false;
    return isRecalled;
  }

  // ---- what must hold

  /** After each command: each answer has one fence with its anchors, stands in one state, and was reported once at most. */
  protected async look(): Promise<void> {
    const rows = new Map(this.rig.store.kept('fence').map(({ id, body }) => [id, JSON.parse(body)]));
    const { fences } = this.rig.c as unknown as Says;
    for (const answer of this.answers) {
      const { token, askId, question, askedAt, deliveredAt } = answer;
      if (token === undefined) continue;
      const entry = await this.rig.entry(token);
      const kept = rows.get(askId)?.context;
      if (kept?.askedAt !== askedAt || kept?.deliveredAt !== deliveredAt) {
        this.fault(
          `the fence of ${question} has ${kept?.askedAt}, ${kept?.deliveredAt}: not ${askedAt}, ${deliveredAt}`,
        );
      }
      const word = fences.says(askId) ?? 'none';
      const names = statesOf(entry, word);
      if (names.length !== 1 || entry === undefined)
        this.fault(`${question} is ${names.join(' and ') || `nowhere (${word})`}`);
      if (entry?.retired === true && !answer.isBounded) this.fault(`${question} was retired for ever`);
      this.count(names[0] ?? 'nowhere');
      const reports = this.reports(answer);
      if (reports > 1 || (answer.isUnwritten && reports === 0)) this.fault(`${question} was reported ${reports} times`);
    }
  }

  /** The log speaks, and the coordinator has heard it: each answer stands where the tree says. */
  protected async settle(): Promise<void> {
    this.trace.push('settle');
    this.up();
    await this.rig.done(this.rig.c.leafChanged(TAB));
    await this.rig.hand.pass(50);
    const owed = new Set((await this.rig.done(this.rig.c.journal.pending(TAB))).map(({ token }) => token));
    const { fences } = this.rig.c as unknown as Says;
    for (const answer of this.answers) {
      if (answer.token === undefined) continue;
      const entry = await this.rig.entry(answer.token);
      const expected = this.expected(answer);
      const word = fences.says(answer.askId) ?? 'none';
      const wanted = this.wordFor(answer, expected);
      this.count(expected);
      if (word !== wanted) this.fault(`${answer.question} is ${word}, and the tree says ${expected}`);
      const isOwed = entry?.retired !== true && wanted === 'on' && !answer.isGiven;
      if (!answer.isLoose && owed.has(answer.token) !== isOwed) {
        this.fault(
          `${answer.question} is ${isOwed ? 'not ' : ''}owed, and the tree says ${expected} (${entry?.state})`,
        );
      }
    }
  }

  protected wordFor({ askedAt, isUnwritten }: Answer, expected: Expected): string {
    if (expected === 'hold') return askedAt !== null || isUnwritten ? 'unsure' : 'unplaced';
    if (expected === 'keep') return 'kept';
    return expected === 'retire' ? 'off' : 'on';
  }

  protected expected({ askedAt, deliveredAt }: Answer): Expected {
    return expectedOf(this.log.entries, { askedAt, deliveredAt }, this.log.at);
  }

  protected reports({ token }: Answer): number {
    const lines = this.rig.log.lines.filter(({ text }) => text.includes(`(${token}) is of undetermined standing`));
    return lines.length;
  }

  protected pick(may: (answer: Answer) => boolean): Answer | undefined {
    const some = this.answers.filter(may);
    return some.length === 0 ? undefined : this.random.pick(some);
  }

  protected count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  protected fault(what: string): void {
    this.faults.push(`${what}; after ${this.trace.join(', ')}`);
  }
}
