/** What a host asks its windows, over the coordinator's store: requests and approvals that survive a restart. */
import type { Watch } from '../machines/shared/tap.ts';
import type { AskView } from './api.ts';
import { type Approvals, createApprovals } from './approvals.ts';
import type { Commits } from './commits.ts';
import type { IdleProof } from './idle.ts';
import type { Core } from './journal/core.ts';
import { coordinatorLedger } from './ledger.ts';
import type { CoordinatorOptions } from './options.ts';
import type { ServerRequests } from './requests/api.ts';
import { approvalChart, grantChart } from './requests/approval-charts.ts';
import type { ApprovalsOptions } from './requests/approval-types.ts';
import { requestChart } from './requests/charts.ts';
import { createServerRequests } from './requests.ts';
import type { Logger, Runtime } from './runtime.ts';
import type { Store } from './store/store.ts';

export interface HostingParts {
  readonly store: Store;
  readonly core: Core;
  readonly commits: Commits;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly options: CoordinatorOptions;
  readonly idle: IdleProof;
  /** Tells of steps that are committed. */
  readonly watch: Watch;
  readonly lineage: ApprovalsOptions['lineage'];
}

interface Desk {
  readonly requests: ServerRequests;
  readonly approvals: Approvals;
}

export class Hosting {
  readonly #parts: HostingParts;
  #desk: Desk | undefined;
  #isStopped = false;

  constructor(parts: HostingParts) {
    this.#parts = parts;
  }

  get requests(): ServerRequests {
    return this.#open().requests;
  }

  get approvals(): Approvals {
    return this.#open().approvals;
  }

  /** Reads what the last process left. Throws what the store or a row of another chart throws. */
  start(): void {
    this.#open();
  }

  /** Whoever shows a question of the journal that is over elsewhere takes its card away. */
  askChanged({ askId, state }: AskView): void {
    if (state !== 'open' && !this.#isStopped) this.#desk?.requests.answeredElsewhere(askId);
  }

  /** Whether an approval is pending, or its decision not begun. */
  isOpenApproval(id: string, key: string): boolean {
    const { approvals } = this;
    const named = approvals.grants(key).some(({ approvalId, state }) => approvalId === id && state === 'not_started');
    return named || approvals.pending(key).some(({ approval_id }) => approval_id === id);
  }

  /** Everybody who waits is told; what is open stays open on file: a restart is no cancellation. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#desk?.approvals.shutdown();
    this.#desk?.requests.shutdown();
  }

  #open(): Desk {
    this.#desk ??= this.#build();
    return this.#desk;
  }

  #build(): Desk {
    const { store, core, commits, runtime, logger, options, idle, watch, lineage } = this.#parts;
    const { contracts } = options;
    if (contracts === undefined) throw new TypeError('Hosting is made where there are contracts');
    const charts = { request: requestChart, approval: approvalChart, grant: grantChart };
    const ledger = coordinatorLedger({ store, core, commits, charts });
    const shared = { runtime, logger, ledger, watch, admit: () => idle.admit() };
    const requests = createServerRequests({ ...options.requests, ...shared, contracts });
    try {
      return { requests, approvals: createApprovals({ ...options.approvals, ...shared, requests, lineage }) };
    } catch (error) {
      // Restored ones have deadlines by now, which would keep the process of a coordinator that nobody gets.
      requests.shutdown();
      throw error;
    }
  }
}
