/** What really happened, kept beside the system: what people gave, what agents were shown, and what each was told. */
import type { Outcome, ReceiptState, Verdict } from '../../src/api.ts';

export interface Ask {
  readonly number: number;
  /** Known once the card was on file. */
  id: string | undefined;
  readonly tab: string;
  /** Number of the conversation on that tab when it was asked. */
  readonly conversation: number;
  readonly question: string;
}

export interface Call {
  readonly kind: 'ask' | 'await';
  readonly ask: Ask;
  readonly run: number;
  readonly turn: string;
  readonly abort: AbortController;
  readonly endings: (Outcome | { readonly error: string })[];
}

export interface Submission {
  readonly ask: Ask;
  readonly id: string;
  readonly kind: 'answer' | 'withdraw';
  readonly text: string;
  readonly run: number;
  readonly endings: (Verdict | { readonly error: string })[];
}

/** One time that an answer left the system towards a reader. */
export interface Showing {
  readonly how: 'result' | 'recovered' | 'ride' | 'push';
  readonly token: string;
  readonly tab: string;
  readonly conversation: number;
  /** The ask that the reader was told it answers; none where it was said to be of no certain question. */
  readonly ask: Ask | undefined;
  /** The ask that it was really given to. */
  readonly of: Ask | undefined;
  readonly question: string | null;
  readonly text: string;
  readonly labelled: boolean;
  readonly turn: string;
  /** The host has said since that no reader saw it. */
  undone?: boolean;
}

export interface Answer {
  readonly token: string;
  readonly ask: Ask;
  readonly text: string;
  /** Proven by a receipt that the agent was told is accepted. */
  proven: boolean;
  forgotten: boolean;
  receipts: ReceiptState[];
}

export interface Receipt {
  readonly token: string;
  readonly turn: string;
  readonly accepted: boolean;
}

export class Truth {
  readonly asks: Ask[] = [];
  readonly calls: Call[] = [];
  readonly submissions: Submission[] = [];
  /** In the order in which they were heard. */
  readonly verdicts: {
    readonly ask: Ask;
    readonly kind: Submission['kind'];
    readonly text: string;
    readonly verdict: Verdict;
  }[] = [];
  readonly showings: Showing[] = [];
  readonly answers = new Map<string, Answer>();
  readonly receipts: Receipt[] = [];
  /** Runs that ended by a crash; what was not settled in them never will be. */
  readonly crashed = new Set<number>();
  readonly closed: { readonly run: number; readonly waiting: number }[] = [];
  readonly conversations = new Map<string, number>();
  readonly boundaries: string[] = [];
  /** Asks whose answers were on file when their tab was forgotten. */
  readonly emptied = new Set<Ask>();

  conversation(tab: string): number {
    return this.conversations.get(tab) ?? 0;
  }

  isLive(ask: Ask): boolean {
    return ask.conversation === this.conversation(ask.tab);
  }
}

export const isError = (one: object): one is { readonly error: string } => 'error' in one;

export const EVENTS = [
  ...['crash', 'restart', 'commit failed', 'boundary', 'clock set back', 'race'],
  ...['answered', 'recovered', 'declined', 'pending', 'cancelled', 'expired', 'undeliverable', 'superseded'],
  ...['accepted', 'late_accepted', 'duplicate', 'conflict', 'retired', 'withdrawn', 'unknown', 'invalid'],
  ...['verdict expired', 'verdict superseded', 'repeat', 'push', 'ride', 'parked', 'handed back', 'receipt accepted'],
  ...['receipt refused', 'recalled', 'forgotten', 'call failed', 'died with its process'],
] as const;
