/** Two coordinators in turn on one database and one session file, as two processes of one program take turns. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openCoordinator } from '../../src/coordinator.ts';
import { claudeCodeLog } from '../../src/seats.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { KeptLog } from '../../src/testing/index.ts';
import { type Place, place } from '../store/place.ts';

const TAB = 'session-1';
const HUMAN = { surface: 'page' };
const QUESTION = { question: 'Which colour shall the door have?', options: [{ id: 'g', label: 'Green' }] };

const places: Place[] = [];
afterEach(() => {
  for (const one of places.splice(0)) one.end();
});

/** A session file and a database, and a process that opens both. */
class Session {
  readonly #place: Place;
  readonly #file: string;

  constructor() {
    this.#place = place();
    places.push(this.#place);
    this.#file = join(this.#place.path, '..', 'session.jsonl');
    writeFileSync(this.#file, '');
    this.write('a', null);
    this.write('b', 'a');
  }

  write(uuid: string, parentUuid: string | null, more: object = {}): void {
    appendFileSync(this.#file, `${JSON.stringify({ uuid, parentUuid, type: 'assistant', ...more })}\n`);
  }

  /** What the program writes when it has compacted: a new root that names what it continues, and a summary. */
  compact(uuid: string, after: string): void {
    this.write(uuid, null, { type: 'system', subtype: 'compact_boundary', logicalParentUuid: after });
    this.write(`${uuid}-summary`, uuid, { type: 'user', isCompactSummary: true });
  }

  /** Runs one process from its start to its end. */
  async process<T>(work: (c: Awaited<ReturnType<typeof openCoordinator>>) => Promise<T>): Promise<T> {
    const c = await openCoordinator({
      store: openSqliteStore(this.#place.path),
      conversationLog: (tab) => (tab === TAB ? claudeCodeLog(readFileSync(this.#file, 'utf8')) : undefined),
      logger: new KeptLog(),
      alwaysVisible: true,
    });
    try {
      return await work(c);
    } finally {
      await c.close();
    }
  }

  /** A question that stands in the file as `q`, answered after its call had ended. */
  async answered(): Promise<string> {
    return this.process(async (c) => {
      const { askId } = await c.ask(QUESTION, { tab: TAB, timeoutMs: 0 });
      this.write('q', 'b', { type: 'assistant' });
      await c.questionLogged(askId, 'q');
      await c.answer(askId, { selected: ['g'] }, HUMAN);
      return askId;
    });
  }

  async push(c: Awaited<ReturnType<typeof openCoordinator>>) {
    const given: { token: string; question: string | null; repeat: boolean }[] = [];
    await c.journal.deliverPending(TAB, (payload, token) => {
      given.push({ token, question: payload.ask_question, repeat: payload.possible_repeat === true });
      return { carrier: 'turn' };
    });
    return given;
  }

  /** Delivers to the model and writes that it was. */
  async deliver(): Promise<void> {
    await this.process(async (c) => {
      const [given] = await this.push(c);
      const token = given?.token as string;
      await c.ack([token], 'turn');
      this.write('d', 'q');
      await c.answerLogged(token, 'd');
    });
  }
}

describe('two processes on one conversation', () => {
  it('[SE-R91] [F9] hands over again what the other has compacted, with its question, once', async () => {
    const session = new Session();
    await session.answered();
    await session.deliver();
    session.compact('k', 'd');
    const again = await session.process(async (c) => {
      const given = await session.push(c);
      session.write('d2', 'k-summary');
      await c.answerLogged(given[0]?.token as string, 'd2');
      await c.ack([given[0]?.token as string], 'turn');
      return given;
    });
    expect(again).toEqual([{ token: 'aa1', question: QUESTION.question, repeat: true }]);
    expect(await session.process((c) => session.push(c))).toEqual([]);
  });

  it('[SE-R90] retires what the other has rewound, and revives it when it goes back', async () => {
    const session = new Session();
    const askId = await session.answered();
    session.write('other', 'b');
    await session.process(async (c) => {
      expect(await session.push(c)).toEqual([]);
      expect((await c.show(askId))?.answers[0]?.receipt).toBe('retired');
      expect(await c.awaitAnswer(askId, { timeoutMs: 0 })).toMatchObject({ outcome: 'superseded' });
    });
    session.write('back', 'q');
    expect(await session.process((c) => session.push(c))).toHaveLength(1);
  });

  it('[F9] gives an answer after a compaction that dropped the open call, under its id and with its question', async () => {
    const session = new Session();
    const askId = await session.process(async (c) => {
      const asked = await c.ask(QUESTION, { tab: TAB, timeoutMs: 0, askedAt: 'q' });
      session.write('q', 'b');
      return asked.askId;
    });
    session.compact('k', 'q');
    await session.process(async (c) => {
      await c.answer(askId, { selected: ['g'] }, HUMAN);
      expect(await c.awaitAnswer(askId)).toMatchObject({ outcome: 'answered', askId, question: QUESTION.question });
    });
  });

  it('[F3] [F10] shows a question again after a restart, and its answer can be had', async () => {
    const session = new Session();
    const askId = await session.process(async (c) => {
      session.write('q', 'b');
      return (await c.ask(QUESTION, { tab: TAB, timeoutMs: 0, askedAt: 'q' })).askId;
    });
    await session.process(async (c) => {
      await c.leafChanged(TAB);
      expect((await c.list()).map((ask) => ask.askId)).toEqual([askId]);
      await c.answer(askId, { selected: ['g'] }, HUMAN);
      expect(await c.awaitAnswer(askId)).toMatchObject({ outcome: 'answered', text: 'Green [g]' });
    });
  });

  it('[F6] lets no branch read the decision of the other, though they asked the same', async () => {
    const session = new Session();
    const ask = (c: Awaited<ReturnType<typeof openCoordinator>>, askedAt: string) =>
      c.ask({ question: 'Go on?' }, { tab: TAB, timeoutMs: 0, askedAt });
    await session.process(async (c) => {
      session.write('qa', 'b');
      const onA = await ask(c, 'qa');
      await c.answer(onA.askId, { text: 'on A' }, HUMAN);
      session.write('qb', 'b');
      await c.leafChanged(TAB);
      const onB = await ask(c, 'qb');
      expect(onB).toMatchObject({ outcome: 'pending', others: [] });
      await c.answer(onB.askId, { text: 'on B' }, HUMAN);
      expect(await c.awaitAnswer(onB.askId)).toMatchObject({ text: 'on B' });
      expect(await c.awaitAnswer(onA.askId, { timeoutMs: 0 })).toMatchObject({ outcome: 'superseded' });
      session.write('a2', 'qa');
      await c.leafChanged(TAB);
      expect(await c.awaitAnswer(onA.askId)).toMatchObject({ text: 'on A' });
    });
  });

  it('[F7] takes the second answer after a rewind for the new question, and says so of the old one', async () => {
    const session = new Session();
    await session.process(async (c) => {
      session.write('q1', 'b');
      const first = await c.ask({ question: 'Delete it?' }, { tab: TAB, timeoutMs: 0, askedAt: 'q1' });
      await c.answer(first.askId, { text: 'no' }, HUMAN);
      session.write('q2', 'b');
      await c.leafChanged(TAB);
      const second = await c.ask({ question: 'Delete it?' }, { tab: TAB, timeoutMs: 0, askedAt: 'q2' });
      expect(await c.answer(first.askId, { text: 'yes' }, HUMAN)).toMatchObject({ verdict: 'conflict' });
      await c.answer(second.askId, { text: 'yes' }, HUMAN);
      expect(await c.awaitAnswer(second.askId)).toMatchObject({ outcome: 'answered', text: 'yes' });
    });
  });
});
