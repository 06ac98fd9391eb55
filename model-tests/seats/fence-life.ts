/**
 * I-15: random lives of answers over a log that is a tree, in the real coordinator. Whatever is delivered is held
 * against the tree in that very moment; after each settling every answer stands where the tree says.
 */
import { type Kind, TAB } from '../../test/coordinator/rig.ts';
import { type Answer, FenceJudge } from './fence-judge.ts';

const STEPS = 40;
/** Leaves in a row for which nothing can be said, until that is reported. */
const DARK = 3;

export interface Lived {
  readonly faults: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

class Life extends FenceJudge {
  async live(): Promise<void> {
    try {
      await this.rig.open();
      for (let n = 0; n < STEPS && this.faults.length === 0; n += 1) {
        await this.step();
        await this.look();
        if (this.random.one(4)) await this.settle();
      }
      await this.settle();
    } finally {
      this.rig.end();
    }
  }

  // ---- what happens

  private async step(): Promise<void> {
    const commands: readonly (readonly [weight: number, name: string, run: () => unknown])[] = [
      [4, 'ask', () => this.ask()],
      [3, 'log the question', () => this.logQuestion()],
      [1, 'never log it', () => this.neverLog()],
      [5, 'answer', () => this.answer()],
      [2, 'answer the open call', () => this.answerCall()],
      [6, 'push', () => this.push()],
      [4, 'push while the leaf moves', () => this.pushMoving()],
      [4, 'push after a foreign move', () => this.pushAfter()],
      [2, 'await', () => this.await()],
      [2, 'ask again', () => this.askAgain()],
      [2, 'hand back', () => this.handBack()],
      [5, 'log the answer', () => this.logAnswer()],
      [4, 'append', () => this.move(() => this.log.add())],
      [4, 'rewind', () => this.move(() => this.rewind())],
      [4, 'switch', () => this.move(() => this.switch())],
      [3, 'compact', () => this.move(() => this.log.compact())],
      [1, 'sever', () => this.move(() => this.log.add(undefined, 'compaction', null))],
      [1, 'down', () => this.down()],
      [1, 'dark', () => this.dark()],
      [1, 'boundary', () => this.boundary()],
      [2, 'restart', () => this.restart()],
    ];
    let left = this.random.below(commands.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, name, run] of commands) {
      left -= weight;
      if (left >= 0) continue;
      this.trace.push(name);
      await run();
      await this.rig.hand.pass(50);
      return;
    }
  }

  protected track(askId: string, question: string, askedAt: string | null): Answer {
    const answer = {
      token: undefined,
      deliveredAt: null,
      isGiven: false,
      isLoose: false,
      isUnwritten: false,
    };
    const made: Answer = { ...answer, askId, question, askedAt, isBounded: false };
    this.answers.push(made);
    return made;
  }

  protected newQuestion(): string {
    return `Question ${this.answers.length}?`;
  }

  protected async ask(): Promise<void> {
    const question = this.newQuestion();
    const askedAt = this.random.one(2) ? this.log.add() : null;
    const placed = askedAt === null ? {} : { askedAt };
    this.track(await this.rig.unattended({ question }, placed), question, askedAt);
  }

  /** A question whose call is open while it is answered: only that call takes what the log cannot place yet. */
  protected async answerCall(): Promise<void> {
    const question = this.newQuestion();
    const askedAt = this.random.one(2) ? this.log.add() : null;
    const asked = await this.rig.ask({ question }, askedAt === null ? {} : { askedAt });
    const answer = this.track(asked.id, question, askedAt);
    // While the log does not speak the call goes on waiting.
    asked.outcome.then(
      ({ outcome }) => {
        if (outcome === 'answered') this.wasGiven(answer, 'its call', answer.askedAt === null);
      },
      () => undefined,
    );
    if (this.random.one(3)) this.rewind();
    await this.record(answer);
  }

  protected async logQuestion(): Promise<void> {
    const answer = this.pick(({ askedAt, isBounded }) => askedAt === null && !isBounded);
    if (answer === undefined) return;
    const at = this.log.add();
    answer.askedAt = at;
    answer.isUnwritten = false;
    await this.rig.done(this.rig.c.questionLogged(answer.askId, at));
  }

  protected async neverLog(): Promise<void> {
    const answer = this.pick(({ askedAt, isUnwritten }) => askedAt === null && !isUnwritten);
    if (answer === undefined) return;
    answer.isUnwritten = true;
    await this.rig.done(this.rig.c.questionLogged(answer.askId, null));
  }

  protected async answer(): Promise<void> {
    const answer = this.pick(({ token }) => token === undefined);
    if (answer !== undefined) await this.record(answer);
  }

  protected async record(answer: Answer): Promise<void> {
    const { token } = await this.rig.answer(answer.askId, `text ${answer.askId}`);
    answer.token = token;
    if (token === undefined) this.fault(`the answer to ${answer.question} has no token`);
  }

  protected async push(): Promise<void> {
    await this.rig.done(
      this.rig.c.journal.deliverPending(TAB, (payload, token) => {
        const answer = this.answers.find((one) => one.token === token);
        if (answer === undefined) {
          this.fault(`${token} was pushed, and nobody gave it`);
          return true;
        }
        if (this.random.one(6)) return false;
        const expected = this.wasGiven(answer, 'a push', false);
        if (expected === 'keep') this.fault(`${answer.question} was pushed, and the model has it`);
        if (payload.ask_question !== answer.question) this.fault(`${token} was pushed without its question`);
        if (expected === 'again' && payload.possible_repeat !== true) {
          this.fault(`${answer.question} was pushed again, and not as a repeat`);
        }
        return { carrier: 'turn' };
      }),
    );
  }

  protected async pushMoving(): Promise<void> {
    // What was read before is remembered, so only a new leaf is read at all.
    this.log.add();
    let left = 1 + this.random.below(2);
    this.log.onRead = () => {
      left -= 1;
      if (left !== 0) return;
      this.random.one(2) ? this.rewind() : this.switch();
    };
    await this.push();
    this.log.onRead = undefined;
  }

  protected async pushAfter(): Promise<void> {
    this.random.one(3) ? this.switch() : this.rewind();
    await this.push();
  }

  protected async await(): Promise<void> {
    const answer = this.pick(() => true);
    if (answer === undefined) return;
    const outcome = await this.rig.done(this.rig.c.awaitAnswer(answer.askId, { timeoutMs: 0 }));
    if (outcome.outcome === 'answered') this.wasGiven(answer, 'a wait', false);
  }

  /** The same question in the same words: what was answered before may be given, where its own entry is on the branch. */
  protected async askAgain(): Promise<void> {
    const old = this.pick(({ token }) => token !== undefined);
    if (old === undefined) return;
    const at = this.log.add();
    let askId = '';
    const onOpen = (id: string): void => {
      askId = id;
    };
    const options = { tab: TAB, timeoutMs: 0, askedAt: at, onOpen };
    const outcome = await this.rig.proven(this.rig.c.ask({ question: old.question }, options));
    if (outcome.outcome !== 'recovered') return void this.track(askId, old.question, at);
    // Nobody is asked what was answered before.
    const card = await this.rig.show(askId);
    if (card?.state !== 'withdrawn') this.fault(`${askId} is ${card?.state}, and its question was recovered`);
    const given = this.answers.find((one) => one.token === outcome.token);
    if (given === undefined) this.fault(`${outcome.token} was recovered, and nobody gave it`);
    else this.wasGiven(given, 'a recovery', false);
  }

  protected async handBack(): Promise<void> {
    const answer = this.pick(({ isGiven }) => isGiven);
    if (answer?.token === undefined) return;
    await this.rig.proven(this.rig.c.handBack(answer.token, 'turn'));
    await this.seeGiven(answer);
  }

  protected async logAnswer(): Promise<void> {
    const answer = this.pick(({ isGiven, askedAt }) => isGiven && askedAt !== null);
    if (answer?.token === undefined) return;
    if (this.random.one(2)) await this.rig.proven(this.rig.c.ack([answer.token], 'turn'));
    const at = this.log.add();
    answer.deliveredAt = at;
    answer.isGiven = false;
    answer.isLoose = false;
    await this.rig.done(this.rig.c.answerLogged(answer.token, at));
  }

  protected async move(how: () => unknown): Promise<void> {
    how();
    // Another process gives no hint.
    if (!this.random.one(3)) await this.rig.done(this.rig.c.leafChanged(TAB));
  }

  protected rewind(): void {
    for (let n = 1 + this.random.below(4); n > 0; n -= 1) {
      const parent = this.log.at === null ? null : this.log.entries.get(this.log.at)?.parentId;
      if (parent) this.log.at = parent;
    }
  }

  protected switch(): void {
    this.log.at = this.random.pick([...this.log.entries.keys()]);
  }

  protected down(): void {
    this.log.isDown = this.random.one(2);
    this.isLeafDown = this.random.one(3);
  }

  /** Leaves in a row of which nothing can be read, each told. */
  protected async dark(): Promise<void> {
    this.log.isDown = true;
    for (let n = 0; n < DARK; n += 1) {
      this.log.add();
      await this.rig.done(this.rig.c.leafChanged(TAB));
    }
    this.log.isDown = this.random.one(3);
    for (const answer of this.answers) {
      if (answer.token === undefined || answer.askedAt === null) continue;
      if (this.reports(answer) !== 1)
        this.fault(`${answer.question} was held, and reported ${this.reports(answer)} times`);
    }
  }

  protected async boundary(): Promise<void> {
    await this.rig.done(this.rig.c.journal.closeAsks(TAB));
    for (const answer of this.answers) if (answer.askedAt === null) answer.isBounded = true;
  }

  protected async restart(): Promise<void> {
    this.up();
    await this.rig.restart();
    for (const answer of this.answers) await this.seeGiven(answer);
  }
}

/** What went wrong in one life, and how often each thing was seen at all. */
export async function judgeFences(seed: number, kind: Kind): Promise<Lived> {
  const life = new Life(seed, kind);
  await life.live();
  return life;
}
