/** The real registry of requests with windows that the test answers for. */

import type { Peer, ServerRequests } from '../../../src/requests/api.ts';
import type { ApprovalsOptions } from '../../../src/requests/approval-types.ts';
import { createServerRequests } from '../../../src/requests.ts';
import { HandRuntime } from '../../../src/testing/hand-runtime.ts';
import { defaultPack } from '../../../src/wire/contracts/default-pack.ts';
import { requestContracts } from '../../../src/wire/contracts/request-contracts.ts';
import type { JsonObject, RpcFrame } from '../../../src/wire/json.ts';
import { Rig, SID, TextLedger } from './support.ts';

/** A window. It shows what it is sent until it is told that it is over. */
export class Window implements Peer {
  readonly kind = 'websocket';
  closed = false;
  readonly frames: RpcFrame[] = [];
  /** Called inside the write, when it is set. */
  onFrame: ((frame: RpcFrame) => void) | undefined;

  send(frame: RpcFrame): boolean {
    this.frames.push(frame);
    this.onFrame?.(frame);
    return true;
  }

  get requests(): { id: string; method: string; params: JsonObject }[] {
    return this.frames.flatMap((frame) =>
      'method' in frame && frame.method !== 'event' && 'id' in frame
        ? [{ id: String(frame.id), method: frame.method, params: frame.params as JsonObject }]
        : [],
    );
  }

  get events(): { type: string; payload: JsonObject }[] {
    return this.frames.flatMap((frame) =>
      'method' in frame && frame.method === 'event' && 'params' in frame
        ? [{ type: String(frame.params?.type), payload: (frame.params?.['payload'] ?? {}) as JsonObject }]
        : [],
    );
  }

  /** Ids that were cancelled, with the reason. */
  get cancelled(): [unknown, unknown][] {
    return this.events
      .filter(({ type }) => type === 'request.cancel')
      .map(({ payload }) => [payload['id'], payload['reason']]);
  }
}

export class BridgeRig {
  readonly ledger: TextLedger;
  readonly runtime: HandRuntime;
  readonly requests: ServerRequests;
  readonly window = new Window();
  readonly queue: Rig;
  readonly lines: string[] = [];

  constructor(from?: BridgeRig, options: ApprovalsOptions = {}) {
    this.ledger = from?.ledger ?? new TextLedger();
    this.runtime = from?.runtime ?? new HandRuntime();
    const say = (...args: unknown[]): void => void this.lines.push(JSON.stringify(args));
    this.requests = createServerRequests({
      contracts: requestContracts(defaultPack),
      runtime: this.runtime,
      ledger: this.ledger,
      logger: { debug: say, info: say, warn: say, error: say },
      policy: 'strict',
    });
    this.connect(this.window);
    this.queue = new Rig(
      { requests: this.requests, notify: [], runtime: this.runtime, ledger: this.ledger, ...options },
      undefined,
    );
  }

  connect(window: Window, isModern = true): void {
    this.requests.attach(window, [SID]);
    if (isModern) this.requests.advertise(window, true);
  }

  /** The same file, in the next process. */
  restart(options: ApprovalsOptions = {}): BridgeRig {
    this.queue.approvals.shutdown();
    this.requests.shutdown();
    return new BridgeRig(this, options);
  }

  get open(): string[] {
    return this.requests.openRequests(SID).map(({ id }) => id);
  }

  answer(id: string | undefined, result: JsonObject, from: Peer = this.window): boolean {
    return this.requests.resolveResponse({ jsonrpc: '2.0', id: id ?? '', result }, from);
  }
}
