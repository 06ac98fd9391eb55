/** Client tools over the coordinator's store: their calls in its own ledger, what they ask a person in its journal. */
import { compileLater, restore, start, step } from '../machines/shared/step.ts';
import { birth, type Watch } from '../machines/shared/tap.ts';
import { spendMachine } from '../machines/tools/spend.ts';
import { SPEND_TABLE } from '../machines/tools/spend-table.ts';
import type { AskOptions, Attach, Author, Question } from './api.ts';
import type { Asks } from './asks.ts';
import { newAskId } from './batches.ts';
import { cardFingerprint, readQuestion } from './card.ts';
import type { Commits } from './commits.ts';
import type { IdleLedger, IdleProof, LedgerReading } from './idle.ts';
import type { Core } from './journal/core.ts';
import { ack, park, release } from './journal/delivery.ts';
import { lazy, type Op } from './journal/operation.ts';
import { coordinatorLedger } from './ledger.ts';
import type { CallLimits } from './limits.ts';
import { isWarning } from './outcome.ts';
import type { Runtime } from './runtime.ts';
import type { Store } from './store/store.ts';
import { endAsk } from './submit.ts';
import { FIRST_STATE } from './tools/call-row.ts';
import { type CallAsks, createToolCalls, type ToolCalls, type ToolCallsOptions } from './tools/durable.ts';
import { askView } from './views.ts';

export interface CallToolsParts {
  readonly store: Store;
  readonly core: Core;
  readonly commits: Commits;
  readonly runtime: Runtime;
  readonly asks: Asks;
  readonly idle: IdleProof;
  readonly limits: Partial<CallLimits> | undefined;
  /** Tells of steps that are committed. */
  readonly watch: Watch;
  readonly warn: (text: string) => void;
  readonly run: <T>(op: Op<T>, haste?: 'grant' | 'prove') => Promise<T>;
  /** Throws `closed` once the doors are. */
  readonly assertOpen: () => void;
}

const BY: Author = Object.freeze({ surface: 'library', who: 'tools' });
const OVER = 'The tool call that asked has ended';
const UNUSED = `${OVER}, and it did not use this answer.`;

/** Reads the calls that the last process left. Throws what the store or a row of another chart throws. */
export function openCallTools(parts: CallToolsParts): ToolCalls {
  const { store, core, commits, idle, limits, watch, warn } = parts;
  const { id, version = '' } = spendMachine;
  // Rows on file carry the hash of this form.
  const config = { fate: { initial: FIRST_STATE, states: SPEND_TABLE['fate'] } };
  const ledger = coordinatorLedger({ store, core, commits, charts: { call: { id, version, config } } });
  return createToolCalls({
    ledger,
    asks: asksOf(parts),
    limits,
    warn,
    told: tellCalls(watch),
    admit: () => idle.admit(),
  });
}

const spendChart = compileLater(spendMachine);

/** Calls are stepped by a table that is small enough for a page; what it leaves out, the chart itself says. */
function tellCalls(watch: Watch): ToolCallsOptions['told'] {
  return (id, state, event) => {
    const { tell } = watch;
    if (tell === undefined) return;
    const at = state === undefined ? start(spendChart).snapshot : restore(spendChart, { fate: state }, {});
    if (state === undefined) tell(spendChart.id, id, undefined, { type: 'xstate.init' }, birth(at));
    if (event !== undefined) tell(spendChart.id, id, at, event, step(spendChart, at, event));
  };
}

/** What tools that run are to the idle proof; those that wait for a person are an input that is awaited. */
export function callLedgers(tools: () => ToolCalls | undefined): IdleLedger[] {
  const reading = (ids: readonly string[] = []): LedgerReading => ({ count: ids.length, owners: ids });
  return [
    { name: 'calls', probe: 'turn', read: () => reading(tools()?.running) },
    { name: 'calls asking', probe: 'input', read: () => reading(tools()?.asking) },
  ];
}

/** A tool has no receipt for a warning, so none is put on file: what was lost stays owed. */
const carriedBy =
  (askId: string): Attach =>
  (_tab, token) =>
    isWarning(token) ? null : askId;

/** Nobody waits for this ask any more: its card goes, and an answer that nobody took is told to be of no use. */
function* over(core: Core, askId: string): Op<void> {
  yield* endAsk(core, askId, { type: 'WITHDRAW', why: OVER }, BY);
  const answers = () => askView(core, askId)?.answers ?? [];
  // An execution that was cut off, or taken over, may have got it: what that did with it is in no outcome.
  for (const { token } of answers()) yield* release(core, token, { carrier: askId });
  for (const { token, receipt } of answers()) if (receipt === 'saved') yield* park(core, token, UNUSED);
}

function asksOf({ core, asks, runtime, run, assertOpen }: CallToolsParts): CallAsks {
  /** Nobody waits for it, and an answer that is not handed back is owed to nobody: tried until it is on file. */
  const tidy = (operation: () => Op<unknown>): void => asks.insist(() => run(lazy(operation), 'prove'));
  return {
    newId: () => newAskId(runtime),
    digest(question) {
      const { text, card } = readQuestion(question, undefined, null);
      return cardFingerprint(text, card);
    },
    async put(askId: string, question: Question, options: AskOptions) {
      assertOpen();
      return asks.ask(question, { ...options, attach: options.attach ?? carriedBy(askId) }, askId);
    },
    async wait(askId, options) {
      assertOpen();
      return asks.awaitAnswer(askId, { ...options, attach: options.attach ?? carriedBy(askId) });
    },
    ack: (token, carrier) => tidy(() => ack(core, token, { carrier })),
    release: (token, carrier) => tidy(() => release(core, token, { carrier })),
    withdraw: (askId) => tidy(() => over(core, askId)),
  };
}
