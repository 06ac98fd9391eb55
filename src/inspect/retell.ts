/**
 * The story of one ask and its answers, told again from the audit: each row is an event, and the charts themselves say
 * what it did. Nothing is kept for it but the rows; where they do not tell all, the end of the story shows it.
 */

import { answerMachine } from '../../machines/journal/answer.ts';
import type { AnswerEvent, RecallCause } from '../../machines/journal/answer-facts.ts';
import { type TicketEvent, ticketMachine } from '../../machines/journal/ticket.ts';
import { compile, type SnapshotOf, start, step } from '../../machines/shared/step.ts';
import type { AuditRow } from '../api.ts';
import { chartOf } from './charts.ts';
import { statesIn, taken } from './moves.ts';
import type { Arrow } from './outline.ts';
import type { Told } from './told.ts';

const answers = compile(answerMachine);
const tickets = compile(ticketMachine);
const NOBODY = { value: { delivery: 'born', label: 'born' } } as const;

interface Row<Snapshot> {
  at: Snapshot;
  readonly steps: Told[];
}

/** Events of the audit that say something of every answer on a tab. */
export const TAB_EVENTS: readonly string[] = Object.freeze(['boundary', 'forgotten']);
const ENDINGS = { withdrawn: 'WITHDRAW', superseded: 'SUPERSEDE', expired: 'DEADLINE', card_evicted: 'TRIM' } as const;

export class Retold {
  readonly #askId: string;
  /** The bound that was in force: the chart parks an answer that was handed back so often. */
  readonly #carriedReleases: number;
  readonly #epochs = new Map<string, number>();
  readonly #answers = new Map<string, Row<SnapshotOf<typeof answers>>>();
  #card: Row<SnapshotOf<typeof tickets>> | undefined;
  /** It had a card before this one, of which nothing is left. */
  #wasOpened = false;

  constructor(askId: string, carriedReleases: number) {
    this.#askId = askId;
    this.#carriedReleases = carriedReleases;
  }

  get card(): readonly Told[] {
    return this.#card?.steps ?? [];
  }

  answer(token: string): readonly Told[] {
    return this.#answers.get(token)?.steps ?? [];
  }

  /** Where it stood at the end of the rows. */
  standing(machine: string, id: string): readonly string[] | undefined {
    const row = machine === 'ticket' ? this.#card : this.#answers.get(id);
    return row && statesIn(row.at.value);
  }

  hear(row: AuditRow): void {
    const { event, tab } = row;
    const own = row.token === undefined ? undefined : this.#answers.get(row.token);
    const answer =
      own === undefined ? undefined : answerEvent(row, own.at.value.label === 'matched', this.#carriedReleases);
    if (event === 'opened') this.#open(row);
    else if (event === 'answered') this.#born(row);
    else if (event === 'closed') this.#close(row);
    else if (event === 'boundary' || event === 'forgotten') this.#boundary(row);
    else if (event === 'restarted') this.#restart(row);
    else if (event === 'moved' && tab !== undefined) this.#move(row, row.detail ?? '', tab);
    else if (Object.hasOwn(ENDINGS, event)) {
      const type = ENDINGS[event as keyof typeof ENDINGS];
      this.#stepCard(row, type === 'DEADLINE' || type === 'TRIM' ? { type } : { type, why: '' });
    } else if (own !== undefined && answer !== undefined) this.#stepAnswer(row, own, answer);
  }

  #epoch(tab: string): number {
    return this.#epochs.get(tab) ?? 0;
  }

  #open(row: AuditRow): void {
    const { tab = '' } = row;
    const opening = { tab, epoch: this.#epoch(tab), occupant: null };
    if (this.#card !== undefined && !this.#card.at.done) this.#stepCard(row, { type: 'OPEN', opening });
    else {
      const reused = this.#wasOpened || this.#answers.size > 0;
      const input = { askId: this.#askId, opening, reused, historyLost: this.#wasOpened };
      const { snapshot } = start(tickets, input);
      const steps = this.#card?.steps ?? [];
      steps.push(birth(row, 'ticket', 'born', snapshot, steps.at(-1)?.after));
      this.#card = { at: snapshot, steps };
      this.#wasOpened = true;
    }
    for (const one of this.#answers.values()) this.#stepAnswer(row, one, { type: 'BLUR', erase: true });
  }

  /** The same judgement as at its arrival. That its text was reported says that no outlet may show it. */
  #born(row: AuditRow): void {
    const { token = '', tab: key = '' } = row;
    const siblings = [...this.#answers.values()];
    const card = this.#card?.at.done === false ? this.#card.at : undefined;
    const reported = row.detail !== undefined;
    const here = card?.context.openings.filter(({ tab }) => tab === key);
    const isOver =
      here === undefined
        ? siblings.some(({ at }) => at.context.key === key && at.context.known && at.value.delivery === 'retired')
        : here.length > 0 && here.every(({ epoch }) => epoch < this.#epoch(key));
    const retired = reported && isOver && card?.context.historyLost !== true;
    const ambiguous = card?.context.reused === true || siblings.length > 0;
    const { snapshot } = start(answers, {
      token,
      key,
      retired,
      known: retired || !reported,
      awaited: card?.value === 'awaited',
      label: ambiguous ? 'ambiguous' : card === undefined ? 'foreign' : 'matched',
    });
    for (const one of siblings) this.#stepAnswer(row, one, { type: 'BLUR', erase: false });
    const steps = [birth(row, 'answer', NOBODY.value, snapshot)];
    this.#answers.set(token, { at: snapshot, steps });
    this.#stepCard(row, { type: 'ANSWER' });
  }

  #close(row: AuditRow): void {
    this.#stepCard(row, { type: 'CLOSE', answered: this.#answers.size > 0 });
    if (this.#card?.at.value === 'awaited') return;
    for (const one of this.#answers.values()) this.#stepAnswer(row, one, { type: 'CLOSE' });
  }

  #boundary(row: AuditRow): void {
    const { tab = '', event } = row;
    this.#epochs.set(tab, this.#epoch(tab) + 1);
    for (const one of this.#answers.values()) {
      if (one.at.context.key !== tab) continue;
      this.#stepAnswer(row, one, { type: event === 'boundary' ? 'BOUNDARY' : 'FORGET' });
    }
  }

  #restart(row: AuditRow): void {
    this.#stepCard(row, { type: 'RESTART', answered: this.#answers.size > 0 });
    for (const one of this.#answers.values()) this.#stepAnswer(row, one, { type: 'RESTART' });
  }

  #move(row: AuditRow, from: string, to: string): void {
    const isHere = this.#card?.at.context.openings.some(({ tab }) => tab === from) === true;
    if (isHere) {
      this.#stepCard(row, { type: 'MOVE', from, to, live: this.#epoch(from), liveThere: this.#epoch(to) });
    }
    for (const one of this.#answers.values()) {
      if (one.at.context.key === from) this.#stepAnswer(row, one, { type: 'MOVE', to });
    }
    this.#epochs.delete(from);
  }

  #stepCard(row: AuditRow, event: TicketEvent): void {
    const card = this.#card;
    if (card === undefined) return;
    const { snapshot, ignored } = step(tickets, card.at, event);
    if (ignored) return;
    card.steps.push(toldOf(row, 'ticket', event, card.at, snapshot));
    card.at = snapshot;
  }

  #stepAnswer(row: AuditRow, one: Row<SnapshotOf<typeof answers>>, event: AnswerEvent): void {
    const { snapshot, ignored } = step(answers, one.at, event);
    if (ignored) return;
    one.steps.push(toldOf(row, 'answer', event, one.at, snapshot));
    one.at = snapshot;
  }
}

/** What a row that names an answer did to it; undefined for one that only reports. */
function answerEvent({ event, who, detail }: AuditRow, isMatched: boolean, bound: number): AnswerEvent | undefined {
  const carrier = who ?? null;
  switch (event) {
    case 'returned':
      return { type: 'RETURN', carrier, replay: false };
    case 'pushed':
      return { type: 'OFFER_TAKEN', losses: [], worded: isMatched ? 'matched' : 'foreign', carrier };
    case 'acked':
      return { type: 'RECEIPT', carrier };
    case 'handed_back':
      return { type: 'HANDBACK', carrier, carried: detail === 'carried', bound };
    case 'recalled':
      return { type: 'RECALLED', because: detail as RecallCause };
    case 'owed_again':
      return { type: 'REDELIVER', repeat: false };
    case 'parked':
      return { type: 'PARK', why: '' };
    case 'evicted':
      return { type: 'EVICT' };
    default:
      return undefined;
  }
}

interface Placed {
  readonly value: unknown;
  readonly context: unknown;
}

function arrowsTaken(machine: string, before: Placed, event: { readonly type: string }): readonly Arrow[] {
  const chart = chartOf(machine);
  return chart === undefined ? [] : taken(chart.machine, chart.arrows, before, event);
}

function toldOf(row: AuditRow, machine: string, event: { readonly type: string }, before: Placed, after: Placed): Told {
  return {
    row: row.id,
    at: row.at,
    event: event.type,
    before: statesIn(before.value),
    after: statesIn(after.value),
    taken: arrowsTaken(machine, before, event),
  };
}

/** A row is born in a state that it never rests in; which way it goes from there is decided at once. */
function birth(row: AuditRow, machine: string, born: unknown, after: Placed, before: readonly string[] = []): Told {
  const chosen = arrowsTaken(machine, { value: born, context: after.context }, { type: 'always' });
  return { row: row.id, at: row.at, event: 'born', before, after: statesIn(after.value), taken: chosen };
}
