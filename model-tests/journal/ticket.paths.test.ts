/** Every transition of the ticket chart, taken by the journal and by the coordinator, compared after each event. */
import { describe, expect, it } from 'vitest';
import type { EventFromLogic, InputFrom, SnapshotFrom } from 'xstate';
import type { TicketContext } from '../../machines/journal/ticket.ts';
import { compile, start, step } from '../../machines/shared/step.ts';
import { OTHER_TAB, TAB, TICKET_EVENTS, TICKET_INPUTS, ticketMachine, ticketPlace } from '../support/charts.ts';
import { Coverage, coverPaths, type EventPath } from '../support/cover.ts';
import { DurableRig, MemoryRig, type Rig } from '../support/rig.ts';
import { same } from '../support/same.ts';

type Event = EventFromLogic<typeof ticketMachine>;
type Input = InputFrom<typeof ticketMachine>;
interface Place {
  readonly value: SnapshotFrom<typeof ticketMachine>['value'];
  readonly context: TicketContext;
}

const chart = compile(ticketMachine);
const LIMITS = { tickets: 3 };
const AUTHOR = { surface: 'page' };
/** Withdrawing, superseding, deadlines and restarts belong to the durable shell. */
const DURABLE_EVENTS: ReadonlySet<string> = new Set(['WITHDRAW', 'SUPERSEDE', 'DEADLINE', 'RESTART']);

class TicketDriver {
  readonly #rig: Rig;
  readonly #coverage: Coverage<typeof ticketMachine>;
  #askId = 'pa-1';
  /** Ends the call of the coordinator that asked, while it waits. */
  #call: AbortController | undefined;
  #others = 0;
  #texts = 0;

  constructor(rig: Rig, coverage: Coverage<typeof ticketMachine>) {
    this.#rig = rig;
    this.#coverage = coverage;
  }

  async run(input: Input, events: readonly Event[]): Promise<void> {
    await this.#bear(input, events);
    this.#coverage.start(input);
    let at = start(chart, input).snapshot as Place;
    await this.#compare(at, `birth ${JSON.stringify(input)}`);
    for (const event of events) {
      const before = at;
      this.#coverage.step(before, event);
      const { snapshot, effects } = step(chart, before as never, event);
      at = snapshot as Place;
      this.#rig.hooks.hush();
      await this.#perform(event, before);
      await this.#compare(at, JSON.stringify(event));
      for (const [effect, line] of [
        ['warnReopened', 'was opened again'],
        ['logTrimmed', 'the bound of open cards took'],
      ] as const) {
        const ordered = effects.filter(({ type }) => (type as string) === effect).length;
        const said = this.#rig.hooks.lines.filter(
          (one) => one.includes(line) && one.includes(this.#askId.slice(0, 12)),
        );
        same(JSON.stringify(event), effect, said.length, ordered);
      }
    }
  }

  #do<T>(work: T | Promise<T>): Promise<T> {
    return this.#rig.done(work);
  }

  get #durable(): DurableRig {
    if (this.#rig.kind !== 'durable') throw new Error('only the durable shell can do that');
    return this.#rig as DurableRig;
  }

  #open(askId = this.#askId): Promise<void> {
    const { journal } = this.#rig;
    return this.#do(journal.openAsk(askId, { tabId: TAB, fingerprint: 'print', question: 'the question?' }));
  }

  #record(): Promise<unknown> {
    this.#texts += 1;
    return this.#do(this.#rig.journal.record(this.#askId, `answer ${this.#texts}`, { tabId: TAB }));
  }

  async #bear({ reused, historyLost }: Input, events: readonly Event[]): Promise<void> {
    // A call that waits ends with its conversation, so where that is replaced the card is one of the journal's own.
    const outlives = events.some((event) => event.type === 'MOVE' && event.live !== 0);
    if (this.#rig.kind === 'durable' && !reused && !outlives) return this.#ask(events);
    // Answered before it was ever opened, or opened, answered and released before.
    if (historyLost) await this.#open();
    if (reused) await this.#record();
    if (historyLost) await this.#do(this.#rig.journal.closeAsk(this.#askId));
    await this.#open();
  }

  async #ask(events: readonly Event[]): Promise<void> {
    const { coordinator } = this.#durable;
    this.#call = new AbortController();
    const expires = events.some(({ type }) => type === 'DEADLINE') ? { expiresInMs: 60_000 } : {};
    const onOpen = (askId: string): void => {
      this.#askId = askId;
    };
    const options = { tab: TAB, timeoutMs: 3_600_000, signal: this.#call.signal, onOpen, ...expires };
    void coordinator.ask({ question: 'the question?' }, options).catch(() => undefined);
    await this.#durable.runtime.settle();
  }

  async #perform(event: Event, { context }: Place): Promise<void> {
    const { journal } = this.#rig;
    const answered = 'answered' in event && event.answered && !context.reused;
    switch (event.type) {
      case 'OPEN':
        return this.#open();
      case 'ANSWER':
        return void (await this.#record());
      case 'CLOSE':
        if (answered) await this.#record();
        if (this.#call === undefined) return void (await this.#do(journal.closeAsk(this.#askId)));
        this.#call.abort();
        this.#call = undefined;
        return this.#durable.runtime.pass(100);
      case 'RESTART':
        if (answered) await this.#do(this.#durable.coordinator.journal.record(this.#askId, 'early', { tabId: TAB }));
        this.#call = undefined;
        return this.#durable.restart();
      case 'WITHDRAW':
        same('withdraw', 'verdict', (await this.#withdraw(event.why)).verdict, 'withdrawn');
        return;
      case 'SUPERSEDE': {
        const { tab } = context.openings[0] ?? { tab: TAB };
        const { coordinator } = this.#durable;
        await this.#do(coordinator.ask({ question: 'another?' }, { tab, timeoutMs: 0, supersedes: this.#askId }));
        return;
      }
      case 'DEADLINE':
        return this.#durable.runtime.pass(61_000, 1_000);
      case 'TRIM':
        return this.#trim();
      case 'MOVE':
        if (event.live !== 0) await this.#do(journal.closeAsks(event.from));
        return this.#do(journal.moveKey(event.from, event.to));
    }
  }

  #withdraw(why: string) {
    return this.#do(this.#durable.coordinator.withdraw(this.#askId, why, AUTHOR));
  }

  /** Awaited cards push it out: an unattended one goes first, and of awaited ones the oldest. */
  async #trim(): Promise<void> {
    for (let i = 0; i < LIMITS.tickets; i++) {
      this.#others += 1;
      await this.#open(`pa-other-${this.#others}`);
    }
  }

  async #compare({ value, context }: Place, what: string): Promise<void> {
    const view = await this.#do(this.#rig.journal.ticketFor(this.#askId));
    const isOpen = value === 'awaited' || value === 'unattended';
    const last = context.openings.at(-1);
    same(
      what,
      'view',
      view && {
        ...{ tabId: view.tabId, epoch: view.epoch, awaiting: view.awaiting },
        ...{ reused: view.reused, historyLost: view.historyLost },
        openings: view.openings.map(({ tab, epoch, occupant }) => ({ tab, epoch, occupant })),
      },
      isOpen
        ? {
            ...{ tabId: last?.tab, epoch: last?.epoch, awaiting: value === 'awaited' },
            ...{ reused: context.reused, historyLost: context.historyLost },
            openings: context.openings,
          }
        : undefined,
    );
    if (this.#rig.kind === 'memory') return;
    const row = this.#durable.store.book.anyTicket(this.#askId);
    const plain = ({ askId: _askId, ...rest }: TicketContext) => rest;
    same(what, 'row', row && [row.at.value, plain(row.at.context)], [value, plain(context)]);
  }
}

function pathsFor(isDurable: boolean): readonly EventPath<typeof ticketMachine>[] {
  return coverPaths(ticketMachine, TICKET_EVENTS, {
    inputs: TICKET_INPUTS,
    serialize: ticketPlace,
    allowed: ({ before, event }) => {
      const { openings, reused } = before.context as TicketContext;
      if (DURABLE_EVENTS.has(event.type) && !isDurable) return false;
      // Deadlines are those of cards that the coordinator drew, and only an ask of one tab is superseded.
      if (event.type === 'DEADLINE') return !reused && openings.every(({ epoch }) => epoch === 0);
      if (event.type === 'SUPERSEDE') return !reused && new Set(openings.map(({ tab }) => tab)).size === 1;
      // What was answered cannot be withdrawn, and a reused id may have been.
      if (event.type === 'WITHDRAW') return !reused;
      if (event.type === 'MOVE') return openings.every(({ tab }) => tab !== OTHER_TAB);
      return true;
    },
  });
}

async function runAll(isDurable: boolean) {
  const coverage = new Coverage(ticketMachine);
  const paths = pathsFor(isDurable);
  for (const { input, events } of paths) {
    const rig = isDurable ? await new DurableRig(LIMITS).open() : new MemoryRig(LIMITS);
    await new TicketDriver(rig, coverage).run(input as Input, events);
  }
  return { coverage, paths };
}

describe('every transition of the ticket chart', () => {
  it('is taken by the journal in memory', async () => {
    const { coverage, paths } = await runAll(false);
    expect(paths.length).toBeGreaterThan(20);
    const own = coverage.untaken.filter((name) => ![...DURABLE_EVENTS].some((type) => name.includes(` on ${type}[`)));
    expect(own).toEqual([]);
  });

  it('is taken by the coordinator', async () => {
    const { coverage, paths } = await runAll(true);
    expect(paths.length).toBeGreaterThan(30);
    expect(coverage.untaken).toEqual([]);
  });
});
