import type { Outcome, Reply, Verdict } from '../api.ts';
import { answerOf } from '../outcome.ts';
import type { Refusal, ToolName } from './tools.ts';

/** A tool result before it is framed: text for the model, the same as data. */
export interface Worded {
  readonly text: string;
  readonly data: Record<string, unknown>;
  readonly isError?: boolean;
  /** Answers that are not provably for the question just asked (H-06). */
  readonly others?: readonly Other[];
}

export type Other = Extract<Outcome, { outcome: 'pending' }>['others'][number];

/** An answer that rides on a result of another call. */
export interface Ride {
  readonly token: string;
  readonly askId: string;
  readonly question: string | null;
  readonly text: string;
  readonly reply: Reply;
  readonly answeredAt: number;
  /** It was never handed to an agent before. */
  readonly late: boolean;
  readonly possibleRepeat: boolean;
}

/** What a session says to the client once, when it connects. */
export const INSTRUCTIONS = [
  'readback carries the answers of a person to you. Ask with ask_user, what belongs together in one call. A pending result is',
  'not a no: the question stays open; call await_answer with its ask_id. Every answer has a token: once you have read the answer,',
  'name the token in ack_answers, or in ack of any other tool of this server; until then the answer is repeated, labelled as a',
  'possible repeat, and the person sees that it was not read. An answer that comes after its call has ended rides on the next',
  'result of any tool of this server.',
].join(' ');

/** One line for an unknown thing that was thrown. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const iso = (at: number): string => new Date(at).toISOString();

/** How long ago, in words; never negative, because clocks are set back. */
export function ago(at: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - at) / 1000));
  if (seconds < 2) return 'just now';
  if (seconds < 120) return `${seconds} seconds ago`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} minutes ago`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours ago` : `${Math.round(hours / 24)} days ago`;
}

export const quote = (question: string | null): string =>
  question === null ? 'a question that is not on file' : `“${question}”`;

const REPEAT = 'Possible repeat: this answer was in front of an agent before; do not act on it twice.';

export const receipt = (...tokens: readonly string[]): string => {
  const [them, those] = tokens.length > 1 ? ['them', 'those'] : ['it', 'that'];
  const names = tokens.map((token) => JSON.stringify(token)).join(', ');
  return `Once you have read ${them}, call ack_answers with tokens [${names}], or pass ${those} in ack of any other readback tool.`;
};

function chosen(reply: Reply): string {
  const ids = reply.selected ?? [];
  return ids.length === 0 ? '' : `\nChosen option ids: ${ids.map((id) => JSON.stringify(id)).join(', ')}`;
}

function plainReply(reply: Reply): Record<string, unknown> {
  return {
    ...(reply.selected === undefined ? {} : { selected: [...reply.selected] }),
    ...(reply.text === undefined ? {} : { text: reply.text }),
    ...(reply.declined === undefined ? {} : { declined: reply.declined }),
  };
}

export type Given = Extract<Outcome, { token: string }>;

/** What the person said, in lines; whether a receipt is due for it is the last one. */
export function said(outcome: Given, own: boolean, now: number): string[] {
  const when = ago(outcome.answeredAt, now);
  const lines: string[] = [];
  if (outcome.outcome === 'declined') {
    const earlier = outcome.fromAskId;
    const it =
      earlier === undefined ? 'the question' : `the identical question ${quote(outcome.question)} (${earlier})`;
    lines.push(`The person looked at ${it} ${when} and chose not to answer it: ${outcome.text}`);
    lines.push('That is their decision about this question, not a failure and not a yes.');
  } else if (outcome.outcome === 'recovered') {
    lines.push(
      `Answered earlier: the person gave this answer ${when} to the identical question ${quote(outcome.question)} (${outcome.fromAskId}):`,
    );
    lines.push(`${outcome.text}${chosen(outcome.reply)}`);
  } else {
    lines.push(`The person answered ${when}:`, `${outcome.text}${chosen(outcome.reply)}`);
  }
  if (outcome.readBack) {
    lines.push(`${own ? 'You acknowledged this already' : 'This was acknowledged already'}; no receipt is due.`);
  } else if (outcome.possibleRepeat) lines.push(REPEAT);
  return lines;
}

function given(outcome: Given, hold: Hold, now: number): Worded {
  const lines = said(outcome, hold.own === true, now);
  if (!outcome.readBack) lines.push(receipt(outcome.token));
  return {
    text: lines.join('\n'),
    data: {
      outcome: outcome.outcome,
      ask_id: outcome.askId,
      answer: outcome.text,
      reply: outcome.outcome === 'declined' ? { declined: true } : plainReply(outcome.reply),
      token: outcome.token,
      question: outcome.question,
      answered_at: iso(outcome.answeredAt),
      possible_repeat: outcome.possibleRepeat,
      ...(outcome.readBack ? { read_back: true } : {}),
      ...('fromAskId' in outcome ? { from_ask_id: outcome.fromAskId } : {}),
    },
  };
}

/** How long this call held, and why it was not longer. */
export interface Hold {
  readonly waitedMs: number;
  /** The client's observed limit, where it made the hold shorter. */
  readonly limitMs?: number | undefined;
  /** The token of the losses that the result tells of. */
  readonly losses?: string | undefined;
  /** True when the receipt of the answer came from this very session. */
  readonly own?: boolean | undefined;
}

type Pending = Extract<Outcome, { outcome: 'pending' }>;

function pending(outcome: Pending, hold: Hold): Worded {
  const lines = [
    outcome.held === undefined
      ? 'Pending: the person has not answered yet. The question stays open; nothing was refused, and this is not a no.'
      : `Pending: ${outcome.held} Nothing was refused, and this is not a no.`,
    `Call await_answer with ask_id "${outcome.askId}" to go on waiting. Do not ask the question again.`,
    'You may do other work first: an answer given meanwhile rides on the next result of any readback tool.',
  ];
  lines.push(...shortened(hold), ...withheldLine(outcome.withheld));
  return {
    text: lines.join('\n'),
    data: {
      outcome: 'pending',
      ask_id: outcome.askId,
      waited_ms: Math.round(hold.waitedMs),
      ...(outcome.withheld > 0 ? { withheld: outcome.withheld } : {}),
    },
    others: outcome.others,
  };
}

/** Why a call waited less than it was asked to. */
export const shortened = ({ waitedMs, limitMs }: Hold): string[] =>
  limitMs === undefined
    ? []
    : [
        `This call waited ${seconds(waitedMs)} only, because this client was seen to give up after ${seconds(limitMs)}.`,
      ];

export const withheldLine = (withheld: number): string[] =>
  withheld > 0 ? [`${count(withheld, 'answer')} on file belong elsewhere and are not shown here.`] : [];

/** One answer that may belong to another question. */
export function wordOther(other: Other, now: number): string {
  return `On file, not provably for this question: to ${quote(other.question)} the person answered ${ago(other.answeredAt, now)}: ${other.answer}`;
}

export function otherData(other: Other): Record<string, unknown> {
  return { question: other.question, answer: other.answer, answered_at: iso(other.answeredAt) };
}

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

export const count = (many: number, what: string): string => `${many} ${what}${many === 1 ? '' : 's'}`;

export type Ended = Extract<Outcome, { outcome: 'cancelled' | 'expired' | 'undeliverable' | 'superseded' | 'unknown' }>;

const ENDED: Record<Ended['outcome'], string> = {
  cancelled: 'Cancelled: the question is off the screen without an answer. Nobody said no.',
  expired: 'Expired: the time for this question ran out before the person answered. Nobody said no.',
  undeliverable:
    'Undeliverable: nothing could show the question, so no person saw it. Nobody said no; do not invent an answer.',
  superseded: 'Superseded: another question or message took the place of this one. Nobody said no.',
  unknown: 'Unknown: no question with this ask_id is on file.',
};

const LOOK_UP = 'See the ids on file with list_asks; scope all also lists what other sessions asked.';

/** How a question ended that nobody answered, in words. */
export const ended = (outcome: Ended): string => `${ENDED[outcome.outcome]} ${outcome.reason}`;

export const REMEDIES: Readonly<Record<string, string>> = {
  undeliverable:
    'Ask the person to open the readback page (`readback serve` in a terminal prints its link), then ask again.',
  unknown: LOOK_UP,
};

/** Outcomes that tell the agent its call could not do what it asked for. */
export const FAILURES: ReadonlySet<string> = new Set(['undeliverable', 'unknown']);

/** The result of `ask_user` and `await_answer`. */
export function wordOutcome(outcome: Outcome, hold: Hold, now: number): Worded {
  return withLosses(wordOne(outcome, hold, now), outcome.dropped?.count ?? 0, hold);
}

/** The footnote on answers that were lost (H-07). */
export function withLosses(worded: Worded, lost: number, hold: Hold): Worded {
  if (lost === 0) return worded;
  const told = hold.losses === undefined ? '' : ` ${receipt(hold.losses)}`;
  const footnote = `${count(lost, 'earlier answer')} of this conversation could not be kept and never reached you; ask again if you need to know.${told}`;
  const losses = hold.losses === undefined ? {} : { dropped_token: hold.losses };
  return { ...worded, text: `${worded.text}\n${footnote}`, data: { ...worded.data, dropped_answers: lost, ...losses } };
}

export function wordOne(outcome: Outcome, hold: Hold, now: number): Worded {
  switch (outcome.outcome) {
    case 'answered':
    case 'recovered':
    case 'declined':
      return given(outcome, hold, now);
    case 'pending':
      return pending(outcome, hold);
    default: {
      const remedy = REMEDIES[outcome.outcome];
      const more = remedy === undefined ? {} : { remedy };
      return {
        text: [ENDED[outcome.outcome], outcome.reason, ...(remedy === undefined ? [] : [remedy])].join('\n'),
        data: { outcome: outcome.outcome, ask_id: outcome.askId, reason: outcome.reason, ...more },
        isError: FAILURES.has(outcome.outcome),
      };
    }
  }
}

/** One answer that rides on another result. */
export function wordRide(ride: Ride, now: number): string {
  const lines = [
    ride.late
      ? `Late answer: the person answered your earlier question ${quote(ride.question)} (${ride.askId}) ${ago(ride.answeredAt, now)}, after its call had ended:`
      : `Not yet acknowledged: to your question ${quote(ride.question)} (${ride.askId}) the person answered ${ago(ride.answeredAt, now)}:`,
    ride.reply.declined === true ? `They chose not to answer it: ${ride.text}` : `${ride.text}${chosen(ride.reply)}`,
  ];
  if (ride.possibleRepeat) lines.push(REPEAT);
  lines.push(receipt(ride.token));
  return lines.join('\n');
}

export function rideData(ride: Ride): Record<string, unknown> {
  return {
    token: ride.token,
    ask_id: ride.askId,
    question: ride.question,
    answer: ride.text,
    reply: plainReply(ride.reply),
    answered_at: iso(ride.answeredAt),
    late: ride.late,
    possible_repeat: ride.possibleRepeat,
  };
}

export function wordParked(question: string | null, token: string): string {
  return `Parked: the answer to ${quote(question)} was given to you four times without a receipt and will not be repeated. It stays on file; ack_answers with ["${token}"] still works.`;
}

/** The receipts that a call brought along. */
export function wordAcks(acks: readonly { token: string; accepted: boolean }[]): string {
  return acks
    .map((ack) =>
      ack.accepted
        ? `Receipt taken: ${ack.token}.`
        : `Receipt refused: ${ack.token} is not an answer in your hands. If its answer is repeated to you, name the token again.`,
    )
    .join('\n');
}

/** The result of `withdraw_ask`. */
export function wordVerdict(verdict: Verdict): Worded {
  const state = verdict.ask?.state;
  const remedy = verdict.verdict === 'unknown' ? LOOK_UP : undefined;
  const lines = [verdict.message, ...(remedy === undefined ? [] : [remedy])];
  if (verdict.ask !== undefined && answerOf(verdict.ask) !== undefined)
    lines.push(`An answer is on file; call await_answer with ask_id "${verdict.askId}" to read it.`);
  return {
    text: lines.join('\n'),
    data: {
      outcome: verdict.verdict,
      ask_id: verdict.askId,
      reason: verdict.message,
      ...(remedy === undefined ? {} : { remedy }),
      ...(state === undefined ? {} : { state }),
    },
    isError: verdict.verdict === 'unknown' || verdict.verdict === 'invalid',
  };
}

/** Bad input. The person is not mentioned as a cause, because none was asked (I11). */
export function wordRefusals(tool: ToolName, wrong: readonly Refusal[]): Worded {
  const first = wrong[0];
  const lines = wrong.map((each) => `${each.field}: ${each.reason}. ${each.remedy}`);
  const text = [
    `The arguments of ${tool} are not valid, so nothing was shown to anyone and nothing was changed.`,
    ...lines,
  ].join('\n');
  const data = {
    outcome: 'invalid',
    field: first?.field ?? 'arguments',
    reason: first?.reason ?? 'is not valid',
    remedy: first?.remedy ?? '',
    retry: false,
  };
  return { text, data, isError: true };
}

/** A call that failed on our side. */
export function wordFailure(reason: string, retry: boolean): Worded {
  const text = `The call failed on the side of readback, not because of the person: ${reason}`;
  return { text, data: { outcome: 'failed', reason, retry }, isError: true };
}
