/** Random sequences of calls, as arbitraries of fast-check. The only file of the kit that needs it. */
import fc from 'fast-check';
import type { CancelReason } from '../requests/api.ts';
import { CARDS, type CardStep, HANDLED } from './channel/walk.ts';
import { IDS, QUESTIONS, type Step, TABS } from './journal/walk.ts';
import { type LineageStep, TROUBLES } from './lineage/walk.ts';
import type { MirrorStep } from './requests/mirror-walk.ts';
import type { PEERS, RequestStep } from './requests/walk.ts';
import { TOOLS, type ToolStep, WALK_LIMITS } from './tools/walk.ts';

const tab = fc.constantFrom(...TABS);
const id = fc.constantFrom(...IDS);
/** Which of the tokens seen so far; counted from the newest. */
const token = fc.nat(3);
const carrier = fc.constantFrom(null, 'turn-1', 'turn-2', 'queue-1');
const occupant = fc.constantFrom('ann', 'ann', 'ann', 'bob', null);
const question = fc.constantFrom(...QUESTIONS);
const kind = <Name extends Step['do']>(name: Name): fc.Arbitrary<Name> => fc.constant(name);

/** One step, weighted so that answers come about. */
export const journalStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: kind('open'), id, tab, question }) },
  { weight: 6, arbitrary: fc.record({ do: kind('record'), id, tab, text: fc.constantFrom('yes', 'no', '') }) },
  { weight: 4, arbitrary: fc.record({ do: kind('close'), id }) },
  { weight: 5, arbitrary: fc.record({ do: kind('deliver'), tab, room: fc.nat(3), named: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: kind('return'), token, replay: fc.boolean(), id: fc.option(id) }) },
  { weight: 4, arbitrary: fc.record({ do: kind('ack'), token, carrier }) },
  { weight: 4, arbitrary: fc.record({ do: kind('release'), token, carrier, carried: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: kind('report'), tab, id: fc.option(id) }) },
  { weight: 1, arbitrary: fc.record({ do: kind('retire'), tab, occupant }) },
  { weight: 1, arbitrary: fc.record({ do: kind('move'), tab, to: tab }) },
  { weight: 1, arbitrary: fc.record({ do: kind('forget'), tab }) },
  { weight: 1, arbitrary: fc.record({ do: kind('boundary'), tab }) },
  { weight: 2, arbitrary: fc.record({ do: kind('world'), tab, occupant, turn: carrier, revokes: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: kind('time'), ms: fc.integer({ min: -2_000, max: 2_000 }) }) },
);

/** A whole story of an ask of its own, for chance alone rarely tells one. */
const story = fc.record({ story: fc.constantFrom('late', 'direct', 'pushed', 'crowd'), tab, question });
type Story = typeof story extends fc.Arbitrary<infer One> ? One : never;
export type Part = Story | Step;

/** Stories and single steps, at most so many. */
export const parts = (most: number): fc.Arbitrary<Part[]> =>
  fc.array(
    fc.oneof<fc.MaybeWeightedArbitrary<Part>[]>({ weight: 2, arbitrary: story }, { weight: 3, arbitrary: journalStep }),
    { minLength: 1, maxLength: most, size: 'max' },
  );

/** More late answers than a tab may hold, the first of them in an agent's queue; then the losses are reported. */
function crowd({ tab: where, question: asked }: Story, at: number): Step[] {
  const steps = [0, 1, 2, 3, 4].flatMap((n): Step[] => {
    const own = `pa-crowd-${at}-${n}`;
    const late: Step[] = [
      { do: 'open', id: own, tab: where, question: asked },
      { do: 'close', id: own },
      { do: 'record', id: own, tab: where, text: 'yes' },
    ];
    return n === at % 5 ? [...late, { do: 'deliver', tab: where, room: 1, named: false }] : late;
  });
  return [...steps, { do: 'report', tab: where, id: null }];
}

/** The steps that the parts stand for. */
export function told(list: readonly Part[]): Step[] {
  return list.flatMap((one, at): Step[] => {
    if (!('story' in one)) return [one];
    if (one.story === 'crowd') return crowd(one, at);
    // Every other one has an id that single steps may use too.
    const own = at % 2 === 0 ? `pa-story-${at}` : (IDS[at % IDS.length] as string);
    const open: Step = { do: 'open', id: own, tab: one.tab, question: one.question };
    const close: Step = { do: 'close', id: own };
    const answer: Step = { do: 'record', id: own, tab: one.tab, text: 'yes' };
    if (one.story === 'direct') return [open, answer, { do: 'return', token: 0, replay: false, id: own }, close];
    const late: Step[] = [open, close, answer];
    return one.story === 'late' ? late : [...late, { do: 'deliver', tab: one.tab, room: 2, named: at % 3 === 0 }];
  });
}

const sid = fc.constantFrom('s', 's', 's', 't');
const anySid: fc.Arbitrary<string | null> = fc.option(sid);
const peer = fc.constantFrom<(keyof typeof PEERS)[]>('a', 'a', 'b', 'b', 'relay');
const from = fc.option(peer, { freq: 5 });
/** Which of the cards, or of the calls that asked; counted from the newest. */
const back = fc.constantFrom(0, 0, 0, 1, 2);
const asked = fc.constantFrom(
  { method: 'window.title', qids: [] },
  { method: 'clarify', qids: ['q0', 'q1'] },
  { method: 'clarify', qids: ['q0'] },
  { method: 'sudo', qids: [] },
  { method: 'window.form', qids: ['q0', 'q1'] },
  { method: 'terminal.read', qids: [] },
);
const wait = fc.constantFrom<(number | null | 'call')[]>(null, null, 1_000, 0, 'call');
const key = fc.constantFrom(null, 'k', 'q0');
const write = fc.constantFrom('takes', 'takes', 'takes', 'takes', 'breaks', 'locks and breaks', 'answers');
const ask = fc
  .tuple(asked, fc.record({ sid, wait, key, write }))
  .map(([what, how]): RequestStep => ({ do: 'ask', ...what, ...how }));
const code = fc.constantFrom(-32_004, -32_004, 4_404, -32_601, -32_603);
const reason = fc.constantFrom<CancelReason[]>('timeout', 'interrupted', 'shutdown', 'resolved', 'session_closed');
const of = <Name extends RequestStep['do']>(name: Name): fc.Arbitrary<Name> => fc.constant(name);

/** One step for a registry of requests, weighted so that cards come about and go on. */
export const requestStep: fc.Arbitrary<RequestStep> = fc.oneof<fc.MaybeWeightedArbitrary<RequestStep>[]>(
  { weight: 6, arbitrary: ask },
  { weight: 5, arbitrary: fc.record({ do: of('attach'), peer, sid, able: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: of('answer'), card: back, from, good: fc.boolean(), frame: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ do: of('fail'), card: back, from, code }) },
  {
    weight: 5,
    arbitrary: fc.record({
      ...{ do: of('lock'), card: back },
      ...{ qid: fc.constantFrom('q0', 'q1', 'q9'), text: fc.constantFrom('yes', 'no') },
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: of('cancel'), sid: anySid, reason }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('withdraw', 'abort'), ask: back }) },
  { weight: 1, arbitrary: fc.record({ do: of('elsewhere'), qid: fc.constantFrom('q0', 'k') }) },
  { weight: 2, arbitrary: fc.record({ do: of('able'), peer, on: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('heard', 'forget'), peer }) },
  { weight: 2, arbitrary: fc.record({ do: of('replay'), peer, sid: anySid }) },
  { weight: 1, arbitrary: fc.record({ do: of('disk'), fails: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: of('restart'), told: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: of('time'), ms: fc.constantFrom(500, 1_000) }) },
);

const does = <Name extends MirrorStep['do']>(name: Name): fc.Arbitrary<Name> => fc.constant(name);

/** One step for the mirror of child processes, weighted so that cards come about and go on. */
export const mirrorStep: fc.Arbitrary<MirrorStep> = fc.oneof<fc.MaybeWeightedArbitrary<MirrorStep>[]>(
  { weight: 4, arbitrary: fc.record({ do: does('ask'), sid }) },
  { weight: 5, arbitrary: fc.record({ do: does('answer'), card: back, frame: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: does('fail'), card: back, code }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: does('verdict'), says: fc.constantFrom('ok', 'open', 'expired', 'unreached') }),
  },
  { weight: 4, arbitrary: fc.record({ do: does('lock'), card: back, qid: fc.constantFrom('q0', 'q1') }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('lose', 'cancel', 'settled'), card: back }) },
  { weight: 1, arbitrary: fc.record({ do: does('exit') }) },
  { weight: 1, arbitrary: fc.record({ do: does('turn'), sid }) },
);

const card = fc.constantFrom(...CARDS, CARDS[0]);
const happens = <Name extends CardStep['do']>(...names: Name[]) => fc.constantFrom<Name[]>(...names);
const reply = ['expired', 'refused'] as const;

/** One step for a window in which questions are asked, weighted so that cards come about and lines are lost. */
export const cardStep: fc.Arbitrary<CardStep> = fc.oneof<fc.MaybeWeightedArbitrary<CardStep>[]>(
  { weight: 6, arbitrary: fc.record({ do: happens('ask'), card, locked: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: happens('handler'), does: fc.constantFrom(...HANDLED) }) },
  { weight: 2, arbitrary: fc.record({ do: happens('cancel', 'settle', 'decline', 'crash'), card }) },
  { weight: 5, arbitrary: fc.record({ do: happens('answer', 'respond'), card, text: fc.constantFrom('yes', 'no') }) },
  { weight: 2, arbitrary: fc.record({ do: happens('activate', 'cut', 'break') }) },
  { weight: 3, arbitrary: fc.record({ do: happens('shows'), open: fc.subarray([...CARDS]), locked: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: happens('lock'), card, qid: fc.constantFrom('a', 'b') }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: happens('verdict'), says: fc.constantFrom('ok', 'unknown', ...reply) }),
  },
  { weight: 2, arbitrary: fc.record({ do: happens('locked'), says: fc.constantFrom('more', 'last', ...reply) }) },
  { weight: 3, arbitrary: fc.record({ do: happens('again'), epoch: fc.constantFrom('e1', 'e1', 'e2') }) },
);

const call = fc.constantFrom('a', 'a', 'a', 'b', 'c');
const seldom = fc.constantFrom(false, false, false, true);
/** Whole, cut, reordered, other, empty, and over the bound; a number is the one text that grows from whole to cut. */
const WHOLE = '{"v":1}';
const TEXTS = [WHOLE, WHOLE, WHOLE, '', '{', ` ${WHOLE}`, `${WHOLE} `, '{"v":2}', '1', '1.', '1.5', '{"__proto__":1}'];
const shown = fc.record({
  id: call,
  tool: fc.constantFrom('unknown', ...TOOLS),
  text: fc.constantFrom(...TEXTS, 'x'.repeat(WALK_LIMITS.textLength + 1)),
  result: seldom,
  gated: seldom,
});
const act = <Name extends ToolStep['do']>(...names: Name[]) => ({
  do: fc.constantFrom<Name[]>(...names),
  hurried: seldom,
});
const flag = fc.boolean();

/** One step of a tool tracker, weighted so that calls go far; `most`: calls in one snapshot. */
export const toolStep = (most = 3): fc.Arbitrary<ToolStep> => {
  const calls = fc.uniqueArray(shown, { maxLength: most, selector: ({ id: named }) => named });
  const by = fc.constantFrom<('callback' | 'executor')[]>('callback', 'executor');
  return fc.oneof<fc.MaybeWeightedArbitrary<ToolStep>[]>(
    { weight: 10, arbitrary: fc.record({ ...act('push'), calls, open: flag, loading: seldom }) },
    { weight: 2, arbitrary: fc.record(act('again', 'junk', 'reset')) },
    { weight: 1, arbitrary: fc.record({ ...act('broken'), loading: seldom }) },
    { weight: 2, arbitrary: fc.record({ ...act('abort'), discard: flag }) },
    { weight: 2, arbitrary: fc.record({ ...act('resume', 'adopt'), id: call }) },
    { weight: 6, arbitrary: fc.record({ ...act('ask'), id: call, by, aborted: seldom }) },
    { weight: 4, arbitrary: fc.record({ ...act('end'), id: call, well: flag }) },
  );
};

const entry = fc.constantFrom('e1', 'e2', 'e3', 'e4');
const parent: fc.Arbitrary<string | null> = fc.option(entry, { freq: 4 });
const noEntry: fc.Arbitrary<string | null> = fc.constantFrom(null, '');

/** One step for a check of lineage, weighted so that there is a log to check. */
export const lineageStep: fc.Arbitrary<LineageStep> = fc.oneof<fc.MaybeWeightedArbitrary<LineageStep>[]>(
  {
    weight: 6,
    arbitrary: fc.record({
      ...{ do: fc.constant('add'), id: entry, parent },
      kind: fc.constantFrom('ordinary', 'ordinary', 'break', 'untyped'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('spoil'), id: entry, how: fc.constantFrom(...TROUBLES) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ do: fc.constant('check'), anchor: fc.oneof({ weight: 8, arbitrary: entry }, noEntry) },
      ...{ leaf: fc.oneof({ weight: 8, arbitrary: entry }, fc.constant(null)), maxSteps: fc.constantFrom(2, 9) },
      ...{ stopAtBreak: seldom, later: flag },
    }),
  },
);
