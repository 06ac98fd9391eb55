/**
 * The open requests and the one place where they end. A commit section is synchronous: look up, step the chart, file,
 * publish. Nothing of anybody else's runs inside but the ledger's own commit, and effects come after it.
 */
import { assert } from '../../machines/shared/assert.ts';
import { step } from '../../machines/shared/step.ts';
import { birth, type Watch } from '../../machines/shared/tap.ts';
import { ReadbackError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import { settlementOf } from './answers.ts';
import type { Ledger, OpenRequest, Peer, RowChange, Settled, Settlement } from './api.ts';
import { type RequestChartEvent, requestChart } from './charts.ts';
import { performAll } from './effects.ts';
import { type Decided, type Entry, lockedOf, type Move, put, remove, rowOf } from './entry.ts';
import { copyJson } from './frames.ts';
import { Kept } from './kept.ts';
import { REQUEST_LIMITS } from './limits.ts';
import { type Log, reason } from './log.ts';
import type { Peers } from './peers.ts';
import { Receipts } from './receipts.ts';

export interface RegistryParts {
  readonly runtime: Runtime;
  readonly log: Log;
  readonly peers: Peers;
  readonly ledger: Ledger | undefined;
  readonly watch: Watch | undefined;
  readonly limits: { readonly perSession: number; readonly total: number };
}

export class Registry {
  readonly runtime: Runtime;
  readonly log: Log;
  readonly peers: Peers;
  readonly kept: Kept;
  readonly receipts = new Receipts();
  readonly watch: Watch | undefined;
  readonly #ledger: Ledger | undefined;
  readonly #limits: { readonly perSession: number; readonly total: number };
  readonly #open = new Map<string, Entry>();
  readonly #bySid = new Map<string, Map<string, Entry>>();
  readonly #byKey = new Map<string, Entry>();
  #seq = 0;
  #isCommitting = false;
  isClosed = false;

  constructor({ runtime, log, peers, ledger, watch, limits }: RegistryParts) {
    this.runtime = runtime;
    this.log = log;
    this.peers = peers;
    this.#ledger = ledger;
    this.watch = watch;
    this.#limits = limits;
    this.kept = new Kept(log);
  }

  get isDurable(): boolean {
    return this.#ledger !== undefined;
  }

  get count(): number {
    return this.#open.size;
  }

  /** The number that the next request gets. */
  get nextSeq(): number {
    return this.#seq + 1;
  }

  find(id: string): Entry | undefined {
    return this.#open.get(id);
  }

  byKey(key: string): Entry | undefined {
    return this.#byKey.get(key);
  }

  isOpen(entry: Entry): boolean {
    return this.#open.get(entry.id) === entry;
  }

  /** Open requests in creation order: of one session, or of all. */
  of(sid: string | null): Entry[] {
    if (sid === null) return [...this.#open.values()];
    return [...(this.#bySid.get(sid)?.values() ?? [])];
  }

  oldest(sid: string): Entry | undefined {
    return this.#bySid.get(sid)?.values().next().value;
  }

  sids(): string[] {
    return [...this.#bySid.keys()];
  }

  freshId(): string {
    for (let tries = 0; tries < 8; tries++) {
      const digits = this.runtime.id().replaceAll('-', '').toLowerCase().slice(0, 12);
      assert(/^[0-9a-f]{12}$/.test(digits), 'an id of the runtime begins with twelve hexadecimal digits');
      const id = `srq-${digits}`;
      if (!this.#open.has(id) && !this.kept.hasId(id)) return id;
    }
    throw new ReadbackError('invalid_input', 'the runtime gives the same id again and again.', { field: 'runtime' });
  }

  /** Refuses what would be one too many (a flood is told, never dropped). */
  requireRoom(sid: string): void {
    const { perSession, total } = this.#limits;
    if ((this.#bySid.get(sid)?.size ?? 0) >= perSession) {
      throw new ReadbackError('too_many', `session "${sid}" has ${perSession} open requests.`, { field: 'sid' });
    }
    if (this.#open.size >= total) throw new ReadbackError('too_many', `${total} requests are open.`);
  }

  /** Registers a new request: on file first, then open. */
  open(entry: Entry): void {
    this.#file(() => [put(rowOf(entry), { event: 'request.opened', detail: entry.method })]);
    this.insert(entry);
    const { id, sid, method, at } = entry;
    this.watch?.tell?.(requestChart.id, id, undefined, { type: 'xstate.init', sid, method }, birth(at));
  }

  /** Puts it into the map and its indices, without a word to the store. */
  insert(entry: Entry): void {
    this.#seq = Math.max(this.#seq, entry.seq);
    this.#open.set(entry.id, entry);
    const there = this.#bySid.get(entry.sid);
    if (there === undefined) this.#bySid.set(entry.sid, new Map([[entry.id, entry]]));
    else there.set(entry.id, entry);
    if (entry.key !== null) this.#byKey.set(entry.key, entry);
  }

  #delete(entry: Entry): void {
    this.#open.delete(entry.id);
    const there = this.#bySid.get(entry.sid);
    there?.delete(entry.id);
    if (there?.size === 0) this.#bySid.delete(entry.sid);
    if (entry.key !== null) this.#byKey.delete(entry.key);
  }

  /** One event, its commit, its effects; undefined: it is not open any more. Throws what the ledger throws. */
  dispatch(entry: Entry, event: RequestChartEvent, staged: Move['staged'] = {}, from?: Peer): Decided | undefined {
    const [decided] = this.commit([{ entry, event, staged, from }]);
    if (decided !== undefined) performAll(this, [decided]);
    return decided;
  }

  /** The commit section, for one request or for many; what was not open is left out. Effects are the caller's. */
  commit(moves: readonly Move[]): readonly Decided[] {
    const decided: Decided[] = [];
    for (const move of moves) if (this.isOpen(move.entry)) decided.push(this.#decide(move));
    const keepable = decided.filter((one) => this.#isKept(one));
    // More than the bound may end in one commit: what would go at once is not even written.
    const keeping = new Set(keepable.slice(-REQUEST_LIMITS.kept));
    this.#file(
      () => [
        ...decided.flatMap((one) => this.#changes(one, keeping.has(one))),
        ...this.kept.evicting(keeping.size).map((id) => remove(id)),
      ],
      () => decided.flatMap(settledOf),
    );
    for (const one of decided) this.#publish(one);
    for (const { entry, at, settlement } of keepable) {
      this.kept.keep({ ...entry, qids: at.context.qids }, settlement as Settlement);
    }
    this.kept.sayEvicted();
    return decided;
  }

  #decide(move: Move): Decided {
    const { entry, event, staged = {} } = move;
    const stepped = step(requestChart, entry.at, event);
    const { snapshot, effects } = stepped;
    const orders = effects.map(({ type }) => type);
    return { entry, stepped, at: snapshot, orders, settlement: settlementOf(entry, snapshot, staged), staged, move };
  }

  /** A row changes when a lock is stored and when it ends; peers come and go without a trace on file. */
  #changes(decided: Decided, isKept: boolean): readonly RowChange[] {
    const { entry, at, settlement, staged, orders, move } = decided;
    const author = move.from?.author;
    if (settlement === undefined) {
      if (!orders.includes('acceptLock')) return [];
      return [put(rowOf(entry, at, staged.locked), { event: 'request.locked', author, detail: entry.method })];
    }
    const note = { event: `request.${settlement.kind}`, author, detail: detailOf(settlement) };
    if (!isKept) return [remove(entry.id, note)];
    const { receipt } = staged;
    return [put({ ...rowOf(entry, at, new Map()), settlement: withoutWords(entry, settlement), receipt }, note)];
  }

  /** Whether a later `send` under its key may still ask how it ended. A secret answer is kept nowhere. */
  #isKept({ entry, at, settlement }: Decided): boolean {
    if (settlement === undefined || entry.key === null || at.context.unwritten) return false;
    return !(entry.contract.secret && settlement.kind === 'answered');
  }

  /** Rows are made only where there is a ledger to put them in. */
  #file(rows: () => readonly RowChange[], answers: () => readonly Settled[] = () => []): void {
    assert(!this.#isCommitting, 'the ledger does not call back into the registry from inside a commit');
    if (this.#ledger === undefined) return;
    const changes = rows();
    if (changes.length === 0) return;
    this.#isCommitting = true;
    try {
      this.#ledger.commit(changes, answers());
    } finally {
      this.#isCommitting = false;
    }
  }

  #publish({ entry, stepped, at, settlement, staged, move }: Decided): void {
    this.watch?.tell?.(requestChart.id, entry.id, entry.at, move.event, stepped);
    entry.at = at;
    if (staged.locked !== undefined && at.value === 'partial') entry.locked = staged.locked;
    if (settlement === undefined) return;
    this.#delete(entry);
    entry.settlement = settlement;
    if (settlement.kind !== 'answered' || staged.receipt === undefined) return;
    this.receipts.keep(entry, staged.receipt, entry.contract.secret);
  }

  /** A client gets it to show. Nothing of that is on file. */
  shown(entry: Entry): void {
    if (!entry.at.context.seen) this.dispatch(entry, { type: 'SHOWN' });
  }

  /**
   * Sends an event that has no caller to tell: what cannot be committed now is tried again while it is open.
   * `still`: whether the event is still true then.
   */
  attempt(entry: Entry, event: RequestChartEvent, still: () => boolean = () => true): void {
    if (!this.isOpen(entry) || !still()) return;
    try {
      this.dispatch(entry, event);
    } catch (error) {
      this.log.say('error', `${event.type} of ${entry.id} could not be committed and is tried again: ${reason(error)}`);
      const again = this.runtime.after(REQUEST_LIMITS.retry, () => {
        entry.timers.delete(again);
        this.attempt(entry, event, still);
      });
      entry.timers.add(again);
    }
  }

  /** Lets go of everything without ending anything: what is on file goes on in the next process. */
  detachAll(): readonly Entry[] {
    const entries = this.of(null);
    for (const entry of entries) this.#delete(entry);
    return entries;
  }
}

/** What has ended with answers in it, for a ledger that files them elsewhere too; never a secret. */
function settledOf({ entry, at, settlement, staged, move }: Decided): Settled[] {
  if (settlement === undefined || entry.contract.secret) return [];
  const locked = 'locked' in settlement ? Object.keys(settlement.locked ?? {}).length : 0;
  const isAnswered = settlement.kind === 'answered' && settlement.via !== 'quorum';
  if (!isAnswered && locked === 0) return [];
  return [{ request: rowOf(entry, at, staged.locked), settlement, from: move.from?.author }];
}

function detailOf(settlement: Settlement): string {
  if (settlement.kind === 'answered') return settlement.via;
  if (settlement.kind === 'cancelled') return settlement.cause ?? settlement.reason;
  return settlement.kind === 'failed' ? String(settlement.error.code ?? 'error') : settlement.kind;
}

/** What a client said of a secret that it could not give may quote it. */
function withoutWords({ contract }: Entry, settlement: Settlement): Settlement {
  if (!contract.secret || settlement.kind !== 'failed') return settlement;
  const { code } = settlement.error;
  return { kind: 'failed', error: code === undefined ? {} : { code } };
}

/** How an open request is shown again. */
export function openRequestOf(entry: Entry): OpenRequest {
  const { id, method, contract, at } = entry;
  const params = copyJson(entry.params);
  const locked = lockedOf(entry, entry.locked);
  const shown = Object.keys(locked).length === 0 ? params : { ...params, answers: locked };
  return contract.windowOwned && at.context.windowOwned
    ? { id, method, params: shown, owner_quorum: true }
    : { id, method, params: shown };
}
