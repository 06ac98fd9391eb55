/** A store that fails while the outcomes of questions are given out: what nobody was told, nobody was given. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/api.ts';
import type { CallKind } from '../../src/testing/index.ts';
import { COLOUR, endRigs, FREE, HUMAN, KINDS, type Kind, openRig, type Rig, TAB } from './rig.ts';

afterEach(endRigs);

interface End<T> {
  readonly value?: T;
  readonly error?: { readonly code?: string };
}

/** How a call has ended by now. */
function seen<T>(call: Promise<T>): { now: End<T> } {
  const end: { now: End<T> } = { now: {} };
  call.then(
    (value) => {
      end.now = { value };
    },
    (error: { code?: string }) => {
      end.now = { error };
    },
  );
  return end;
}

/** Everything that is owed, as the queue of an agent is offered it. */
async function pushed(rig: Rig): Promise<{ token: string; isRepeat: boolean }[]> {
  const given: { token: string; isRepeat: boolean }[] = [];
  const taken = rig.c.journal.deliverPending(TAB, (payload, token) => {
    const isRepeat = payload.possible_repeat === true || payload.replayed === true;
    return given.push({ token, isRepeat }) > 0;
  });
  await rig.done(taken);
  return given;
}

const tokensOf = (outcomes: readonly Outcome[]): string[] =>
  outcomes.flatMap((each) => ('token' in each ? each.token : []));

/** What the driver of a disk throws that cannot be read, and that nobody has put into words. */
const BROKEN = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_READ' });

/** One question is answered while the call waits, one was answered before, one stays open. */
async function mixed(rig: Rig) {
  await rig.late('Fido', FREE);
  let ids: readonly string[] = [];
  const asking = rig.c.askAll([COLOUR, FREE, { question: 'What else?' }], {
    tab: TAB,
    timeoutMs: 1_000,
    attach: () => 'turn-1',
    onOpen: (askIds) => {
      ids = askIds;
    },
  });
  const end = seen(asking);
  await rig.hand.settle();
  await rig.done(rig.c.answer(ids[0] ?? '', { selected: ['g'] }, HUMAN));
  await rig.hand.pass(500);
  return { ids, end };
}

/** A call of the store fails from when the time of the batch is over. False: it had fewer. */
async function faultAt(kind: Kind, on: CallKind, nth: number, when: 'before' | 'after'): Promise<boolean> {
  const rig = await openRig(kind);
  const { ids, end } = await mixed(rig);
  rig.store.plant({ on, nth, when, error: on === 'read' && kind === 'SQLite' ? BROKEN : undefined });
  await rig.hand.pass(2_000, 100);
  const isStruck = rig.store.struck > 0;
  rig.store.heal();
  const { value, error } = end.now;
  const answers = ['aa2', 'aa1'];
  if (value !== undefined) {
    // What was told has been handed over, and does not come again.
    expect(value.outcomes.map(({ outcome }) => outcome)).toEqual(['answered', 'recovered', 'pending']);
    expect(tokensOf(value.outcomes)).toEqual(answers);
    expect(await pushed(rig)).toEqual([]);
  } else {
    expect(['disk_full', 'commit_failed']).toContain(error?.code);
    const again = seen(rig.c.awaitAll(ids.slice(0, 1), { timeoutMs: 0, attach: () => 'turn-1' }));
    await rig.hand.pass(100);
    expect(again.now.value?.outcomes).toMatchObject([{ outcome: 'answered', token: 'aa2', possibleRepeat: false }]);
    expect(await pushed(rig)).toEqual([{ token: 'aa1', isRepeat: false }]);
  }
  const receipts = await rig.proven(rig.c.ack(value === undefined ? ['aa2'] : answers, 'turn-1'));
  expect(receipts.map(({ accepted }) => accepted)).not.toContain(false);
  endRigs();
  return isStruck;
}

describe.each(KINDS)('a batch whose time is over, over %s', (kind) => {
  it.each([
    ['commit', 'before'],
    ['write', 'before'],
    ['write', 'after'],
    ['read', 'before'],
  ] as const)(
    '[I1] [A2] [F1] gives out all that it tells, or nothing, whichever %s fails %s its effect',
    async (on, when) => {
      let struck = 0;
      for (let nth = 1; nth < 100; nth += on === 'read' && kind === 'SQLite' ? 3 : 1) {
        try {
          if (!(await faultAt(kind, on, nth, when))) break;
        } catch (cause) {
          throw new Error(`${on} ${nth}`, { cause });
        }
        struck = nth;
      }
      expect(struck).toBeGreaterThan(1);
      expect(struck).toBeLessThan(99);
    },
  );

  it('[A2] that could not be given out owes its answers as if they had never been handed over', async () => {
    const rig = await openRig(kind);
    const { end } = await mixed(rig);
    rig.store.plant({ on: 'commit', nth: 1 });
    await rig.hand.pass(1_000, 100);
    expect(end.now.error).toMatchObject({ code: 'disk_full' });
    expect(await pushed(rig)).toEqual([
      { token: 'aa1', isRepeat: false },
      { token: 'aa2', isRepeat: false },
    ]);
  });
});

describe.each(KINDS)('an answer that is called back from the queue of an agent, over %s', (kind) => {
  it('[J-R087] is given out though the commit of what became of its copy fails, and that is made good', async () => {
    const recalled: string[] = [];
    const rig = await openRig(kind, { revoker: (_, token) => recalled.push(token) > 0 });
    const { id, token } = await rig.late('g');
    expect(await pushed(rig)).toEqual([{ token, isRepeat: false }]);
    rig.store.plant({ on: 'commit', nth: 2 });
    const call = seen(rig.c.awaitAnswer(id, { timeoutMs: 0, attach: () => 'turn-1' }));
    await rig.hand.settle();
    expect(call.now.value).toMatchObject({ outcome: 'answered', token, possibleRepeat: true });
    await rig.hand.pass(3_000, 500);
    expect([rig.store.struck, rig.store.outbox(), recalled]).toEqual([1, [], [token, token]]);
    expect(await rig.entry(token)).toMatchObject({ state: 'handed_off', channel: 'result', rides: ['turn-1'] });
  });
});
