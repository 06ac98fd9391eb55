/** What the tap shows of everything beside the journal: which rows, and never what people or agents wrote. */
import { afterEach, describe, expect, it } from 'vitest';
import type { CoordinatorEvent } from '../../machines/coordinator.ts';
import type { AnswerEvent } from '../../machines/journal/answer-facts.ts';
import type { DebtEvent } from '../../machines/journal/debt.ts';
import type { LossEvent } from '../../machines/journal/loss.ts';
import type { TicketEvent } from '../../machines/journal/ticket.ts';
import type { ApprovalEvent } from '../../machines/requests/approval.ts';
import type { CardEvent } from '../../machines/requests/card-facts.ts';
import type { FollowerEvent } from '../../machines/requests/follower.ts';
import type { GrantEvent } from '../../machines/requests/grant.ts';
import type { MirrorEvent } from '../../machines/requests/mirror.ts';
import type { RequestEvent } from '../../machines/requests/request-facts.ts';
import type { RetirementEvent } from '../../machines/retirement.ts';
import type { FenceEvent } from '../../machines/seats/fence.ts';
import type { SeatEvent } from '../../machines/seats/seat.ts';
import { TAP_FACTS, type ToldStep } from '../../machines/shared/tap.ts';
import type { SpendEvent } from '../../machines/tools/spend-facts.ts';
import { defaultPack, requestContracts } from '../../src/contracts.ts';
import { createTap, type TapStep } from '../../src/inspect/tap.ts';
import { type ChildLink, createMirror } from '../../src/requests/mirror.ts';
import { createSeatCache } from '../../src/seats/cache.ts';
import { Hand } from '../../src/testing/channel/hand.ts';
import { HandRuntime } from '../../src/testing/hand-runtime.ts';
import { createChannel } from '../../src/wire/channel.ts';
import type { JsonObject, RpcFrame } from '../../src/wire/json.ts';
import { endRigs, HUMAN, Rig, TAB } from '../coordinator/rig.ts';
import { asksFirst, call, open as openChat } from '../coordinator/tool-chat.ts';
import { HandLog } from '../fences/log.ts';

const SECRET = 'canary-7f3a9c';
const rigs: Rig[] = [];
afterEach(() => {
  endRigs();
  for (const rig of rigs.splice(0)) rig.end();
});

async function opened(options: ConstructorParameters<typeof Rig>[1] = {}) {
  const steps: TapStep[] = [];
  const rig = new Rig('memory', { contracts: requestContracts(defaultPack), ...options });
  rigs.push(rig);
  await rig.open();
  rig.c.tap((step) => void steps.push(step));
  const frames: JsonObject[] = [];
  const page = {
    ...{ kind: 'websocket' as const, closed: false, author: { surface: 'page', who: 'window-1' } },
    send: (frame: RpcFrame) => frames.push(frame as unknown as JsonObject) > 0,
  };
  rig.c.requests.attach(page, '*');
  rig.c.requests.advertise(page, true);
  const path = (machine: string, id?: string): string[] =>
    steps.filter((step) => step.machine === machine && !step.ignored && (id ?? step.id) === step.id).map(short);
  const lastId = (): string => String(frames.findLast(({ method, id }) => method !== undefined && id)?.['id']);
  return { rig, page, frames, steps, path, lastId };
}

const short = ({ event, after }: TapStep): string =>
  `${event.type} ${typeof after === 'string' ? after : Object.values(after).join('/')}`;
const quietly = (work: Promise<unknown>): void => void work.catch(() => undefined);

describe('the tap of a coordinator shows no secret', () => {
  it('of a request: what was asked, what was answered', async () => {
    const { rig, page, steps, path, lastId } = await opened();
    quietly(rig.c.requests.send('sudo', TAB, { command: `echo ${SECRET}` }, { timeoutMs: null, key: 's' }));
    const id = lastId();
    rig.c.requests.answer(id, { value: SECRET }, page);
    await rig.hand.settle();
    quietly(rig.c.requests.send('sudo', TAB, { command: SECRET }, { timeoutMs: null, key: 't' }));
    rig.c.requests.cancel(TAB);
    await rig.hand.settle();
    expect(path('request', id).at(0)).toMatch(/^xstate.init /);
    expect(path('request', id).at(-1)).toMatch(/^RESPOND .*answered/);
    expect(JSON.stringify(steps)).not.toContain(SECRET);
  });

  it('of an approval, its twin and its grant: commands, reasons, digests', async () => {
    const { rig, page, steps, path, lastId } = await opened();
    const ask = (approvalId: string): void =>
      quietly(rig.c.approvals.request(TAB, { sid: TAB, approvalId, command: `rm ${SECRET}`, timeoutMs: null }));
    ask('one');
    ask('twin');
    await rig.hand.settle();
    expect(rig.c.requests.answer(lastId(), { choice: 'once' }, page)).toBe(true);
    await rig.hand.settle();
    const digest = String(rig.c.approvals.grants(TAB)[0]?.digest);
    expect(rig.c.approvals.claim('one', digest)).toMatchObject({ ok: true });
    await rig.hand.settle();
    expect(path('grant', 'one').some((line) => line.startsWith('CLAIM '))).toBe(true);
    expect(JSON.stringify(steps)).not.toContain(digest);
    expect(path('approval', 'one').at(0)).toMatch(/^xstate.init /);
    expect(path('approval', 'one').some((line) => line.startsWith('RESOLVE '))).toBe(true);
    expect(new Set(steps.map(({ machine }) => machine))).toEqual(new Set(['request', 'approval', 'follower', 'grant']));
    expect(steps.find(({ event }) => event.type === 'RESOLVE')?.event).toEqual({ type: 'RESOLVE', choice: 'once' });
    expect(JSON.stringify(steps)).not.toContain(SECRET);
  });

  it('of a client tool: arguments, what it asked, the answer, the outcome', async () => {
    const { rig, steps, path } = await opened();
    const chat = await call(
      rig,
      openChat(rig, (own) => asksFirst(own, `Send ${SECRET}?`)),
    );
    const [ask] = await rig.done(rig.c.list({ what: 'open' }));
    await rig.done(rig.c.answer(String(ask?.askId), { text: SECRET }, HUMAN));
    await rig.hand.settle();
    expect(chat.said).toEqual([[`sent: ${SECRET}`, false]]);
    expect(path('spend')).toEqual(['xstate.init open', 'CLAIM claimed', 'PARK asking', 'RESUME claimed', 'DONE done']);
    expect(steps.find(({ event }) => event.type === 'CLAIM')).toMatchObject({ rules: ['H-02'], done: false });
    expect(JSON.stringify(steps)).not.toContain(SECRET);
  });

  it('of a call whose row cannot be committed it shows nothing', async () => {
    const { rig, path } = await opened();
    rig.store.plant({ on: 'commit', nth: 1 });
    await call(
      rig,
      openChat(rig, () => () => SECRET),
    );
    expect(path('spend').filter((line) => line.startsWith('CLAIM'))).toEqual([]);
  });

  it('of a mirrored request: the child asks, the page answers', async () => {
    const { rig, page, steps, path } = await opened();
    const mirror = createMirror({ requests: rig.c.requests, logger: rig.log, watch: rig.c.watch });
    const child: ChildLink = {
      send: () => true,
      respond: async () => ({ status: 'ok', open: false }),
      lock: async () => ({ status: 'ok', remaining: [] }),
    };
    const params = { session_id: TAB, command: `echo ${SECRET}` };
    expect(mirror.fromChild(child, { jsonrpc: '2.0', id: 'm1', method: 'sudo', params })).toBe(true);
    const taken = { value: false };
    mirror.answer('m1', { value: SECRET }, page).then((value) => Object.assign(taken, { value }));
    await rig.hand.settle();
    expect(taken.value).toBe(true);
    expect(path('mirror', 'm1').map((line) => line.split(' ')[0])).toEqual(['xstate.init', 'ANSWER', 'ACK']);
    expect(steps[0]?.event).toEqual({ type: 'xstate.init', sid: TAB, method: 'sudo' });
    // No transition led to its first state, so nothing was ordered and no rule is named.
    expect(steps[0]).toMatchObject({ before: null, effects: [], rules: [], ignored: false });
    expect(JSON.stringify(steps)).not.toContain(SECRET);
  });

  it('of a warning: who was told, of which losses', async () => {
    const { rig, steps, path } = await opened({ limits: { entriesPerTab: 1 } });
    const losing = { question: `Which ${SECRET}?` };
    await rig.late(SECRET, losing);
    await rig.late(SECRET, losing);
    const { outcome } = await rig.ask({ question: 'And now?' }, { timeoutMs: 1_000, attach: () => 'turn-1' });
    await rig.hand.pass(1_000);
    expect(await rig.proven(outcome)).toMatchObject({ outcome: 'pending', dropped: { count: 1 } });
    const [birth] = steps.filter(({ machine }) => machine === 'debt');
    const lost = steps.find(({ machine }) => machine === 'loss')?.id.slice('loss'.length);
    expect(birth).toMatchObject({
      id: expect.stringMatching(/^aad\d+$/),
      before: null,
      event: { type: 'xstate.init', tab: TAB, carrier: 'turn-1', losses: [Number(lost)] },
    });
    expect(path('debt', birth?.id)).toEqual(['xstate.init handed_off']);
    expect(JSON.stringify(steps)).not.toContain(SECRET);
  });

  it('of a fence: names of entries, and what it made of them', async () => {
    const log = new HandLog();
    log.add('a');
    const { rig, steps, path } = await opened({ conversationLog: (tab) => (tab === TAB ? log.log : undefined) });
    const asking = await rig.ask({ question: `Which ${SECRET}?` });
    log.add('q');
    await rig.done(rig.c.questionLogged(asking.id, 'q'));
    await rig.done(rig.c.answer(asking.id, { text: SECRET }, HUMAN));
    await rig.hand.settle();
    log.add('later');
    await rig.done(rig.c.leafChanged(TAB));
    await rig.hand.settle();
    const lines = path('fence', asking.id);
    expect(lines[0]).toBe('xstate.init unanchored');
    expect(lines.map((line) => line.split(' ')[0])).toEqual(
      expect.arrayContaining(['QUESTION_LOGGED', 'ANSWERED', 'FOUND', 'LEAF_CHANGED']),
    );
    expect(steps.find(({ event }) => event.type === 'QUESTION_LOGGED')?.event['at']).toBe('q');
    expect(JSON.stringify(steps)).not.toContain(SECRET);
  });
});

describe('rows that live in memory', () => {
  it('a cache of seats tells of each seat, and not of what it refuses for its name', async () => {
    const runtime = new HandRuntime();
    const tap = createTap({ runtime, logger: { warn: () => undefined } });
    const steps: TapStep[] = [];
    tap.read((step) => void steps.push(step));
    const cache = createSeatCache<object>({ capacity: 1, watch: tap.watch });
    const ticket = cache.adopt('one', { text: SECRET }, 'e1');
    if (ticket !== undefined) cache.seal(ticket, 'e2');
    cache.adopt('', {}, null);
    cache.adopt('two', {}, null);
    await runtime.settle();
    expect(new Set(steps.map(({ machine, id }) => `${machine} ${id}`))).toEqual(new Set(['seat one', 'seat two']));
    const own = steps.filter(({ id }) => id === 'one');
    expect(own.map(({ event }) => event.type)).toEqual(['xstate.init', 'ADOPT', 'SEAL', 'OVERFLOW']);
    expect(own[1]?.event).toEqual({ type: 'ADOPT', good: true, anchor: 'e1' });
    expect(own.at(-1)?.done).toBe(true);
    expect(JSON.stringify(steps)).not.toContain(SECRET);
  });
});

describe('the cards of a window', () => {
  it('are told by the channel: birth, delivery, answer and end, without what was asked or said', async () => {
    const runtime = new HandRuntime();
    const tap = createTap({ runtime, logger: { warn: () => undefined } });
    const steps: TapStep[] = [];
    tap.read((step) => void steps.push(step));
    const hand = new Hand({ watch: tap.watch }, { create: createChannel }).greet();
    hand.channel.onRequest('*', () => ({}));
    hand.ask('srq-1', { question: SECRET });
    hand.channel.question('srq-1')?.respond({ answer: SECRET });
    hand.event('request.cancel', { id: 'srq-1', method: 'clarify', reason: SECRET });
    await runtime.settle();
    expect(new Set(steps.map(({ machine, id }) => `${machine} ${id}`))).toEqual(new Set(['card srq-1']));
    expect(steps[0]?.event).toEqual({ type: 'xstate.init', sid: 's', method: 'clarify' });
    const types = steps.map(({ event }) => event.type);
    expect(types).toEqual(expect.arrayContaining(['DELIVER', 'ACCEPT', 'ANSWER', 'SENT']));
    expect(steps.flatMap(({ rules }) => rules)).toContain('R-121');
    expect(JSON.stringify(steps)).not.toContain(SECRET);
  });
});

type FieldOf<Event> = Event extends unknown ? Exclude<keyof Event, 'type'> : never;
/** Whether each field of a chart's events is shown. One that is missing here does not compile. */
type Fields<Event> = Readonly<Record<FieldOf<Event>, boolean>>;

const answer: Fields<AnswerEvent> = {
  ...{ carrier: true, replay: true, losses: true, worded: true, carried: true, bound: true, erase: true },
  ...{ because: true, to: true, repeat: true, why: false },
};
const ticket: Fields<TicketEvent> = {
  ...{ answered: true, from: true, to: true, live: true, liveThere: true },
  ...{ opening: false, why: false },
};
const coordinator: Fields<CoordinatorEvent> = { tab: true, occupant: true, from: true, to: true };
const retirement: Fields<RetirementEvent> = { by: true, since: true };
const loss: Fields<LossEvent> = { by: true, carrier: true, to: true };
const debt: Fields<DebtEvent> = { carrier: true, loss: true, to: true };
const request: Fields<RequestEvent> = {
  ...{ conforms: true, via: true, code: true, from: true, qid: true, reason: true, peer: true },
};
const approval: Fields<ApprovalEvent> = { choice: true, cause: false };
const follower: Fields<FollowerEvent> = { outcome: true, leader: true, cause: false };
const grant: Fields<GrantEvent> = { digest: false, run: false };
const mirror: Fields<MirrorEvent> = { verdict: true, open: true, qid: true };
const card: Fields<CardEvent> = {
  ...{ generation: true, sid: true, replayed: true, ended: true, locked: true, code: true, form: true },
  ...{ arrived: true, qid: true, last: true, reason: false },
};
const spend: Fields<SpendEvent> = {};
const fence: Fields<FenceEvent> = { at: true, leaf: true, moved: true, to: true, asked: false, delivered: false };
const seat: Fields<SeatEvent> = { good: true, anchor: true, mine: true, leaf: true, least: true };

/** Named by its owner at the birth of a row, beside the fields of events. */
const BIRTHS: Readonly<Record<string, readonly string[]>> = {
  answer: ['tab', 'askId'],
  ticket: ['tab'],
  loss: ['tab', 'token'],
  debt: ['tab', 'losses'],
  request: ['sid', 'method'],
  approval: ['sid'],
  follower: ['sid'],
  grant: ['sid', 'choice'],
  mirror: ['sid', 'method'],
  card: ['method'],
  fence: ['tab'],
};

describe('every field of every event', () => {
  const charts = {
    coordinator,
    retirement,
    answer,
    ticket,
    loss,
    debt,
    request,
    approval,
    follower,
    grant,
    mirror,
    card,
    spend,
    fence,
    seat,
  };

  it('is shown or withheld on purpose', () => {
    expect(Object.keys(charts).sort()).toEqual(Object.keys(TAP_FACTS).sort());
    for (const [machine, fields] of Object.entries(charts)) {
      const shown = Object.entries(fields).flatMap(([name, isShown]) => (isShown ? [name] : []));
      const born = BIRTHS[machine] ?? [];
      expect(new Set(TAP_FACTS[machine]), machine).toEqual(new Set([...shown, ...born]));
    }
  });

  it('comes out of the tap as listed, with nothing else that an event may hold', async () => {
    const runtime = new HandRuntime();
    const tap = createTap({ runtime, logger: { warn: () => undefined } });
    const shown = new Map<string, readonly string[]>();
    tap.read(({ machine, event }) => void shown.set(machine, Object.keys(event).sort()));
    const step = { snapshot: { value: 'there' }, effects: [], rules: [], ignored: false };
    for (const [machine, fields] of Object.entries(charts)) {
      const event = Object.fromEntries([...Object.keys(fields), 'new'].map((name) => [name, SECRET]));
      tap.watch.tell?.(machine, 'row', undefined, { ...event, type: 'ANY' }, step as unknown as ToldStep);
    }
    await runtime.settle();
    for (const [machine, fields] of Object.entries(charts)) {
      const listed = Object.entries(fields).flatMap(([name, isShown]) => (isShown ? [name] : []));
      expect(shown.get(machine), machine).toEqual([...listed, 'type'].sort());
    }
  });
});
