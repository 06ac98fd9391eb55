import { describe, expect, it } from 'vitest';
import { type Coordinator, type CoordinatorOptions, openCoordinator } from '../../src/coordinator.ts';
import { createTap, type TapReader, type TapStep } from '../../src/inspect/tap.ts';
import { createJournal } from '../../src/journal.ts';
import { TAP } from '../../src/limits.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { faultyStore } from '../../src/testing/faulty-store.ts';
import { HandRuntime } from '../../src/testing/hand-runtime.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const AUTHOR = { surface: 'page', who: 'ann' };

function hearing() {
  const lines: string[] = [];
  return { lines, logger: { ...silent, warn: (...args: unknown[]) => void lines.push(String(args.at(-1))) } };
}

async function opened(options: Partial<CoordinatorOptions> = {}) {
  const runtime = new HandRuntime();
  const opening = openCoordinator({ store: memoryStore(), runtime, logger: silent, alwaysVisible: true, ...options });
  await runtime.settle();
  return { runtime, coordinator: await opening };
}

/** One question, answered late and read back; gives what its caller got. */
async function cycle(coordinator: Coordinator, runtime: HandRuntime, reply = 'blue') {
  let askId = '';
  const onOpen = (opened: string): void => {
    askId = opened;
  };
  const asking = coordinator.ask(
    { question: 'Which colour?' },
    { tab: 'tab-1', timeoutMs: 1_000, attach: () => 'turn-1', onOpen },
  );
  await runtime.settle();
  const verdict = await settled(runtime, coordinator.answer(askId, { text: reply }, AUTHOR));
  const outcome = await settled(runtime, asking);
  return { askId, verdict, outcome };
}

async function settled<T>(runtime: HandRuntime, work: Promise<T>): Promise<T> {
  const [result] = await Promise.all([work, runtime.settle()]);
  return result;
}

const short = ({ machine, id, event, before, after }: TapStep): string =>
  `${machine} ${id} ${event.type}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`;

describe('the tap of a coordinator', () => {
  it('shows each step with its rules, in the order of commits, from the first on', async () => {
    const steps: TapStep[] = [];
    const { coordinator, runtime } = await opened({ inspect: (step) => void steps.push(step) });
    const { askId } = await cycle(coordinator, runtime);
    await settled(runtime, coordinator.close());
    const shown = steps.filter(({ ignored }) => !ignored);
    expect(shown.map(short)).toEqual([
      'coordinator coordinator OPENED: "opening" -> "open"',
      `ticket ${askId} xstate.init: null -> "awaited"`,
      'answer aa1 xstate.init: null -> {"delivery":"none","label":"matched"}',
      'answer aa1 RETURN: {"delivery":"none","label":"matched"} -> {"delivery":"none","label":"matched"}',
      `ticket ${askId} CLOSE: "awaited" -> "released"`,
      'coordinator coordinator CLOSE: "open" -> "closing"',
      'coordinator coordinator CLOSED: "closing" -> "closed"',
    ]);
    expect(steps.map(({ seq }) => seq)).toEqual(steps.map((_, i) => i + 1));
    expect(shown[2]?.event).toEqual({ type: 'xstate.init', tab: 'tab-1', askId });
    expect(shown[4]).toMatchObject({ rules: ['R-074'], effects: [], done: true, event: { answered: true } });
  });

  it('shows nothing before its commit, and nothing of what was given up', async () => {
    const store = faultyStore(memoryStore());
    const steps: TapStep[] = [];
    const { coordinator, runtime } = await opened({ store });
    coordinator.tap((step) => void steps.push(step));
    store.plant({ on: 'commit', nth: 1 });
    const failing = coordinator.journal.openAsk('pa-1', { tabId: 't', fingerprint: 'f', question: 'q' });
    await expect(settled(runtime, failing)).rejects.toThrow();
    expect(steps).toEqual([]);
    await settled(runtime, coordinator.journal.openAsk('pa-2', { tabId: 't', fingerprint: 'f', question: 'q' }));
    expect(steps.map(({ id }) => id)).toEqual(['pa-2']);
    await settled(runtime, coordinator.close());
  });
});

describe('readers', () => {
  const journalWith = (tap: ReturnType<typeof createTap>) =>
    createJournal({ watch: tap.watch, logger: silent, limits: { tickets: 1e6 } });
  const openOn = (journal: ReturnType<typeof createJournal>, count: number, from = 0): void => {
    for (let i = from; i < from + count; i += 1) {
      journal.openAsk(`pa-${i}`, { tabId: 't', fingerprint: 'f', question: 'q' });
    }
  };

  it('are told a tick later, each all of it, whoever else throws', async () => {
    const runtime = new HandRuntime();
    const { lines, logger } = hearing();
    const tap = createTap({ runtime, logger });
    const journal = journalWith(tap);
    const told: number[][] = [[], []];
    tap.read(({ seq }) => void told[0]?.push(seq));
    tap.read(() => {
      throw new Error('no');
    });
    tap.read(() => Promise.reject(new Error('no promise')));
    tap.read(({ seq }) => void told[1]?.push(seq));
    openOn(journal, 3);
    expect(told).toEqual([[], []]);
    await runtime.settle();
    expect(told).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    openOn(journal, 1, 3);
    await runtime.settle();
    expect(told[1]).toEqual([1, 2, 3, 4]);
    expect(lines.map((line) => line.replace(/.*\(|\).*/g, ''))).toEqual(['Error: no', 'Error: no promise']);
  });

  it('one that is slow loses the oldest, is told how many, and holds up nobody', async () => {
    const runtime = new HandRuntime();
    const tap = createTap({ runtime, logger: silent });
    const journal = journalWith(tap);
    const quick: number[] = [];
    const slow: [number, number][] = [];
    let release = (): void => undefined;
    tap.read(({ seq }) => void quick.push(seq));
    tap.read(({ seq }, dropped) => {
      slow.push([seq, dropped]);
      return new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    for (let i = 0; i < 15; i += 1) {
      openOn(journal, 100, i * 100);
      await runtime.settle();
    }
    expect([quick.length, slow]).toEqual([1_500, [[1, 0]]]);
    release();
    await runtime.settle();
    const lost = 1_500 - TAP.behind - 1;
    expect(slow.at(-1)).toEqual([lost + 2, lost]);
    release();
    await runtime.settle();
    expect(slow.at(-1)).toEqual([lost + 3, 0]);
  });

  it('are told so many at a time', async () => {
    const runtime = new HandRuntime();
    const tap = createTap({ runtime, logger: silent });
    const seen: number[] = [];
    tap.read(({ seq }) => void seen.push(seq));
    openOn(journalWith(tap), TAP.atOnce + 10);
    runtime.tick();
    expect(seen).toHaveLength(TAP.atOnce);
    await runtime.settle();
    expect(seen).toHaveLength(TAP.atOnce + 10);
  });

  it('hear nothing after they have left, also from within; then nothing is told at all', async () => {
    const runtime = new HandRuntime();
    const tap = createTap({ runtime, logger: silent });
    const journal = journalWith(tap);
    const seen: number[] = [];
    const stop = tap.read(({ seq }) => {
      seen.push(seq);
      stop();
    });
    expect(tap.watch.tell).toBeDefined();
    openOn(journal, 3);
    await runtime.settle();
    expect([seen, tap.watch.tell]).toEqual([[1], undefined]);
    stop();
  });

  it('cannot change what others are shown', async () => {
    const runtime = new HandRuntime();
    const tap = createTap({ runtime, logger: silent });
    const spoil: TapReader = (step) => {
      for (const part of [step, step.event, step.effects, step.rules, step.before, step.after]) {
        if (typeof part === 'object' && part !== null) {
          for (const name of Object.keys(part)) Reflect.set(part, name, 'spoilt');
          Reflect.set(part, '0', 'spoilt');
        }
      }
    };
    const seen: TapStep[] = [];
    tap.read(spoil);
    tap.read((step) => void seen.push(step));
    const journal = journalWith(tap);
    openOn(journal, 2);
    journal.record('pa-0', 'blue', { tabId: 't' });
    journal.closeAsk('pa-0');
    journal.reportDropped('t');
    journal.forget('t');
    await runtime.settle();
    expect(seen.some(({ effects }) => effects.length > 0)).toBe(true);
    expect(JSON.stringify(seen)).not.toContain('spoilt');
    expect(() => tap.read('x' as unknown as TapReader)).toThrow(/reader: must be a function/);
  });

  it('are shown the time by the clock, read once a tick', async () => {
    const runtime = new HandRuntime();
    const tap = createTap({ runtime, logger: silent });
    const journal = journalWith(tap);
    const times: number[] = [];
    tap.read(({ at }) => void times.push(at));
    const from = runtime.now();
    openOn(journal, 2);
    await runtime.settle();
    await runtime.pass(5);
    openOn(journal, 1, 2);
    await runtime.settle();
    expect(times).toEqual([from, from, from + 5]);
  });
});
