/** Every transition of the coordinator chart, taken by a coordinator over a store, compared after each event. */
import { describe, expect, it } from 'vitest';
import type { EventFromLogic, InputFrom } from 'xstate';
import type { CoordinatorContext } from '../machines/coordinator.ts';
import { compile, type Snapshot, start, step } from '../machines/shared/step.ts';
import { createJournal } from '../src/journal.ts';
import { COORDINATOR_EVENTS, coordinatorMachine, coordinatorPlace, OTHER_TAB, TAB } from './support/charts.ts';
import { Coverage, coverPaths } from './support/cover.ts';
import { DurableRig, HostHooks } from './support/rig.ts';
import { same } from './support/same.ts';

type Event = EventFromLogic<typeof coordinatorMachine>;
type Input = InputFrom<typeof coordinatorMachine>;
type Place = Snapshot<CoordinatorContext, string>;

const chart = compile(coordinatorMachine);
const INPUTS: readonly Input[] = [{ tabs: {} }, { tabs: { [OTHER_TAB]: { epoch: 1, gone: ['y'], occupant: null } } }];

/** Transitions that no facade takes, each with its reason. */
const NOT_TAKEN: Readonly<Record<string, string>> = {
  'coordinator.opening on CLOSE[0] -> coordinator.closing':
    'a start that fails gives everything up, and nobody holds a coordinator before its doors are open',
};

class CoordinatorDriver {
  readonly #coverage: Coverage<typeof coordinatorMachine>;
  #occupant: string | undefined;
  readonly #rig = new DurableRig({}, { resolver: () => this.#occupant });
  #asks = 0;

  constructor(coverage: Coverage<typeof coordinatorMachine>) {
    this.#coverage = coverage;
  }

  async run(input: Input, events: readonly Event[]): Promise<void> {
    for (const [tab, facts] of Object.entries(input.tabs)) this.#rig.store.saveTab(tab, { tab, ...facts });
    this.#rig.store.commit();
    let at: Place = start(chart, input).snapshot;
    for (const event of events) {
      this.#coverage.step(at, event);
      at = step(chart, at as never, event).snapshot;
      await this.#perform(event);
      this.#compare(at, JSON.stringify(event));
    }
    const call = this.#rig.coordinator.show('pa-none').then(
      () => 'open',
      (error: { code?: string }) => error.code,
    );
    same('at the end', 'doors', await this.#rig.done(call), at.value === 'open' ? 'open' : 'closed');
    await this.#rig.restart();
    this.#compare(at, 'a restart');
  }

  async #perform(event: Event): Promise<void> {
    const rig = this.#rig;
    switch (event.type) {
      case 'OPENED':
        await rig.open();
        return;
      case 'CLOSE':
        return rig.done(rig.coordinator.close());
      case 'CLOSED':
        return;
      case 'BOUNDARY':
        return rig.done(rig.journal.closeAsks(event.tab));
      case 'SEEN':
        this.#occupant = event.occupant;
        this.#asks += 1;
        await rig.done(
          rig.journal.openAsk(`pa-${this.#asks}`, {
            tabId: event.tab,
            fingerprint: 'print',
            question: 'the question?',
          }),
        );
        this.#occupant = undefined;
        return;
      case 'GONE':
        return rig.done(rig.journal.retireDebt(event.tab, event.occupant));
      case 'MOVE':
        return rig.done(rig.journal.moveKey(event.from, event.to));
      default:
        throw new Error(`no executor for ${event.type}`);
    }
  }

  #compare({ context }: Place, what: string): void {
    const rows = this.#rig.store.tabs().map(({ tab, ...facts }) => [tab, facts] as const);
    const tabs = Object.entries(context.tabs);
    same(what, 'tabs', Object.fromEntries(rows), Object.fromEntries(tabs));
  }
}

/** Whether the facade sends this event here: an occupant is noted when that changes something. */
function isSent(at: Place, event: Event): boolean {
  if (event.type === 'RESET') return false;
  if (at.value === 'opening') return event.type === 'OPENED';
  if (at.value === 'closing') return event.type === 'CLOSED';
  if (at.value === 'closed') return false;
  if (event.type !== 'SEEN') return true;
  const tab = at.context.tabs[event.tab];
  if (tab === undefined) return false;
  return tab.gone.includes(event.occupant) || (tab.occupant !== null && tab.occupant !== event.occupant);
}

function reset(coverage: Coverage<typeof coordinatorMachine>): void {
  const { logger } = new HostHooks();
  const journal = createJournal({ logger });
  const epoch = (askId: string): number | undefined => {
    journal.openAsk(askId, { tabId: TAB, fingerprint: 'print', question: 'the question?' });
    return journal.ticketFor(askId)?.epoch;
  };
  let at: Place = start(chart, { tabs: {} }).snapshot;
  for (const event of [{ type: 'OPENED' }, { type: 'BOUNDARY', tab: TAB }, { type: 'RESET' }] as const) {
    coverage.step(at, event);
    at = step(chart, at as never, event).snapshot;
    if (event.type === 'BOUNDARY') journal.closeAsks(TAB);
    if (event.type === 'RESET') journal.reset();
    same(event.type, 'epoch', epoch(`pa-${event.type}`), at.context.tabs[TAB]?.epoch ?? 0);
  }
}

describe('every transition of the coordinator chart', () => {
  it('is taken by the coordinator, and `RESET` by the journal in memory', async () => {
    const coverage = new Coverage(coordinatorMachine);
    const paths = coverPaths(coordinatorMachine, COORDINATOR_EVENTS, {
      inputs: INPUTS,
      serialize: coordinatorPlace,
      allowed: ({ before, event }) => isSent(before as unknown as Place, event),
      kind: ({ before, event }, taken) => {
        const { epoch = 0, gone = [], occupant = null } = (before.context as CoordinatorContext).tabs[TAB] ?? {};
        return JSON.stringify([taken, event, Math.min(epoch, 1), gone, occupant]);
      },
    });
    for (const { input, events } of paths) await new CoordinatorDriver(coverage).run(input as Input, events);
    reset(coverage);
    expect(paths.length).toBeGreaterThan(30);
    expect(coverage.untaken).toEqual(Object.keys(NOT_TAKEN));
  });
});
