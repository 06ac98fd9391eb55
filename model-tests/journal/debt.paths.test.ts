/** Every transition of the chart of warning tokens, taken by the journal and by the coordinator. */
import { describe, expect, it } from 'vitest';
import type { EventFromLogic } from 'xstate';
import type { DebtContext } from '../../machines/journal/debt.ts';
import { compile, type Snapshot, start, step } from '../../machines/shared/step.ts';
import { DEBT_EVENTS, DEBT_INPUTS, debtMachine, TAB } from '../support/charts.ts';
import { Coverage, coverPaths } from '../support/cover.ts';
import { DurableRig, MemoryRig, type Rig } from '../support/rig.ts';
import { same } from '../support/same.ts';

type Event = EventFromLogic<typeof debtMachine>;
const chart = compile(debtMachine);
const LIMITS = { entriesPerTab: 4 };
const LOST = [1, 2] as const;
const rideOf = (loss: number): string => `ride-${loss}`;

class DebtDriver {
  readonly #rig: Rig;
  readonly #coverage: Coverage<typeof debtMachine>;
  readonly #dead = new Map<number, string>();
  #token = '';
  #key = TAB;
  #told = 0;

  constructor(rig: Rig, coverage: Coverage<typeof debtMachine>) {
    this.#rig = rig;
    this.#coverage = coverage;
  }

  #do<T>(work: T | Promise<T>): Promise<T> {
    return this.#rig.done(work);
  }

  /** Two answers that rode a result and were then taken by the bound: a late receipt of that ride settles each. */
  async #lose(): Promise<void> {
    const { journal, hooks } = this.#rig;
    for (const loss of LOST) {
      const askId = `pa-dead-${loss}`;
      await this.#do(journal.openAsk(askId, { tabId: TAB, fingerprint: askId, question: askId }));
      const { token } = await this.#do(journal.record(askId, 'lost', { tabId: TAB }));
      hooks.carrier = rideOf(loss);
      await this.#do(journal.markReturned(token));
      this.#dead.set(loss, token);
    }
    for (let i = 0; i < LIMITS.entriesPerTab; i++) {
      await this.#do(journal.record(`pa-filler-${i}`, 'filler', { tabId: TAB }));
    }
    same('preparing', 'losses', await this.#do(journal.droppedFor(TAB)), LOST.length);
  }

  async run(input: DebtContext, events: readonly Event[]): Promise<void> {
    const { hooks, journal } = this.#rig;
    await this.#lose();
    hooks.hush();
    hooks.carrier = input.carrier;
    same('report', 'count', await this.#do(journal.reportDropped(TAB)), LOST.length);
    this.#token = hooks.attached.at(-1) ?? '';
    this.#coverage.start(input);
    let at: Snapshot<DebtContext, string> = start(chart, input).snapshot;
    await this.#compare(at, 'birth');
    for (const event of events) {
      this.#coverage.step(at, event);
      const taken = step(chart, at as never, event);
      at = taken.snapshot;
      hooks.hush();
      if (taken.effects.some(({ type }) => type === 'tellLosses')) this.#told += at.context.losses.length;
      if (event.type === 'SETTLED') this.#told += 1;
      await this.#perform(event);
      const refused = hooks.lines.filter((line) => line.includes('receipt for warning') && line.includes('refused'));
      const ordered = taken.effects.filter(({ type }) => type === 'warnRefused').length;
      same(JSON.stringify(event), 'refusals', refused.length, ordered);
      await this.#compare(at, JSON.stringify(event));
    }
    // A token that has ended proves nothing any more.
    if (!at.done) return;
    await this.#do(journal.ack(this.#token, { carrier: input.carrier ?? 'c1' }));
    await this.#compare(at, 'a receipt after the end');
  }

  #perform(event: Event): Promise<void> {
    const { journal } = this.#rig;
    switch (event.type) {
      case 'RECEIPT':
        return this.#do(journal.ack(this.#token, event.carrier === null ? {} : { carrier: event.carrier }));
      case 'HANDBACK':
        return this.#do(journal.release(this.#token));
      case 'SETTLED':
        return this.#do(journal.ack(this.#dead.get(event.loss) ?? '', { carrier: rideOf(event.loss) }));
      case 'MOVE': {
        const from = this.#key;
        this.#key = event.to;
        return this.#do(journal.moveKey(from, event.to));
      }
    }
  }

  async #compare(at: Snapshot<DebtContext, string>, what: string): Promise<void> {
    same(what, 'debt', await this.#do(this.#rig.journal.droppedFor(this.#key)), LOST.length - this.#told);
    if (this.#rig.kind === 'memory') return;
    const row = (this.#rig as DurableRig).store.book.warning(Number(this.#token.slice(3)));
    const plain = ({ token: _token, ...rest }: DebtContext) => rest;
    same(
      what,
      'row',
      row && [row.at.value, plain(row.at.context)],
      at.done ? undefined : [at.value, plain(at.context)],
    );
  }
}

describe('every transition of the chart of warning tokens', () => {
  const paths = coverPaths(debtMachine, DEBT_EVENTS, {
    inputs: DEBT_INPUTS,
    allowed: ({ before, event }) => event.type !== 'SETTLED' || before.context.losses.includes(event.loss),
  });

  it.each(['memory', 'durable'] as const)('[J-I03] is taken (%s)', async (kind) => {
    const coverage = new Coverage(debtMachine);
    const runs = [...paths, { input: DEBT_INPUTS[0], events: [] }];
    for (const { input, events } of runs) {
      const rig = kind === 'durable' ? await new DurableRig(LIMITS).open() : new MemoryRig(LIMITS);
      await new DebtDriver(rig, coverage).run(input as DebtContext, events);
    }
    expect(paths.length).toBeGreaterThan(10);
    expect(coverage.untaken).toEqual([]);
  });
});
