/** Every transition of the loss chart, taken by the journal, compared after each event. */
import { describe, expect, it } from 'vitest';
import type { AnyMachineSnapshot, EventFromLogic } from 'xstate';
import type { LossInput } from '../../machines/journal/loss.ts';
import { compile, start, step } from '../../machines/shared/step.ts';
import { LOSS_EVENTS, LOSS_INPUTS, lossMachine, TAB } from '../support/charts.ts';
import { Coverage, coverPaths, type EventPath } from '../support/cover.ts';
import { MemoryRig } from '../support/rig.ts';
import { same } from '../support/same.ts';

type Event = EventFromLogic<typeof lossMachine>;
const chart = compile(lossMachine);
const LIMITS = { entriesPerTab: 6 };
const begin = (input: LossInput) => start(chart, input).snapshot;

/**
 * A loss is born when a bound takes an answer. What comes before a recall that works (`RECALLED`), or before an offer
 * ends that the bound has overtaken (`TAKEN`), happens inside that very callback.
 */
class LossDriver {
  readonly #rig = new MemoryRig(LIMITS);
  readonly #coverage: Coverage<typeof lossMachine>;
  readonly #dead: string;
  readonly #shows: string;
  #key = TAB;
  #fillers = 0;
  #at: ReturnType<typeof begin>;

  constructor(input: LossInput, coverage: Coverage<typeof lossMachine>) {
    const { hooks, journal } = this.#rig;
    this.#coverage = coverage;
    this.#at = begin(input);
    this.#dead = this.#pending('pa-dead');
    if (input.copyOut) {
      const answer = input.copyCarrier === null ? true : { carrier: input.copyCarrier };
      journal.deliverPending(TAB, () => answer);
    }
    for (const ride of input.rides) {
      hooks.carrier = ride;
      journal.markReturned(this.#dead);
    }
    this.#shows = this.#pending('pa-shows');
    while (journal.entriesFor(TAB).length < LIMITS.entriesPerTab) this.#fill();
    same('preparing', 'losses', journal.droppedFor(TAB), 0);
  }

  #pending(askId: string): string {
    const { journal } = this.#rig;
    journal.openAsk(askId, { tabId: TAB, fingerprint: askId, question: askId });
    journal.closeAsk(askId);
    return journal.record(askId, 'an answer', { tabId: TAB }).token;
  }

  #fill(): void {
    this.#fillers += 1;
    this.#rig.journal.record(`pa-filler-${this.#fillers}`, 'filler', { tabId: TAB });
  }

  run(input: LossInput, events: readonly Event[]): void {
    const { hooks, journal } = this.#rig;
    this.#coverage.start(input);
    const until = events.findIndex(({ type }) => type === 'RECALLED' || type === 'TAKEN');
    const inside = until < 0 ? [] : events.slice(0, until);
    const ending = events[until];
    const play = (): void => {
      this.#compare('birth');
      for (const event of inside) this.#play(event);
    };
    if (ending?.type === 'TAKEN') {
      journal.deliverPending(TAB, (_payload, token) => {
        if (token !== this.#dead) return false;
        this.#fill();
        play();
        return ending.carrier === null ? true : { carrier: ending.carrier };
      });
    } else {
      journal.setRevoker((_key, token) => {
        if (token !== this.#dead || ending === undefined) return false;
        play();
        return true;
      });
      this.#fill();
      if (ending === undefined) this.#compare('birth');
    }
    hooks.hush();
    if (ending !== undefined) this.#advance(ending);
    for (const event of events.slice(until + 1)) this.#play(event);
  }

  #play(event: Event): void {
    const isShown = this.#at.value === 'handed_off';
    this.#perform(event, isShown);
    this.#advance(event);
  }

  #advance(event: Event): void {
    this.#coverage.step(this.#at, event);
    this.#at = step(chart, this.#at, event).snapshot;
    this.#compare(JSON.stringify(event));
  }

  #perform(event: Event, isShown: boolean): void {
    const { hooks, journal } = this.#rig;
    const named = 'carrier' in event && event.carrier !== null ? { carrier: event.carrier } : {};
    switch (event.type) {
      case 'DISPLAY':
        journal.deliverPending(this.#key, (_payload, token) => token === this.#shows);
        return;
      case 'OWE':
        return journal.release(this.#shows);
      case 'TELL':
        if (isShown) return journal.ack(this.#shows);
        hooks.carrier = 'warned-turn';
        journal.reportDropped(this.#key);
        return journal.ack(hooks.attached.at(-1) ?? '', { carrier: 'warned-turn' });
      case 'RECEIPT':
        return journal.ack(this.#dead, named);
      case 'HANDBACK':
        return journal.release(this.#dead, named);
      case 'SURFACE':
        return journal.retireDebt(this.#key, null);
      case 'MOVE':
        journal.moveKey(this.#key, event.to);
        this.#key = event.to;
        return;
      default:
        throw new Error(`no executor for ${event.type}`);
    }
  }

  #compare(what: string): void {
    const { hooks, journal } = this.#rig;
    hooks.carrier = null;
    // Only what is owed is reported; what a copy displays, or what has ended, is not.
    same(what, 'report', journal.reportDropped(this.#key), this.#at.value === 'pending' ? 1 : 0);
    const shows = journal.entriesFor(this.#key).find(({ token }) => token === this.#shows);
    const { value, context } = this.#at;
    same(what, 'debt', journal.droppedFor(this.#key), value === 'pending' || value === 'handed_off' ? 1 : 0);
    same(what, 'display', shows?.shown, value === 'handed_off' ? 1 : 0);
    same(what, 'tab', this.#key, context.tab);
  }
}

function pathsOf(input: LossInput): readonly EventPath<typeof lossMachine>[] {
  return coverPaths(lossMachine, LOSS_EVENTS, {
    inputs: [input],
    serialize: (snapshot) => {
      const { value, context } = snapshot as AnyMachineSnapshot;
      return JSON.stringify([value, { ...context, shownBy: null }]);
    },
    allowed: ({ before, event }, previous) => {
      const { copyOut, tab } = before.context as LossInput;
      if (event.type === 'RECALLED') return input.copyOut && copyOut;
      if (event.type !== 'TAKEN') return true;
      // Only an answer that was neither out nor returned can be on offer; the tab on offer is closed to other offers.
      if (input.copyOut || input.rides.length > 0 || copyOut) return false;
      if (previous?.event.type === 'DISPLAY') return tab !== TAB;
      return before.value === 'pending' && (previous === undefined || previous.event.type === 'MOVE');
    },
  }).filter(({ events }) => isPlayable(input, events));
}

/** What is sent once a lifetime is not sent twice, and what goes on inside an offer cannot use its tab. */
function isPlayable(input: LossInput, events: readonly Event[]): boolean {
  const once = events.filter(({ type }) => type === 'RECALLED' || type === 'TAKEN').length <= 1;
  const taken = events.findIndex(({ type }) => type === 'TAKEN');
  const shown = events.findIndex(({ type }) => type === 'DISPLAY');
  const moved = events.findIndex(({ type }) => type === 'MOVE');
  const insideOffer = taken >= 0 && shown >= 0 && shown < taken;
  return once && (!insideOffer || (moved >= 0 && moved < shown)) && input.tab === TAB;
}

describe('every transition of the loss chart', () => {
  it('[J-I02] is taken by the journal', () => {
    const coverage = new Coverage(lossMachine);
    let paths = 0;
    for (const input of LOSS_INPUTS) {
      for (const { events } of pathsOf(input)) {
        paths += 1;
        new LossDriver(input, coverage).run(input, events);
      }
    }
    expect(paths).toBeGreaterThan(60);
    expect(coverage.untaken).toEqual([]);
  });
});
