/** The tables of state and event are complete by their types; here they are held against the charts. */
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { type AnswerContext, type AnswerEvent, copyAnswer } from '../machines/journal/answer-facts.ts';
import { retirementMachine } from '../machines/retirement.ts';
import { seatMachine } from '../machines/seats/seat.ts';
import { compile, restore, step } from '../machines/shared/step.ts';
import * as coordinator from './coordinator.table.ts';
import * as answer from './journal/answer.table.ts';
import * as debt from './journal/debt.table.ts';
import * as loss from './journal/loss.table.ts';
import * as ticket from './journal/ticket.table.ts';
import * as retirement from './retirement.table.ts';
import * as seat from './seats/seat.table.ts';
import { answerMachine, coordinatorMachine, debtMachine, lossMachine, ticketMachine } from './support/charts.ts';
import { type Cell, judgeTable, type TableChart, untakenBy } from './support/table.ts';

type Table = Readonly<Record<string, Readonly<Record<string, Cell<string>>>>>;
interface Parts {
  readonly USUAL: object;
  readonly EVENTS: Readonly<Record<string, { readonly type: string }>>;
}

function flat(machine: AnyStateMachine, { USUAL, EVENTS }: Parts): TableChart {
  return {
    machine,
    chart: compile(machine) as never,
    place: (state) => ({ value: state, context: USUAL }),
    event: (type) => EVENTS[type] ?? { type },
  };
}

function region(name: 'delivery' | 'label', rest: object): TableChart {
  return {
    ...flat(answerMachine as AnyStateMachine, answer),
    region: name,
    place: (state) => ({ value: { ...rest, [name]: state }, context: answer.USUAL }),
  };
}

const FLAT: readonly (readonly [string, AnyStateMachine, Parts, Table])[] = [
  ['ticket', ticketMachine as AnyStateMachine, ticket, ticket.TICKET],
  ['debt', debtMachine as AnyStateMachine, debt, debt.DEBT],
  ['loss', lossMachine as AnyStateMachine, loss, loss.LOSS],
  ['seat', seatMachine as AnyStateMachine, seat, seat.SEAT],
  ['coordinator', coordinatorMachine as AnyStateMachine, coordinator, coordinator.COORDINATOR],
  ['retirement', retirementMachine as AnyStateMachine, retirement, retirement.RETIREMENT],
];

describe('the table of each state and event is what the chart does', () => {
  it.each(FLAT)('%s', (_name, machine, parts, table) => {
    const { faults, cells, taken } = judgeTable(flat(machine, parts), table);
    expect(faults).toEqual([]);
    expect(cells).toBeGreaterThanOrEqual(Object.keys(table).length * Object.keys(parts.EVENTS).length);
    expect(untakenBy(machine, taken)).toEqual([]);
  });

  it('answer, both regions', () => {
    const delivery = judgeTable(region('delivery', { label: 'foreign' }), answer.DELIVERY);
    const label = judgeTable(region('label', { delivery: 'none' }), answer.LABEL);
    expect([...delivery.faults, ...label.faults]).toEqual([]);
    expect(delivery.cells).toBeGreaterThan(100);
    expect(untakenBy(answerMachine as AnyStateMachine, delivery.taken, label.taken)).toEqual([]);
  });
});

describe('an answer', () => {
  const chart = compile(answerMachine, copyAnswer);
  const queued: AnswerContext = { ...answer.USUAL, channel: 'queue', worded: 'matched', rides: ['c1'], copyOut: true };
  const settledBy = (event: AnswerEvent, context = queued) => {
    const { delivery } = context.proven === 'no' ? { delivery: 'handed_off' as const } : { delivery: 'acked' as const };
    return step(chart, restore(chart, { delivery, label: 'matched' }, context), event).snapshot.context;
  };
  const bound = { type: 'HANDBACK', carried: true, carrier: null, bound: 1 } as const;

  it('[J-R121] [J-R136] says whether a receipt proved it or the bound settled it', () => {
    expect(settledBy({ type: 'RECEIPT', carrier: 'c1' }).proven).toBe('receipt');
    expect(settledBy(bound).proven).toBe('bound');
  });

  it.each([true, false])(
    'that is owed again has no delivery behind it, and repeats only what was seen (%s)',
    (repeat) => {
      const nothing = {
        proven: 'no',
        channel: 'none',
        worded: 'nothing',
        copyCarrier: null,
        copyOut: false,
        rides: [],
      };
      for (const context of [queued, settledBy({ type: 'RECEIPT', carrier: 'c1' }), settledBy(bound)]) {
        const again = settledBy({ type: 'REDELIVER', repeat }, { ...context, attempts: 4, carriedReleases: 2 });
        expect(again).toMatchObject({ ...nothing, shown: [], endedBeside: [], carriedReleases: 0, parked: null });
        expect(again).toMatchObject({ hint: repeat, returned: repeat, attempts: repeat ? 4 : 0 });
      }
    },
  );
});

describe('the judge of tables', () => {
  const judge = (table: Table) => judgeTable(flat(debtMachine as AnyStateMachine, debt), table).faults;

  it('sees a wrong target, an event that is not ignored, and one that is', () => {
    expect(judge({ handed_off: { HANDBACK: 'acked' } })).toHaveLength(1);
    expect(judge({ handed_off: { MOVE: 'ignored' } })).toHaveLength(1);
    expect(judge({ acked: { MOVE: 'acked' } })).toHaveLength(1);
    expect(judge({ handed_off: { HANDBACK: 'none' } })).toEqual([]);
  });
});
