import { createWebSocketReceiver } from '@statelyai/inspect';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { connectStately, inspectionEvents, inspectWith, type ShownEvent } from '../../src/inspect/index.ts';
import { INSPECT } from '../../src/inspect/limits.ts';
import { createTap, type TapStep } from '../../src/inspect/tap.ts';
import { createJournal } from '../../src/journal.ts';
import { HandRuntime } from '../../src/testing/hand-runtime.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** One question, answered late, pushed, read back or forgotten: everything that people write is the secret. */
async function stepsWith(secret: string): Promise<TapStep[]> {
  const runtime = new HandRuntime();
  const tap = createTap({ runtime, logger: silent });
  const steps: TapStep[] = [];
  tap.read((step) => void steps.push(step));
  const journal = createJournal({ watch: tap.watch, logger: silent, limits: { entriesPerTab: 2 } });
  for (const i of [1, 2, 3, 4]) {
    journal.openAsk(`pa-${i}`, { tabId: 'tab', fingerprint: `f${secret}`, question: `Why ${secret}?` });
    journal.closeAsk(`pa-${i}`);
    journal.record(`pa-${i}`, `Because ${secret}.`, { tabId: 'tab' });
    if (i === 1) journal.deliverPending('tab', () => true);
  }
  journal.reportDropped('tab');
  journal.ack('aa4');
  journal.forget('tab');
  await runtime.settle();
  return steps;
}

/** Long enough that no id or state holds it by chance. */
const secrets = fc.string({ minLength: 12, maxLength: 40 }).filter((text) => text.trim().length > 10);

describe('nothing that people wrote is shown', () => {
  it('neither in steps nor in the shapes of XState', async () => {
    await fc.assert(
      fc.asyncProperty(secrets, async (secret) => {
        const steps = await stepsWith(secret);
        expect(steps.length).toBeGreaterThan(12);
        const shapes = steps.flatMap((step) => inspectionEvents(step, true));
        const snapshots = shapes.map(({ actorRef }) => [actorRef.getSnapshot(), actorRef.logic]);
        const text = JSON.stringify([steps, shapes, snapshots]);
        expect(text.includes(JSON.stringify(secret).slice(1, -1))).toBe(false);
      }),
      { numRuns: 20 },
    );
  });
});

describe('the hook', () => {
  it('tells of an actor once, then event, actions, microstep and snapshot, of chosen rows only', async () => {
    const told: ShownEvent[] = [];
    const hook = inspectWith({ next: (event: ShownEvent) => void told.push(event) }, { rows: ['aa2'] });
    const steps = await stepsWith('hidden');
    for (const step of steps) await hook.inspect(step, 0);
    const own = told.filter(({ actorRef }) => actorRef.sessionId === 'answer:aa2');
    expect(new Set(told.map(({ actorRef }) => actorRef.sessionId))).toEqual(
      new Set(['coordinator:coordinator', 'answer:aa2']),
    );
    expect(own.slice(0, 2).map(({ type }) => type)).toEqual(['@xstate.actor', '@xstate.event']);
    expect(own.filter(({ type }) => type === '@xstate.actor')).toHaveLength(1);
    const counts = ['@xstate.event', '@xstate.microstep', '@xstate.snapshot'].map(
      (wanted) => own.filter(({ type }) => type === wanted).length,
    );
    expect(new Set(counts).size).toBe(1);
  });

  it('shows so many rows, and refuses an address that others can read', async () => {
    const rows = Array.from({ length: INSPECT.rows }, (_, i) => `aa${i}`);
    const hook = inspectWith({ next: () => undefined }, { rows });
    expect(() => hook.follow('one-more')).toThrow(/one too many/);
    hook.leave('aa0');
    hook.follow('one-more');
    for (const url of ['ws://example.org:8080', 'wss://stately.ai', 'http://127.0.0.1', 'nonsense']) {
      await expect(connectStately(url)).rejects.toThrow(/url: must be a ws: address on 127.0.0.1/);
    }
    expect(() => inspectWith({})).toThrow(/inspection: must have a function/);
  });
});

describe('with the official packages', () => {
  it('actors with their definitions, events and snapshots arrive, and no secret', async () => {
    const relay = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await new Promise((resolve) => relay.once('listening', resolve));
    relay.on('connection', (socket) =>
      socket.on('message', (data) => {
        for (const other of relay.clients) if (other !== socket) other.send(String(data));
      }),
    );
    const url = `ws://127.0.0.1:${(relay.address() as { port: number }).port}`;
    const connected = new Promise((resolve) => relay.once('connection', resolve));
    const seen: object[] = [];
    createWebSocketReceiver({ server: url }).subscribe((event) => void seen.push(event));
    await connected;
    const stately = await connectStately(url, { rows: ['aa1', 'pa-1'] });
    try {
      for (const step of await stepsWith('S3CRET-S3CRET')) stately.inspect(step, 0);
      const texts = (): string[] => seen.map((event) => JSON.stringify(event));
      await expect
        .poll(
          () =>
            texts().filter((text) => /"@xstate.snapshot".*"answer:aa1"|"answer:aa1".*"@xstate.snapshot"/.test(text))
              .length,
          {
            timeout: 10_000,
          },
        )
        .toBeGreaterThan(1);
      const actors = seen.filter((event) => 'type' in event && event.type === '@xstate.actor');
      expect(actors).toHaveLength(3);
      expect(actors.at(-1)).toMatchObject({
        parentId: 'coordinator:coordinator',
        definition: expect.stringContaining('"states"'),
      });
      expect(texts().join('').includes('S3CRET')).toBe(false);
    } finally {
      stately.stop();
      for (const socket of relay.clients) socket.terminate();
      relay.close();
    }
  });
});
