/** What a registry shows after a step, in few words. */
import type { Settlement } from '../../requests/api.ts';
import type { FakePeer } from './rig.ts';

/** Cards and asks are numbered as they came about. */
export interface RequestSight {
  /** What the call of this step returned, or that it threw. */
  readonly said: string;
  /** Frames that were written in this step, by client: `a request c1 clarify`, `b cancel c1 timeout`. */
  readonly frames: readonly string[];
  /** Promises and owners that heard how it ended, in this step: `ask 1 answered by response {"value":"yes"}`. */
  readonly ended: readonly string[];
  /** Open cards: number, session, method, what is locked. */
  readonly open: readonly string[];
  /** Rows on file: number, how it ended or `open`, questions that are locked. */
  readonly filed: readonly string[];
  /** Sessions in which somebody can be asked. */
  readonly answerable: readonly string[];
}

/** The frames that clients have got, by client, and are not shown again; a client gets its own in their order. */
export function framesOf(peers: Iterable<FakePeer>, card: (id: string) => string): string[] {
  const told = [...peers].flatMap(({ name, seen }) =>
    seen.splice(0).map(({ kind, id, method, reason, by }) => `${name} ${kind} ${card(id)} ${reason ?? by ?? method}`),
  );
  return told.sort();
}

/** What a call returned. */
export const words = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value));

export function thrown(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return String(code ?? message ?? error);
}

/** How an ask ended. */
export function ending(settlement: Settlement): string {
  switch (settlement.kind) {
    case 'answered':
      return `answered by ${settlement.via} ${JSON.stringify(settlement.result)}`;
    case 'failed':
      return `failed ${settlement.error.code ?? 'without a number'}`;
    case 'cancelled': {
      const { reason, cause, locked } = settlement;
      return ['cancelled', reason, cause, locked && JSON.stringify(locked)]
        .filter((one) => one !== undefined)
        .join(' ');
    }
    case 'timed_out':
      return `timed out ${JSON.stringify(settlement.locked)}`;
    default:
      return settlement.kind;
  }
}
