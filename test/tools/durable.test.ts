import { describe, expect, it } from 'vitest';
import { macrotask, part } from '../../src/testing/tools/rig.ts';
import { createToolCalls, type DurableOptions, UNKNOWN } from '../../src/tools/durable.ts';
import type { ToolSpec } from '../../src/tools/types.ts';
import { File, never } from './durable-rig.ts';
import { live, Rig } from './rig.ts';

interface Process {
  readonly rig: Rig;
  runs: number;
}

/** A process over that file; the tool is what `execute` does. */
function start(
  file: File,
  execute: NonNullable<ToolSpec['execute']>,
  more: Partial<DurableOptions> = {},
  fresh = true,
): Process {
  const tool: ToolSpec = {
    execute: (args, context) => {
      process.runs += 1;
      return execute(args, context);
    },
  };
  const tools = createToolCalls({ ledger: file.ledger }).durable({
    tools: () => tool,
    boundary: 'chat-1#0',
    resume: (id, payload) => process.rig.tracker.resume(id, payload),
    ...more,
  });
  const process: Process = { rig: fresh ? live({ tools }) : new Rig({ tools }), runs: 0 };
  return process;
}

/** The same conversation after a reload: the call is history, and the host takes it up again. */
async function reload(
  file: File,
  execute: NonNullable<ToolSpec['execute']>,
  more: Partial<DurableOptions> = {},
): Promise<Process> {
  const process = start(file, execute, more, false);
  process.rig.push('s', part('{}'));
  expect(process.rig.tracker.adopt('t')).toBe(true);
  await macrotask();
  return process;
}

describe('calls on file', () => {
  it('[TL-H01, TL-H02] run once across reloads and give the same outcome', async () => {
    const file = new File();
    const states: unknown[] = [];
    const first = start(file, () => {
      states.push(file.state());
      return { sent: true };
    });
    first.rig.push('s', part('{}'));
    await macrotask();
    expect([...states, file.state()]).toEqual(['claimed', 'done']);
    const second = await reload(file, () => 'again');
    expect(second.runs).toBe(0);
    expect(second.rig.results).toEqual(first.rig.results);
  });

  it('[TL-H01] keep an error too, and know nothing of another boundary', async () => {
    const file = new File();
    const first = start(file, () => Promise.reject(new Error('no')));
    first.rig.push('s', part('{}'));
    await macrotask();
    expect(file.state()).toBe('failed');
    expect((await reload(file, () => 1)).rig.results[0]).toMatchObject({ result: 'no', isError: true });
    const other = await reload(file, () => 'ran', { boundary: 'chat-1#1' });
    expect([other.runs, other.rig.results[0]?.result]).toEqual([1, 'ran']);
  });

  it('[TL-H02] do not begin when the claim cannot be written, and report what ran when its outcome cannot', async () => {
    const file = new File();
    file.isRefusing = true;
    const first = start(file, () => 'ran');
    first.rig.push('s', part('{}'));
    await macrotask();
    expect(first.runs).toBe(0);
    expect(first.rig.results[0]).toMatchObject({ isError: true, result: 'disk full' });
    file.isRefusing = false;
    const second = start(file, () => {
      file.isRefusing = true;
      return 'ran';
    });
    second.rig.push('s', part('{}'));
    await macrotask();
    expect(second.rig.results[0]).toMatchObject({ isError: false, result: 'ran' });
    expect(file.state()).toBe('claimed');
  });

  it('[TL-H03] are unknown after a crash: nothing reruns by itself', async () => {
    const file = new File();
    start(file, never).rig.push('s', part('{}'));
    await macrotask();
    expect(file.state()).toBe('claimed');
    const second = await reload(file, () => 'again');
    expect([second.runs, file.state()]).toEqual([0, 'done']);
    expect(second.rig.results[0]).toMatchObject({ isError: true, result: UNKNOWN });
  });

  it('[TL-H03] are asked of the host: again, or what came of it', async () => {
    for (const decision of [{ again: true } as const, { result: 'it was sent' }]) {
      const file = new File();
      start(file, never).rig.push('s', part('{}'));
      await macrotask();
      const asked: unknown[] = [];
      const onUnknown = async (call: unknown) => {
        asked.push(call);
        return decision;
      };
      const second = await reload(file, () => 'ran again', { onUnknown });
      expect(asked).toEqual([{ toolCallId: 't', toolName: 'x', waited: false, asks: [] }]);
      expect(second.runs).toBe('again' in decision ? 1 : 0);
      expect(second.rig.results[0]?.result).toBe('again' in decision ? 'ran again' : 'it was sent');
      expect(file.state()).toBe('done');
    }
  });

  it('[TL-H03] are not done because the host says that they must not run again, and nothing else', async () => {
    const file = new File();
    start(file, never).rig.push('s', part('{}'));
    await macrotask();
    const second = await reload(file, () => 'again', { onUnknown: () => ({ again: false }) as never });
    expect([second.runs, file.state(), second.rig.results[0]?.isError]).toEqual([0, 'unknown', true]);
  });

  it('[TL-H01] are those of frozen tools too, and of tools that know themselves', async () => {
    class Mailer implements ToolSpec {
      readonly #sent: string[] = [];
      readonly parameters = undefined;
      get execute() {
        return () => this.#sent.push('one');
      }
      toModelOutput() {
        return [`${this.#sent.length} sent`];
      }
    }
    for (const tool of [Object.freeze({ execute: () => 1 }), new Mailer()]) {
      const process = start(new File(), never, { tools: () => tool as ToolSpec });
      process.rig.push('s', part('{}'));
      await macrotask();
      expect(process.rig.results).toMatchObject([{ result: 1, isError: false }]);
      if (tool instanceof Mailer) expect(process.rig.results[0]?.modelContent).toEqual(['1 sent']);
    }
  });

  it('[TL-H01] are spent by what stands in for the executor too', async () => {
    const file = new File();
    let runs = 0;
    const refusing = { '~standard': { validate: () => ({ issues: [{ message: 'no' }] }) } };
    const tools = () => ({ parameters: refusing, execute: () => 0, onInvalid: () => ++runs });
    const first = start(file, never, { tools });
    first.rig.push('s', part('{}'));
    await macrotask();
    const second = await reload(file, never, { tools });
    expect([first, second].map(({ rig }) => rig.results[0]?.result)).toEqual([1, 1]);
    expect([runs, file.state()]).toEqual([1, 'done']);
  });

  it('[TL-H02] end as they end, whatever happens to a word about it', async () => {
    const file = new File();
    const warn = (): never => {
      throw new Error('the log is full');
    };
    const tools = createToolCalls({ ledger: file.ledger, warn, limits: { outcome: 1 } }).durable({
      tools: () => ({ execute: () => 'long' }),
      boundary: 'chat-1#0',
      resume: () => false,
    });
    const rig = live({ tools });
    rig.push('s', part('{}'));
    await macrotask();
    expect([rig.results[0]?.result, file.state()]).toEqual(['long', 'done']);
  });
});
