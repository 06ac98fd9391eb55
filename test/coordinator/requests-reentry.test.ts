/** Everything that is called back calls back in turn; what is on file and what is shown must stay the same thing. */
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { defaultPack, requestContracts } from '../../src/contracts.ts';
import type { Peer } from '../../src/requests/api.ts';
import type { JsonObject, RpcFrame } from '../../src/wire/json.ts';
import { endRigs, KINDS, type Kind, openRig, type Rig } from './rig.ts';

const contracts = requestContracts(defaultPack);
const SIDS = ['s0', 's1'];
const DEEPEST = 3;

/** A host whose every callback does one more thing, as deep as `DEEPEST`. */
class Meddler {
  rig!: Rig;
  /** Settlements that were taken or told, by request key. */
  readonly ends = new Map<string, string[]>();
  readonly #what: Iterator<number>;
  #depth = 0;
  /** Things that are still done: each frame of each is an occasion for more. */
  #left = 300;
  #keys = 0;
  #approvals = 0;

  constructor(what: readonly number[]) {
    let at = 0;
    this.#what = { next: () => ({ value: what[at++ % what.length] ?? 0, done: false }) };
  }

  /** One thing; also from inside a callback. */
  meddle(): void {
    if (this.#depth >= DEEPEST || this.#left <= 0 || this.rig === undefined) return;
    this.#left -= 1;
    this.#depth += 1;
    try {
      this.#act(this.#what.next().value);
    } catch {
      // What is refused was refused; what is on file is compared at the end.
    } finally {
      this.#depth -= 1;
    }
  }

  #act(what: number): void {
    const { requests, approvals, journal } = this.rig.c;
    const sid = SIDS[what % 2] ?? '';
    const [oldest] = requests.openRequests(sid);
    const [pending] = approvals.pending(sid);
    const acts: readonly (() => unknown)[] = [
      () => this.#send(sid),
      () => this.#send(sid, 100),
      () => this.#sendAsync(sid),
      () => requests.answer(oldest?.id ?? '', { value: 'x' }),
      () => requests.resolveResponse({ id: oldest?.id ?? '', error: { code: -1 } }),
      () => requests.cancel(sid, 'session_closed'),
      () => requests.cancel(null),
      () => this.#approve(sid),
      () => this.#approve(sid),
      () => approvals.resolve(sid, 'once', { requestId: pending?.approval_id }),
      () => approvals.resolve(sid, 'session', { all: true }),
      () =>
        requests.answer(requests.openRequests(sid).find((one) => one.method === 'approval')?.id ?? '', {
          choice: 'once',
        }),
      () => approvals.withdraw(sid, pending?.approval_id ?? '', 'over'),
      () => approvals.clear(sid, 'over'),
      () => journal.openAsk(`pa-${what}`, { tabId: sid, fingerprint: 'f', question: 'q' }).catch(() => undefined),
      () => journal.record(`pa-${what % 16}`, 'text', { tabId: sid }).catch(() => undefined),
      () => journal.deliverPending(sid, () => true).catch(() => undefined),
      () => this.rig.store.plant({ on: 'commit', nth: 1 + (what % 3) }),
    ];
    acts[what % acts.length]?.();
  }

  #note(key: string, how: string): void {
    this.ends.set(key, [...(this.ends.get(key) ?? []), how]);
    this.meddle();
  }

  #send(sid: string, timeoutMs: number | null = null): void {
    const key = `k${++this.#keys}`;
    const sent = this.rig.c.requests.send('mcp.setup', sid, { server: {}, consent: '' }, { timeoutMs, key });
    sent.then(({ kind }) => this.#note(key, kind)).catch(() => undefined);
  }

  #sendAsync(sid: string): void {
    const key = `k${++this.#keys}`;
    const told = (_: unknown, { kind }: { kind: string }): void => this.#note(key, kind);
    const withdraw = this.rig.c.requests.sendAsync('mcp.setup', sid, { server: {}, consent: '' }, told, { key });
    if (this.#keys % 3 === 0) withdraw('resolved');
  }

  #approve(sid: string): void {
    this.#approvals += 1;
    const request = { sid, command: `run ${this.#approvals % 3}`, approvalId: `a${this.#approvals}`, timeoutMs: 500 };
    this.rig.c.approvals.request(sid, request).then(
      () => this.meddle(),
      () => undefined,
    );
  }

  async open(kind: Kind): Promise<Rig> {
    const meddle = (): void => this.meddle();
    const rig = await openRig(kind, {
      ...{ contracts, flusher: meddle, attacher: () => null },
      approvals: { hooks: { before: meddle, after: meddle }, notify: [() => meddle] },
    });
    const window: Peer = {
      ...{ kind: 'websocket', closed: false },
      send: (_: RpcFrame) => {
        meddle();
        return true;
      },
    };
    rig.c.requests.attach(window, '*');
    rig.c.requests.advertise(window, true);
    rig.c.subscribe(meddle);
    this.rig = rig;
    return rig;
  }
}

/** What is shown as open, and what is on file as open. */
function both({ c, store }: Rig): [unknown, unknown] {
  const rows = (kind: string): JsonObject[] => store.kept(kind).map(({ body }) => JSON.parse(body) as JsonObject);
  const open = rows('request').filter(({ settlement }) => settlement === undefined);
  const shown = SIDS.flatMap((sid) => c.requests.openRequests(sid).map(({ id }) => id));
  const pending = SIDS.flatMap((sid) => c.approvals.pending(sid).map(({ approval_id: id }) => id));
  const onFile = [
    open.map(({ id }) => id).sort(),
    rows('approval')
      .map(({ id }) => id)
      .sort(),
  ];
  return [[shown.sort(), pending.sort()], onFile];
}

afterEach(endRigs);

describe.each(KINDS)('a host that calls back from inside every callback, over %s', (kind) => {
  it('[RQ-I01] [RQ-R02] [RQ-R04] is shown what is on file, and each end is told once', async () => {
    const runs = fc.asyncProperty(fc.array(fc.nat(1_000), { minLength: 40, maxLength: 120 }), async (what) => {
      const meddler = new Meddler(what);
      const rig = await meddler.open(kind);
      for (let i = 0; i < 40; i++) {
        meddler.meddle();
        if (i % 3 === 0) await rig.hand.settle();
        if (i % 10 === 9) await rig.hand.pass(50);
      }
      rig.store.heal();
      await rig.hand.pass(3_000, 500);
      rig.store.heal();
      await rig.hand.pass(3_000, 500);
      const [shown, filed] = both(rig);
      expect(shown).toEqual(filed);
      for (const [key, told] of meddler.ends) expect(told, key).toHaveLength(1);
      await rig.restart();
      const [again, still] = both(rig);
      expect([again, still]).toEqual([filed, filed]);
      endRigs();
    });
    await fc.assert(runs, { numRuns: kind === 'memory' ? 25 : 5, endOnFailure: true });
  }, 60_000);
});
