/** Every transition of the fence chart, taken by the coordinator over a log, compared after each event. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { FenceContext, FenceEvent, FenceInput } from '../../machines/seats/fence.ts';
import { start, step } from '../../machines/shared/step.ts';
import { openCoordinator } from '../../src/coordinator.ts';
import { type FenceSnapshot, fenceChart } from '../../src/fence-book.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { handRuntime, KeptLog } from '../../src/testing/index.ts';
import { HandLog } from '../../test/fences/log.ts';
import { Coverage, coverPaths } from '../support/cover.ts';
import type { Edge } from '../support/graph.ts';
import { same } from '../support/same.ts';
import { FENCE_EVENTS, FENCE_INPUTS, fenceMachine, fencePlace } from './samples.ts';

type Step = Edge<typeof fenceMachine>;
const ASK = 'pa-1';

/** What is found must fit the anchors. A permission, and a leaf that cannot be read, have tests of their own. */
function isSent({ event, before }: Step, last: Step | undefined): boolean {
  const { askedAt, deliveredAt, privileged, answered } = before.context as FenceContext;
  if (privileged || last?.event.type === 'EXPIRED' || last?.event.type === 'CAPACITY') return false;
  switch (event.type) {
    case 'QUESTION_LOGGED':
      return event.at !== '';
    case 'FOUND':
      return askedAt !== null && (event.delivered === null) === (deliveredAt === null) && event.leaf !== null;
    case 'DELIVERED':
      return answered && event.at !== '';
    case 'CAPACITY':
    case 'DELIVERY_FAILED':
      return answered;
    case 'EXPIRED':
    case 'ANSWERED':
      return !answered;
    default:
      return true;
  }
}

class FenceDriver {
  readonly #coverage: Coverage<typeof fenceMachine>;
  readonly #log = new HandLog();
  readonly #store = memoryStore();
  #hand = handRuntime();
  #tab = 'tab-a';
  #at: FenceSnapshot;
  #c!: Awaited<ReturnType<typeof openCoordinator>>;
  #token = '';
  #n = 0;

  constructor(input: FenceInput, coverage: Coverage<typeof fenceMachine>) {
    this.#coverage = coverage;
    this.#at = start(fenceChart, input).snapshot;
    coverage.start(input);
  }

  async run(events: readonly FenceEvent[]): Promise<void> {
    this.#log.isMute = true;
    await this.#open();
    const { journal } = this.#c;
    await this.#done(journal.openAsk(ASK, { tabId: this.#tab, fingerprint: 'f', question: 'which?' }));
    await this.#done(journal.closeAsk(ASK));
    for (const event of events) {
      const heard = event.type === 'FOUND' ? this.#world(event) : event;
      await this.#perform(heard);
      this.#coverage.step(this.#at, heard);
      const { snapshot } = step(fenceChart, this.#at, heard);
      this.#at = snapshot;
      this.#compare(JSON.stringify(heard));
    }
  }

  async #open(): Promise<void> {
    this.#hand = handRuntime({ now: this.#hand.now(), seed: ++this.#n });
    const opening = openCoordinator({
      store: this.#store,
      runtime: this.#hand,
      logger: new KeptLog(),
      alwaysVisible: true,
      conversationLog: () => this.#log.log,
    });
    let isOpen = false;
    void opening.then(() => {
      isOpen = true;
    });
    for (; !isOpen; await setImmediate()) await this.#hand.settle();
    this.#c = await opening;
    await this.#hand.settle();
  }

  async #done<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    work.then(over, over);
    for (let i = 0; !isOver && i < 3; i += 1) {
      await this.#hand.settle();
      if (!isOver) this.#hand.advance(50);
    }
    if (!isOver) throw new Error('it is still waiting');
    return work;
  }

  /** Makes the log say what is to be found; leaves of what can be remembered are new ones. */
  #world(event: FenceEvent & { type: 'FOUND' }): FenceEvent {
    const log = this.#log;
    const { asked, delivered, moved } = event;
    log.entries.clear();
    log.at = null;
    log.isDown = asked.onBranch === 'unknown';
    log.isMoving = moved;
    const leaf = log.isDown ? (event.leaf as string) : `n${++this.#n}`;
    log.add('a');
    const isAbove = asked.breaks === 0 && delivered?.breaks === 1;
    if (isAbove) log.compact(`k${log.add('d')}${this.#n}`);
    if (asked.onBranch !== false) log.add('q');
    else log.entries.set('q', { parentId: 'a', type: 'entry' });
    if (delivered?.onBranch === true && !isAbove) log.add('d');
    else if (delivered !== null && !isAbove) log.entries.set('d', { parentId: 'q', type: 'entry' });
    if (asked.breaks === 1) log.compact(`k${this.#n}`);
    log.add(leaf);
    return { ...event, leaf };
  }

  async #perform(event: FenceEvent): Promise<void> {
    const c = this.#c;
    switch (event.type) {
      case 'QUESTION_LOGGED':
        void c.questionLogged(ASK, event.at);
        break;
      case 'TASK_ENDED':
        void c.questionLogged(ASK, null);
        break;
      case 'ANSWERED':
        this.#token = (await this.#done(c.journal.record(ASK, 'blue', { tabId: this.#tab }))).token;
        break;
      case 'FOUND':
        if (this.#at.value === 'judging' || this.#at.value === 'pending') void c.leafChanged(this.#tab);
        this.#log.speak();
        await this.#hand.settle();
        this.#log.isMute = true;
        break;
      case 'DELIVERED':
        await this.#done(c.answerLogged(this.#token, event.at));
        break;
      case 'DELIVERY_FAILED':
        await this.#done(c.journal.markReturned(this.#token, { attach: () => 'turn' }));
        await this.#done(c.journal.release(this.#token, { carrier: 'turn' }));
        break;
      case 'LEAF_CHANGED':
        void c.leafChanged(this.#tab);
        break;
      case 'MOVE':
        await this.#done(c.journal.moveKey(this.#tab, event.to));
        this.#tab = event.to;
        break;
      case 'RESTART':
        this.#store.rollback();
        await this.#open();
        break;
      case 'EXPIRED':
        await this.#done(c.withdraw(ASK, 'no longer wanted', { surface: 'library' }));
        void c.unread(this.#tab);
        break;
      default:
        await this.#done(c.journal.forget(this.#tab));
        void c.unread(this.#tab);
    }
    await this.#hand.settle();
    if (event.type === 'EXPIRED' || event.type === 'CAPACITY') {
      // What is over is taken out by the next check, after those that wait for the log.
      this.#log.speak();
      await this.#hand.settle();
    }
    // What only proves something may wait a moment for its commit.
    this.#hand.advance(50);
    await this.#hand.settle();
  }

  /** On file are the anchors; where it stands is what the coordinator goes by. */
  #compare(what: string): void {
    const [row] = this.#store.kept('fence');
    const { value, context } = this.#at;
    if (value === 'gone') return same(what, 'row', row, undefined);
    const kept = JSON.parse(row?.body ?? '{}') as { context: FenceContext };
    const lasting = ({ tab, askedAt, deliveredAt, answered, again, reported, told }: FenceContext) => ({
      ...{ tab, askedAt, deliveredAt, answered, again, reported, isToldOff: told === 'off_branch' },
    });
    same(what, 'row', lasting(kept.context), lasting(context));
    const { fences } = this.#c as unknown as { fences: { says(askId: string): string | undefined } };
    const words: Record<string, string> = {
      ...{ unanchored: 'unplaced', pending: context.off ? 'off' : 'on', deliverable: 'on', delivered: 'kept' },
      ...{ retired: 'off', judging: 'unsure', held: 'unsure' },
    };
    same(what, 'standing', fences.says(ASK), words[String(value)]);
  }
}

/** What no path of an unprivileged answer can take. */
const ELSEWHERE = /out_of_view/;

describe('every transition of the fence chart', () => {
  it('[SE-R90] [SE-R91] [SE-R92] [SE-R93] [SE-R97] [SE-I15] is taken by the coordinator', async () => {
    const coverage = new Coverage(fenceMachine);
    const paths = coverPaths(fenceMachine, FENCE_EVENTS, {
      inputs: FENCE_INPUTS,
      serialize: fencePlace as never,
      allowed: isSent,
      kind: ({ before, event }, taken) => {
        const { answered, deliveredAt, again } = before.context as FenceContext;
        return JSON.stringify([taken, event.type, before.value, answered, deliveredAt !== null, again]);
      },
    });
    for (const { input, events } of paths) {
      await new FenceDriver(input as FenceInput, coverage).run(events as FenceEvent[]);
    }
    expect(paths.length).toBeGreaterThan(60);
    expect(coverage.untaken.filter((name) => !ELSEWHERE.test(name))).toEqual([]);
  });
});
