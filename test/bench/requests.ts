/** Server→client requests: raced answers, and what one request costs beside 100 open ones and beside 10,000. */
import type { Peer, RequestContract, ServerRequests } from '../../src/requests/api.ts';
import { createServerRequests } from '../../src/requests.ts';
import { HandRuntime } from '../../src/testing/hand-runtime.ts';
import type { RpcFrame } from '../../src/wire/json.ts';
import { paired, type Ratio, timed } from './measure.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const none = (): string[] => [];

/** Contracts that allow everything: what a pack costs is measured where packs are. */
const lax = (method: string): RequestContract => ({
  ...{ method, secret: false, windowOwned: false },
  ...{ unknownParams: none, wrongParams: none, wrongResult: none },
});
const contracts = { request: lax, requestNames: ['clarify', 'window.title'] };

function page(): Peer & { last: string } {
  return {
    kind: 'websocket',
    closed: false,
    last: '',
    send(frame: RpcFrame): boolean {
      if ('id' in frame && frame.id !== null) this.last = String(frame.id);
      return true;
    },
  };
}

interface Full {
  readonly requests: ServerRequests;
  readonly peers: readonly ReturnType<typeof page>[];
}

/** So many open requests, spread over the sessions, each session with a page of its own. */
function filled(open: number, sessions: number): Full {
  const requests = createServerRequests({ contracts, logger: silent, runtime: new HandRuntime() });
  const peers = Array.from({ length: sessions }, (_, i) => {
    const peer = page();
    requests.attach(peer, [`session-${i}`]);
    requests.advertise(peer, true);
    return peer;
  });
  for (let i = 0; i < open; i++) void requests.send('window.title', `session-${i % sessions}`, {}, { timeoutMs: null });
  return { requests, peers };
}

type Use = (full: Full, i: number) => void;

const openedIn = ({ requests, peers }: Full, i: number): string => {
  const at = i % peers.length;
  void requests.send('window.title', `session-${at}`, { title: 'which one?' }, { timeoutMs: null });
  return peers[at]?.last ?? '';
};

const USES: readonly (readonly [string, Use])[] = [
  [
    'open and answer one',
    (full, i) => {
      const id = openedIn(full, i);
      full.requests.resolveResponse(
        { jsonrpc: '2.0', id, result: { value: 'this' } },
        full.peers[i % full.peers.length],
      );
    },
  ],
  [
    'open one and withdraw it',
    (full, i) => {
      const withdraw = full.requests.sendAsync('window.title', `session-${i % full.peers.length}`, {}, () => undefined);
      withdraw('resolved');
    },
  ],
  [
    'cancel a session of ten and ask them again',
    (full, i) => {
      const sid = `session-${i % full.peers.length}`;
      const count = full.requests.cancel(sid);
      for (let n = 0; n < count; n++) void full.requests.send('window.title', sid, {}, { timeoutMs: null });
    },
  ],
  [
    // The same ten sessions on either side: what the others hold must not matter, and what a cache holds is not asked.
    'replay a session of ten',
    (full, i) => {
      const at = i % 10;
      const peer = full.peers[at];
      if (peer !== undefined) full.requests.replayTo(peer, `session-${at}`);
    },
  ],
];

export interface Race {
  readonly runs: number;
  readonly answered: number;
  readonly timedOut: number;
  /** Accepted and not the settlement, or refused and the settlement all the same. */
  readonly lost: number;
  /** Told other than once. */
  readonly double: number;
}

/** An answer and a deadline of the same instant, in both orders of processing, with and without a lock before. */
export async function raceAnswers(runs = 100_000): Promise<Race> {
  const count = { runs, answered: 0, timedOut: 0, lost: 0, double: 0 };
  const runtime = new HandRuntime();
  const requests = createServerRequests({ contracts, logger: silent, runtime });
  const peer = page();
  requests.attach(peer, ['s']);
  requests.advertise(peer, true);
  for (let run = 0; run < runs; run++) {
    let isAccepted = false;
    let told = 0;
    let kind = '';
    const respond = (): void => {
      const isLock = run % 4 >= 2;
      isAccepted = isLock
        ? requests.lockAnswer(peer.last, 'q1', 'b')?.length === 0
        : requests.resolveResponse({ jsonrpc: '2.0', id: peer.last, result: { answers: { q1: 'b' } } }, peer);
    };
    if (run % 2 === 0) runtime.after(10, respond);
    const sent = requests.send('clarify', 's', {}, { timeoutMs: 10, qids: ['q0', 'q1'] });
    const note = sent.then((settlement) => {
      told += 1;
      kind = settlement.kind;
    });
    requests.lockAnswer(peer.last, 'q0', 'a');
    if (run % 2 === 1) runtime.after(10, respond);
    runtime.advance(10);
    await note;
    if (isAccepted) count.answered += 1;
    else count.timedOut += 1;
    if (isAccepted !== (kind === 'answered')) count.lost += 1;
    if (told !== 1) count.double += 1;
  }
  return count;
}

export async function requestsBench(): Promise<Ratio[]> {
  const results: Ratio[] = [];
  for (const [name, use] of USES) {
    const few = filled(100, 10);
    const many = filled(10_000, 1_000);
    const rounds = name.includes('ten') ? 2_000 : 10_000;
    results.push(
      await paired(`requests, ${name}: 10,000 open in 1,000 sessions / 100 in 10`, 1.5, [
        () => timed(rounds, (i) => use(many, i)),
        () => timed(rounds, (i) => use(few, i)),
      ]),
    );
  }
  return results;
}
