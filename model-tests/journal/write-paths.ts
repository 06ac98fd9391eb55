/**
 * Finds a shortest sequence of calls to each transition of the journal's charts, and writes them for the test kit:
 * `npm run paths`. With `--check` it writes nothing and fails when the file is another one.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { answerMachine } from '../../machines/journal/answer.ts';
import { debtMachine } from '../../machines/journal/debt.ts';
import { lossMachine } from '../../machines/journal/loss.ts';
import { ticketMachine } from '../../machines/journal/ticket.ts';
import { Core } from '../../src/journal/core.ts';
import { createJournal } from '../../src/journal.ts';
import { type Part, parts, told } from '../../src/testing/commands.ts';
import type { JournalPath } from '../../src/testing/journal/paths.ts';
import { walk } from '../../src/testing/journal/paths.ts';
import type { Sight, Step } from '../../src/testing/journal/walk.ts';
import { ROOT } from '../../test/support/source.ts';
import { allTransitions, Tracer } from '../support/tracer.ts';

const PATH = join(ROOT, 'src/testing/journal/paths.json');
const CARRIERS = fc.constantFrom(null, 'turn-1', 'turn-2', 'queue-1');
const SEED = 20_260_101;
const RUNS = 12_000;
const FOCUSED_RUNS = 6_000;

const CHARTS = {
  stepEntry: ['answer', answerMachine],
  stepTicket: ['ticket', ticketMachine],
  stepLoss: ['loss', lossMachine],
  stepWarning: ['debt', debtMachine],
} as const;

interface Known {
  readonly name: string;
  readonly rules: readonly string[];
}
const known = new Map<object, Known>();
for (const [chart, machine] of Object.values(CHARTS)) {
  for (const { name, transition } of allTransitions(machine)) {
    const { meta } = transition as { meta?: { rules?: readonly string[] } };
    const rules = (meta?.rules ?? []).map((rule) => `J-${rule.replace('-', '')}`);
    known.set(transition, { name: `${chart}: ${name.replaceAll(`${machine.id}.`, '')}`, rules });
  }
}

/** Transitions that events take, by name; births and eventless ones belong to no call alone. */
export const namedTransitions: readonly string[] = [...known.values()].map(({ name }) => name);

/** Hears which transitions the journals of this process take, until it is called again. */
let heard: Set<Known> = new Set();
const cache = new Map<string, readonly Known[]>();
for (const [method, [chart, machine]] of Object.entries(CHARTS)) {
  const tracer = new Tracer(machine as typeof answerMachine);
  const prototype = Core.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  const own = prototype[method] as (...args: unknown[]) => unknown;
  prototype[method] = function (this: unknown, row, event, ...rest): unknown {
    const { at } = row as { at: { value: unknown; context: unknown } };
    const key = `${chart} ${JSON.stringify([at.value, at.context, event])}`;
    let found = cache.get(key);
    if (found === undefined) {
      const before = machine.resolveState({ value: at.value, context: at.context } as never);
      found = tracer.ofEvent(before as never, event as never).flatMap((one) => known.get(one) ?? []);
      cache.set(key, found);
    }
    for (const one of found) heard.add(one);
    return Reflect.apply(own, this, [row, event, ...rest]) as unknown;
  };
}

type Walked = Pick<JournalPath, 'steps' | 'occupants'>;
const subject = { create: createJournal };

/** What each step of a walk takes and shows. */
export async function taken(path: Walked): Promise<{ steps: Set<Known>[]; seen: Sight[] }> {
  const steps: Set<Known>[] = [];
  const seen: Sight[] = [];
  heard = new Set();
  await walk(subject, path, (sight) => {
    steps.push(heard);
    heard = new Set();
    seen.push(sight);
  });
  return { steps, seen };
}

const takes = async (path: Walked, wanted: Known): Promise<boolean> =>
  (await taken(path)).steps.at(-1)?.has(wanted) ?? false;

const NOT_MET: ReadonlySet<string> = new Set([
  'answer: delivery.pending on RECEIPT[0] -> delivery.acked',
  'answer: delivery.handed_off on HANDBACK[0] -> delivery.acked',
  'loss: handed_off on RECALLED[0] -> nowhere',
]);

/** Why no sequence of calls that return takes a transition; undefined: one should. */
export function whyNone(name: string): string | undefined {
  const event = / on (\w+)\[/.exec(name)?.[1] ?? '';
  if (event === 'always') return 'taken with the birth of its row, by no event';
  if (['RESTART', 'REDELIVER', 'PARK', 'WITHDRAW', 'SUPERSEDE', 'DEADLINE'].includes(event)) {
    return 'brought about by a coordinator, by no operation of the journal';
  }
  if (event === 'OFFER_TAKEN' || event === 'TAKEN') {
    return 'taken by a call from inside an offer, which a sequence of calls cannot hold';
  }
  return NOT_MET.has(name) ? 'no walk of this search has met it' : undefined;
}

/** Leaves out steps for as long as the last one still takes the transition. */
async function shortened(path: Walked, wanted: Known): Promise<Walked> {
  let best = path;
  for (let at = best.steps.length - 2; at >= 0; at--) {
    const fewer = { ...best, steps: best.steps.filter((_, one) => one !== at) };
    if (await takes(fewer, wanted)) best = fewer;
  }
  return best;
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

async function found(): Promise<JournalPath[]> {
  const paths = new Map<Known, JournalPath>();
  const samples = fc.sample(fc.tuple(parts(12), fc.boolean()), { seed: SEED, numRuns: RUNS });
  const random = samples.map(([list, occupants]) => ({ steps: told(list), occupants }));
  for (const { steps, occupants } of [...random, ...focused().map((steps) => ({ steps, occupants: true }))]) {
    const { steps: each } = await taken({ steps, occupants });
    for (const [at, set] of each.entries()) {
      for (const one of set) {
        if (paths.has(one)) continue;
        const short = await shortened({ steps: steps.slice(0, at + 1), occupants }, one);
        const { seen } = await taken(short);
        paths.set(one, { takes: one.name, rules: one.rules, ...short, seen });
      }
    }
  }
  return [...paths.values()].sort((a, b) => (a.takes < b.takes ? -1 : 1));
}

async function main(): Promise<void> {
  const paths = await found();
  const missing = namedTransitions.filter((name) => paths.every((path) => path.takes !== name));
  const unexplained = missing.filter((name) => whyNone(name) === undefined);
  const text = `[\n${paths.map((path) => JSON.stringify(path)).join(',\n')}\n]\n`;
  if (process.argv.includes('--check')) {
    if (unexplained.length > 0) throw new Error(`no path and no reason: ${unexplained.join(', ')}`);
    if (readFileSync(PATH, 'utf8') !== text) throw new Error('the paths are not those of the charts: npm run paths');
    return;
  }
  writeFileSync(PATH, text);
  console.log(`${paths.length} paths; no path to:\n${missing.map((name) => `${name}: ${whyNone(name)}`).join('\n')}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
