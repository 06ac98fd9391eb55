import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { press, Wire } from '../host/browser.ts';
import {
  BATCH,
  connected,
  ids,
  lost,
  noted,
  open,
  over,
  part,
  QIDS,
  saveLeft,
  tick,
  useEmbedder,
  watched,
} from './requests-support.ts';
import { until } from './support.ts';

const t = useEmbedder();
const KEYED = { qids: QIDS, key: 'turn-1' };
const clarify = () => t.embedder.send('clarify', BATCH, KEYED);

/** One question, under a key. */
const ask = (key: string) => t.embedder.send('clarify', { question: `${key}?` }, { key });

async function fill(page: Page): Promise<void> {
  await part(page, 'depth').getByRole('textbox').fill('three feet');
  await part(page, 'name').getByRole('textbox').fill('a well');
}
const ANSWERS = { way: 'Left', depth: 'three feet', name: 'a well' };

describe('the server is killed and started again', { timeout: 60_000 }, () => {
  it('[F10] [RQ-R124] [RQ-R134] [RQ-R139] the page comes back by itself: same cards, ticks, drafts, no new bell', async () => {
    const notes: string[] = [];
    const page = await t.window(watched(notes));
    void clarify();
    void t.embedder.call('approvals.request', 's1', { sid: 's1', command: 'make', timeoutMs: null });
    await noted(notes, 2);
    await saveLeft(page);
    const depth = part(page, 'depth').getByRole('textbox');
    await depth.fill('three fe');
    const before = await ids(page);
    await t.embedder.kill();
    await lost(page);
    await open(page, 'clarify').getByText('Reconnecting; your input is kept.').waitFor();
    await depth.pressSequentially('et');
    await t.embedder.start();
    await connected(page);
    expect(await ids(page)).toEqual(before);
    await tick(part(page, 'way')).waitFor();
    expect(await depth.inputValue()).toBe('three feet');
    expect(notes).toHaveLength(2);
    expect(await over(page, 'clarify').count()).toBe(0);
    const again = clarify();
    await part(page, 'name').getByRole('textbox').fill('a well');
    await press(open(page, 'clarify'), 'Send all 3');
    expect(await again).toEqual({ kind: 'answered', result: { answers: ANSWERS }, via: 'response' });
    await over(page, 'clarify').getByText('Answered', { exact: true }).waitFor();
  });

  it('[F1] [RQ-R123] a page that was not there finds them too, and an answer waits for the asker that comes later', async () => {
    const first = await t.window();
    void clarify();
    await saveLeft(first);
    const before = await ids(first);
    await first.close();
    // Ended in good order this time: that takes no question back either.
    await t.embedder.stop();
    await t.embedder.start();
    const page = await t.window();
    expect(await ids(page)).toEqual(before);
    await fill(page);
    await press(open(page, 'clarify'), 'Send all 3');
    await over(page, 'clarify').getByText('Answered', { exact: true }).waitFor();
    await t.embedder.kill();
    await t.embedder.start();
    expect(await clarify()).toEqual({ kind: 'answered', result: { answers: ANSWERS }, via: 'response' });
    expect(await t.embedder.call('requests.openRequestCount')).toBe(0);
  });

  it.each(['before', 'after'] as const)(
    '[RQ-R44] [F1] dead %s the commit of an early answer: ticked, or still to be saved and nothing typed again',
    async (when) => {
      const page = await t.window();
      void clarify();
      await part(page, 'depth').getByRole('textbox').fill('three feet');
      await t.embedder.call('own.dieAround', when);
      await press(part(page, 'depth'), 'Save this one');
      await t.embedder.dead();
      await t.embedder.start();
      await connected(page);
      if (when === 'before') {
        expect(await part(page, 'depth').getByRole('textbox').inputValue()).toBe('three feet');
        expect(await tick(part(page, 'depth')).count()).toBe(0);
        await press(part(page, 'depth'), 'Save this one');
      }
      await tick(part(page, 'depth')).waitFor();
      await part(page, 'way').getByText('Left').click();
      await part(page, 'name').getByRole('textbox').fill('a well');
      await press(open(page, 'clarify'), 'Send all 3');
      expect(await clarify()).toMatchObject({ result: { answers: ANSWERS } });
    },
  );

  it('[A7] [RQ-R46] its time is up while nobody runs: the asker gets what was saved, and the person is told', async () => {
    const page = await t.window();
    const timed = () => t.embedder.send('clarify', BATCH, { ...KEYED, timeoutMs: 5_000 });
    void timed();
    const due = Date.now() + 5_100;
    await saveLeft(page);
    await part(page, 'depth').getByRole('textbox').fill('three fe');
    await t.embedder.kill();
    await lost(page);
    await new Promise((resolve) => setTimeout(resolve, Math.max(due - Date.now(), 0)));
    await t.embedder.start();
    await over(page, 'clarify').waitFor();
    expect(await over(page, 'clarify').innerText()).toMatch(/No longer asked|Timed out/);
    expect(await over(page, 'clarify').innerText()).toContain('three fe');
    expect(await ids(page)).toEqual([]);
    expect(await timed()).toEqual({ kind: 'timed_out', locked: { way: 'Left' } });
  });
});

describe('an answer in the moment of the kill', { timeout: 60_000 }, () => {
  /** What the window says became of its answer, once it says so. */
  const became = (page: Page): Promise<string> =>
    until('the end of the card', async () => {
      const card = over(page, 'clarify').first();
      return (await card.count()) > 0 ? await card.innerText() : undefined;
    });

  it.each(['unread', 'before', 'after'] as const)(
    '[RQ-I27] [RQ-R124] %s: it is the settlement, and the window hears so although the host it was sent to is gone',
    async (when) => {
      const page = await t.window();
      void ask('k');
      await open(page, 'clarify').getByRole('textbox').fill('it is');
      if (when === 'unread') t.embedder.freeze();
      else await t.embedder.call('own.dieAround', when);
      await press(open(page, 'clarify'), 'Send answer');
      if (when === 'unread') {
        await open(page, 'clarify').getByText('Sent, waiting for the host.').waitFor();
        await t.embedder.kill();
      } else await t.embedder.dead();
      await open(page, 'clarify').getByText('Not confirmed', { exact: true }).waitFor();
      await t.embedder.start();
      expect(await became(page)).toMatch(/Answered\s.*“it is”/s);
      expect(await ask('k')).toMatchObject({ kind: 'answered', result: { answer: 'it is' } });
      expect(await t.embedder.call('requests.openRequestCount')).toBe(0);
    },
  );

  it('[RQ-I27] at any moment, four times: never lost, never taken twice, and never said to be more than it is', async () => {
    const page = await t.window();
    for (const [round, delay] of [0, 2, 4, 8].entries()) {
      const key = `k${round}`;
      void ask(key);
      const card = open(page, 'clarify').filter({ hasText: `${key}?` });
      await card.getByRole('textbox').fill(key);
      await press(card, 'Send answer');
      await new Promise((resolve) => setTimeout(resolve, delay));
      await t.embedder.kill();
      await t.embedder.start();
      await connected(page);
      const end = over(page, 'clarify').filter({ hasText: `${key}?` });
      await end.waitFor();
      expect(await end.innerText()).toMatch(/Answered|Not confirmed/);
      expect([round, await ask(key)]).toMatchObject([round, { kind: 'answered', result: { answer: key } }]);
      await press(end, 'Put away');
    }
  });

  it('[RQ-I27] [B1] overtaken by another window after the restart: the asker has one, and the other person is told', async () => {
    const wire = new Wire();
    const slow = await t.window(wire.attach);
    const quick = await t.window();
    void ask('k');
    await open(slow, 'clarify').getByRole('textbox').fill('the slow one');
    await open(quick, 'clarify').getByRole('textbox').fill('the quick one');
    t.embedder.freeze();
    await press(open(slow, 'clarify'), 'Send answer');
    await open(slow, 'clarify').getByText('Sent, waiting for the host.').waitFor();
    wire.isDown = true;
    await t.embedder.kill();
    await t.embedder.start();
    await connected(quick);
    await press(open(quick, 'clarify'), 'Send answer');
    await over(quick, 'clarify').getByText('Answered', { exact: true }).waitFor();
    wire.isDown = false;
    const words = await became(slow);
    expect(words).toMatch(/Not confirmed|Too late|Answered elsewhere/);
    expect(await ask('k')).toMatchObject({ result: { answer: 'the quick one' } });
  });
});
