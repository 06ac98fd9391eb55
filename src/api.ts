/**
 * The public vocabulary of readback: what an ask, an answer, a verdict and an outcome are.
 * Types only; no XState type and no store type is visible here.
 */

import type { BatchOutcome, Outcome } from './outcome.ts';

export type { BatchOutcome, BatchWord, DroppedNotice, Outcome } from './outcome.ts';

/** One choice of a card. It is answered by its `id`, never by its label. */
export interface AskOption {
  readonly id: string;
  readonly label: string;
  readonly description?: string | undefined;
}

/** What is put to the person. */
export interface Question {
  readonly question: string;
  /** A short chip above the question. Twelve characters are a hint, never an error. */
  readonly header?: string | undefined;
  readonly options?: readonly AskOption[] | undefined;
  readonly multiSelect?: boolean | undefined;
  /** Whether the person may write an own text. Default: true when there are no options. */
  readonly freeText?: boolean | undefined;
}

/** What the person says. Exactly one of a choice, a text, both, or a refusal to answer. */
export interface Reply {
  /** Ids of the chosen options, in the order of the card. */
  readonly selected?: readonly string[] | undefined;
  readonly text?: string | undefined;
  /** True: the person looked at the card and chose not to answer. */
  readonly declined?: boolean | undefined;
}

/** Who speaks, as the surface authenticated them, never as a payload claims. */
export interface Author {
  /** The kind of surface: `page`, `terminal`, `mcp`, `library` or one of your own; 1 to 128 UTF-16 units. */
  readonly surface: string;
  /** Identity on that surface, for example a window id or a session id; at most 256 UTF-16 units. */
  readonly who?: string | undefined;
}

/** The state of a card, as people see it. */
export type CardState = 'open' | 'answered' | 'withdrawn' | 'expired' | 'superseded' | 'retired' | 'lost';

/** How far an answer has come, as messengers show it. */
export type ReceiptState =
  /** On disk; nobody has been given it yet. */
  | 'saved'
  /** Given to the agent; not yet proven to have been read. */
  | 'handed'
  /** The agent named its token: it was read. */
  | 'read_back'
  /** Given several times without a receipt; nobody is trying any more. The answer is still on file. */
  | 'parked'
  /** Its conversation was replaced; no agent will be shown it. */
  | 'retired';

/** One answer on file, with its receipt. */
export interface AnswerView {
  readonly token: string;
  readonly reply: Reply;
  /** The answer as one line of text, with option labels. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly answeredAt: number;
  readonly receipt: ReceiptState;
  /** Why it is not read back, in words, where there is something to say. */
  readonly why?: string | undefined;
  /** The surface it was given on. */
  readonly surface?: string | undefined;
}

/** Where a card stands among those that were put together. Presentation only: each card has its own ask id and answer. */
export interface BatchPlace {
  /** Names the batch. It is no ask id, and takes no answer. */
  readonly id: string;
  /** Counted from 1. */
  readonly index: number;
  readonly of: number;
}

/** One ask as every surface, list and page sees it. A frozen snapshot. */
export interface AskView {
  readonly askId: string;
  /** The tab (address of deliveries) the card belongs to. */
  readonly tab: string;
  readonly state: CardState;
  /** True while some call waits for the answer. */
  readonly awaited: boolean;
  readonly question: string;
  readonly header: string;
  readonly options: readonly AskOption[];
  readonly multiSelect: boolean;
  readonly freeText: boolean;
  /** Name of the agent that asks, as its session declared it. */
  readonly from: string;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
  readonly expiresAt?: number | undefined;
  /** True when an earlier card with this id has ended: the id alone does not say which of them is meant. */
  readonly reopened?: boolean | undefined;
  /** Absent for a question that was put alone. */
  readonly batch?: BatchPlace | undefined;
  /** Why it is withdrawn, expired, superseded or retired, in words. */
  readonly why?: string | undefined;
  /** Oldest first. Of an id that was opened anew those to its earlier cards too; they count as the answer to none. */
  readonly answers: readonly AnswerView[];
}

/** The one word every submission gets. Rule: design 5. */
export type VerdictWord =
  | 'accepted'
  | 'late_accepted'
  | 'duplicate'
  | 'conflict'
  | 'superseded'
  | 'retired'
  | 'expired'
  | 'withdrawn'
  | 'unknown'
  | 'undetermined'
  | 'invalid';

export interface Verdict {
  readonly verdict: VerdictWord;
  readonly askId: string;
  /** True when the answer is on file because of this or an equal earlier submission. */
  readonly saved: boolean;
  /** The receipt: the token of the answer on file. Equal for `accepted` and its `duplicate`. */
  readonly token?: string | undefined;
  /** With `conflict`: what was accepted before. */
  readonly winner?: AnswerView | undefined;
  /** With `invalid`: which field, and why. */
  readonly field?: string | undefined;
  /** One sentence for a person. */
  readonly message: string;
  /** The card as it is now; absent when the id is unknown. */
  readonly ask?: AskView | undefined;
}

/** What happened to one ask. Sent after the commit that justifies it. */
export interface AskChange {
  readonly ask: AskView;
  readonly cause: string;
}

/**
 * Gives the identity of the running turn that carries a token, or null when there is none (H-14). Where neither the
 * call nor the coordinator has one, the carrier is the ask id: `ack([outcome.token], outcome.askId)`.
 */
export type Attach = (tab: string, token: string, askId?: string) => string | null;

export interface AskOptions {
  /** The tab whose conversation asks. */
  readonly tab: string;
  /** How long this call waits, in milliseconds. The question outlives it. Default 50 000. */
  readonly timeoutMs?: number | undefined;
  /** How long the question itself may be answered, in milliseconds. Default: for ever. */
  readonly expiresInMs?: number | undefined;
  /** Ends the call, never the question. The outcome is `cancelled`. */
  readonly signal?: AbortSignal | undefined;
  readonly attach?: Attach | undefined;
  /** Name shown to the person as the asker. */
  readonly from?: string | undefined;
  /** The entry of the conversation's log that contains the question, where it is known already (`questionLogged`). */
  readonly askedAt?: string | undefined;
  /**
   * An open ask of the same tab that this one replaces; its card is shown as superseded. One that has ended meanwhile
   * is passed over; an id of no ask, or of an open one of another tab, is refused with `invalid_input`.
   */
  readonly supersedes?: string | undefined;
  /** Called once, after the ask is on file and shown, with its id. */
  readonly onOpen?: ((askId: string) => void) | undefined;
}

export interface AskAllOptions extends Omit<AskOptions, 'supersedes' | 'onOpen'> {
  /** As in `AskOptions`: each ask that this batch replaces is named, no batch is. */
  readonly supersedes?: readonly string[] | undefined;
  /** Called once, after all are on file and shown, with their ids in the order of the questions. */
  readonly onOpen?: ((askIds: readonly string[]) => void) | undefined;
}

export interface AwaitOptions {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly attach?: Attach | undefined;
}

/** Something that can show cards to a person now: an open page, an attached terminal. */
export interface Surface {
  readonly kind: string;
  readonly id: string;
}

/** One line of the audit. Holds no answer text unless a rule orders the text to be reported. */
export interface AuditRow {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly event: string;
  readonly askId?: string | undefined;
  readonly token?: string | undefined;
  readonly tab?: string | undefined;
  readonly surface?: string | undefined;
  readonly who?: string | undefined;
  /** Digest of what was shown. */
  readonly digest?: string | undefined;
  readonly detail?: string | undefined;
}

/** Which asks to list. */
export interface ListQuery {
  readonly tab?: string | undefined;
  /** Default `open`. `recent`: the latest answers on file and cards that ended without one, newest first. */
  readonly what?: 'open' | 'recent' | undefined;
  /** Default 100. */
  readonly limit?: number | undefined;
}

export interface AuditQuery {
  /** Rows with a larger id only, the first that follow. Without it: the newest. Oldest first either way. */
  readonly after?: number | undefined;
  /** Rows of one ask only. */
  readonly askId?: string | undefined;
  /** Rows that name this token, or this id of a request, an approval or a call, only. */
  readonly token?: string | undefined;
  /** Rows of one tab only. */
  readonly tab?: string | undefined;
  /** Rows of these events only. */
  readonly events?: readonly string[] | undefined;
  /** Default 100. */
  readonly limit?: number | undefined;
}

/** Where one row stands in its chart, and what finds it. Holds no text of anybody's. */
export interface ChartRow {
  /** Id of the chart: `answer`, `ticket`, `loss`, `debt`, `request`, `approval`, `grant`, `spend`, `fence`, `coordinator`. */
  readonly machine: string;
  /** Token of an answer or a warning, id of an ask, a request or an approval, name of a loss; of a fence that of its ask. */
  readonly id: string;
  /** What people call it: of a call, its tool. */
  readonly name?: string | undefined;
  /** One name a region, as `region.state`; of a chart without regions the state alone. */
  readonly states: readonly string[];
  readonly askId?: string | undefined;
  /** The tab, or the session, that it belongs to. */
  readonly tab?: string | undefined;
  /** Milliseconds since 1970: when it was opened or answered. */
  readonly at?: number | undefined;
}

export interface RowQuery {
  /** A token, an id of an ask, a request or an approval, or a tab: whole, or the beginning of an id on file lately. */
  readonly find?: string | undefined;
  /** Of each chart at most so many, the newest. Default 100. */
  readonly limit?: number | undefined;
}

/** Which ledger decided that a process is not idle, or not provably so. */
export interface IdleDetail {
  readonly ledger: string;
  /** Absent when it could not be read. */
  readonly count?: number | undefined;
  /** The first ids of whose it is: sessions, jobs or asks. */
  readonly owners?: readonly string[] | undefined;
}

/** Whether a process does nothing and waits for nobody. Only `idle: true` is idle; null means "not proven". */
export type IdleAnswer =
  | { readonly idle: true; readonly reason: null }
  | {
      readonly idle: false;
      readonly reason: 'turn_in_flight' | 'awaiting_human_input';
      readonly detail?: IdleDetail | undefined;
    }
  | {
      readonly idle: null;
      readonly reason: 'turn_probe_unavailable' | 'input_probe_unavailable';
      readonly detail?: IdleDetail | undefined;
    };

/** What the rims (MCP, host, CLI) use of a coordinator. `Coordinator` adds the journal itself. */
export interface Asking {
  /** Puts a question and waits: H-01 to H-07 in one call. Never rejects for anything a person did or did not do. */
  ask(question: Question, options: AskOptions): Promise<Outcome>;
  /**
   * Puts up to `SIZES.batch` questions together, all in one commit or none, and waits until none is open or the time of
   * the call is over. Each keeps its own ask id. Nothing is handed over before it returns, and nothing if it is aborted.
   */
  askAll(questions: readonly Question[], options: AskAllOptions): Promise<BatchOutcome>;
  /** Waits for several asks that are already on file, as `askAll` does. */
  awaitAll(askIds: readonly string[], options?: AwaitOptions): Promise<BatchOutcome>;
  /** Waits for the answer of an ask that is already on file, whoever asked it. */
  awaitAnswer(askId: string, options?: AwaitOptions): Promise<Outcome>;
  /** A person's submission. Resolves after the commit. */
  answer(askId: string, reply: Reply, author: Author): Promise<Verdict>;
  /** Takes an open card off every surface. The verdict is `withdrawn`, or says why it was too late. */
  withdraw(askId: string, reason: string, author: Author): Promise<Verdict>;
  /**
   * The agent proves that it read: token by token, whether the receipt was accepted. `vouched: false` for a receipt that a
   * client gives by naming a token: it proves what this very carrier was given, and no copy in a queue that named no turn.
   */
  ack(
    tokens: readonly string[],
    carrier: string,
    how?: { readonly vouched?: boolean | undefined },
  ): Promise<readonly { token: string; accepted: boolean }[]>;
  /** A hand-off ended without a receipt: its result was never written, or its session is gone. */
  handBack(token: string, carrier: string): Promise<void>;
  /** An answer goes into a tool result now; false when it must not be shown. */
  handOver(token: string, attach: Attach, askId?: string): Promise<boolean>;
  /** Nobody will try again to get this one read; surfaces show it as parked. */
  park(token: string, why: string): Promise<void>;
  /** Answers of one tab that an agent may be shown and has not proven to have read, oldest first. */
  unread(tab: string): Promise<
    readonly {
      token: string;
      askId: string;
      question: string | null;
      text: string;
      reply: Reply;
      answeredAt: number;
      possibleRepeat: boolean;
      handedTo: readonly string[];
    }[]
  >;
  /** The leaf of this tab's conversation log has moved. */
  leafChanged?(tab: string): Promise<void>;
  /** This entry of the log carried the answer to the model. False: no log speaks for it. */
  answerLogged?(token: string, entryId: string): Promise<boolean>;
  list(query?: ListQuery): Promise<readonly AskView[]>;
  show(askId: string): Promise<AskView | undefined>;
  audit(query?: AuditQuery): Promise<readonly AuditRow[]>;
  /**
   * Says that something can show cards now. The function returned says that it no longer can. Throws `invalid_input` for a
   * kind (1 to 128 UTF-16 units) or an id (1 to 256) that is none.
   */
  attachSurface(surface: Surface): () => void;
  /** True while at least one surface is attached, or left less than `surfaceGrace` ago. */
  hasSurface(): boolean;
  /** Reads all ledgers now: whether nothing runs and nobody is asked. A snapshot, not a permission. */
  idle(): Promise<IdleAnswer>;
  /** Called after each commit that changed what people see of an ask. Returns the way to stop it. */
  subscribe(listener: (change: AskChange) => void): () => void;
  close(): Promise<void>;
}
