/** Every transition of the card chart, taken by a real channel, compared after each event. */
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine, EventFromLogic } from 'xstate';
import { type CardContext, type CardEvent, copyCard } from '../../machines/requests/card-facts.ts';
import { compile, restore, start, step } from '../../machines/shared/step.ts';
import { Coverage, coverPaths, type EventPath } from '../support/cover.ts';
import type { Edge } from '../support/graph.ts';
import { same } from '../support/same.ts';
import { CardDriver } from './card.driver.ts';
import { CARD_EVENTS, CARD_INPUTS, cardMachine, cardPlace } from './card.samples.ts';

type Machine = typeof cardMachine;
interface Place {
  readonly value: string;
  readonly context: CardContext;
}

const chart = compile(cardMachine, copyCard);
const FINAL = new Set(['confirmed', 'withdrawn', 'declined']);

const effectsOf = ({ before, event }: { before: Place; event: CardEvent }): string[] =>
  step(chart, restore(chart, before.value, before.context), event).effects.map(({ type }) => type as string);

/** Number of the connection on which the world stands: what the context remembers of it. */
const current = ({ generation, left }: CardContext): number => Math.max(1, generation, left);

/** Whether that event can come of a real channel here, directly after the edge before it. */
function isPossible({ before, event, after }: Edge<Machine>, previous: Edge<Machine> | undefined): boolean {
  const at = before as unknown as Place;
  const sent = event as CardEvent;
  const now = current(at.context);
  const isSending = previous !== undefined && effectsOf(previous as never).includes('transmit');
  // What was ordered to be sent leaves, or does not, before anything else happens.
  if (isSending !== (sent.type === 'SENT' || sent.type === 'NOT_SENT')) return false;
  if (previous?.event.type === 'NOT_SENT' && at.value === 'unconfirmed') return false;
  switch (sent.type) {
    case 'SENT':
      return previous !== undefined && sent.generation === generationAfter(previous);
    case 'DELIVER':
      if (at.value === 'detached') return sent.generation > now && !sent.ended;
      if (at.value === 'live') return sent.generation === now && !sent.ended;
      return sent.ended ? at.value === 'absent' : sent.generation >= now;
    case 'ACCEPT':
      return (
        previous?.event.type === 'DELIVER' && (previous.event as { replayed?: boolean }).replayed === sent.replayed
      );
    case 'DECLINE':
      return at.value === 'offered' || sent.code !== -32601;
    case 'ACK_OK':
    case 'ACK_EXPIRED':
    case 'REFUSED':
    case 'UNKNOWN_FORM':
      return at.context.form === 'answer' && at.context.left === now;
    case 'FORGET':
      return at.context.form === 'response';
    case 'LACKED':
    case 'SETTLED_EVENT':
      return isHeard(at, sent, now, after.value as string);
    case 'LOCKED':
      // Asked for while the card was on the screen, and replied to on the same connection.
      return at.value === 'live' || (now === 1 && at.context.notified && previous?.event.type === 'SENT');
    default:
      return true;
  }
}

function isHeard(at: Place, event: CardEvent & { generation: number }, now: number, to: string): boolean {
  if (event.type === 'LACKED' && event.arrived) return now === 1 && at.value !== 'detached' && at.context.left < 2;
  if (at.value === 'detached') return event.generation === now + 1;
  if (event.generation === now) return true;
  // On a new connection only what ends there or is sent again there: the context would not know of it.
  const ends = FINAL.has(to) || effectsOf({ before: at, event }).includes('transmit');
  return at.value === 'unconfirmed' && event.generation === now + 1 && ends;
}

function generationAfter({ before, event }: Edge<Machine>): number {
  const { context } = before as unknown as Place;
  const named = 'generation' in event ? event.generation : 0;
  return Math.max(current(context), named);
}

function run({ input, events }: EventPath<Machine>, coverage: Coverage<Machine>): void {
  const driver = new CardDriver();
  let at = start(chart, input as never).snapshot as unknown as Place;
  let announced = 0;
  let transmitted = 0;
  let buried = events.some((event) => event.type === 'DELIVER' && event.ended);
  const trail: string[] = [];
  for (const [index, event] of events.entries()) {
    const before = at;
    coverage.step(before, event as EventFromLogic<Machine>);
    const { snapshot, effects } = step(chart, before as never, event);
    at = snapshot as unknown as Place;
    const names = effects.map(({ type }) => type as string);
    trail.push(JSON.stringify(event));
    const what = trail.join(' ');
    driver.perform(event, before, events.slice(index + 1));
    announced += names.filter((name) => name === 'announce').length;
    buried ||= names.includes('bury');
    const next = events[index + 1];
    if (names.includes('transmit') && next?.type !== 'NOT_SENT') transmitted += 1;
    // Delivering and offering, ordering and sending are one step of the channel.
    if (at.value === 'offered' || names.includes('transmit')) continue;
    compare(driver, at, what);
    same(what, 'announced', driver.announced, announced);
    same(what, 'answers sent', driver.sent.filter(({ error }) => error === undefined).length, transmitted);
    if (names.includes('refuse')) same(what, 'error', driver.sent.at(-1)?.error?.code, at.context.code);
  }
  if (FINAL.has(at.value)) {
    const isSaidAgain = at.value === 'declined' && at.context.code !== -32004;
    same(trail.join(' '), 'remembered', driver.isRemembered(), buried || isSaidAgain);
  }
}

function compare(driver: CardDriver, { value, context }: Place, what: string): void {
  const { question } = driver;
  if (value === 'absent') return same(what, 'question', question, undefined);
  same(what, 'state', question?.state, value);
  same(what, 'why', question?.why, context.why);
  same(what, 'reason', question?.reason, context.reason);
  same(what, 'generation', question?.generation, context.generation);
  same(what, 'locks', Object.keys(question?.locks ?? {}).sort(), [...context.locked].sort());
  same(what, 'known', driver.channel.question('srq-1') !== undefined, !FINAL.has(value));
}

describe('every transition of the card chart', () => {
  it('[RQ-R119, RQ-R121, RQ-R124, RQ-R136] is taken by the channel', () => {
    const coverage = new Coverage(cardMachine);
    const paths = coverPaths(cardMachine, CARD_EVENTS as readonly EventFromLogic<Machine>[], {
      inputs: CARD_INPUTS,
      serialize: cardPlace as never,
      allowed: isPossible,
    });
    for (const path of paths) run(path, coverage);
    expect(paths.length).toBeGreaterThan(60);
    expect(coverage.untaken).toEqual([]);
    expect((cardMachine as AnyStateMachine).id).toBe('card');
  });
});
