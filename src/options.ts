/** What a coordinator is opened with, and the words for what it cannot be opened with. */
import type { TapReader } from '../machines/shared/tap.ts';
import { invalid } from './errors.ts';
import type { IdleLedger } from './idle.ts';
import type { Flusher, IncarnationResolver, Revoker, TurnAttacher } from './journal/operation.ts';
import type { CallLimits, JournalLimits } from './limits.ts';
import type { RequestContracts, ServerRequestsOptions } from './requests/api.ts';
import type { ApprovalsOptions } from './requests/approval-types.ts';
import type { Logger, Runtime } from './runtime.ts';
import type { ConversationLog } from './seats.ts';
import type { Store } from './store/store.ts';

export interface CoordinatorOptions {
  /** Where everything is kept: `openSqliteStore(path)`, or `memoryStore()`. The coordinator closes it. */
  readonly store: Store;
  readonly limits?: Partial<JournalLimits> | undefined;
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
  /** Told that a tab has something to deliver. */
  readonly flusher?: Flusher | undefined;
  /** Pulls an unread copy out of an agent's queue. */
  readonly revoker?: Revoker | undefined;
  /** Names the turn that carries a token (H-14). */
  readonly attacher?: TurnAttacher | undefined;
  /** Names the occupant of a tab. */
  readonly resolver?: IncarnationResolver | undefined;
  /**
   * The log of the conversation on a tab, as the adapters of `readback/seats` make it; undefined: there is none, and
   * the epoch of the tab fences its answers. Called at each check, so a file may be read anew.
   */
  readonly conversationLog?: ((tab: string) => ConversationLog | undefined) | undefined;
  /** Tries to open a surface when an ask finds none; says whether one will appear. */
  readonly openSurface?: (() => Promise<boolean>) | undefined;
  /** True: pages of a former process are about to come back, so that an ask waits for one as after a reload. */
  readonly expectSurface?: boolean | undefined;
  /** Which questions may be put to windows. Without it there are no `requests` and no `approvals`. */
  readonly contracts?: RequestContracts | undefined;
  /** How requests behave (R-39, R-69, F-39, F-40). */
  readonly requests?:
    | Pick<ServerRequestsOptions, 'policy' | 'graceMs' | 'errorQuorum' | 'maxUnattendedMs' | 'limits' | 'mayAccess'>
    | undefined;
  /** How approvals behave. */
  readonly approvals?:
    | Omit<ApprovalsOptions, 'requests' | 'runtime' | 'logger' | 'ledger' | 'watch' | 'lineage'>
    | undefined;
  /** Bounds of the tool calls on file. Default: `CALL_LIMITS`. */
  readonly callLimits?: Partial<CallLimits> | undefined;
  /** What else must be empty before this process may go: running turns, jobs, delegations. */
  readonly ledgers?: readonly IdleLedger[] | undefined;
  /** Told of every step from the very first, as by `tap`: for example `statelyReader` of `readback/inspect`. */
  readonly inspect?: TapReader | undefined;
  /** Without a surface an ask is undeliverable. True: asks are kept anyway, for a host that shows them by itself. */
  readonly alwaysVisible?: boolean | undefined;
}

const KINDS: Readonly<Record<keyof CoordinatorOptions, 'a function' | 'an object' | 'a list' | 'true or false'>> = {
  store: 'an object',
  limits: 'an object',
  runtime: 'an object',
  logger: 'an object',
  flusher: 'a function',
  revoker: 'a function',
  attacher: 'a function',
  resolver: 'a function',
  conversationLog: 'a function',
  openSurface: 'a function',
  expectSurface: 'true or false',
  contracts: 'an object',
  requests: 'an object',
  approvals: 'an object',
  callLimits: 'an object',
  ledgers: 'a list',
  inspect: 'a function',
  alwaysVisible: 'true or false',
};

const TYPES = { boolean: 'true or false', function: 'a function', object: 'an object' } as const;

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return (TYPES as Readonly<Record<string, string>>)[typeof value] ?? `a ${typeof value}`;
}

/** Refuses an option that there is not, and one of another kind: what it was given for would silently not happen. */
export function checkOptions(options: CoordinatorOptions): void {
  if (typeof options?.store !== 'object' || options.store === null) {
    throw invalid('store', 'is missing; give memoryStore() or openSqliteStore(path)');
  }
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(KINDS, name)) {
      throw invalid(name, `is no option of openCoordinator; the options are: ${Object.keys(KINDS).join(', ')}`);
    }
    const wanted = KINDS[name as keyof CoordinatorOptions];
    const given = kindOf(value);
    if (value !== undefined && given !== wanted) throw invalid(name, `must be ${wanted}, not ${given}`);
  }
}
