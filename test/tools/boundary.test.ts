import { describe, expect, it, vi } from 'vitest';
import { macrotask, message, microtasks, part, type RigOptions } from '../../src/testing/tools/rig.ts';
import { Call } from '../../src/tools/record.ts';
import type { ToolContext, ToolSpec } from '../../src/tools/types.ts';
import { live, Rig } from './rig.ts';

const ABORTED = 'Tool execution aborted';
const heard = (promise: Promise<unknown> | undefined): Promise<unknown> =>
  (promise ?? Promise.resolve()).catch((error: Error) => error.message);

/** A tool whose argument callback keeps its context. */
function calling(options: RigOptions = {}): Rig & { contexts: ToolContext[] } {
  const contexts: ToolContext[] = [];
  const tool: ToolSpec = {
    streamCall: (_reader, context) => void contexts.push(context),
    execute: (args: unknown, context) => rig.execute(args, context, 'hang'),
  };
  const rig: Rig = live({ tool, ...options });
  return Object.assign(rig, { contexts });
}

describe('the person in the loop', () => {
  it('[TL-R83, TL-R130] rejects a parked question at a restart', async () => {
    const rig = live({ execute: 'hang' });
    rig.push('s', part('{}'));
    await macrotask();
    const asked = rig.started[0]?.human('?');
    rig.tracker.fail(new Error('driver'));
    rig.push('s', part('{}'));
    expect(rig.tracker.resume('t', 1)).toBe(false);
    expect(await heard(asked)).toBe(ABORTED);
    await macrotask();
    expect(rig.tracker.statuses().size).toBe(0);
  });

  it('[TL-R84] shows interrupt from the start for an executor that asks at once', async () => {
    const rig = live({ tool: { execute: (_args: unknown, { human }) => human('now') } });
    rig.push('s', part('{}'));
    await macrotask();
    expect(rig.log).toEqual(['status t=interrupt']);
    rig.tracker.resume('t', 'given');
    await macrotask();
    expect(rig.log).toEqual(['status t=interrupt', 'status t=executing', 'status', 'result t']);
    expect(rig.results[0]?.result).toBe('given');
  });

  it.each(['result', 'abort', 'resume', 'own result'])(
    '[TL-R85, TL-T10] ends a callback’s question at a %s',
    async (what) => {
      const rig = calling();
      rig.push('r', part('{}'));
      await macrotask();
      const asked = heard(rig.contexts[0]?.human('?'));
      expect(rig.status()).toBe('interrupt');
      if (what === 'result') rig.push('r', part('{}', { result: 1 }));
      if (what === 'abort') void rig.tracker.abort();
      if (what === 'resume') rig.tracker.resume('t', 'yes');
      if (what === 'own result') {
        rig.push('s', part('{}'));
        await macrotask();
        expect(rig.status()).toBe('interrupt');
        rig.started[0]?.resolve(1);
      }
      expect(await asked).toBe(what === 'resume' ? 'yes' : ABORTED);
      await macrotask();
      expect(rig.tracker.statuses().size).toBe(0);
      expect(rig.tracker.resume('t', 1)).toBe(false);
    },
  );

  it('[TL-R47, TL-R85] ends a callback’s question when the arguments are refused', async () => {
    const rig = calling();
    rig.push('r', part('{"__proto__":1}'));
    await macrotask();
    const asked = heard(rig.contexts[0]?.human('?'));
    rig.push('s', part('{"__proto__":1}'));
    expect(await asked).toBe(ABORTED);
    await macrotask();
    expect(rig.log).toEqual(['status t=interrupt', 'status', 'result t']);
    expect(rig.tracker.resume('t', 1)).toBe(false);
  });

  it('[TL-R53, TL-R65] leaves a callback’s question parked when a gate keeps the call from starting', async () => {
    const rig = calling();
    rig.push('r', part('{"__proto__":1}'));
    await macrotask();
    const asked = rig.contexts[0]?.human('?');
    rig.push('s', part('{"__proto__":1}'));
    rig.push('s', part('{"__proto__":1}', { approval: 1 }));
    await macrotask();
    expect([rig.record()?.phase, rig.status()]).toEqual(['skipped', 'interrupt']);
    rig.tracker.resume('t', 'yes');
    expect(await asked).toBe('yes');
  });

  it('[TL-R47, TL-R70] leaves a callback’s question parked when there is nothing that would execute', async () => {
    let asked: Promise<unknown> | undefined;
    const rig = live({
      tool: {
        streamCall: (_reader, { human }) => {
          asked = human('?');
        },
      },
    });
    rig.push('s', part('{"__proto__":1}'));
    await macrotask();
    expect([rig.record()?.phase, rig.status(), rig.results]).toEqual(['idle', 'interrupt', []]);
    rig.tracker.resume('t', 'yes');
    expect(await asked).toBe('yes');
  });

  it('[TL-R85] leaves an executor’s question parked when a gate or a result comes', async () => {
    const rig = live({ execute: 'hang' });
    rig.push('s', part('{}'));
    await macrotask();
    const asked = rig.started[0]?.human('?');
    rig.push('s', part('{}', { result: 1, approval: 1 }));
    expect(rig.status()).toBe('interrupt');
    rig.tracker.resume('t', 'yes');
    expect(await asked).toBe('yes');
  });

  it('refuses more questions than are allowed, with a notice', async () => {
    const rig = live({ execute: 'hang', limits: { questions: 1 } });
    rig.push('s', part('{}'), part('{}', { id: 'u' }));
    await macrotask();
    void rig.started[0]?.human(1);
    expect(await heard(rig.started[1]?.human(2))).toContain('Too many');
    expect(rig.notices).toEqual([['questions-full', { toolCallId: 'u', limit: 1 }]]);
    // One that takes the place of another needs none of its own.
    void rig.started[0]?.human(3);
    expect(rig.tracker.statuses().get('t')).toEqual({ type: 'interrupt', payload: 3 });
  });
});

describe('status', () => {
  it('[TL-R87, TL-R125] publishes a new map for each change and leaves the old ones alone', async () => {
    const rig = live({ execute: 'hang' });
    rig.push('s', part('{}'), part('{}', { id: 'u' }));
    await macrotask();
    expect(rig.tracker.statuses()).toBe(rig.maps.at(-1));
    (rig.maps[1] as Map<string, never>).clear();
    rig.started[0]?.resolve(1);
    await macrotask();
    expect(rig.maps.map((map) => [...map.keys()])).toEqual([['t'], [], ['u']]);
    expect(new Set(rig.maps).size).toBe(3);
  });
});

describe('abort', () => {
  it('[TL-R101] resolves at once without executions, and also when a reset or a restart comes between', async () => {
    let done = false;
    const idle = live();
    void idle.tracker.abort().then(() => {
      done = true;
    });
    await microtasks(1);
    expect(done).toBe(true);
    for (const end of [
      (rig: Rig) => rig.tracker.reset(),
      (rig: Rig) => {
        rig.tracker.fail(1);
        rig.push('s', part('{}'));
      },
    ]) {
      const rig = live({ execute: 'hang' });
      rig.push('s', part('{}'));
      await macrotask();
      const aborted = rig.tracker.abort();
      end(rig);
      await aborted;
      await macrotask();
      expect(rig.results).toEqual([]);
    }
  });

  it('[TL-R64] forgets a discard at a reset, and at a result', async () => {
    const rig = live();
    rig.push('r', part('{}'));
    await rig.tracker.abort({ discardPending: true });
    rig.tracker.reset();
    rig.push('s');
    rig.push('s', part('{}'));
    await macrotask();
    expect(rig.started).toHaveLength(1);
  });

  it('[TL-R140] takes options that throw for none', async () => {
    const rig = live();
    const options = {
      get discardPending(): boolean {
        throw new Error('no');
      },
    };
    rig.push('r', part('{}'));
    await rig.tracker.abort(options);
    rig.push('s', part('{}'));
    await macrotask();
    expect(rig.started).toHaveLength(1);
  });
});

describe('reset', () => {
  it('[TL-R110] forgets everything, in one publication or none', async () => {
    const rig = live({ execute: 'hang' });
    rig.tracker.reset();
    expect(rig.maps).toEqual([]);
    rig.push('s');
    rig.push('s', part('{}'), part('{}', { id: 'u' }), part('{', { id: 'v' }));
    await macrotask();
    const before = rig.maps.length;
    rig.tracker.reset();
    expect(rig.maps.slice(before).map((map) => map.size)).toEqual([0]);
    expect(rig.started.every(({ signal }) => signal.aborted)).toBe(true);
    rig.push('s', part('{}'), part('{}', { id: 'v' }));
    await macrotask();
    expect(rig.started).toHaveLength(2);
  });
});

describe('failure of the tracker itself', () => {
  const fail = (rig: Rig): void => rig.tracker.fail(new Error('driver'));

  it('[TL-R130, TL-R131, TL-T21] restarts once on the next snapshot, also an identical one', async () => {
    const rig = calling();
    const snapshot = { messages: [message(part('{'), part('{}', { id: 'done' }))], isRunning: false };
    rig.tracker.push(snapshot);
    await macrotask();
    fail(rig);
    rig.tracker.push(snapshot);
    await macrotask();
    expect(rig.contexts.map(({ toolCallId }) => toolCallId)).toEqual(['t', 'done', 't']);
    expect(rig.record('done')?.phase).toBe('restored');
    fail(rig);
    rig.tracker.push(snapshot);
    rig.push('s', part('{}', { id: 'later' }));
    await macrotask();
    expect(rig.record('later')).toBeUndefined();
    expect(rig.kinds).toEqual(['failed', 'failed', 'inert']);
  });

  it('[TL-R15, TL-R130] is not restarted by what is no snapshot', async () => {
    const rig = live();
    fail(rig);
    for (const junk of [null, null]) rig.tracker.push(junk as never);
    expect(rig.tracker.place.value['driver']).toBe('failed');
    rig.push('s', part('{}'));
    await macrotask();
    expect(rig.started).toHaveLength(1);
    expect(rig.kinds).toEqual(['failed', 'malformed-snapshot']);
  });

  it('[TL-R130, TL-R132] starts nothing until it is restarted', async () => {
    const rig = calling();
    rig.push('s', part('{}'));
    fail(rig);
    await macrotask();
    expect([rig.contexts, rig.started]).toEqual([[], []]);
    rig.push('s', part('{}'));
    await macrotask();
    expect([rig.contexts.length, rig.started.length]).toEqual([1, 1]);
  });

  it('[TL-R36, TL-R140] adopts nothing when it fails', () => {
    const rig = new Rig();
    rig.push('s', part('{}'));
    const step = vi.spyOn(Call.prototype, 'step').mockImplementationOnce(() => {
      throw new Error('defect');
    });
    expect(rig.tracker.adopt('t')).toBe(false);
    expect(rig.kinds).toEqual(['failed']);
    step.mockRestore();
  });

  it('[TL-R113] is well again after a reset, with its restart', async () => {
    const rig = live();
    fail(rig);
    rig.push('s');
    fail(rig);
    rig.push('s');
    rig.tracker.reset();
    rig.push('s');
    fail(rig);
    rig.push('s');
    rig.push('s', part('{}'));
    await macrotask();
    expect(rig.started).toHaveLength(1);
    expect(rig.kinds).toEqual(['failed', 'failed', 'inert', 'failed']);
    expect(rig.tracker.place.value['driver']).toBe('healthy');
  });

  it.each([false, true])(
    '[TL-R113] has its restart back after a reset, also of a healthy one: failed %s',
    async (isFailed) => {
      const rig = live();
      for (let round = 0; round < 2; round += 1) {
        fail(rig);
        rig.push('s');
        if (isFailed) fail(rig);
        rig.tracker.reset();
        rig.push('s');
      }
      fail(rig);
      rig.push('s', part('{}'));
      await macrotask();
      expect(rig.started).toHaveLength(1);
      expect(rig.kinds).toEqual(Array(isFailed ? 5 : 3).fill('failed'));
    },
  );

  it('[TL-R132, TL-T08] never starts again what has started, whatever the next snapshot says', async () => {
    const rig = live();
    rig.push('s', part('{"a":1,"b":2}'));
    await macrotask();
    fail(rig);
    rig.push('s', part('{"b":2,"a":1}'));
    rig.push('s', part('{"c":3}'));
    await macrotask();
    expect(rig.started).toHaveLength(1);
    expect(rig.results).toHaveLength(1);
  });

  it('[TL-R31, TL-R32, TL-R131, TL-R133] makes history of what closed, as it was, and leaves history alone', async () => {
    const rig: Rig = new Rig({
      tool: {
        streamCall: (_reader, { toolCallId }) => void rig.log.push(`call ${toolCallId}`),
        execute: (args: unknown, context) => rig.execute(args, context),
      },
    });
    rig.push('s', part('{}', { id: 'history' }));
    const shown = [
      part('{}', { id: 'history' }),
      part('{}', { id: 'ours' }),
      part('{}', { id: 'theirs', result: 1 }),
      part('{}', { id: 'gated', approval: 1 }),
    ];
    rig.push('s', ...shown, part('{', { id: 'streams' }));
    await macrotask();
    fail(rig);
    rig.push('s', ...shown);
    await macrotask();
    const reasons = ['history', 'ours', 'theirs', 'gated'].map((id) => rig.record(id)?.context.withheld);
    expect(reasons).toEqual([null, 'answered', null, 'gate']);
    expect([rig.record('streams'), rig.kept.withheld]).toEqual([undefined, 0]);
    const { length } = rig.log;
    // The echo of our own result is no news; a result of the provider's is.
    rig.push('s', ...['history', 'ours', 'theirs', 'gated'].map((id) => part('{}', { id, result: 1 })));
    await macrotask();
    expect(rig.log.slice(length)).toEqual(['call history', 'call gated']);
    expect(rig.started.map(({ id }) => id)).toEqual(['ours']);
  });

  it('[TL-R132, TL-T12] starts afresh what was handed over, and drops what runs', async () => {
    const rig = live({ execute: 'hang' });
    rig.push('s', part('{"a":1,"b":2}'));
    await macrotask();
    const aborted = rig.tracker.abort();
    rig.push('s', part('{"a":1,"b":2}'), part('{}', { id: 'given' }));
    fail(rig);
    rig.push('s', part('{"b":2,"a":1}'), part('{}', { id: 'given' }));
    expect(rig.tracker.statuses().size).toBe(0);
    await aborted;
    await macrotask();
    expect(rig.started.map(({ id }) => id)).toEqual(['t', 'given']);
    expect(rig.started[0]?.signal.aborted).toBe(true);
    rig.started[0]?.resolve('late');
    await macrotask();
    expect(rig.results).toEqual([]);
  });

  it.each(['text', 'adopt'])('[TL-R132, TL-I01] never starts again what was running, also by its %s', async (how) => {
    const rig = live({ execute: 'hang' });
    rig.push('s', part('{"a":1}'));
    await macrotask();
    fail(rig);
    rig.push('s', part('{"a":1}'));
    expect(rig.record()?.phase).toBe('restored');
    if (how === 'text') rig.push('s', part('{"a":2}'));
    else expect(rig.tracker.adopt('t')).toBe(false);
    rig.push('s', part('{"a":3}'));
    await macrotask();
    expect(rig.started).toHaveLength(1);
    rig.started[0]?.resolve('late');
    await macrotask();
    expect(rig.results).toEqual([]);
  });

  it('[TL-R70, TL-R132] never starts again what found no executor', async () => {
    let tool: ToolSpec = {};
    const rig = live({ tools: () => tool });
    rig.push('s', part('{"a":1}'));
    await macrotask();
    tool = { execute: () => rig.log.push('ran') };
    fail(rig);
    rig.push('s', part('{"a":1}'));
    rig.push('s', part('{"a":2}'));
    await macrotask();
    expect(rig.log).toEqual([]);
  });

  it('[TL-R64, TL-R133] keeps discards and gates, and asks owners again', async () => {
    let owner = 0;
    const rig = live({
      owner: () => {
        owner += 1;
        return 'unknown';
      },
    });
    rig.push('r', part('{', { id: 'discarded' }));
    await rig.tracker.abort({ discardPending: true });
    rig.push('r', part('{', { id: 'discarded' }), part('{', { id: 'gated', approval: 1 }), part('{'));
    fail(rig);
    const parts = ['discarded', 'gated', 't'].map((id) => part('{}', { id }));
    rig.push('r', ...parts);
    rig.push('s', ...parts);
    await macrotask();
    expect(rig.started.map(({ id }) => id)).toEqual(['t']);
    expect(owner).toBe(6);
  });

  it('[TL-T11] leaves no phantom of a parked question', async () => {
    const rig = calling();
    rig.push('r', part('{}'));
    await macrotask();
    const asked = heard(rig.contexts[0]?.human('?'));
    fail(rig);
    rig.push('r', part('{}'));
    expect(rig.tracker.resume('t', 1)).toBe(false);
    expect(await asked).toBe(ABORTED);
    expect(rig.tracker.statuses().size).toBe(0);
  });

  it('[TL-R130, TL-R132, TL-R140] is noted when a defect shows between snapshots, and what it stopped starts afresh', async () => {
    const rig = live();
    const step = vi.spyOn(Call.prototype, 'step');
    try {
      rig.push('s', part('{}'));
      step.mockImplementationOnce(() => {
        throw new Error('defect');
      });
      await macrotask();
    } finally {
      step.mockRestore();
    }
    expect(rig.notices).toEqual([['failed', { error: new Error('defect') }]]);
    expect(rig.started).toEqual([]);
    rig.push('s', part('{}'));
    await macrotask();
    expect(rig.started).toHaveLength(1);
  });

  it('[TL-R131, TL-R32] leaves a call that the provider answered answered: its callback does not start again', async () => {
    const rig = calling();
    rig.push('r', part('{}', { result: 1 }));
    await macrotask();
    fail(rig);
    rig.push('r', part('{}', { result: 1 }));
    await macrotask();
    expect(rig.contexts).toHaveLength(1);
    expect(rig.record()?.phase).toBe('restored');
  });

  it('[TL-R134, TL-T09] is not brought about by callbacks, tools or lookups that throw', async () => {
    const rig = live({
      tools: (name) => {
        if (name === 'lookup') throw new Error('lookup');
        return {
          execute: () => rig.log.push('ran'),
          streamCall: () => {
            throw new Error('callback');
          },
        };
      },
    });
    for (let i = 0; i < 3; i += 1)
      rig.push('s', part('{}', { id: `l${i}`, name: 'lookup' }), part('{}', { id: `c${i}` }));
    await macrotask();
    expect(rig.tracker.place.value['driver']).toBe('healthy');
    expect(rig.results).toHaveLength(3);
    expect(new Set(rig.kinds)).toEqual(new Set(['tools-threw', 'callback-threw']));
    expect(rig.notices).toContainEqual(['tools-threw', { toolCallId: 'l0', error: new Error('lookup') }]);
    expect(rig.notices).toContainEqual(['callback-threw', { toolCallId: 'c0', error: new Error('callback') }]);
  });
});
