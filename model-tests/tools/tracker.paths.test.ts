/** Every transition of the chart of the tracker, taken by the real one, compared after each event. */
import { describe, expect, it } from 'vitest';
import { transition } from 'xstate';
import { compile, type SnapshotOf, start, step } from '../../machines/shared/step.ts';
import { trackerMachine } from '../../machines/tools/tracker.ts';
import type { TrackerContext, TrackerEvent } from '../../machines/tools/tracker-facts.ts';
import { Rig } from '../../test/tools/rig.ts';
import { Coverage, coverPaths } from '../support/cover.ts';
import type { Edge } from '../support/graph.ts';
import { same } from '../support/same.ts';
import { TRACKER_EVENTS, trackerPlace } from './samples.ts';

const chart = compile(trackerMachine, (context) => ({ ...context }));
type TrackerEdge = Edge<typeof trackerMachine>;
type Snapshot = Extract<TrackerEvent, { type: 'SNAPSHOT' }>;

const READS = new Set(['record', 'observe']);
const NOTICES: Readonly<Record<string, string>> = {
  noticeMalformed: 'malformed-snapshot',
  noticeBrokeOff: 'broke-off',
  noticeFailed: 'failed',
  noticeInert: 'inert',
};
/** A snapshot is read and its reading ends within one push; only the last one that was read can come again. */
function allowed({ before, event }: TrackerEdge, earlier: TrackerEdge | undefined): boolean {
  const last = earlier?.event;
  const orders = earlier === undefined ? [] : transition(trackerMachine, earlier.before as never, earlier.event)[1];
  const isReading = last?.type === 'SNAPSHOT' && orders.some(({ type }) => READS.has(type));
  const ends = event.type === 'PROCESSED' || event.type === 'BROKE_OFF';
  if (isReading) return ends && event.loading === last.loading;
  if (ends) return false;
  if (event.type !== 'SNAPSHOT' || !event.identical) return true;
  const { intake } = before.value as unknown as Readonly<Record<string, string>>;
  return intake === (event.loading ? 'loading' : 'live');
}

class TrackerDriver {
  readonly #coverage: Coverage<typeof trackerMachine>;
  #at: SnapshotOf<typeof chart> = start(chart, undefined).snapshot;
  #last: { readonly messages: readonly unknown[] } | undefined;
  #shown: { readonly messages: readonly unknown[] } = { messages: [] };
  #breaks = false;
  #count = 0;
  #orders: readonly string[] = [];
  readonly #rig = new Rig({
    project: (messages) => {
      if (this.#breaks) throw new Error('the list broke');
      return messages as never;
    },
  });

  constructor(coverage: Coverage<typeof trackerMachine>) {
    this.#coverage = coverage;
  }

  run(events: readonly TrackerEvent[]): void {
    for (const [at, event] of events.entries()) {
      const what = JSON.stringify(event);
      this.#coverage.step(this.#at, event);
      const before = this.#at.context as TrackerContext;
      const { snapshot, effects } = step(chart, this.#at as never, event);
      this.#at = snapshot;
      this.#orders = effects.map(({ type }) => type);
      const next = events[at + 1];
      const isRead = this.#orders.some((order) => READS.has(order));
      // The reading of the last one of a way ends well.
      const end = next ?? { type: 'PROCESSED', loading: event.type === 'SNAPSHOT' && event.loading };
      this.#perform(event, isRead && end.type === 'BROKE_OFF');
      this.#compareOrders(what, event);
      if (isRead && next !== undefined) continue;
      if (isRead) this.#at = step(chart, this.#at as never, end).snapshot;
      const { value, context } = this.#at;
      same(what, 'place', this.#rig.tracker.place, { value, context });
      if (this.#orders.includes('retire')) same(what, 'records', this.#rig.kept.records, 0);
      same(what, 'boundary', context.boundary >= before.boundary, true);
    }
  }

  #perform(event: TrackerEvent, breaks: boolean): void {
    const { tracker, notices } = this.#rig;
    if (event.type === 'PROCESSED' || event.type === 'BROKE_OFF') return;
    notices.length = 0;
    switch (event.type) {
      case 'SNAPSHOT':
        return this.#push(event, breaks);
      case 'FAIL':
        return tracker.fail(new Error('driver'));
      case 'RESET':
        return tracker.reset();
      case 'ABORT':
        return void tracker.abort({ discardPending: event.discard });
    }
  }

  #push({ malformed, identical, loading }: Snapshot, breaks: boolean): void {
    this.#count += 1;
    // Each one shows a call that no other shows, waiting for the run.
    const views = [{ id: `c${this.#count}`, name: 'x', argsText: '{}' }];
    this.#breaks = breaks;
    this.#shown = identical ? (this.#last as { messages: readonly unknown[] }) : { messages: views };
    const messages = malformed ? 'none' : this.#shown.messages;
    this.#rig.tracker.push({ messages, isRunning: true, isLoading: loading } as never);
    this.#breaks = false;
  }

  /** What the chart ordered has been done, and nothing else. */
  #compareOrders(what: string, event: TrackerEvent): void {
    const { tracker, kinds } = this.#rig;
    const orders = this.#orders;
    const ordered = orders.filter((order) => order in NOTICES).map((order) => NOTICES[order]);
    if (event.type === 'PROCESSED' || event.type === 'BROKE_OFF') {
      same(what, 'notices', kinds.includes('broke-off'), event.type === 'BROKE_OFF');
      if (orders.includes('remember')) this.#last = this.#shown;
      if (event.type === 'PROCESSED')
        same(what, 'read', tracker.memory.calls.get(`c${this.#count}`) !== undefined, true);
      return;
    }
    same(
      what,
      'notices',
      kinds.filter((kind) => kind !== 'broke-off'),
      ordered,
    );
    const call = tracker.memory.calls.get(`c${this.#count}`);
    if (event.type === 'ABORT' && call !== undefined && call.context.life === 'live') {
      same(what, 'discarded', call.phase, event.discard ? 'discarded' : 'waitingForRun');
    }
    if (event.type !== 'SNAPSHOT' || event.identical) return;
    const isRead = orders.some((order) => READS.has(order)) && !kinds.includes('broke-off');
    const phase = orders.includes('record') ? 'restored' : 'waitingForRun';
    same(what, 'call', call?.phase, isRead ? phase : undefined);
  }
}

describe('every transition of the chart of the tracker', () => {
  it('[TL-R02, TL-R10, TL-R11, TL-R13, TL-R15] [TL-R103, TL-R110, TL-R113, TL-R130] is taken by the tracker', () => {
    const coverage = new Coverage(trackerMachine);
    const ways = coverPaths(trackerMachine, TRACKER_EVENTS, { serialize: trackerPlace as never, allowed });
    for (const { events } of ways) {
      try {
        new TrackerDriver(coverage).run(events as readonly TrackerEvent[]);
      } catch (error) {
        throw new Error(`${JSON.stringify(events)}: ${String(error)}`, { cause: error });
      }
    }
    expect(coverage.untaken).toEqual([]);
    expect(ways.length).toBeGreaterThan(50);
  });
});
