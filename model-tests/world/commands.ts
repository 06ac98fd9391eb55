/** What people, agents, pages, disks and clocks do in the world. */
import type { Reply } from '../../src/api.ts';
import type { Ask } from './truth.ts';
import type { Agent, World } from './world.ts';

const OPTIONS = [
  { id: 'r', label: 'Red' },
  { id: 'g', label: 'Green' },
] as const;
const QUESTIONS = ['Which colour?', 'Go on?', 'What name?', 'Which branch?'] as const;
const REPLIES: readonly Reply[] = [
  { selected: ['r'] },
  { selected: ['g'] },
  { text: 'something else' },
  { declined: true },
  { selected: ['r'], text: 'but light' },
];
const JUMPS = [3_600_000, -3_600_000, -500, 90_000] as const;

const agentOf = (world: World): Agent => world.chance.pick(world.agents) as Agent;
const anyAsk = (world: World): (Ask & { id: string }) | undefined => {
  const known = world.truth.asks.filter((ask): ask is Ask & { id: string } => ask.id !== undefined);
  // Mostly a recent one; now and then one from long ago.
  return world.chance.pick(world.chance.below(4) === 0 ? known : known.slice(-5));
};

function ask(world: World): void {
  const { chance, truth } = world;
  const agent = agentOf(world);
  const { tab } = agent;
  const question = chance.pick(QUESTIONS) as string;
  const conversation = truth.conversation(tab);
  const made: Ask = { number: truth.asks.length + 1, id: undefined, tab, conversation, question };
  truth.asks.push(made);
  const any = chance.below(8) === 0 ? anyAsk(world) : undefined;
  const old = any?.tab === tab ? any : undefined;
  world.note('ask', `${made.number} ${tab} ${question} ${old?.number ?? ''}`);
  world.call('ask', made, agent, (signal) =>
    world.c.ask(
      { question, options: OPTIONS, freeText: true },
      {
        tab,
        signal,
        timeoutMs: chance.pick([0, 1_000, 50_000]),
        attach: world.attach(agent),
        onOpen: (id) => {
          made.id = id;
        },
        ...(chance.below(3) === 0 ? { expiresInMs: 30_000 } : {}),
        ...(old === undefined ? {} : { supersedes: old.id }),
      },
    ),
  );
}

function awaitAnswer(world: World): void {
  const one = anyAsk(world);
  if (one === undefined) return;
  const agent = world.agents.find(({ tab }) => tab === one.tab) as Agent;
  world.note('await', String(one.number));
  const timeoutMs = world.chance.pick([0, 1_000, 20_000]);
  const attach = world.attach(agent);
  world.call('await', one, agent, (signal) => world.c.awaitAnswer(one.id, { timeoutMs, signal, attach }));
}

function answer(world: World): void {
  const one = anyAsk(world);
  if (one !== undefined) world.submit(one, one.id, world.chance.pick(REPLIES) as Reply, { surface: 'page', who: 'p' });
}

function answerWrong(world: World): void {
  const one = anyAsk(world);
  if (one === undefined) return;
  const isUnknown = world.chance.below(2) === 0;
  const reply: Reply = isUnknown ? { text: 'lost' } : { selected: ['not offered'] };
  world.submit(one, isUnknown ? 'pa-never-asked' : one.id, reply, { surface: 'page' });
}

function withdraw(world: World): void {
  const one = anyAsk(world);
  if (one !== undefined) world.withdraw(one, one.id);
}

/** Several things in one tick, or at the very moment in which a call or a card runs out. */
function race(world: World): void {
  const { chance } = world;
  const one = anyAsk(world);
  if (one === undefined) return;
  world.note('race', String(one.number));
  const moves = [
    () => world.submit(one, one.id, { selected: ['r'] }, { surface: 'page', who: 'p' }),
    () => world.submit(one, one.id, { selected: ['g'] }, { surface: 'terminal' }),
    () => world.withdraw(one, one.id),
    () => world.runtime.advance(chance.pick([1_000, 30_000, 50_000]) as number),
    () => void chance.pick(world.liveCalls)?.abort.abort(),
    () => world.runtime.tick(),
  ];
  for (let i = 0; i < 3; i++) chance.pick(moves)?.();
}

/** The turn ends with its own result: the agent names what it read, or some of it, or its receipt is lost. */
async function endTurn(world: World): Promise<void> {
  const agent = agentOf(world);
  const { turn } = agent;
  const tokens = [...agent.shown];
  const fate = world.chance.below(4);
  world.note('turn ends', `${turn} ${tokens.join()} ${fate}`);
  world.endTurn(agent);
  if (fate === 0 || tokens.length === 0) return;
  if (fate === 1) return handBack(world, tokens, turn);
  await acknowledge(world, tokens, turn);
}

async function acknowledge(world: World, tokens: readonly string[], turn: string): Promise<void> {
  try {
    for (const { token, accepted } of await world.done(world.c.ack(tokens, turn))) {
      world.truth.receipts.push({ token, turn, accepted });
      world.note(accepted ? 'receipt accepted' : 'receipt refused', `${token} ${turn}`);
      const answer = world.truth.answers.get(token);
      if (accepted && answer !== undefined) answer.proven = true;
    }
  } catch (error) {
    world.note('call failed', `ack ${String((error as { code?: string }).code)}`);
  }
}

async function handBack(world: World, tokens: readonly string[], turn: string): Promise<void> {
  for (const token of tokens) {
    world.note('handed back', token);
    // A hand-back that says nothing of having been carried says that nobody has read it.
    const unseen = world.truth.showings.filter((one) => one.token === token && one.turn === turn);
    for (const showing of unseen) showing.undone = true;
    await world.done(world.c.handBack(token, turn)).catch(() => world.note('call failed', 'hand-back'));
  }
}

/** A receipt that comes late, twice, or from a turn that carried nothing. */
async function strayReceipt(world: World): Promise<void> {
  const agent = agentOf(world);
  const late = world.chance.pick(agent.unproven);
  if (late === undefined) return;
  await acknowledge(world, [late.token], world.chance.below(3) === 0 ? 'no-such-turn' : late.turn);
}

/** What is unread rides on the next result, three times at the most, and is then parked. */
async function ride(world: World): Promise<void> {
  const agent = agentOf(world);
  const { tab } = agent;
  try {
    for (const one of await world.done(world.c.unread(tab))) {
      const told = world.truth.showings.filter(({ token, how }) => token === one.token && how === 'ride').length;
      if (told >= 3) {
        await world.done(world.c.park(one.token, 'nobody named it'));
        world.note('parked', one.token);
        continue;
      }
      if (!(await world.done(world.c.handOver(one.token, world.attach(agent))))) continue;
      const { token, question, text, possibleRepeat: labelled } = one;
      world.truth.showings.push({
        ...{ how: 'ride', token, tab, question, text, labelled, turn: agent.turn },
        ...{ conversation: world.truth.conversation(tab), of: world.askOf(token) },
        ask: world.truth.asks.find(({ id }) => id === one.askId),
      });
      world.note('ride', token);
      world.shown(agent, token, labelled);
    }
  } catch (error) {
    world.note('call failed', `ride ${String((error as { code?: string }).code)}`);
  }
}

/** The queue of the agent is offered what is pending; a turn may read it at once, or leave it there to be recalled. */
async function push(world: World): Promise<void> {
  const agent = agentOf(world);
  const { tab } = agent;
  const takes = world.chance.below(4) !== 0;
  const reads = world.chance.below(2) === 0;
  const work = world.c.journal.deliverPending(tab, (payload, token) => {
    if (!takes) return false;
    const labelled = payload.possible_repeat === true || payload.replayed === true;
    const of = world.askOf(token);
    world.truth.showings.push({
      ...{ how: 'push', token, tab, labelled, question: payload.ask_question, text: payload.ask_answer },
      ...{ conversation: world.truth.conversation(tab), ask: of, of, turn: agent.turn },
    });
    world.note('push', token);
    if (!reads) {
      agent.queue.push(token);
      return true;
    }
    world.shown(agent, token, labelled);
    return { carrier: agent.turn };
  });
  await world.done(work).catch(() => world.note('call failed', 'push'));
}

/** A queue is emptied into the turn. */
function readQueue(world: World): void {
  const agent = agentOf(world);
  for (const token of agent.queue.splice(0)) agent.shown.add(token);
}

async function boundary(world: World): Promise<void> {
  const { tab } = agentOf(world);
  await world
    .done(world.c.journal.closeAsks(tab))
    .then(() => ended(world, tab))
    .catch(() => world.note('call failed', 'boundary'));
}

function ended(world: World, tab: string): void {
  world.note('boundary', tab);
  world.truth.conversations.set(tab, world.truth.conversation(tab) + 1);
  world.truth.boundaries.push(tab);
}

async function forget(world: World): Promise<void> {
  const { tab } = agentOf(world);
  const gone = [...world.truth.answers.values()].filter(({ ask: { tab: own } }) => own === tab);
  const emptied = world.truth.asks.filter((one) => one.tab === tab && world.isAnswered(one));
  const forgotten = (): void => {
    ended(world, tab);
    world.note('forgotten', tab);
    for (const one of gone) one.forgotten = true;
    for (const one of emptied) world.truth.emptied.add(one);
  };
  const failed = (): void => {
    world.note('call failed', 'forget');
    // What followed from it could not be committed; the tab is forgotten all the same, and the audit says so.
    if (emptied.some((one) => !world.isAnswered(one))) forgotten();
  };
  await world.done(world.c.journal.forget(tab)).then(forgotten, failed);
}

function clock(world: World): void {
  const by = world.chance.pick(JUMPS) as number;
  if (by < 0) world.note('clock set back', String(by));
  world.runtime.jump(by);
}

function failCommit(world: World): void {
  world.note('commit failed');
  world.store.plant({ on: 'commit', nth: 1 + world.chance.below(2) });
}

/** The power fails behind a write: what was committed is on file, and nobody was told. */
async function crashBehindCommit(world: World): Promise<void> {
  answer(world);
  await world.runtime.breathe();
  world.store.heal();
  world.store.commit();
  await world.crash();
}

/** Something has begun when the process dies. */
async function crashInside(world: World): Promise<void> {
  world.chance.pick([answer, ask, race, withdraw])?.(world);
  if (world.chance.below(2) === 0) world.runtime.tick();
  for (const call of world.liveCalls) world.note('died with its process', String(call.ask.number));
  await world.crash();
}

type Command = (world: World) => void | Promise<void>;
const WEIGHTS: readonly (readonly [Command, number])[] = [
  [ask, 12],
  [answer, 12],
  [awaitAnswer, 5],
  [answerWrong, 1],
  [withdraw, 2],
  [race, 5],
  [endTurn, 8],
  [strayReceipt, 2],
  [ride, 6],
  [push, 4],
  [readQueue, 2],
  [(world) => void world.chance.pick(world.liveCalls)?.abort.abort(), 2],
  [boundary, 2],
  [forget, 1],
  [(world) => world.runtime.pass(world.chance.pick([100, 1_000, 10_000, 60_000]) as number, 1_000), 8],
  [clock, 1],
  [(world) => (world.hasPage ? world.pageGoes() : world.pageComes()), 2],
  [failCommit, 2],
  [(world) => world.crash(), 1],
  [crashInside, 2],
  [crashBehindCommit, 1],
  [(world) => world.restart(), 1],
];
const ALL: readonly Command[] = WEIGHTS.flatMap(([command, weight]) => Array<Command>(weight).fill(command));

export async function act(world: World): Promise<void> {
  await (world.chance.pick(ALL) as Command)(world);
  await world.runtime.settle();
}
