/** A process that asks its windows and runs what was allowed is killed at each commit, and the next ones look at its file. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultPack, requestContracts } from '../../src/contracts.ts';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import type { Peer } from '../../src/requests/api.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { KeptLog } from '../../src/testing/index.ts';
import type { RpcFrame } from '../../src/wire/json.ts';
import { buildChild, type Child, killAtEach, type Run } from './child.ts';
import type { Note } from './requests-crash-child.ts';
import { APPROVALS, ASKED, SID } from './requests-day.ts';

/** No honest scenario has so many commits. */
const MOST = 60;
const ANSWERS = { 'pa-q1': 'yes', q2: 'early' };
const contracts = requestContracts(defaultPack);

let child: Child<Note>;
beforeAll(async () => {
  child = await buildChild('requests-crash-child.ts');
});
afterAll(() => child.end());

/** A process after the one that was killed, with a window. */
class Next {
  readonly c: Coordinator;
  readonly said: string;
  readonly frames: RpcFrame[] = [];
  readonly #notes: readonly Note[];

  constructor(c: Coordinator, notes: readonly Note[], said: string) {
    this.c = c;
    this.#notes = notes;
    this.said = said;
    const window: Peer = {
      ...{ kind: 'websocket', closed: false, author: { surface: 'page', who: 'w' } },
      send: (frame) => this.frames.push(frame) > 0,
    };
    c.requests.attach(window, '*');
    c.requests.advertise(window, true);
  }

  /** Ids for which the process before wrote this down. */
  noted(what: Note['what'], method?: string): readonly string[] {
    const ours = this.#notes.filter((note) => note.what === what && (method === undefined || note.method === method));
    return ours.map(({ id = '' }) => id);
  }

  open(method: string) {
    return this.c.requests.openRequests(SID).find((one) => one.method === method);
  }

  /** How a request has ended under its key; undefined: it is open, under the id that the window was shown. */
  async ended(which: keyof typeof ASKED) {
    const [method, sid, params, options] = ASKED[which];
    const [id] = this.noted('shown', method);
    const open = this.open(method);
    if (open !== undefined) {
      if (id !== undefined) expect(open.id, `${this.said}: ${which}`).toBe(id);
      return undefined;
    }
    // Never put, as far as anybody knows.
    if (id === undefined) return undefined;
    const before = this.frames.length;
    const settlement = await this.c.requests.send(method, sid, params, { ...options, timeoutMs: null });
    expect(this.frames.length, `${this.said}: ${which} is asked once`).toBe(before);
    return settlement;
  }
}

async function checkAnswer(next: Next): Promise<void> {
  const { c, said } = next;
  const { requests, journal } = c;
  const taken = next.noted('taken', 'clarify');
  const open = next.open('clarify');
  if (taken.length > 0) expect(open, `${said}: taken, and open`).toBeUndefined();
  else if (open !== undefined && next.noted('locked').length > 0)
    expect(open.params, `${said}: locked`).toMatchObject({ answers: { q2: 'early' } });
  const settlement = await next.ended('ticketed');
  const entries = await journal.entriesFor(SID);
  if (settlement === undefined) return expect(entries, said).toEqual([]);
  expect(settlement, said).toMatchObject({ kind: 'answered', result: { answers: ANSWERS } });
  // On file in the journal in the same commit, once, and the same answer given again is the same receipt.
  expect(
    entries.map(({ askId, answer }) => [askId, answer]),
    said,
  ).toEqual([['pa-q1', 'yes']]);
  const [id = ''] = next.noted('shown', 'clarify');
  if (settlement.kind !== 'answered') return;
  expect(requests.answer(id, settlement.result), `${said}: given again`).toBe(true);
  expect(requests.answer(id, { answers: { ...ANSWERS, q2: 'other' } }), `${said}: another one`).toBe(false);
  const isAcked = next.noted('acked').length > 0;
  if (isAcked) expect(entries[0]?.acked, `${said}: the receipt`).toBe(true);
}

async function checkEnds(next: Next): Promise<void> {
  const { said } = next;
  const late = await next.ended('late');
  if (late !== undefined) expect(late.kind, said).toBe('timed_out');
  const back = await next.ended('back');
  if (back !== undefined) expect(back, said).toMatchObject({ kind: 'cancelled', reason: 'interrupted' });
  for (const id of next.noted('ended')) {
    expect(
      next.c.requests.openRequests(SID).map((one) => one.id),
      `${said}: told that it ended`,
    ).not.toContain(id);
    expect(next.c.requests.answer(id, { value: 'late' }), said).toBe(false);
  }
}

/** What was decided stands, what was let go is never let go again, and no card stands for what is over. */
function checkCards({ c: { approvals, requests }, said }: Next): void {
  const pending = approvals.pending(SID).map(({ approval_id: id }) => id);
  const cards = requests.openRequests(SID).filter(({ method }) => method === 'approval');
  expect(
    cards.map(({ params }) => params['approval_id']),
    `${said}: cards`,
  ).toEqual(pending);
}

async function verdictOf({ c, said }: Next, id: keyof typeof APPROVALS) {
  const verdict = await c.approvals.request(SID, APPROVALS[id]);
  const claim = c.approvals.claim(id, verdict.digest);
  if (claim.ok) expect(c.approvals.done(id), said).toBe(true);
  return { choice: verdict.choice, ran: claim.ok };
}

async function checkRuns(next: Next, isFirst: boolean): Promise<void> {
  const { said, c } = next;
  checkCards(next);
  const isPending = (id: string): boolean => c.approvals.pending(SID).some((one) => one.approval_id === id);
  const effects = next.noted('effect');
  expect(effects, said).not.toContain('never');
  for (const id of next.noted('decided')) expect(isPending(id), `${said}: ${id} was decided`).toBe(false);
  for (const id of ['card', 'never'] as const) {
    if (isPending(id) || !next.noted('shown', 'approval').length) continue;
    // What nobody has heard of is asked for the first time.
    if (!next.noted('decided').includes(id) && c.approvals.grants(SID).every(({ approvalId }) => approvalId !== id))
      continue;
    const { choice, ran } = await verdictOf(next, id);
    if (id === 'never') expect([choice, ran], said).toEqual(['deny', false]);
    else if (effects.includes(id) || !isFirst) expect(ran, `${said}: it ran already`).toBe(false);
  }
}

async function look({ path, notes }: Run<Note>, said: string, isFirst: boolean): Promise<void> {
  const store = openSqliteStore(path);
  const c = await openCoordinator({ store, contracts, alwaysVisible: true, logger: new KeptLog() });
  try {
    const next = new Next(c, notes, said);
    await checkAnswer(next);
    await checkEnds(next);
    await checkRuns(next, isFirst);
  } finally {
    await c.close();
  }
}

describe('a process with open requests and approvals that is killed', () => {
  it.each(['before', 'after'] as const)(
    '[RQ-I01] [RQ-I20] [F1] [F10] at each commit, %s it: no answer is lost or given to another question, and nothing runs twice',
    async (when) => {
      const whole = await child.run(0, when);
      expect([whole.code, whole.said, whole.notes.at(-1)?.what]).toEqual([0, '', 'done']);
      const check = async (run: Run<Note>, said: string): Promise<void> => {
        await look(run, said, true);
        if (when === 'after') await look(run, `${said}, two processes later`, false);
      };
      await check(whole, 'never killed');
      const { killed, last } = await killAtEach(child, when, MOST, check);
      expect(killed).toBeGreaterThan(15);
      expect(last).toBeLessThan(MOST);
    },
    120_000,
  );
});
