/** Every transition of the answer chart, taken by the journal and by the coordinator, compared after each event. */
import { describe, expect, it } from 'vitest';
import type { AnyMachineSnapshot } from 'xstate';
import type { AnswerContext, AnswerEvent, AnswerInput } from '../../machines/journal/answer-facts.ts';
import { restore, step } from '../../machines/shared/step.ts';
import { ANSWER_EVENTS, ANSWER_INPUTS, answerMachine, answerPlace } from '../support/charts.ts';
import { Coverage, coverPaths, type EventPath } from '../support/cover.ts';
import type { Edge } from '../support/graph.ts';
import { DurableRig, MemoryRig } from '../support/rig.ts';
import { AnswerDriver, chart, LIMITS } from './answer.driver.ts';

type Step = Edge<typeof answerMachine>;
const contextOf = ({ before }: Step) => before.context as AnswerContext;
const standing = ({ before }: Step) => before.value as { readonly delivery: string; readonly label: string };

/** The recall that an edge orders. Its answer comes at once or never. */
function recallOf(edge: Step | undefined): string | undefined {
  if (edge === undefined) return undefined;
  const { effects } = step(chart, restore(chart, edge.before.value, edge.before.context) as never, edge.event);
  const order = effects.find(({ type }) => type === 'recallCopy') as { params: { because: string } } | undefined;
  return order?.params.because;
}

const wording = (label: string): string => (label === 'matched' ? 'matched' : 'foreign');

/** An offer ends where it began, or where the host has brought the answer meanwhile. */
function isOffered(edge: Step, event: AnswerEvent & { type: 'OFFER_TAKEN' }, before: Step | undefined): boolean {
  const { delivery, label } = standing(edge);
  if (delivery === 'pending') return event.worded === wording(label);
  if (before === undefined || standing(before).delivery !== 'pending' || event.losses.length > 0) return false;
  const inside = before.event;
  const may = inside.type === 'BOUNDARY' || (inside.type === 'RETURN' && inside.carrier !== null);
  return may && event.worded === wording(standing(before).label);
}

/** Whether the facade sends this event in this place at all. */
function isSent(edge: Step, before: Step | undefined, isDurable: boolean): boolean {
  const { event } = edge;
  const { known, erased, copyOut } = contextOf(edge);
  const { delivery, label } = standing(edge);
  if (before?.event.type === 'EVICT') return false;
  // What follows is what follows any answer that is owed a push.
  if (before?.event.type === 'REDELIVER') return false;
  // An entry that is forgotten is gone, unless its farewell cannot be written; with a store it always can.
  if (before?.event.type === 'FORGET' && (isDurable || event.type !== 'RECALLED')) return false;
  switch (event.type) {
    case 'RECALLED':
      return recallOf(before) === event.because;
    case 'RETURN':
      return event.carrier === null || (known && delivery !== 'retired');
    case 'OFFER_TAKEN':
      return isOffered(edge, event, before);
    case 'RESTART':
      return isDurable && (delivery !== 'retired' || copyOut || (label === 'ambiguous' && erased));
    case 'PARK':
    case 'REDELIVER':
      return isDurable;
    default:
      return true;
  }
}

/** A process that ends, an agent that gives up, a reader that has forgotten: the journal in memory knows none of them. */
const ONLY_DURABLE = / on (?:RESTART|PARK|REDELIVER)\[/;

function pathsFor(isDurable: boolean): readonly EventPath<typeof answerMachine>[] {
  const events = ANSWER_EVENTS.filter(({ type }) => isDurable || !ONLY_DURABLE.test(` on ${type}[`));
  return coverPaths(answerMachine, events, {
    inputs: ANSWER_INPUTS,
    serialize: (at) => answerPlace(at as AnyMachineSnapshot) + (at.value.label === 'ambiguous' && at.context.erased),
    limit: 100_000,
    allowed: (edge, before) => isSent(edge, before, isDurable),
    kind: (edge, taken) => {
      const { channel, rides, known, returned } = contextOf(edge);
      return JSON.stringify([taken, edge.event, standing(edge), channel, rides.length, known, returned]);
    },
  });
}

describe('every transition of the answer chart', () => {
  it('is taken by the journal in memory', async () => {
    const paths = pathsFor(false);
    const coverage = new Coverage(answerMachine);
    for (const { input, events } of paths) {
      await new AnswerDriver(new MemoryRig(LIMITS), coverage).run(input as AnswerInput, events as AnswerEvent[]);
    }
    expect(paths.length).toBeGreaterThan(200);
    expect(coverage.untaken.filter((name) => !ONLY_DURABLE.test(name))).toEqual([]);
  });

  it('is taken by the coordinator', async () => {
    const paths = pathsFor(true);
    const coverage = new Coverage(answerMachine);
    for (const { input, events } of paths) {
      const rig = await new DurableRig(LIMITS).open();
      await new AnswerDriver(rig, coverage).run(input as AnswerInput, events as AnswerEvent[]);
    }
    expect(paths.length).toBeGreaterThan(200);
    expect(coverage.untaken).toEqual([]);
  });
});
