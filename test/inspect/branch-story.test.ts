/** What the page says of an answer whose conversation went back to before its question. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import type { TapStep } from '../../src/index.ts';
import { readStory } from '../../src/inspect/story.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { HandLog } from '../fences/log.ts';

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
let log: HandLog;
let on: Coordinator;
let askId: string;
let token: string;

beforeEach(async () => {
  log = new HandLog();
  log.add('start');
  on = await openCoordinator({
    store: memoryStore(),
    logger: SILENT,
    alwaysVisible: true,
    conversationLog: (tab) => (tab === 'chat' ? log.log : undefined),
  });
  const outcome = await on.ask({ question: 'Which?' }, { tab: 'chat', timeoutMs: 0 });
  askId = outcome.askId ?? '';
  await on.questionLogged(askId, log.add('question'));
  token = (await on.answer(askId, { text: 'A' }, { surface: 'page' })).token ?? '';
  await on.leafChanged('chat');
});
afterEach(() => on.close());

async function rewind(to: string): Promise<void> {
  log.at = to;
  await on.leafChanged('chat');
}

describe('an answer and the branch of its conversation', () => {
  it('[SE-R90] says why nobody is given it, with the rule and the row, and takes it back when the branch is back', async () => {
    expect((await readStory(on, 'answer', token))?.why.text).not.toContain('Nobody is given it');
    await rewind('start');
    const row = (await on.audit()).findLast(({ event }) => event === 'off_branch')?.id;
    expect(row).toBeDefined();
    const off = await readStory(on, 'answer', token);
    expect(off?.why.text).toContain(
      'Nobody is given it now, because the conversation went back to before its question, or to a branch without it.',
    );
    expect(off?.why).toMatchObject({ row, rules: expect.arrayContaining(['SE-R90']) });
    const fence = await readStory(on, 'fence', askId);
    expect(fence).toMatchObject({ now: ['retired'], isWhole: true, askId, tab: 'chat' });
    expect(fence?.why).toMatchObject({
      text: expect.stringContaining('Retired because the conversation went back to before its question'),
      row,
      rules: ['SE-R90'],
    });
    expect(fence?.messages.map(({ text }) => text)).toContain('its conversation left the branch of the question');
    await rewind('question');
    expect((await readStory(on, 'answer', token))?.why.text).not.toContain('Nobody is given it');
    expect((await readStory(on, 'fence', askId))?.why.text).toContain('The agent may be given the answer');
  });

  it('[SE-R92] says so of one of which the log says nothing', async () => {
    log.isDown = true;
    await rewind('elsewhere');
    const story = await readStory(on, 'answer', token);
    expect(story?.why.text).toContain('does not say whether its question is on the branch followed now');
    expect(story?.why.rules).toContain('SE-R92');
  });

  it('[SE-R91] is told whole when a delivered one is owed once more', async () => {
    await on.handOver(token, () => 'turn-1');
    await on.ack([token], 'turn-1');
    await on.answerLogged(token, log.add('delivery'));
    await rewind('question');
    const story = await readStory(on, 'answer', token);
    expect(story?.steps.at(-1)?.event).toBe('REDELIVER');
    expect(story?.isWhole).toBe(true);
  });

  it('shows the steps of the branch to whoever looks on, and its row by ask, token and tab', async () => {
    const steps: TapStep[] = [];
    const stop = on.tap((step) => void steps.push(step));
    await rewind('start');
    await new Promise((resolve) => setImmediate(resolve));
    stop();
    const own = steps.filter(({ machine, ignored }) => machine === 'fence' && !ignored);
    expect(own.map(({ id, event, after }) => [id, event.type, after])).toEqual([
      [askId, 'LEAF_CHANGED', 'judging'],
      [askId, 'FOUND', 'retired'],
    ]);
    for (const find of [askId, token, 'chat', undefined])
      expect(await on.rows({ find })).toContainEqual({
        machine: 'fence',
        id: askId,
        askId,
        states: ['retired'],
        tab: 'chat',
      });
    expect((await on.rows({ find: 'other' })).filter(({ machine }) => machine === 'fence')).toEqual([]);
  });
});
