/** Every transition of the chart of a spent call, taken by durable tools over a file, across processes. */
import { describe, expect, it } from 'vitest';
import { compile, start, step } from '../../machines/shared/step.ts';
import { spendMachine } from '../../machines/tools/spend.ts';
import type { SpendEvent } from '../../machines/tools/spend-facts.ts';
import type { RowChange } from '../../src/requests/api.ts';
import { durableTools, type UnknownDecision } from '../../src/tools/durable.ts';
import type { JsonObject } from '../../src/wire/json.ts';
import { macrotask, part, Rig } from '../../test/tools/rig.ts';
import { Coverage, coverPaths } from '../support/cover.ts';
import { same } from '../support/same.ts';

const chart = compile(spendMachine, (context) => ({ ...context }));
const EVENTS = (['DONE', 'FAILED', 'RESTART', 'AGAIN', 'GIVEN'] as const).map((type) => ({ type }));

class SpendDriver {
  readonly #coverage: Coverage<typeof spendMachine>;
  readonly #rows = new Map<string, JsonObject>();
  #rig = new Rig();
  #runs = 0;
  #decide: (decision: UnknownDecision) => void = () => undefined;

  constructor(coverage: Coverage<typeof spendMachine>) {
    this.#coverage = coverage;
  }

  async run(events: readonly SpendEvent[]): Promise<void> {
    let at = start(chart, undefined).snapshot;
    await this.#open();
    let runs = 1;
    for (const event of events) {
      const what = JSON.stringify(event);
      this.#coverage.step(at, event);
      at = step(chart, at, event).snapshot;
      await this.#perform(event);
      if (event.type === 'AGAIN') runs += 1;
      const { fate } = at.value as { fate: string };
      same(
        what,
        'state on file',
        [...this.#rows.values()].map(({ state }) => state),
        [fate],
      );
      same(what, 'runs', this.#runs, runs);
      same(what, 'reports', this.#rig.results.length, fate === 'done' || fate === 'failed' ? 1 : 0);
    }
    await this.#giveAgain(events);
  }

  /** What has its outcome on file gives it after a reload, and does not run. */
  async #giveAgain(events: readonly SpendEvent[]): Promise<void> {
    const { results } = this.#rig;
    if (results.length === 0) return;
    const runs = this.#runs;
    await this.#open();
    same('reload', 'report', this.#rig.results, results);
    same('reload', 'runs', this.#runs, runs);
    same('reload', 'error', results[0]?.isError, events.at(-1)?.type === 'FAILED');
  }

  /** A process over the file; the call is history to it, and the host takes it up. */
  async #open(): Promise<void> {
    const tools = durableTools({
      tools: () => ({
        execute: (args: unknown, context) => {
          this.#runs += 1;
          return rig.execute(args, context, 'hang');
        },
      }),
      ledger: {
        commit: (changes: readonly RowChange[]) => {
          for (const { id, row } of changes) if (row !== undefined) this.#rows.set(id, structuredClone(row));
        },
        rows: () => structuredClone([...this.#rows.values()]),
      },
      boundary: 'chat-1#0',
      resume: (id, payload) => rig.tracker.resume(id, payload),
      onUnknown: () =>
        new Promise((resolve) => {
          this.#decide = resolve;
        }),
    });
    const rig = new Rig({ tools });
    this.#rig = rig;
    rig.push('s', part('{}'));
    same('reload', 'adopted', rig.tracker.adopt('t'), true);
    await macrotask();
  }

  async #perform({ type }: SpendEvent): Promise<void> {
    if (type === 'RESTART') return this.#open();
    if (type === 'DONE') this.#rig.started[0]?.resolve('sent');
    else if (type === 'FAILED') this.#rig.started[0]?.reject(new Error('refused'));
    else this.#decide(type === 'AGAIN' ? { again: true } : { result: 'it was sent' });
    await macrotask();
  }
}

describe('every transition of the chart of a spent call', () => {
  it('[TL-H01, TL-H02, TL-H03] is taken by durable tools', async () => {
    const coverage = new Coverage(spendMachine);
    const ways = coverPaths(spendMachine, EVENTS);
    for (const { events } of ways) await new SpendDriver(coverage).run(events as readonly SpendEvent[]);
    expect(coverage.untaken).toEqual([]);
    expect(ways.length).toBeGreaterThan(3);
  });
});
