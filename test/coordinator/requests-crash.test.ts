/**
 * The process ends before and after every commit of one scripted day of questions and approvals. What was promised to
 * anybody until that instant is written down here, apart from the store, and must hold after any number of restarts.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { ApprovalVerdict } from '../../src/approvals.ts';
import { defaultPack, requestContracts } from '../../src/contracts.ts';
import type { Peer, Settlement } from '../../src/requests/api.ts';
import type { FaultyStore } from '../../src/testing/index.ts';
import type { JsonObject, RpcFrame } from '../../src/wire/json.ts';
import { endRigs, KINDS, type Kind, openRig, type Rig } from './rig.ts';

const contracts = requestContracts(defaultPack);
const SID = 'session-1';
const SECRET = 'canary-91b2';
const batch = (...qids: string[]) => ({
  questions: qids.map((qid) => ({ qid, question: `${qid}?`, choices: null, multi_select: false })),
});

interface Put {
  readonly method: string;
  readonly params: JsonObject;
  readonly qids?: readonly string[];
  readonly timeoutMs: number | null;
  /** How it may have ended, beside not at all. */
  readonly ends: readonly Settlement['kind'][];
}

/** What is asked of windows, by key. */
const PUTS: Readonly<Record<string, Put>> = {
  ticketed: {
    ...{ method: 'clarify', params: batch('pa-q1', 'pa-q2'), qids: ['pa-q1', 'pa-q2'] },
    ...{ timeoutMs: null, ends: ['answered'] },
  },
  locked: {
    ...{ method: 'clarify', params: batch('x1', 'x2', 'x3'), qids: ['x1', 'x2', 'x3'] },
    ...{ timeoutMs: null, ends: ['answered'] },
  },
  secret: { method: 'sudo', params: {}, timeoutMs: null, ends: [] },
  open: { method: 'mcp.setup', params: { server: {}, consent: 'ok?' }, timeoutMs: null, ends: [] },
  late: { method: 'vault.code', params: {}, timeoutMs: 100, ends: [] },
  timed: { method: 'clarify', params: batch('t1', 't2'), qids: ['t1', 't2'], timeoutMs: 1_000, ends: ['timed_out'] },
  taken: { method: 'clarify', params: batch('y1'), qids: ['y1'], timeoutMs: null, ends: ['cancelled'] },
};

/** Approvals by id: what the person says of each, or nothing. */
const CHOICES = { card: 'once', desk: 'session', never: 'deny', still: undefined } as const;
type ApprovalId = keyof typeof CHOICES;

/** What had been promised when the process ended. */
class Promises {
  /** Answers that were taken, by key. */
  readonly taken = new Map<string, JsonObject>();
  /** Request ids that a window was shown, by key. */
  readonly shown = new Map<string, string>();
  readonly decided = new Set<ApprovalId>();
  readonly verdicts = new Map<ApprovalId, ApprovalVerdict>();
  /** Executions that were let go. */
  readonly runs: string[] = [];
  readonly finished = new Set<string>();
}

class World {
  readonly rig: Rig;
  readonly promised = new Promises();
  /** Interrupts the turn that waits for `taken`. */
  readonly leaving = new AbortController();
  readonly #isMortal: boolean;
  readonly #looks: boolean;
  /** Frames that spoke of what no commit had made so. */
  readonly early: string[] = [];
  frames: JsonObject[] = [];
  #store!: FaultyStore;
  #filed = new Map<string, JsonObject>();

  /** `mortal`: the first fault is the end of the process. `unwatched`: this test reads nothing of the store itself. */
  constructor(rig: Rig, how: 'mortal' | 'hardy' | 'unwatched') {
    this.rig = rig;
    this.#isMortal = how === 'mortal';
    this.#looks = how !== 'unwatched';
    this.begin();
  }

  get alive(): boolean {
    return !this.#isMortal || this.#store.struck === 0;
  }

  /** A process has begun. */
  begin(): void {
    this.#store = this.rig.store;
    this.frames = [];
    const store = this.#store;
    const look = (): void => {
      this.#filed = new Map(store.kept('request').map(({ id, body }) => [id, JSON.parse(body) as JsonObject]));
    };
    if (this.#looks) look();
    store.watch = ({ kind, done }) => {
      if (this.#looks && kind === 'commit' && done) look();
    };
    const { requests } = this.rig.c;
    const window: Peer = {
      ...{ kind: 'websocket', closed: false, author: { surface: 'page', who: 'w' } },
      send: (frame) => this.#told(frame),
    };
    requests.attach(window, '*');
    requests.advertise(window, true);
  }

  #told(frame: RpcFrame): true {
    if (!this.alive) return true;
    const plain = frame as unknown as JsonObject;
    this.frames.push(plain);
    const { payload } = (plain['params'] ?? {}) as { payload?: JsonObject };
    const isEvent = plain['method'] === 'event';
    const row = this.#filed.get(String(isEvent ? payload?.['id'] : plain['id']));
    const isOpen = row !== undefined && row['settlement'] === undefined;
    if (this.#looks && isOpen === isEvent) this.early.push(JSON.stringify(plain));
    return true;
  }

  put(key: string): Promise<Settlement> {
    const { method, params, qids, timeoutMs } = PUTS[key] as Put;
    const signal = key === 'taken' && !this.leaving.signal.aborted ? this.leaving.signal : undefined;
    return this.rig.c.requests.send(method, SID, params, { timeoutMs, qids, key, signal });
  }

  /** Puts a question, and notes as which request a window was shown it. */
  show(key: string): void {
    const before = this.frames.length;
    this.put(key).catch(() => undefined);
    const id = this.frames[before]?.['id'];
    if (typeof id === 'string' && this.alive) this.promised.shown.set(key, id);
  }

  answer(key: string, result: JsonObject, how: 'answer' | 'resolveResponse', whole = result): void {
    const id = this.promised.shown.get(key) ?? '';
    const { requests } = this.rig.c;
    const isTaken = how === 'answer' ? requests.answer(id, result) : requests.resolveResponse({ id, result });
    if (isTaken && this.alive) this.promised.taken.set(key, whole);
  }

  approve(id: ApprovalId): void {
    const asked = this.rig.c.approvals.request(SID, {
      sid: SID,
      command: `run ${id}`,
      approvalId: id,
      timeoutMs: null,
    });
    // Asked again: what the round before came to (nobody could be shown it, say) is over.
    this.promised.verdicts.delete(id);
    const note = (verdict: ApprovalVerdict): void => {
      if (this.alive) this.promised.verdicts.set(id, verdict);
    };
    asked.then(note, () => undefined);
  }

  cardOf(id: ApprovalId): string {
    const card = this.rig.c.requests.openRequests(SID).find(({ params }) => params['approval_id'] === id);
    return card?.id ?? '';
  }

  claim(id: ApprovalId, digest: string): void {
    const claim = this.rig.c.approvals.claim(id, digest);
    // What was let go runs, even if the process ends in the same instant.
    if (claim.ok) this.promised.runs.push(id);
  }

  digestOf(id: ApprovalId): string {
    return this.rig.c.approvals.grants(SID).find(({ approvalId }) => approvalId === id)?.digest ?? '';
  }
}

const FULL = { answers: { x1: 'early', x2: 'late', x3: null } };
const ANSWERS = { answers: { 'pa-q1': 'one', 'pa-q2': 'two' } };

/** The day, step by step. A step may throw once the process has ended. */
const DAY: readonly ((world: World) => unknown)[] = [
  ({ rig }) => rig.c.journal.openAsk('pa-q1', { tabId: 't', fingerprint: 'f1', question: 'pa-q1?' }),
  ({ rig }) => rig.c.journal.openAsk('pa-q2', { tabId: 't', fingerprint: 'f2', question: 'pa-q2?' }),
  ...Object.keys(PUTS).map((key) => (world: World) => world.show(key)),
  ...(Object.keys(CHOICES) as ApprovalId[]).map((id) => (world: World) => world.approve(id)),
  ({ rig, promised }) => rig.c.requests.lockAnswer(promised.shown.get('locked') ?? '', 'x1', 'draft'),
  ({ rig, promised }) => rig.c.requests.lockAnswer(promised.shown.get('locked') ?? '', 'x1', 'early'),
  ({ rig, promised }) => rig.c.requests.lockAnswer(promised.shown.get('timed') ?? '', 't2', 'half'),
  (world) => world.answer('ticketed', ANSWERS, 'answer'),
  (world) => world.answer('locked', { answers: { x2: 'late', x3: null } }, 'resolveResponse', FULL),
  (world) => world.answer('secret', { value: SECRET }, 'answer'),
  (world) => {
    const id = world.cardOf('card');
    if (world.rig.c.requests.answer(id, { choice: 'once' }) && world.alive) world.promised.decided.add('card');
  },
  (world) => {
    const count = world.rig.c.approvals.resolve(SID, 'session', { requestId: 'desk' });
    if (count === 1 && world.alive) world.promised.decided.add('desk');
  },
  (world) => {
    const count = world.rig.c.approvals.resolve(SID, 'deny', { requestId: 'never' });
    if (count === 1 && world.alive) world.promised.decided.add('never');
  },
  (world) => world.claim('card', world.digestOf('card')),
  (world) => {
    if (world.rig.c.approvals.done('card') && world.alive) world.promised.finished.add('card');
  },
  (world) => world.claim('desk', 'drifted'),
  (world) => world.claim('desk', world.digestOf('desk')),
  ({ rig }) => rig.hand.pass(1_000, 100),
  (world) => world.leaving.abort('interrupted'),
];

async function live(world: World): Promise<void> {
  for (const step of DAY) {
    if (!world.alive) return;
    const struck = world.rig.store.struck;
    for (let tries = 0; tries < 2; tries++) {
      try {
        const begun = step(world);
        if (begun instanceof Promise) begun.catch(() => undefined);
      } catch (error) {
        if (world.rig.store.struck === struck) throw error;
      }
      await world.rig.hand.settle();
      // What failed is tried once more, as whoever did it would.
      if (world.rig.store.struck === struck || !world.alive) break;
    }
  }
}

async function verify(world: World): Promise<void> {
  const { rig, promised } = world;
  const open = new Set(rig.c.requests.openRequests(SID).map(({ id }) => id));
  for (const [key, id] of promised.shown) {
    const put = PUTS[key] as Put;
    // A secret that was given is gone, and `late` has ended if its time has come; either is asked anew, if at all.
    if (open.has(id) || key === 'secret' || key === 'late') continue;
    const before = world.frames.length;
    const settlement = await rig.done(world.put(key));
    expect(world.frames.length, `${key} is asked once`).toBe(before);
    expect(put.ends, `${key} ended`).toContain(settlement.kind);
    const taken = promised.taken.get(key);
    if (taken !== undefined) expect(settlement).toMatchObject({ kind: 'answered', result: taken });
    if (settlement.kind === 'timed_out') expect(settlement.locked).toEqual({ t2: 'half' });
  }
  for (const key of promised.taken.keys())
    expect(open.has(promised.shown.get(key) ?? ''), `${key} is over`).toBe(false);
  const entries = await rig.done(rig.c.journal.entriesFor('t'));
  const journaled = entries.map(({ askId, answer }) => [askId, answer]);
  if (promised.taken.has('ticketed')) expect(journaled).toEqual(Object.entries(ANSWERS.answers));
  else expect([0, 2]).toContain(journaled.length);
  await verifyApprovals(world);
  const everything = [rig.log, ...['request', 'approval', 'grant'].map((kind) => rig.store.kept(kind))];
  expect(JSON.stringify([everything, await rig.done(rig.c.audit({ limit: 1_000 }))])).not.toContain(SECRET);
  expect(world.early).toEqual([]);
}

async function verifyApprovals({ rig, promised }: World): Promise<void> {
  const { approvals, requests } = rig.c;
  const cards = requests.openRequests(SID).filter(({ method }) => method === 'approval');
  const pending = approvals.pending(SID).map(({ approval_id: id }) => id);
  expect(cards.map(({ params }) => params['approval_id']).sort()).toEqual([...pending].sort());
  for (const id of [...promised.decided, ...promised.verdicts.keys()]) expect(pending).not.toContain(id);
  for (const id of promised.decided) {
    const asked = approvals.request(SID, { sid: SID, command: `run ${id}`, approvalId: id, timeoutMs: null });
    const { choice, cancelled } = await rig.done(asked);
    if (promised.runs.includes(id)) expect([null, 'spent', 'unknown']).toContain(choice ?? cancelled);
    else expect([CHOICES[id], null]).toContain(choice);
  }
  const audit = await rig.done(rig.c.audit({ limit: 1_000 }));
  const denied = audit.filter(({ event, detail }) => event === 'approval_decided' && detail === 'deny');
  expect(denied.every(({ token }) => token === 'never')).toBe(true);
  expect(audit.filter(({ event }) => event === 'approval_withdrawn' || event === 'approval_expired')).toEqual([]);
}

/** Whatever can still be run is run; no decision may pay twice. */
function runAll(world: World): void {
  for (const { approvalId, digest } of world.rig.c.approvals.grants(SID)) world.claim(approvalId as ApprovalId, digest);
  const { runs } = world.promised;
  expect(runs).toEqual([...new Set(runs)]);
  expect(runs).not.toContain('never');
}

/** Ends the process at its nth commit. False: it had fewer. */
async function crashAt(kind: Kind, nth: number, when: 'before' | 'after'): Promise<boolean> {
  const rig = await openRig(kind, { contracts });
  const world = new World(rig, 'mortal');
  rig.store.plant({ on: 'commit', nth, when });
  rig.store.plant({ on: 'commit', nth: nth + 1, times: 1_000_000 });
  await live(world);
  const isOver = world.alive;
  for (let restarts = 0; restarts < 2; restarts++) {
    await rig.restart();
    world.begin();
    await verify(world);
    if (restarts === 1) runAll(world);
  }
  await rig.restart();
  world.begin();
  runAll(world);
  endRigs();
  return !isOver;
}

/** One call of the store fails, and the day goes on. False: it had fewer. */
async function faultAt(kind: Kind, on: 'commit' | 'write' | 'read', nth: number, when: 'before' | 'after') {
  const rig = await openRig(kind, { contracts });
  const world = new World(rig, on === 'read' ? 'unwatched' : 'hardy');
  rig.store.plant({ on, nth, when });
  await live(world);
  const isStruck = rig.store.struck > 0;
  // What had to be tried again has been.
  await rig.hand.pass(3_000, 500);
  rig.store.heal();
  await verify(world);
  await rig.restart();
  world.begin();
  await verify(world);
  runAll(world);
  endRigs();
  return isStruck;
}

afterEach(endRigs);

describe.each(KINDS)('over %s', (kind) => {
  it.each(['before', 'after'] as const)(
    '[RQ-I01] [RQ-I20] [F1] [F10] a process that ends %s any of its commits breaks no promise',
    async (when) => {
      let commits = 0;
      for (let nth = 1; nth < 200; nth++) {
        try {
          if (!(await crashAt(kind, nth, when))) break;
        } catch (error) {
          throw new Error(`ended ${when} commit ${nth}`, { cause: error });
        }
        commits = nth;
      }
      expect(commits).toBeGreaterThan(25);
    },
    60_000,
  );

  // A write that took effect before it failed is rolled back; a commit that did would be a store that lies.
  it.each([
    ['commit', 'before', 1],
    ['write', 'before', 3],
    ['write', 'after', 5],
    ['read', 'before', 3],
  ] as const)(
    '[RQ-I01] [RQ-I20] a %s that fails %s its effect breaks no promise, and what was refused can be done again',
    async (on, when, stride) => {
      let calls = 0;
      for (let nth = 1; nth < 1_000; nth += kind === 'SQLite' ? 5 * stride : stride) {
        try {
          if (!(await faultAt(kind, on, nth, when))) break;
        } catch (error) {
          throw new Error(`${on} ${nth} failed ${when}`, { cause: error });
        }
        calls = nth;
      }
      expect(calls).toBeGreaterThan(15);
    },
    60_000,
  );
});
