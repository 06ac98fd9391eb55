/** `readback`: the coordinator, the memory store, and the words they speak. No XState type is visible here. */
export type {
  AnswerView,
  AskAllOptions,
  AskChange,
  Asking,
  AskOption,
  AskOptions,
  AskView,
  Attach,
  AuditQuery,
  AuditRow,
  Author,
  AwaitOptions,
  BatchOutcome,
  BatchPlace,
  BatchWord,
  CardState,
  ChartRow,
  DroppedNotice,
  IdleAnswer,
  IdleDetail,
  ListQuery,
  Outcome,
  Question,
  ReceiptState,
  Reply,
  RowQuery,
  Surface,
  Verdict,
  VerdictWord,
} from './api.ts';
export { type Coordinator, type CoordinatorOptions, openCoordinator } from './coordinator.ts';
export type { DurableJournal } from './durable-journal.ts';
export { type ErrorCode, ReadbackError } from './errors.ts';
export {
  createIdle,
  IDLE_BOUNDS,
  type IdleLedger,
  type IdleOptions,
  type IdleProof,
  type LedgerReading,
  type Retirement,
} from './idle.ts';
export { askIdle, isProvenIdle } from './idle-client.ts';
export type { EntryRow, LossRow, TicketRow, WarningRow } from './journal/rows.ts';
export {
  type AnswerPayload,
  ASK_ID_PREFIX,
  answerText,
  askFingerprint,
  createJournal,
  type Entry,
  type Inject,
  Journal,
  type JournalOptions,
  journal,
  preview,
  RECOVERY_WINDOW_MS,
  type Recovery,
  type Ticket,
} from './journal.ts';
export {
  CALL_LIMITS,
  type CallLimits,
  DURABLE_LIMITS,
  JOURNAL_LIMITS,
  type JournalLimits,
  KEEP,
  SIZES,
  TIMES,
} from './limits.ts';
export { type Cancel, type Clock, consoleLogger, type Logger, nodeRuntime, type Runtime } from './runtime.ts';
export { memoryStore } from './store/memory.ts';
export type { AuditNote, Book, OutboxRow, OwedGroup, Store, TabRow, TicketChange } from './store/store.ts';
export type { TapFact, TapReader, TapStep, TapValue, Watch } from './tap.ts';
export type { DurableOptions, ToolCalls, UnknownCall, UnknownDecision } from './tools/durable.ts';
