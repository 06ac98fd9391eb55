import { afterEach, describe, expect, it } from 'vitest';
import { defaultPack, requestContracts } from '../../src/contracts.ts';
import type { Peer } from '../../src/requests/api.ts';
import type { ApprovalChoice } from '../../src/requests/approval-types.ts';
import type { JsonObject, RpcFrame } from '../../src/wire/json.ts';
import { KINDS, Rig } from './rig.ts';

const SID = 'session-1';
const rigs: Rig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.end();
});

describe.each(KINDS)('"for all" over %s', (kind) => {
  it('[RQ-R86] [RQ-I20] a decision that could not be committed at once is no decision about what came later', async () => {
    const rig = new Rig(kind, { contracts: requestContracts(defaultPack) });
    rigs.push(rig);
    await rig.open();
    const frames: JsonObject[] = [];
    const page: Peer = {
      kind: 'websocket',
      closed: false,
      author: { surface: 'page', who: 'window-1' },
      send: (frame: RpcFrame) => frames.push(frame as unknown as JsonObject) > 0,
    };
    rig.c.requests.attach(page, '*');
    rig.c.requests.advertise(page, true);
    const ask = (command: string): void =>
      void rig.c.approvals
        .request(SID, { sid: SID, approvalId: command, command, timeoutMs: null })
        .catch(() => undefined);
    ask('one');
    ask('two');
    await rig.hand.settle();
    const card = frames.find(({ method }) => method === 'approval');
    // The card is answered on file; the commit of what that decides fails, and is tried again later.
    rig.store.plant({ on: 'commit', nth: 2 });
    expect(rig.c.requests.answer(String(card?.['id']), { choice: 'once', all: true }, page)).toBe(true);
    await rig.hand.settle();
    ask('rm -rf /');
    await rig.hand.settle();
    await rig.hand.pass(60_000);
    const pending = rig.c.approvals.pending(SID).map(({ command }) => command);
    expect(pending).toEqual(['two', 'rm -rf /']);
    expect(rig.c.approvals.grants(SID)).toMatchObject([{ approvalId: 'one', state: 'not_started' }]);
  });
});

describe.each(KINDS)('standing permissions over %s', (kind) => {
  it('[D6] the one that was given last is the newest in the next process, too, and is not what the bound ends', async () => {
    const limits = { standing: 2 };
    const rig = new Rig(kind, { contracts: requestContracts(defaultPack), approvals: { limits } });
    rigs.push(rig);
    await rig.open();
    const decide = async (command: string, choice: string, choices?: readonly ApprovalChoice[]): Promise<void> => {
      const asking = rig.c.approvals.request(SID, { sid: SID, command, choices });
      rig.c.approvals.resolve(SID, choice);
      await rig.done(asking);
    };
    await decide('one', 'session');
    await decide('two', 'session');
    // What was allowed for the session is asked again where that is not on offer, and allowed for good.
    await decide('one', 'always', ['once', 'always', 'deny']);
    await rig.restart();
    await decide('three', 'session');
    expect(rig.c.approvals.standing(SID).map(({ command }) => command)).toEqual(['one', 'three']);
  });
});
