/** What is on file as its charts see it: where each row stands, and the names that find it; no text of anybody's. */
import type { ChartRow, RowQuery } from './api.ts';
import type { IdleProof } from './idle.ts';
import type { Core } from './journal/core.ts';
import {
  type EntryRow,
  type LossRow,
  numberIn,
  type TicketRow,
  tokenOf,
  type WarningRow,
  warningTokenOf,
} from './journal/rows.ts';
import type { Store } from './store/store.ts';

/** Kinds of rows that the store keeps for others, each with the chart that its state belongs to. */
const KEPT = { request: 'request', approval: 'approval', grant: 'grant', call: 'spend' } as const;

const answerRow = (row: EntryRow): ChartRow => ({
  machine: 'answer',
  id: tokenOf(row.n),
  states: [`delivery.${row.at.value.delivery}`, `label.${row.at.value.label}`],
  askId: row.askId,
  tab: row.at.context.key,
  at: row.answeredAt,
});

function ticketRow(row: TicketRow): ChartRow {
  const tab = row.at.context.openings.at(-1)?.tab;
  return { machine: 'ticket', id: row.askId, states: [row.at.value], askId: row.askId, tab, at: row.openedAt };
}

const lossRow = (row: LossRow): ChartRow => ({
  machine: 'loss',
  id: `loss${row.id}`,
  states: [row.at.value],
  tab: row.at.context.tab,
});

const warningRow = (row: WarningRow): ChartRow => ({
  machine: 'debt',
  id: warningTokenOf(row.n),
  states: [row.at.value],
  tab: row.at.context.tab,
});

function keptRows(store: Store, limit: number): ChartRow[] {
  return Object.entries(KEPT).flatMap(([kind, machine]) =>
    store
      .kept(kind)
      .slice(-limit)
      .flatMap(({ id, body }): ChartRow[] => {
        const { state, sid, key, boundary, toolName } = JSON.parse(body) as Record<string, unknown>;
        const tab = [sid, key, boundary].find((one) => typeof one === 'string' && one !== '');
        // A standing permission lies among the grants and has no chart.
        if (typeof state !== 'string') return [];
        const states = [machine === 'spend' ? `fate.${state}` : state];
        const name = typeof toolName === 'string' ? toolName : undefined;
        return [{ machine, id, name, states, tab: tab as string | undefined }];
      }),
  );
}

/** Where the rows stand that were touched last, or those that a name finds; of each chart at most `limit`. */
export function chartRows(
  core: Core,
  store: Store,
  { find, limit = 100 }: RowQuery,
  doors: IdleProof['doors'],
  fences: readonly ChartRow[] = [],
): ChartRow[] {
  const { book } = core;
  if (limit < 1) return [];
  const tickets = [...book.open(limit), ...book.ended(limit)];
  const entries = book.recent(limit);
  const newest = <T>(rows: readonly T[]): readonly T[] => rows.slice(-limit);
  const own = [...book.losses().map(lossRow), ...book.warnings().map(warningRow), ...keptRows(store, limit)];
  if (find === undefined) {
    const answered = entries.map((row) => book.anyTicket(row.askId)).filter((row) => row !== undefined);
    return [
      { machine: 'coordinator', id: 'coordinator', states: [core.tabs.doors] },
      { machine: 'retirement', id: 'retirement', states: [doors] },
      ...entries.map(answerRow),
      ...[...new Set([...tickets, ...answered])].slice(0, limit).map(ticketRow),
      ...own,
      ...newest(fences),
    ];
  }
  const named = book.entry(numberIn(find, 'aa'));
  const askId = named?.askId ?? find;
  const begins = (...names: (string | undefined)[]): boolean => names.some((name) => name?.startsWith(find) === true);
  const answers = [
    ...(named === undefined ? [] : [named]),
    ...book.entriesOf(askId),
    ...book.entriesOn(find).slice(-limit),
    ...entries.filter((row) => begins(row.askId, row.at.context.key)),
  ];
  const cards = [
    ...[askId, ...answers.map((row) => row.askId)].map((id) => book.anyTicket(id)),
    ...book.ticketsOn(find),
    ...tickets.filter((row) => begins(row.askId)),
  ];
  return [
    ...[...new Set(answers)].slice(0, limit).map(answerRow),
    ...[...new Set(cards)]
      .filter((row) => row !== undefined)
      .slice(0, limit)
      .map(ticketRow),
    ...own.filter(({ id, name, tab }) => begins(id, name, tab)),
    ...newest(fences.filter(({ id, tab }) => begins(id, tab) || id === askId)),
  ];
}
