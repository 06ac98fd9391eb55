/** All calls of client tools that are on file: read once, written before anybody relies on it, and bounded. */
import type { SpendEvent } from '../../machines/tools/spend-facts.ts';
import { invalid, ReadbackError } from '../errors.ts';
import type { CallLimits } from '../limits.ts';
import type { RowChange } from '../requests/api.ts';
import type { JsonObject } from '../wire/json.ts';
import { type CallRow, callIn, FIRST_STATE, isUnderWay, nextState, rowId, rowOf, type Unkept } from './call-row.ts';
import { errorText } from './execute.ts';
import type { ToolResponseView } from './types.ts';

/** Where the rows are kept, synchronously and all of one call in one commit. */
export interface CallLedger {
  commit(changes: readonly RowChange[]): void;
  /** Rows left by the last process, oldest first. */
  rows(kind: 'call'): readonly JsonObject[];
}

export interface BookParts {
  readonly ledger: CallLedger;
  readonly limits: CallLimits;
  /** Called before a call is let in; what it throws is the outcome of that call, and nothing of it runs. */
  readonly admit: () => void;
  readonly warn: (text: string) => void;
  /** Told what a row has heard, once that is on file: the state it was in, undefined at its birth, and the event if any. */
  readonly told?: ((id: string, state: string | undefined, event: SpendEvent | undefined) => void) | undefined;
}

/** One execution. Its identity is the object: what an earlier one of the same call does late is not heard. */
export interface Run {
  /** Of its row. */
  readonly id: string;
  readonly toolCallId: string;
  /** Answers that it was given and let on with: the token of each, by ask id. */
  readonly taken: Map<string, string>;
  /** Aborts once another execution of the call has come in. */
  readonly takenOver: AbortController;
}

const RESTART: SpendEvent = { type: 'RESTART' };

export class CallBook {
  readonly #parts: BookParts;
  readonly #rows = new Map<string, CallRow>();
  /** Calls that nothing runs for now, oldest first. */
  readonly #resting = new Set<string>();
  /** Those with an outcome on file, oldest first. */
  readonly #outcomes = new Set<string>();
  readonly #current = new Map<string, Run>();
  readonly #running = new Set<Run>();

  /** Reads what the last process left; whatever was under way then is known no better now (H-03). */
  constructor(parts: BookParts) {
    this.#parts = parts;
    const rows = parts.ledger.rows('call').map(callIn);
    for (const row of rows) this.#take(rowId(row.boundary, row.toolCallId), row);
    const ended = rows.filter(isUnderWay).map((row): [string, CallRow] => {
      return [rowId(row.boundary, row.toolCallId), { ...row, state: nextState(row.state, RESTART) }];
    });
    if (ended.length > 0) this.#commit(ended, RESTART);
  }

  get limits(): CallLimits {
    return this.#parts.limits;
  }

  get(id: string): CallRow | undefined {
    return this.#rows.get(id);
  }

  /** Ids of calls that run here now: those that wait for a person, or the others. */
  running(isAsking: boolean): readonly string[] {
    const chosen = [...this.#running].filter(({ id }) => (this.#rows.get(id)?.state === 'asking') === isAsking);
    return chosen.map(({ toolCallId }) => toolCallId);
  }

  /** Throws where this process lets nothing new in. */
  admit(): void {
    this.#parts.admit();
  }

  /** An execution comes in, and is the current one of its call from now on. */
  enter(boundary: string, toolCallId: string, toolName: string): Run {
    this.admit();
    this.#requireNames(toolCallId, toolName);
    const most = this.limits.underWay;
    if (this.#running.size >= most)
      throw new ReadbackError('too_many', `${most} calls are under way, and no more are let in.`);
    const id = rowId(boundary, toolCallId);
    const run: Run = { id, toolCallId, taken: new Map(), takenOver: new AbortController() };
    this.#running.add(run);
    this.#current.get(id)?.takenOver.abort();
    this.#current.set(id, run);
    return run;
  }

  leave(run: Run): void {
    this.#running.delete(run);
    if (this.isCurrent(run)) this.#current.delete(run.id);
  }

  isCurrent(run: Run): boolean {
    return this.#current.get(run.id) === run;
  }

  /** On file first: what the ledger refuses has not happened, and throws. */
  put(id: string, row: CallRow, event?: SpendEvent): void {
    this.#commit([[id, row]], event);
  }

  /** An execution may begin once this has returned. */
  claim(id: string, row: CallRow, event: SpendEvent): void {
    this.put(id, { ...row, state: nextState(row.state, event) }, event);
  }

  /** Steps a call; what the chart ignores changes nothing. */
  step(id: string, event: SpendEvent, change: Partial<CallRow> = {}): void {
    const row = this.#rows.get(id);
    if (row === undefined) return;
    const state = nextState(row.state, event);
    if (state !== row.state) this.put(id, { ...row, ...change, state }, event);
  }

  /** A call that nobody has heard of. Throws where its names are too long to be kept. */
  fresh(boundary: string, toolCallId: string, toolName: string): CallRow {
    this.#requireNames(toolCallId, toolName);
    return { boundary, toolCallId, toolName, state: FIRST_STATE, asks: [] };
  }

  /** What the ledger refuses here has happened all the same: it is said, and known no better than after a crash. */
  settle(id: string, event: SpendEvent, outcome?: ToolResponseView): void {
    try {
      this.step(id, event, outcome === undefined ? {} : this.#keepable(id, outcome));
    } catch (error) {
      const row = this.#rows.get(id) as CallRow;
      this.#parts.told?.(id, row.state, RESTART);
      this.#take(id, { ...row, state: nextState(row.state, RESTART) });
      this.#parts.warn(`how the tool call ${id} ended is not on file: ${errorText(error)}`);
    }
  }

  /** An outcome that cannot be kept is reported and said; that its call is spent is kept in any case. */
  #keepable(id: string, outcome: ToolResponseView): Pick<CallRow, 'outcome' | 'unkept'> {
    const without = (unkept: Unkept, why: string): Pick<CallRow, 'unkept'> => {
      this.#parts.warn(`the outcome of the tool call ${id} is not kept: ${why}`);
      return { unkept };
    };
    let text: string;
    try {
      text = JSON.stringify(outcome);
    } catch (error) {
      return without('not_json', errorText(error));
    }
    const most = this.limits.outcome;
    return text.length > most
      ? without('too_large', `it is ${text.length} characters long, and ${most} are kept`)
      : { outcome: text };
  }

  #requireNames(toolCallId: string, toolName: string): void {
    const most = this.limits.name;
    for (const [field, name] of Object.entries({ toolCallId, toolName }))
      if (name.length > most) throw invalid(field, `is ${name.length} characters long; at most ${most} are taken`);
  }

  /** Puts rows, and with them takes away what is beyond a bound: said in the audit, done in the same commit, then logged. */
  #commit(rows: readonly (readonly [id: string, row: CallRow])[], event?: SpendEvent): void {
    const own = new Map(rows);
    const { stripped, gone } = this.#beyond(own);
    const change = (id: string, row: CallRow | undefined, event: string): RowChange => {
      const { toolName } = row ?? (this.#rows.get(id) as CallRow);
      return { kind: 'call', id, row: row && rowOf(row), note: { event, detail: toolName } };
    };
    const shrunk = stripped.map((id): [string, CallRow] => {
      const { outcome, ...rest } = (own.get(id) ?? this.#rows.get(id)) as CallRow;
      return [id, { ...rest, unkept: 'bound' }];
    });
    this.#parts.ledger.commit([
      ...rows.map(([id, row]) => change(id, row, `call_${row.state}`)),
      ...shrunk.map(([id, row]) => change(id, row, 'call_outcome_dropped')),
      ...gone.map((id) => change(id, undefined, 'call_forgotten')),
    ]);
    for (const [id] of rows) this.#parts.told?.(id, this.#rows.get(id)?.state, event);
    for (const [id, row] of [...rows, ...shrunk]) this.#take(id, row);
    for (const id of gone) this.#drop(id);
    const { limits, warn } = this.#parts;
    for (const id of stripped) warn(`the bound of ${limits.outcomes} outcomes took that of the tool call ${id}`);
    for (const id of gone) warn(`the bound of ${limits.kept} tool calls took ${id}; should it come back it could run`);
  }

  /** What must go when these rows are put. Never one of them, and never a call that is under way. */
  #beyond(rows: ReadonlyMap<string, CallRow>): { stripped: string[]; gone: string[] } {
    const { kept, outcomes } = this.limits;
    const more = (held: ReadonlySet<string>, counts: (row: CallRow) => boolean): number =>
      [...rows].filter(([id, row]) => counts(row) && !held.has(id)).length -
      [...rows].filter(([id, row]) => !counts(row) && held.has(id)).length;
    const oldest = (held: ReadonlySet<string>, excess: number): string[] => {
      const found: string[] = [];
      for (const id of held) {
        if (found.length >= excess) break;
        if (!rows.has(id)) found.push(id);
      }
      return found;
    };
    const gone = oldest(this.#resting, this.#resting.size + more(this.#resting, isResting) - kept);
    const held = new Set([...this.#outcomes].filter((id) => !gone.includes(id)));
    return { gone, stripped: oldest(held, held.size + more(held, hasOutcome) - outcomes) };
  }

  #take(id: string, row: CallRow): void {
    this.#rows.set(id, row);
    mark(this.#resting, id, isResting(row));
    mark(this.#outcomes, id, hasOutcome(row));
  }

  #drop(id: string): void {
    this.#rows.delete(id);
    this.#resting.delete(id);
    this.#outcomes.delete(id);
  }
}

const isResting = (row: CallRow): boolean => !isUnderWay(row);
const hasOutcome = ({ outcome }: CallRow): boolean => outcome !== undefined;

function mark(held: Set<string>, id: string, is: boolean): void {
  if (is) held.add(id);
  else held.delete(id);
}
