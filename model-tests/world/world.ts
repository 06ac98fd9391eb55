/** A small world over the coordinator: one seed is one world. Nothing in it looks at a clock or at chance of its own. */
import type { Attach, Author, Outcome, Reply } from '../../src/api.ts';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type FaultyStore, faultyStore } from '../../src/testing/faulty-store.ts';
import { HandRuntime } from '../../src/testing/hand-runtime.ts';
import { type Answer, type Ask, type Call, type Submission, Truth } from './truth.ts';

/** A generator that is small and the same everywhere (mulberry32). */
export class Chance {
  #state: number;
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }
  pick<T>(list: readonly T[]): T | undefined {
    return list.length === 0 ? undefined : list[this.below(list.length)];
  }
}

export interface Agent {
  readonly tab: string;
  turn: string;
  /** Tokens that were shown in this turn. */
  shown: Set<string>;
  /** Tokens shown in turns that ended without any receipt. */
  readonly unproven: { readonly token: string; readonly turn: string }[];
  /** Copies in its queue that no turn has read. */
  queue: string[];
}

export const TABS = ['tab-a', 'tab-b', 'tab-c'] as const;
const START = 1_700_000_000_000;

export class World {
  readonly truth = new Truth();
  readonly log: string[] = [];
  readonly met = new Map<string, number>();
  readonly agents: readonly Agent[] = TABS.map((tab) => this.newAgent(tab));
  readonly chance: Chance;
  readonly #path: string | undefined;
  readonly #seed: number;
  #base: Store;
  #store: FaultyStore;
  #coordinator: Coordinator | undefined;
  #detach: (() => void) | undefined;
  runtime: HandRuntime;
  run = 0;
  turns = 0;

  /** `path`: a database of its own; without one everything is kept in memory, across crashes too. */
  constructor(seed: number, path?: string) {
    this.#seed = seed;
    this.#path = path;
    this.chance = new Chance(seed);
    this.runtime = new HandRuntime({ now: START, seed });
    this.#base = path === undefined ? memoryStore() : openSqliteStore(path);
    this.#store = faultyStore(this.#base);
  }

  newAgent(tab: string): Agent {
    return { tab, turn: `${tab}-turn-0`, shown: new Set(), unproven: [], queue: [] };
  }

  get c(): Coordinator {
    if (this.#coordinator === undefined) throw new Error('the world is not open');
    return this.#coordinator;
  }

  get store(): FaultyStore {
    return this.#store;
  }

  note(event: string, detail = ''): void {
    this.met.set(event, (this.met.get(event) ?? 0) + 1);
    this.log.push(`${this.runtime.now() - START} ${event} ${detail}`);
  }

  // ---- processes

  async open(): Promise<void> {
    this.run += 1;
    const quiet = (...line: unknown[]): void => void this.log.push(`log ${line.join(' ')}`);
    this.runtime = new HandRuntime({ now: this.runtime.now(), seed: this.#seed + 7_919 * this.run });
    this.#coordinator = await this.done(
      openCoordinator({
        store: this.#store,
        runtime: this.runtime,
        logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
        revoker: (tab, token) => this.#recall(tab, token),
      }),
    );
    this.#coordinator.subscribe(({ ask, cause }) => {
      this.log.push(`change ${ask.askId} ${cause} ${ask.state} ${ask.answers.map((one) => one.receipt).join()}`);
      for (const { token, receipt } of ask.answers) {
        const answer = this.truth.answers.get(token);
        if (answer !== undefined && answer.receipts.at(-1) !== receipt) answer.receipts.push(receipt);
      }
    });
    this.#detach = this.#coordinator.attachSurface({ kind: 'page', id: `page-${this.run}` });
    await this.runtime.settle();
  }

  get hasPage(): boolean {
    return this.#detach !== undefined;
  }

  pageComes(): void {
    this.#detach ??= this.c.attachSurface({ kind: 'page', id: 'page' });
  }

  pageGoes(): void {
    this.#detach?.();
    this.#detach = undefined;
  }

  /** The process dies: what was not committed is gone, and nothing that it had begun ever ends. */
  async crash(): Promise<void> {
    this.note('crash');
    await this.runtime.breathe();
    this.truth.crashed.add(this.run);
    this.#store.heal();
    this.#base.rollback();
    await this.#startAgain();
  }

  /** An orderly end. */
  async restart(): Promise<void> {
    this.note('restart');
    await this.close();
    await this.#startAgain();
  }

  async close(): Promise<void> {
    this.#store.heal();
    const closing = this.c.close();
    await this.done(closing);
    this.truth.closed.push({ run: this.run, waiting: this.c.waiting });
    await this.runtime.settle();
  }

  async #startAgain(): Promise<void> {
    if (this.#path !== undefined) {
      this.#base.close();
      this.#base = openSqliteStore(this.#path);
    }
    this.#store = faultyStore(this.#base);
    this.#detach = undefined;
    // Agents lose what was in their queues: they are children of the process, and their turns die with it.
    for (const agent of this.agents) this.endTurn(agent);
    for (const agent of this.agents) agent.queue = [];
    await this.open();
  }

  endDatabase(): void {
    if (this.#path !== undefined) this.#base.close();
  }

  // ---- calls

  /** Ends ticks and lets time pass in small steps until a call is settled. */
  async done<T>(work: Promise<T>): Promise<T> {
    let isSettled = false;
    const end = (): void => {
      isSettled = true;
    };
    work.then(end, end);
    for (let round = 0; !isSettled; round++) {
      if (round > 200) throw new Error('a call that never settles');
      await this.runtime.settle();
      if (!isSettled) this.runtime.advance(50);
    }
    return work;
  }

  /** Notes how a call ended. What a dead process would have said is not heard. */
  track<T extends object>(what: string, endings: (T | { readonly error: string })[], work: Promise<T>): void {
    const { run } = this;
    const hear = (ending: T | { readonly error: string }): void => {
      if (this.truth.crashed.has(run)) throw new Error(`${what}: heard after its process had died`);
      endings.push(ending);
    };
    work.then(hear, (error: { code?: string }) => {
      this.note('call failed', `${what} ${error.code ?? String(error)}`);
      hear({ error: error.code ?? String(error) });
    });
  }

  attach(agent: Agent): Attach {
    return () => agent.turn;
  }

  call(kind: Call['kind'], ask: Ask, agent: Agent, make: (signal: AbortSignal) => Promise<Outcome>): Call {
    const abort = new AbortController();
    const call: Call = { kind, ask, run: this.run, turn: agent.turn, abort, endings: [] };
    this.truth.calls.push(call);
    const work = make(abort.signal).then((outcome) => {
      this.#heardOutcome(call, agent, outcome);
      return outcome;
    });
    this.track(`${kind} ${ask.number}`, call.endings, work);
    return call;
  }

  #heardOutcome(call: Call, agent: Agent, outcome: Outcome): void {
    const { ask } = call;
    this.note(outcome.outcome, `${call.kind} ${ask.number} ${'token' in outcome ? outcome.token : ''}`);
    if (!('token' in outcome)) return;
    const { token, text, question, possibleRepeat: labelled } = outcome;
    this.truth.showings.push({
      how: 'fromAskId' in outcome ? 'recovered' : 'result',
      ...{ token, text, question, labelled, ask, of: this.askOf(token), turn: agent.turn },
      ...{ tab: agent.tab, conversation: this.truth.conversation(ask.tab) },
    });
    this.shown(agent, token, labelled);
  }

  shown(agent: Agent, token: string, labelled: boolean): void {
    agent.shown.add(token);
    if (labelled) this.note('repeat', token);
  }

  submit(ask: Ask, id: string, reply: Reply, author: Author): void {
    const text = JSON.stringify(reply);
    const made: Submission = { ask, id, kind: 'answer', text, run: this.run, endings: [] };
    this.truth.submissions.push(made);
    const work = this.c.answer(id, reply, author).then((verdict) => {
      const word = verdict.verdict;
      this.note(
        word === 'expired' || word === 'superseded' ? `verdict ${word}` : word,
        `${ask.number} ${verdict.token}`,
      );
      if (verdict.saved && verdict.token !== undefined && !this.truth.answers.has(verdict.token)) {
        const { token } = verdict;
        const fresh: Answer = { token, ask, text, proven: false, forgotten: false, receipts: [] };
        this.truth.answers.set(token, fresh);
      }
      this.truth.verdicts.push({ ask, kind: 'answer', text, verdict });
      return verdict;
    });
    this.track(`answer ${ask.number}`, made.endings, work);
  }

  withdraw(ask: Ask, id: string): void {
    const made: Submission = { ask, id, kind: 'withdraw', text: '', run: this.run, endings: [] };
    this.truth.submissions.push(made);
    const work = this.c.withdraw(id, 'no longer wanted', { surface: 'library' }).then((verdict) => {
      this.note(`withdrawal ${verdict.verdict}`, String(ask.number));
      this.truth.verdicts.push({ ask, kind: 'withdraw', text: '', verdict });
      return verdict;
    });
    this.track(`withdraw ${ask.number}`, made.endings, work);
  }

  // ---- agents

  endTurn(agent: Agent): void {
    for (const token of agent.shown) agent.unproven.push({ token, turn: agent.turn });
    this.turns += 1;
    agent.turn = `${agent.tab}-turn-${this.turns}`;
    agent.shown = new Set();
  }

  #recall(tab: string, token: string): boolean {
    const agent = this.agents.find((one) => one.tab === tab);
    const at = agent?.queue.indexOf(token) ?? -1;
    if (agent === undefined || at < 0) return false;
    agent.queue.splice(at, 1);
    this.note('recalled', token);
    return true;
  }

  /** Calls of the process that runs now and that have not ended. */
  get liveCalls(): readonly Call[] {
    return this.truth.calls.filter((call) => call.run === this.run && call.endings.length === 0);
  }

  isAnswered(ask: Ask): boolean {
    return ask.id !== undefined && this.#base.book.entriesOf(ask.id).length > 0;
  }

  /** The ask that a token answers, also where the process died before anyone was told of it. */
  askOf(token: string): Ask | undefined {
    const known = this.truth.answers.get(token)?.ask;
    if (known !== undefined) return known;
    const id = this.#base.book.entry(Number(token.slice(2)))?.askId;
    return this.truth.asks.find((ask) => ask.id !== undefined && ask.id === id);
  }
}
