/** What grows or stays though nobody needs it any more: cancels of a gate, timers of a desk that was not made. */
import { expect, it } from 'vitest';
import { openCoordinator } from '../../../src/coordinator.ts';
import type { Entry } from '../../../src/requests/entry.ts';
import { Gatekeeper } from '../../../src/requests/gate.ts';
import { Log } from '../../../src/requests/log.ts';
import { Peers } from '../../../src/requests/peers.ts';
import type { Registry } from '../../../src/requests/registry.ts';
import { type Cancel, nodeRuntime } from '../../../src/runtime.ts';
import { memoryStore } from '../../../src/store/memory.ts';
import { handRuntime, KeptLog } from '../../../src/testing/index.ts';
import { FakeLedger, FakePeer } from '../../../src/testing/requests/rig.ts';
import { defaultPack } from '../../../src/wire/contracts/default-pack.ts';
import { requestContracts } from '../../../src/wire/contracts/request-contracts.ts';
import type { JsonObject } from '../../../src/wire/json.ts';
import { RequestRig } from '../support/rig.ts';

it('[RQ-R69] a request that windows come and go beside holds one thing to let go of, and none once it is judged', () => {
  const runtime = handRuntime();
  const peers = new Peers(new Log(new KeptLog()));
  const entry = { sid: 's', seq: 1, timers: new Set(), at: { context: {} } } as unknown as Entry;
  const registry = {
    runtime,
    peers,
    nextSeq: 2,
    isOpen: () => true,
    of: () => [entry],
    attempt: () => true,
    shown() {},
  };
  const contracts = { requestNames: [] } as never;
  const gate = new Gatekeeper(registry as unknown as Registry, contracts, { graceMs: 2_000, allows: () => true });
  const quiet = new FakePeer('quiet');
  gate.attach(quiet, '*');
  for (let n = 0; n < 20; n += 1) {
    const window = new FakePeer(`window-${n}`);
    gate.attach(window, '*');
    gate.watch(entry);
    gate.advertise(window, true);
    expect(entry.timers.size).toBe(0);
    Object.assign(entry.at.context, { candidates: [] });
    gate.forget(window);
    expect(entry.timers.size).toBe(1);
    gate.watch(entry);
    expect(entry.timers.size).toBe(1);
  }
});

it('[RQ-R16] a coordinator that cannot be opened leaves no deadline of what it had restored', async () => {
  const rung = new Set<Cancel>();
  const runtime = {
    ...nodeRuntime,
    after(ms: number, callback: () => void): Cancel {
      const cancel = nodeRuntime.after(ms, callback, 'quiet');
      const stop = (): void => {
        rung.delete(stop);
        cancel();
      };
      rung.add(stop);
      return stop;
    },
  };
  const store = memoryStore();
  const contracts = requestContracts(defaultPack);
  const open = (approvals?: { timeoutMs: number }) =>
    openCoordinator({ store, runtime, contracts, approvals, logger: new KeptLog() });
  const first = await open();
  const questions = [{ qid: 'a', question: 'Which?', choices: ['x'], multi_select: false }];
  void first.requests.send('clarify', 's', { questions }, { timeoutMs: 3_600_000, qids: ['a'] });
  await first.close();
  rung.clear();
  await expect(open({ timeoutMs: Number.NaN })).rejects.toThrow('timeoutMs');
  expect(rung.size).toBe(0);
});

it('[RQ-R16] a row that cannot be read leaves no deadline of those before it', () => {
  const ledger = new FakeLedger();
  const first = new RequestRig({ ledger });
  first.peer('a');
  first.ask('window.title', {}, { timeoutMs: 60_000 });
  const bad = first.ask('window.title', {}, { timeoutMs: 60_000 });
  const row = JSON.parse(ledger.files.get(`request ${bad.id}`) ?? '{}') as JsonObject;
  ledger.files.set(`request ${bad.id}`, JSON.stringify({ ...row, state: 'no such state' }));
  const runtime = handRuntime();
  expect(() => new RequestRig({ ledger }, runtime)).toThrow(bad.id);
  expect(runtime.timers).toBe(0);
});
