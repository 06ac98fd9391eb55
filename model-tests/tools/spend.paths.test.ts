/** Every transition of the spend chart, taken by the calls on file, compared after each event. */
import { describe, expect, it } from 'vitest';
import { spendMachine } from '../../machines/tools/spend.ts';
import type { SpendEvent } from '../../machines/tools/spend-facts.ts';
import type { RowChange } from '../../src/requests/api.ts';
import { nextState } from '../../src/tools/call-row.ts';
import { createToolCalls, type UnknownDecision } from '../../src/tools/durable.ts';
import type { ToolContext, ToolSpec } from '../../src/tools/types.ts';
import type { JsonObject } from '../../src/wire/json.ts';
import { Coverage, coverPaths } from '../support/cover.ts';
import { same } from '../support/same.ts';
import { SPEND_EVENTS } from './samples.ts';

const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

/** A promise in the test's hand. */
class Held<T> {
  resolve!: (value: T) => void;
  reject!: (error: unknown) => void;
  readonly promise = new Promise<T>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
}

/** One process after another, each with the same call. */
class Driver {
  readonly #rows = new Map<string, JsonObject>();
  #tool!: ToolSpec;
  /** How the executor goes on: it asks, or ends. */
  #step = new Held<'ask'>();
  #answer = new Held<unknown>();
  #decision = new Held<UnknownDecision>();
  #state = 'open';

  async begin(): Promise<void> {
    this.#process();
    // The argument callback asks: what is on file before a claim.
    const callback = this.#context();
    void callback.streamCall?.();
    await settle();
  }

  #process(): void {
    const rows = this.#rows;
    const calls = createToolCalls({
      ledger: {
        commit: (changes: readonly RowChange[]) => {
          for (const { id, row } of changes) if (row !== undefined) rows.set(id, structuredClone(row));
        },
        rows: () => structuredClone([...rows.values()]),
      },
      asks: {
        newId: () => 'pa-1',
        digest: ({ question }) => question,
        put: () => new Promise(() => undefined),
        wait: () => new Promise(() => undefined),
        ack: () => undefined,
        release: () => undefined,
        withdraw: () => undefined,
      },
    });
    const execute = async (_args: never, { human }: ToolContext): Promise<unknown> => {
      for (;;) {
        const next = await this.#step.promise;
        this.#step = new Held();
        if (next !== 'ask') return next;
        const answer = human('Go on?');
        // It may end before it has its answer.
        const first = await Promise.race([answer.then(() => 'answered'), this.#step.promise]);
        if (first !== 'answered') return first;
      }
    };
    const tools = calls.durable({
      tools: () => ({ execute, streamCall: (_reader, { human }) => void human('First?') }),
      boundary: 'b',
      resume: () => true,
      question: (payload) => ({ question: { question: String(payload) }, options: { tab: 't' } }),
      onUnknown: () => this.#decision.promise,
    });
    this.#tool = tools('x') as ToolSpec;
    this.#step = new Held();
    this.#decision = new Held();
  }

  #context(): { execute?: () => unknown; streamCall?: () => unknown } {
    const context: ToolContext = {
      toolCallId: 't',
      abortSignal: new AbortController().signal,
      human: () => {
        this.#answer = new Held();
        return this.#answer.promise;
      },
    };
    return {
      execute: () => Promise.resolve(this.#tool.execute?.({} as never, context)).catch(() => undefined),
      streamCall: () => this.#tool.streamCall?.({} as never, context),
    };
  }

  async play(event: SpendEvent): Promise<void> {
    await this.#perform(event.type);
    await settle();
    this.#state = nextState(this.#state, event);
    const [row] = [...this.#rows.values()];
    same(event.type, 'row', row?.['state'], this.#state);
    const isSpent = this.#state === 'done' || this.#state === 'failed';
    same(event.type, 'outcome', row?.['outcome'] !== undefined, isSpent);
  }

  async #perform(type: SpendEvent['type']): Promise<void> {
    switch (type) {
      case 'CLAIM':
        return void this.#context().execute?.();
      case 'PARK':
        return this.#step.resolve('ask');
      case 'RESUME':
        return this.#answer.resolve('yes');
      case 'DONE':
        return this.#step.resolve('done' as never);
      case 'FAILED':
        return this.#step.reject(new Error('failed'));
      case 'RESTART':
        return this.#process();
      default:
        this.#decision.resolve(type === 'AGAIN' ? { again: true } : { result: 'given' });
        this.#context().execute?.();
    }
  }
}

describe('every transition of the spend chart', () => {
  it('[TL-H02, TL-H03, TL-H05] is taken by the calls on file', async () => {
    const coverage = new Coverage(spendMachine);
    const events = SPEND_EVENTS.map((type) => ({ type }));
    const paths = coverPaths(spendMachine, events, { serialize: ({ value }) => JSON.stringify(value) });
    for (const path of paths) {
      const driver = new Driver();
      await driver.begin();
      let state = 'open';
      for (const event of path.events) {
        coverage.step({ value: { fate: state }, context: {} }, event);
        await driver.play(event);
        state = nextState(state, event);
      }
    }
    expect(paths.length).toBeGreaterThan(5);
    expect(coverage.untaken).toEqual([]);
  });
});
