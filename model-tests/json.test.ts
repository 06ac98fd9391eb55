/** The JSON of a chart is the chart: a machine made of it, given the same guards and actions, does the same on every edge. */
import { describe, expect, it } from 'vitest';
import { type AnyMachineSnapshot, type AnyStateMachine, createMachine, transition } from 'xstate';
import { drawChart } from '../src/inspect/drawing.ts';
import { MACHINES } from '../src/inspect/machines.ts';
import * as approvals from './requests/approval-samples.ts';
import * as cards from './requests/card.samples.ts';
import * as requests from './requests/request.samples.ts';
import { RETIREMENT_EVENTS, retirementPlace } from './retirement.samples.ts';
import * as seats from './seats/samples.ts';
import * as charts from './support/charts.ts';
import { walks } from './support/graph.ts';
import * as tools from './tools/samples.ts';

interface Case {
  readonly events: readonly { readonly type: string }[];
  readonly inputs?: readonly unknown[];
  readonly serialize?: unknown;
}

const ONE_TURN = { type: 'RETURN', carrier: 'c1', replay: true } as const;

const CASES: Readonly<Record<string, Case>> = {
  // Two turns at once multiply the places and open no other guard.
  answer: {
    events: charts.ANSWER_EVENTS.map((event) => (event.type === 'RETURN' && event.replay ? ONE_TURN : event)),
    inputs: charts.ANSWER_INPUTS,
    serialize: charts.answerProofPlace,
  },
  ticket: { events: charts.TICKET_EVENTS, inputs: charts.TICKET_INPUTS, serialize: charts.ticketPlace },
  debt: { events: charts.DEBT_EVENTS, inputs: charts.DEBT_INPUTS },
  loss: { events: charts.LOSS_EVENTS, inputs: charts.LOSS_INPUTS },
  coordinator: { events: charts.COORDINATOR_EVENTS, inputs: [{ tabs: {} }], serialize: charts.coordinatorPlace },
  retirement: { events: RETIREMENT_EVENTS, serialize: retirementPlace },
  request: { events: requests.REQUEST_EVENTS, inputs: requests.REQUEST_INPUTS, serialize: requests.requestPlace },
  mirror: { events: requests.MIRROR_EVENTS, inputs: [requests.MIRROR_INPUT] },
  approval: {
    events: approvals.APPROVAL_EVENTS,
    inputs: approvals.APPROVAL_INPUTS,
    serialize: approvals.approvalPlace,
  },
  follower: {
    events: approvals.FOLLOWER_EVENTS,
    inputs: approvals.FOLLOWER_INPUTS,
    serialize: approvals.followerPlace,
  },
  grant: { events: approvals.GRANT_EVENTS, inputs: approvals.GRANT_INPUTS },
  card: { events: cards.CARD_EVENTS, inputs: cards.CARD_INPUTS, serialize: cards.cardPlace },
  seat: { events: seats.SEAT_EVENTS, inputs: seats.SEAT_INPUTS },
  fence: { events: seats.FENCE_EVENTS, inputs: seats.FENCE_INPUTS, serialize: seats.fencePlace },
  verdict: { events: seats.VERDICT_EVENTS, inputs: seats.VERDICT_INPUTS, serialize: seats.verdictPlace },
  call: { events: tools.CALL_EVENTS, serialize: tools.callPlace },
  tracker: { events: tools.TRACKER_EVENTS, serialize: tools.trackerPlace },
};

/** More edges than this are taken by kind. */
const ENOUGH = 4_000;

/** An edge of each kind, and no more of the same: from these states, on this event, to these. */
function different<
  One extends { readonly before: AnyMachineSnapshot; readonly event: unknown; readonly after: AnyMachineSnapshot },
>(edges: readonly One[]): readonly One[] {
  const kinds = new Map(
    edges.map((edge) => [JSON.stringify([edge.before.value, edge.event, edge.after.value]), edge] as const),
  );
  return [...kinds.values()];
}

function did(machine: AnyStateMachine, before: AnyMachineSnapshot, event: { readonly type: string }): unknown {
  const at = machine.resolveState({ value: before.value, context: before.context });
  const [after, actions] = transition(machine, at, event as never);
  return [after.value, after.context, actions.map(({ type, params }) => [type, params])];
}

describe('the JSON of a chart', () => {
  const all = MACHINES as readonly AnyStateMachine[];

  it.each(all.map((machine) => [machine.id, machine] as const))('%s makes the same machine again', (id, machine) => {
    const config = JSON.parse(drawChart(id, 'json')) as Record<string, unknown>;
    // A computed context is a function, which JSON cannot hold; whoever makes the machine gives it again.
    const made = createMachine({ ...config, context: machine.config.context } as never) as AnyStateMachine;
    const again = made.provide(machine.implementations as never);
    const { events, inputs, serialize } = CASES[id] ?? {
      events: [...machine.events].map((type) => ({ type: type as string })),
    };
    const found = walks(machine, events as never, {
      ...(inputs === undefined ? {} : { inputs }),
      ...(serialize === undefined ? {} : { serialize: serialize as never }),
      limit: 100_000,
    });
    const active = found.flatMap((walk) => walk.edges).filter(({ before }) => before.status === 'active');
    const edges = active.length > ENOUGH ? different(active) : active;
    for (const { before, event } of edges) expect(did(again, before, event)).toEqual(did(machine, before, event));
    expect(edges.length).toBeGreaterThanOrEqual(events.length);
  });

  it('leaves out a computed context, and nothing else', () => {
    for (const { id, config } of MACHINES) {
      const computed: string[] = [];
      JSON.stringify(config, (key, value) => {
        if (typeof value === 'function') computed.push(key);
        return value;
      });
      expect([id, computed.filter((key) => key !== 'context')]).toEqual([id, []]);
    }
  });
});
