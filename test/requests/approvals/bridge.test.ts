/** Approvals as server requests, through the real registry. */
import { describe, expect, it } from 'vitest';
import { BridgeRig, Window } from './bridge-support.ts';
import { breathe, KEY, SID } from './support.ts';

describe('showing', () => {
  it('[RQ-R98] sends one request with the redacted card, in the words of the contract', () => {
    const rig = new BridgeRig();
    rig.queue.ask('a', {
      tool: 'shell',
      command: 'login --password hunter2',
      description: 'why',
      patternKeys: ['login'],
    });
    expect(rig.window.requests).toEqual([
      {
        id: expect.stringMatching(/^srq-/),
        method: 'approval',
        params: {
          session_id: SID,
          approval_id: 'a',
          request_id: 'a',
          command: 'login --password [redacted]',
          description: 'why',
          choices: ['once', 'session', 'always', 'deny'],
          allow_permanent: true,
          allow_session: true,
          smart_denied: false,
          tool_name: 'shell',
          pattern_keys: ['login'],
          digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      },
    ]);
  });

  it('[RQ-R98, RQ-I19] what is decided elsewhere takes the card away, once, as resolved', async () => {
    const rig = new BridgeRig();
    const asking = rig.queue.ask('a');
    const [id] = rig.open;
    expect(rig.queue.approvals.resolve(KEY, 'once')).toBe(1);
    expect([rig.open, rig.window.cancelled]).toEqual([[], [[id, 'resolved']]]);
    expect((await asking.promise).choice).toBe('once');
  });

  it.each([
    ['timeout', 'timeout'],
    ['withdraw', 'session_closed'],
    ['interrupt', 'interrupted'],
  ])('[RQ-R84, RQ-I19] %s takes the card away as %s', async (way, reason) => {
    const rig = new BridgeRig();
    const abort = new AbortController();
    rig.queue.ask('a', { timeoutMs: 100, signal: abort.signal });
    const [id] = rig.open;
    if (way === 'timeout') rig.runtime.advance(100);
    if (way === 'withdraw') rig.queue.approvals.withdraw(KEY, 'a', 'x');
    if (way === 'interrupt') abort.abort();
    await breathe();
    expect([rig.open, rig.window.cancelled]).toEqual([[], [[id, reason]]]);
  });

  it('[RQ-R98] an approval that ended while it was being sent leaves no card', async () => {
    const rig = new BridgeRig();
    rig.window.onFrame = () => {
      rig.window.onFrame = undefined;
      rig.queue.approvals.resolve(KEY, 'deny', { requestId: 'a' });
    };
    const asking = rig.queue.ask('a');
    expect((await asking.promise).choice).toBe('deny');
    expect(rig.open).toEqual([]);
    expect(rig.window.cancelled).toEqual([[rig.window.requests[0]?.id, 'resolved']]);
  });

  it('[H1] twins are one card, and their callers get one word each', async () => {
    const rig = new BridgeRig();
    const asked = [1, 2, 3].map((at) => rig.queue.twin(`t${at}`));
    expect(rig.window.requests).toHaveLength(1);
    rig.answer(rig.open[0], { choice: 'session' });
    await breathe();
    expect(asked.map(({ verdict }) => verdict?.choice)).toEqual(['session', 'session', 'session']);
  });

  it('[RQ-R95] after once the next twin gets a card of its own', async () => {
    const rig = new BridgeRig();
    const asked = [rig.queue.twin('a'), rig.queue.twin('b')];
    const [first] = rig.open;
    rig.answer(first, { choice: 'once' });
    await breathe();
    const [second] = rig.open;
    expect([first === second, rig.window.requests.length, asked[1]?.ends]).toEqual([false, 2, 0]);
    rig.answer(second, { choice: 'deny' });
    await breathe();
    expect(asked.map(({ verdict }) => verdict?.choice)).toEqual(['once', 'deny']);
  });
});

describe('answers', () => {
  it('[RQ-R99] an answer is the decision, with its reason; a click on a card carries all as well', async () => {
    const rig = new BridgeRig();
    const asked = [rig.queue.ask('a'), rig.queue.ask('b')];
    const [first, second] = rig.open;
    expect(rig.answer(first, { choice: 'once', all: true, reason: 'go' })).toBe(true);
    await breathe();
    expect(asked.map(({ verdict }) => [verdict?.choice, verdict?.reason])).toEqual([
      ['once', 'go'],
      ['once', 'go'],
    ]);
    expect([rig.open, rig.window.cancelled]).toEqual([[], [[second, 'resolved']]]);
  });

  it('[RQ-R99, RQ-R88] a choice that the card did not offer releases nothing, and nobody waits for a card that is gone', async () => {
    const rig = new BridgeRig();
    const asking = rig.queue.ask('a', { smartDenied: true });
    rig.answer(rig.open[0], { choice: 'always' });
    expect(await asking.promise).toMatchObject({ choice: null, cancelled: 'client error' });
    expect([rig.open, rig.queue.ids(), rig.queue.approvals.standing(KEY)]).toEqual([[], [], []]);
  });

  it('[D1] [RQ-R99] an answer that names another digest releases nothing', async () => {
    const rig = new BridgeRig();
    const asking = rig.queue.ask('a');
    rig.answer(rig.open[0], { choice: 'once', digest: 'of something else' });
    expect(await asking.promise).toMatchObject({ choice: null, cancelled: 'client error' });
  });

  it.each([
    ['−32601', { error: { code: -32601, message: 'no handler' } }, 'client cannot answer'],
    ['another error', { error: { code: -32603, message: 'crash' } }, 'client error'],
    ['a result that does not conform', { result: { choice: 'allow' } }, 'client error'],
  ])('[RQ-R99] %s withdraws with its cause', async (_what, frame, cause) => {
    const rig = new BridgeRig();
    const asking = rig.queue.ask('a');
    try {
      rig.requests.resolveResponse({ jsonrpc: '2.0', id: rig.open[0] ?? '', ...frame }, rig.window);
    } catch {
      // The strict policy throws after the commit.
    }
    expect(await asking.promise).toMatchObject({ resolved: true, choice: null, cancelled: cause });
  });

  it.each(['interrupted', 'session_closed'] as const)(
    '[RQ-R57, RQ-R99] a request cancelled as %s says so',
    async (why) => {
      const rig = new BridgeRig();
      const asking = rig.queue.ask('a');
      rig.requests.cancel(SID, why);
      expect(await asking.promise).toMatchObject({ resolved: true, choice: null, cancelled: why });
      expect(rig.queue.approvals.count()).toBe(0);
    },
  );

  it('[RQ-R99] a client that is too old is no reason to wait', async () => {
    const rig = new BridgeRig();
    rig.requests.advertise(rig.window, false);
    rig.requests.heard(rig.window);
    const asking = rig.queue.ask('a');
    expect(await asking.promise).toMatchObject({ resolved: true, choice: null, cancelled: 'client cannot answer' });
    expect(rig.window.requests).toEqual([]);
  });

  it('[RQ-R81] a card that cannot be sent is a failed notice, and leaves nothing open', async () => {
    const rig = new BridgeRig(undefined, {
      requests: {
        sendAsync: () => {
          throw new Error('no contract');
        },
      },
    });
    const asking = rig.queue.ask('a');
    expect(await asking.promise).toMatchObject({ resolved: false, choice: null, notify_failed: true });
  });

  it('[RQ-R99] what a client decided is tried again until it is on file', async () => {
    const rig = new BridgeRig();
    const asking = rig.queue.ask('a');
    const { ledger } = rig;
    ledger.onCommit = (changes) => {
      if (changes.some(({ kind }) => kind === 'grant')) throw new Error('disk full');
    };
    expect(rig.answer(rig.open[0], { choice: 'once' })).toBe(true);
    await breathe();
    expect([asking.ends, rig.queue.ids()]).toEqual([0, ['a']]);
    ledger.onCommit = undefined;
    rig.runtime.advance(1_000);
    expect((await asking.promise).choice).toBe('once');
  });

  it('[RQ-R101] a window that comes back is shown the card that is pending', () => {
    const rig = new BridgeRig();
    rig.queue.ask('a');
    rig.requests.forget(rig.window);
    const next = new Window();
    rig.connect(next);
    expect(rig.requests.replayTo(next, SID).map(({ params }) => params['request_id'])).toEqual(['a']);
    rig.answer(rig.open[0], { choice: 'once' }, next);
    expect(rig.queue.ids()).toEqual([]);
  });
});
