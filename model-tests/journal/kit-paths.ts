/** Where the journal's paths come from: random sequences of calls, and how the charts that they step are heard. */
import fc from 'fast-check';
import { answerMachine } from '../../machines/journal/answer.ts';
import { debtMachine } from '../../machines/journal/debt.ts';
import { lossMachine } from '../../machines/journal/loss.ts';
import { ticketMachine } from '../../machines/journal/ticket.ts';
import { Core } from '../../src/journal/core.ts';
import { createJournal } from '../../src/journal.ts';
import { type Part, parts, told } from '../../src/testing/commands.ts';
import { type JournalPath, walkJournalPath } from '../../src/testing/journal/paths.ts';
import type { Step } from '../../src/testing/journal/walk.ts';
import { Ear, type PathSource, type Walked } from '../support/paths.ts';

const CARRIERS = fc.constantFrom(null, 'turn-1', 'turn-2', 'queue-1');
const SEED = 20_260_101;
const RUNS = 12_000;
const FOCUSED_RUNS = 6_000;

const CHARTS = {
  stepEntry: answerMachine,
  stepTicket: ticketMachine,
  stepLoss: lossMachine,
  stepWarning: debtMachine,
} as const;

const ear = new Ear('J', Object.values(CHARTS));
for (const [method, { id }] of Object.entries(CHARTS)) {
  const prototype = Core.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  const own = prototype[method] as (...args: unknown[]) => unknown;
  prototype[method] = function (this: unknown, row, event, ...rest): unknown {
    ear.hear(id, (row as { at: { value: unknown; context: unknown } }).at, event);
    return Reflect.apply(own, this, [row, event, ...rest]) as unknown;
  };
}

const NOT_MET = 'loss: handed_off on RECALLED[0] -> nowhere';

/** Why no sequence of calls that return takes a transition; undefined: one should. */
function whyNone(name: string): string | undefined {
  const event = / on (\w+)\[/.exec(name)?.[1] ?? '';
  if (event === 'always') return 'taken with the birth of its row, by no event';
  if (['RESTART', 'REDELIVER', 'PARK', 'WITHDRAW', 'SUPERSEDE', 'DEADLINE'].includes(event)) {
    return 'brought about by a coordinator, by no operation of the journal';
  }
  if (event === 'TAKEN' || (event === 'OFFER_TAKEN' && !name.includes('delivery.pending'))) {
    return 'taken by a call from inside an offer, which a sequence of calls cannot hold';
  }
  return name === NOT_MET ? 'no walk of this search has met it' : undefined;
}

/** Stories that chance alone rarely goes on from, with what is then done to the newest answers over and over. */
const focused = (): Step[][] => {
  const asked = { tab: 'one', question: 'colour?' } as const;
  const begun = fc.constantFrom<Part[]>([{ story: 'pushed', ...asked }], [{ story: 'crowd', ...asked }]);
  const again = fc.oneof<fc.Arbitrary<Step>[]>(
    fc.record({ do: fc.constant('deliver'), tab: fc.constant('one'), room: fc.nat(2), named: fc.boolean() }),
    fc.record({ do: fc.constant('return'), token: fc.nat(5), replay: fc.boolean(), id: fc.constant(null) }),
    fc.record({ do: fc.constant('ack'), token: fc.nat(5), carrier: CARRIERS }),
    fc.record({ do: fc.constant('release'), token: fc.nat(5), carrier: CARRIERS, carried: fc.boolean() }),
    fc.record({
      ...{ do: fc.constant('world'), tab: fc.constant('one'), occupant: fc.constant('ann') },
      ...{ turn: CARRIERS, revokes: fc.boolean() },
    }),
    fc.record({ do: fc.constant('boundary'), tab: fc.constant('one') }),
  );
  const whole = fc.tuple(begun, fc.array(again, { minLength: 3, maxLength: 9 }));
  const samples = fc.sample(whole, { seed: SEED, numRuns: FOCUSED_RUNS });
  return samples.map(([story, steps]) => [...told(story), ...steps]);
};

/** Turns of which one gives its copy back, and the other has read it; a copy that is carried and given back twice. */
function known(): Step[][] {
  const tab = 'one';
  const begun = told([{ story: 'late', tab, question: 'colour?' }]);
  const turn = (name: string): Step => ({ do: 'world', tab, occupant: 'ann', turn: name, revokes: false });
  const returned: Step = { do: 'return', token: 0, replay: false, id: null };
  const back = (carrier: string | null, carried: boolean): Step => ({ do: 'release', token: 0, carrier, carried });
  const pushed: Step = { do: 'deliver', tab, room: 1, named: false };
  return [
    [
      ...begun,
      turn('turn-1'),
      returned,
      turn('turn-2'),
      returned,
      back('turn-1', false),
      { do: 'ack', token: 0, carrier: 'turn-2' },
    ],
    [...begun, pushed, back(null, true), pushed, back(null, true)],
  ];
}

function samples(): Walked<JournalPath>[] {
  const random = fc.sample(fc.tuple(parts(12), fc.boolean()), { seed: SEED, numRuns: RUNS });
  return [
    ...random.map(([list, occupants]) => ({ steps: told(list), occupants })),
    ...[...known(), ...focused()].map((steps) => ({ steps, occupants: true })),
  ];
}

const subject = { create: createJournal };

export const journalPathSource: PathSource<JournalPath> = {
  file: 'src/testing/journal/paths.json',
  ear,
  walk: (path, look) => walkJournalPath(subject, path, look),
  samples,
  whyNone,
};
