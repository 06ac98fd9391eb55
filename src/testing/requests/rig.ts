/** A registry in the test's hand: clients that note what they get, a clock that stands still, a log that is read. */
import type { Author } from '../../api.ts';
import type {
  Ledger,
  Peer,
  RequestRow,
  RowChange,
  SendOptions,
  ServerRequests,
  ServerRequestsOptions,
  Settled,
  Settlement,
} from '../../requests/api.ts';
import type { Mirror, MirrorOptions } from '../../requests/mirror.ts';
import type { JsonObject, RpcFrame } from '../../wire/json.ts';
import { HandRuntime } from '../hand-runtime.ts';
import { recorded } from '../recorded.ts';
import { noteStep, shown, subjectOf } from '../rules.ts';
import { PACK } from './pack.ts';

/** A way to make a registry, and perhaps a mirror; whatever has the same methods. */
export interface RequestsSubject {
  create(options: ServerRequestsOptions): ServerRequests;
  /** Makes the parent's side of a child process that asks. Without it the paths of mirrored questions are not tried. */
  mirror?(options: MirrorOptions): Mirror;
}

/** A frame, read for what tests ask of it. */
export interface Seen {
  readonly kind: 'request' | 'cancel' | 'settled' | 'other';
  readonly id: string;
  readonly sid: string;
  readonly method: string;
  readonly reason: string | undefined;
  readonly by: string | undefined;
  readonly frame: JsonObject;
}

export function readFrame(frame: RpcFrame): Seen {
  const plain = frame as unknown as JsonObject;
  const params = (plain['params'] ?? {}) as JsonObject;
  const sid = String(params['session_id'] ?? '');
  if (plain['method'] !== 'event') {
    const kind = 'id' in plain && 'method' in plain ? 'request' : 'other';
    const base = { kind, id: String(plain['id']), sid, method: String(plain['method']) } as const;
    return { ...base, reason: undefined, by: undefined, frame: plain };
  }
  const payload = (params['payload'] ?? {}) as JsonObject;
  const type = params['type'];
  return {
    kind: type === 'request.cancel' ? 'cancel' : type === 'request.settled' ? 'settled' : 'other',
    ...{ id: String(payload['id']), sid, method: String(payload['method']) },
    reason: payload['reason'] as string | undefined,
    by: payload['by'] as string | undefined,
    frame: plain,
  };
}

export class FakePeer implements Peer {
  readonly kind: Peer['kind'];
  readonly name: string;
  readonly author: Author;
  closed = false;
  readonly seen: Seen[] = [];
  /** Called from inside the write, once the frame has been noted. */
  onFrame: ((seen: Seen) => void) | undefined;
  /** The write throws this instead of taking the frame. */
  failsWith: unknown;

  constructor(name: string, kind: Peer['kind'] = 'websocket') {
    this.name = name;
    this.kind = kind;
    this.author = { surface: 'page', who: name };
  }

  send(frame: RpcFrame): boolean {
    if (this.failsWith !== undefined) throw this.failsWith;
    if (this.closed) return false;
    const seen = readFrame(frame);
    this.seen.push(seen);
    noteStep(`  ${this.name} gets ${seen.method} ${seen.kind} ${seen.id}`);
    this.onFrame?.(seen);
    return true;
  }

  ofKind(kind: Seen['kind'], id?: string): Seen[] {
    return this.seen.filter((one) => one.kind === kind && (id === undefined || one.id === id));
  }

  /** Ids of the requests it got, in order. */
  get asked(): string[] {
    return this.ofKind('request').map(({ id }) => id);
  }
}

/** A store that keeps JSON texts, fails when told to, and can be opened again. */
export class FakeLedger implements Ledger {
  readonly files = new Map<string, string>();
  readonly commits: { readonly changes: readonly RowChange[]; readonly settled: readonly Settled[] }[] = [];
  /** The next commits throw this. */
  failsWith: unknown;
  onCommit: (() => void) | undefined;

  commit(changes: readonly RowChange[], settled: readonly Settled[] = []): void {
    if (this.failsWith !== undefined) throw this.failsWith;
    this.onCommit?.();
    // As text, so that nothing in it is shared with anybody.
    const texts = changes.map((change) => JSON.stringify(change));
    noteStep(
      `  files ${changes.map(({ kind, id, row }) => `${kind} ${id}${row === undefined ? ' away' : ''}`).join(', ')}`,
    );
    for (const text of texts) {
      const { kind, id, row } = JSON.parse(text) as RowChange;
      if (row === undefined) this.files.delete(`${kind} ${id}`);
      else this.files.set(`${kind} ${id}`, JSON.stringify(row));
    }
    this.commits.push({ changes: texts.map((text) => JSON.parse(text) as RowChange), settled });
  }

  rows(kind: RowChange['kind']): JsonObject[] {
    const own = [...this.files].filter(([name]) => name.startsWith(`${kind} `));
    const rows = own.map(([, text]) => JSON.parse(text) as JsonObject);
    return rows.sort((a, b) => Number(a['seq']) - Number(b['seq']));
  }

  get requests(): RequestRow[] {
    return this.rows('request') as unknown as RequestRow[];
  }

  /** Everything that was ever written, as one text. */
  get everything(): string {
    return JSON.stringify([[...this.files], this.commits]);
  }
}

export class RequestRig {
  readonly runtime: HandRuntime;
  readonly lines: string[] = [];
  readonly requests: ServerRequests;
  readonly #level =
    (level: string) =>
    (...args: unknown[]): void =>
      void this.lines.push(`${level} ${args.join(' ')}`);
  readonly logger = {
    debug: this.#level('debug'),
    info: this.#level('info'),
    warn: this.#level('warn'),
    error: this.#level('error'),
  };

  constructor(
    options: Partial<ServerRequestsOptions> = {},
    runtime = new HandRuntime(),
    subject = subjectOf<RequestsSubject>(),
  ) {
    this.runtime = runtime;
    this.requests = recorded(subject.create({ contracts: PACK, runtime, logger: this.logger, ...options }));
  }

  /** A client that is attached; a WebSocket client has advertised, unless told otherwise. */
  peer(name: string, sids: '*' | readonly string[] = ['s'], kind: Peer['kind'] = 'websocket', able = true): FakePeer {
    const peer = new FakePeer(name, kind);
    this.requests.attach(peer, sids);
    if (able && kind === 'websocket') this.requests.advertise(peer, true);
    return peer;
  }

  ask(method = 'window.title', params: JsonObject = {}, options: Partial<SendOptions> = {}, sid = 's'): Asked {
    return new Asked(this, this.requests.send(method, sid, params, { timeoutMs: null, ...options }), sid);
  }

  batch(qids: readonly string[], options: Partial<SendOptions> = {}, sid = 's'): Asked {
    return this.ask('clarify', {}, { qids, ...options }, sid);
  }

  /** The youngest request of a session that is open. */
  lastId(sid = 's'): string {
    return this.requests.openRequests(sid).at(-1)?.id ?? '';
  }
}

/** A call of `send`, with what became of it. */
export class Asked {
  /** The id under which it was open right after the call; empty: it was not. */
  readonly id: string;
  settlement: Settlement | undefined;
  error: unknown;
  settledTimes = 0;
  readonly done: Promise<void>;

  constructor(rig: RequestRig, promise: Promise<Settlement>, sid: string) {
    this.id = rig.lastId(sid);
    this.done = promise.then(
      (settlement) => {
        noteStep(`  settles ${shown(settlement)}`);
        this.settlement = settlement;
        this.settledTimes += 1;
      },
      (error) => {
        this.error = error;
        this.settledTimes += 1;
      },
    );
  }

  /** What it came to, once promises have gone on. */
  async outcome(): Promise<Settlement | undefined> {
    for (let turn = 0; turn < 8; turn++) await Promise.resolve();
    return this.settlement;
  }
}

export const answer = (id: string, result: JsonObject = { value: 'yes' }): JsonObject => ({
  jsonrpc: '2.0',
  id,
  result,
});
export const failure = (id: string, code: number, message = 'no'): JsonObject => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

export const DISK = new Error('disk full');

/** A registry with a store, and a client. */
export function durable() {
  const ledger = new FakeLedger();
  const rig = new RequestRig({ ledger });
  return { ledger, rig, peer: rig.peer('a') };
}

/** The next process: the same files, nothing else. */
export function restarted(ledger: FakeLedger, before: RequestRig) {
  const runtime = before.runtime;
  before.requests.shutdown();
  return new RequestRig({ ledger }, runtime);
}
