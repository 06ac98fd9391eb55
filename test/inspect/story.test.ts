import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { AuditRow } from '../../src/api.ts';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import { chartOf } from '../../src/inspect/charts.ts';
import { messagesOf } from '../../src/inspect/messages.ts';
import { nextMoves } from '../../src/inspect/next-moves.ts';
import { readStory } from '../../src/inspect/story.ts';
import type { Story } from '../../src/inspect/told.ts';
import type { JournalLimits } from '../../src/limits.ts';
import { memoryStore } from '../../src/store/memory.ts';

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const SECRET = 'a text that only the person and the agent may see';
const QUESTION = { question: SECRET, options: [{ id: 'a', label: SECRET }], freeText: true };
const PAGE = { surface: 'page', who: 'w1' };
const open: Coordinator[] = [];

async function coordinator(store = memoryStore(), limits: Partial<JournalLimits> = {}): Promise<Coordinator> {
  const opened = await openCoordinator({ store, limits, logger: SILENT, alwaysVisible: true });
  open.push(opened);
  return opened;
}

async function asked(on: Coordinator, tab = 'tab-1'): Promise<string> {
  let id = '';
  const call = on.ask(QUESTION, { tab, timeoutMs: 0, attach: () => 'turn-1', onOpen: (askId) => (id = askId) });
  await call;
  return id;
}

async function told(on: Coordinator, machine: string, id: string): Promise<Story> {
  const story = await readStory(on, machine, id);
  if (story === undefined) throw new Error(`nothing is known of ${machine} ${id}`);
  return story;
}

afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

describe('the story of an answer', () => {
  it('[J-R187] says in one sentence why it was retired, with the rule and the row that did it', async () => {
    const on = await coordinator();
    const askId = await asked(on);
    const { token = '' } = await on.answer(askId, { text: SECRET }, PAGE);
    await on.journal.closeAsks('tab-1');
    const story = await told(on, 'answer', token);
    const boundary = (await on.audit()).find(({ event }) => event === 'boundary');
    expect(story.why.text).toBe(
      'Retired because the conversation that asked was replaced before any agent was given it.',
    );
    expect(story.why).toMatchObject({ row: boundary?.id, at: boundary?.at, rules: ['J-R188', 'J-R191'] });
    expect(story.now).toEqual(['delivery.retired', 'label.foreign']);
    expect(story.steps.map(({ event, after }) => [event, after[0]])).toEqual([
      ['born', 'delivery.pending'],
      ['BOUNDARY', 'delivery.retired'],
    ]);
    expect(story.isWhole).toBe(true);
  });

  it('[J-R064] says so of one that came after its conversation had been replaced', async () => {
    const on = await coordinator();
    const askId = await asked(on);
    await on.journal.closeAsks('tab-1');
    const { token = '' } = await on.answer(askId, { text: SECRET }, PAGE);
    const { why, isWhole } = await told(on, 'answer', token);
    expect(why.text).toBe('Retired because its conversation had been replaced before it arrived.');
    expect(why.rules).toContain('J-R064');
    expect(isWhole).toBe(true);
  });

  it('tells of a restart, and what can still happen, each with the guard that decides', async () => {
    const store = memoryStore();
    const first = await coordinator(store);
    const askId = await asked(first);
    const { token = '' } = await first.answer(askId, { text: SECRET }, PAGE);
    await first.handOver(token, () => 'turn-1');
    await first.close();
    const second = await coordinator(store);
    const story = await told(second, 'answer', token);
    expect(story.steps.map(({ event }) => event)).toEqual(['born', 'RETURN', 'RESTART']);
    expect(story.why).toMatchObject({ text: expect.stringContaining('whoever held it ended with the process') });
    expect(story.isWhole).toBe(true);
    const next = nextMoves(chartOf('answer')?.arrows ?? [], story.now ?? []);
    expect(next).toContainEqual(expect.objectContaining({ event: 'RECEIPT', guard: 'isRide', to: 'delivery.acked' }));
    expect(next.every(({ from }) => from === '' || story.now?.includes(from))).toBe(true);
  });

  it('holds no word of what was asked or answered', async () => {
    const on = await coordinator();
    const askId = await asked(on);
    const { token = '' } = await on.answer(askId, { text: SECRET }, PAGE);
    await on.withdraw(await asked(on), SECRET, { surface: 'library' });
    await on.journal.closeAsks('tab-1');
    await on.journal.forget('tab-1');
    for (const story of [await told(on, 'answer', token), await told(on, 'ticket', askId)])
      expect(JSON.stringify(story)).not.toContain(SECRET);
    expect(JSON.stringify(await on.rows())).not.toContain(SECRET);
  });

  it.each([1, 5])('[J-R135] tells of hand-backs by the bound in force: %i', async (carriedReleases) => {
    const on = await coordinator(memoryStore(), { carriedReleases });
    const { token = '' } = await on.answer(await asked(on), { text: SECRET }, PAGE);
    for (let n = 0; n < carriedReleases; n += 1) {
      await on.journal.deliverPending('tab-1', () => true);
      await on.journal.release(token, { carried: true });
    }
    const story = await told(on, 'answer', token);
    expect(story.steps.at(-1)?.after).toEqual(story.now);
    expect(story.now?.[0]).toBe('delivery.acked');
  });

  it('tells of one that has left the files, from the audit alone', async () => {
    const on = await coordinator();
    const askId = await asked(on);
    const { token = '' } = await on.answer(askId, { text: SECRET }, PAGE);
    await on.journal.forget('tab-1');
    const story = await told(on, 'answer', token);
    expect(story.now).toBeUndefined();
    expect(story.why.text).toContain('its tab is gone for good');
  });

  it('of what nobody knows there is none', async () => {
    const on = await coordinator();
    expect(await readStory(on, 'answer', 'aa99')).toBeUndefined();
    expect(await readStory(on, 'ticket', 'never')).toBeUndefined();
    expect(await readStory(on, 'loss', 'loss7')).toBeUndefined();
  });
});

type Deed = (on: Coordinator, askId: string, tab: string, turn: string) => Promise<unknown>;

const tokensOf = async (on: Coordinator, askId: string): Promise<string[]> =>
  ((await on.show(askId))?.answers ?? []).map(({ token }) => token);
const each = async (on: Coordinator, askId: string, deed: (token: string) => Promise<unknown>): Promise<void> => {
  for (const token of await tokensOf(on, askId)) await deed(token);
};

const DEEDS: Readonly<Record<string, Deed>> = {
  answer: (on, askId) => on.answer(askId, { text: 'yes' }, PAGE),
  other: (on, askId, tab) => on.journal.record(askId, 'no', { tabId: tab }),
  return: (on, askId, _tab, turn) => each(on, askId, (token) => on.handOver(token, () => turn)),
  push: (on, _askId, tab, turn) => on.journal.deliverPending(tab, () => ({ carrier: turn })),
  ack: (on, askId, _tab, turn) => each(on, askId, (token) => on.ack([token], turn)),
  back: (on, askId, _tab, turn) =>
    each(on, askId, (token) => on.journal.release(token, { carrier: turn, carried: true })),
  park: (on, askId) => each(on, askId, (token) => on.park(token, 'tried often')),
  boundary: (on, _askId, tab) => on.journal.closeAsks(tab),
  withdraw: (on, askId) => on.withdraw(askId, 'found', PAGE),
  reopen: (on, askId, tab) => on.journal.openAsk(askId, { tabId: tab, fingerprint: 'f', question: 'again?' }),
  close: (on, askId) => on.journal.closeAsk(askId),
  rename: (on, _askId, tab) => on.journal.moveKey(tab, tab === 'tab-1' ? 'tab-2' : 'tab-1'),
};

describe('a story that is told again', () => {
  it('ends where the rows stand, whatever was done to them', async () => {
    const run = fc.asyncProperty(
      fc.array(
        fc.record({
          deed: fc.constantFrom(...Object.keys(DEEDS), 'restart'),
          tab: fc.constantFrom('tab-1', 'tab-2'),
          turn: fc.constantFrom('turn-1', 'turn-2'),
        }),
        { maxLength: 14 },
      ),
      async (deeds) => {
        const store = memoryStore();
        let on = await coordinator(store);
        const askId = await asked(on);
        for (const { deed, tab, turn } of deeds) {
          if (deed === 'restart') {
            await on.close();
            on = await coordinator(store);
          } else await DEEDS[deed]?.(on, askId, tab, turn);
        }
        for (const { machine, id } of await on.rows()) {
          if (machine !== 'answer' && machine !== 'ticket') continue;
          const story = await told(on, machine, id);
          const end = { id, now: story.now, isWhole: story.isWhole };
          expect(end, JSON.stringify([story.steps.map((one) => [one.event, one.after]), await on.audit()])).toEqual({
            ...end,
            isWhole: true,
          });
        }
      },
    );
    await fc.assert(run, { numRuns: 100 });
  });
});

describe('the sequence', () => {
  it('does not tell the end of the call that asked as the end of all waiting: its agent may wait by another', () => {
    const [told] = messagesOf([{ id: 1, at: 0, event: 'closed', askId: 'pa-1' }]);
    expect(told).toMatchObject({ from: 'agent', text: 'its first wait has ended; it may wait again' });
  });

  it('knows a word for each event of the audit, and never quotes a row', () => {
    const row: AuditRow = {
      id: 1,
      at: 2,
      event: 'retired',
      detail: SECRET,
      who: SECRET,
      digest: SECRET,
      surface: 'page',
    };
    expect(messagesOf([row])).toEqual([
      { row: 1, at: 2, from: 'coordinator', to: 'coordinator', text: 'retired, unread' },
    ]);
    const [out, over] = messagesOf([{ ...row, event: 'answered' }]);
    expect([out?.from, out?.to, over?.from, over?.to]).toEqual(['person', 'page', 'page', 'coordinator']);
  });
});
