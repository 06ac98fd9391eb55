/**
 * Requests, approvals, grants and tool calls in the coordinator's store: written within the step that decides, in one commit with
 * the journal where an answer belongs to one of its tickets.
 */
import type { Author, Reply } from './api.ts';
import { readAuthor, readReply } from './card.ts';
import type { Commits } from './commits.ts';
import { ReadbackError } from './errors.ts';
import type { Core } from './journal/core.ts';
import type { Op } from './journal/operation.ts';
import type { TicketRow } from './journal/rows.ts';
import type { Ledger, RequestRow, RowChange, Settled, Settlement } from './requests/api.ts';
import { chartStamp } from './store/chart-hash.ts';
import type { Store } from './store/store.ts';
import { submit } from './submit.ts';
import { cardOf } from './views.ts';
import { RpcRefusal } from './wire/errors.ts';
import type { JsonObject } from './wire/json.ts';

type Kind = RowChange['kind'];

interface Chart {
  readonly id: string;
  readonly version: string;
  readonly config: unknown;
}

export interface LedgerParts {
  readonly store: Store;
  readonly core: Core;
  readonly commits: Commits;
  /** The charts that the states in its rows belong to, one for each kind that it holds. */
  readonly charts: Readonly<Partial<Record<Kind, Chart>>>;
}

/** Who speaks when the surface says nothing about it. */
const NOBODY_NAMED: Author = Object.freeze({ surface: 'library' });
const UNREADABLE: Author = Object.freeze({ surface: 'unknown' });

export function coordinatorLedger({ store, core, commits, charts }: LedgerParts): Ledger {
  const stamps = new Map<Kind, string>();
  const stampOf = (kind: Kind): string => {
    const chart = charts[kind];
    if (chart === undefined) throw new TypeError(`This ledger holds no row of the kind ${kind}`);
    const known = stamps.get(kind) ?? chartStamp(chart);
    stamps.set(kind, known);
    return known;
  };
  return {
    commit(changes, settled) {
      for (const one of settled ?? []) requireJournalable(core, one);
      // Written out first: what cannot be written must not cost others what they have staged.
      const rows = changes.map(({ kind, row }) => row && { chart: stampOf(kind), body: JSON.stringify(row) });
      const stage = (): void => {
        for (const [i, { kind, id, note }] of changes.entries()) {
          store.keep(kind, id, rows[i]);
          if (note === undefined) continue;
          const { event, digest, detail } = note;
          const author = authorIn(note.author);
          core.note?.(event, { token: id, surface: author?.surface, who: author?.who, digest, detail });
        }
      };
      commits.now(
        stage,
        settled?.flatMap((one) => journaled(core, one)),
      );
    },
    rows(kind) {
      const rows = store.kept(kind).map(({ id, chart, body }) => {
        if (chart === stampOf(kind)) return JSON.parse(body) as JsonObject;
        const found = `${kind} ${id} was written by the chart ${chart}, and this readback has ${stampOf(kind)}`;
        throw new ReadbackError('store_newer', `The store cannot be opened: ${found}.`);
      });
      // A row that was written again is where it first was on file. Those of tool calls are not numbered, and stay so.
      return rows.sort((a, b) => Number(a['seq'] ?? 0) - Number(b['seq'] ?? 0));
    },
  };
}

/** Who spoke, where a host's word for it can be written down. */
function authorIn(author: Author | undefined): Author | undefined {
  if (author === undefined) return undefined;
  try {
    return readAuthor(author);
  } catch {
    return UNREADABLE;
  }
}

/** What the journal could not keep is refused, and the question stays open: an answer is on file in both or in neither. */
function requireJournalable(core: Core, { settlement, request }: Settled): void {
  if (settlement.kind !== 'answered') return;
  for (const [askId, text] of answersIn(settlement, request)) {
    const ticket = core.openTicket(askId);
    if (ticket === undefined) continue;
    try {
      readReply(replyFor(ticket, text), cardOf(ticket));
    } catch (error) {
      if (!(error instanceof ReadbackError)) throw error;
      throw new RpcRefusal('bad_answer', `the answer to ${askId.slice(0, 64)}: ${error.message}`);
    }
  }
}

/** A text that is the id of an option chooses it; a question that was skipped is one that nobody wanted to answer. */
function replyFor(ticket: TicketRow, text: string | null): Reply {
  if (text === null || text === '') return { declined: true };
  return cardOf(ticket).options.some(({ id }) => id === text) ? { selected: [text] } : { text };
}

/** Submissions for what has just been settled: each answer whose question is a ticket of the journal (design 4). */
function journaled(core: Core, { settlement, request, from }: Settled): Op<unknown>[] {
  return answersIn(settlement, request).flatMap(([askId, text]) => {
    const ticket = core.openTicket(askId);
    if (ticket === undefined) return [];
    return [submit(core, askId, replyFor(ticket, text), authorIn(from) ?? NOBODY_NAMED)];
  });
}

function answersIn(settlement: Settlement, { key, qids }: RequestRow): [string, string | null][] {
  if (settlement.kind === 'timed_out' || settlement.kind === 'cancelled')
    return Object.entries(settlement.locked ?? {});
  if (settlement.kind !== 'answered') return [];
  const { answers, answer } = settlement.result;
  if (typeof answers === 'object' && answers !== null) {
    // Only what was asked: the older form of one question lets a window name any.
    return qids.flatMap((qid): [string, string | null][] => {
      const given = Object.hasOwn(answers, qid) ? (answers as JsonObject)[qid] : undefined;
      return isAnswer(given) ? [[qid, given]] : [];
    });
  }
  return key !== null && isAnswer(answer) ? [[key, answer]] : [];
}

const isAnswer = (value: unknown): value is string | null => typeof value === 'string' || value === null;
