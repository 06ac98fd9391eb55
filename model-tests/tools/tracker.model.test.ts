/** Random snapshot streams with random timing: the promises of the tracker as properties. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { macrotask, message, part } from '../../src/testing/tools/rig.ts';
import { IDS, type Script, script, textOf } from './script.ts';
import { World } from './world.ts';
import '../../test/support/seed.ts';

/** READBACK_RUNS draws more of them, or fewer. */
const RUNS = Number(process.env['READBACK_RUNS'] ?? 400);
const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);

beforeAll(() => void process.on('unhandledRejection', note));
afterAll(() => void process.off('unhandledRejection', note));

const JUNK = [null, 7, {}, part(undefined, { id: 'junk' }), part('{}', { id: '' }), part('{}', { id: 9 })];

/** Who started what and what was reported, for each boundary, without the statuses between. */
const eventsOf = ({ log }: World): string[] => log.filter((line) => !line.startsWith('status')).sort();

describe('random streams of snapshots', () => {
  it('[TL-I01, TL-I02, TL-I03, TL-I04, TL-I05, TL-I06, TL-I08, TL-I09] [TL-I10, TL-I11, TL-I15, TL-I16, TL-I17, TL-I20] hold the promises', async () => {
    let started = 0;
    let reported = 0;
    let discarded = 0;
    await fc.assert(
      fc.asyncProperty(script, async (one) => {
        const world = new World(one);
        await world.run();
        await world.close();
        started += world.executions.length;
        reported += world.log.filter((line) => line.startsWith('result')).length;
        discarded += one.commands.filter(({ type }) => type === 'abort').length;
        expect(world.faults).toEqual([]);
      }),
      { numRuns: RUNS },
    );
    // The property is about something.
    expect(Math.min(started, reported, discarded)).toBeGreaterThan(RUNS / 20);
    await macrotask();
    expect(unhandled).toEqual([]);
  }, 60_000);

  it('[TL-I13, TL-I18] give the same for other ids, whatever stands beside them and in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(script, async (one) => {
        const [plain, other] = [new World(one), new World(one)];
        await plain.run();
        await other.run((views) => [...JUNK, ...[...views].reverse(), ...JUNK]);
        expect(eventsOf(other)).toEqual(eventsOf(plain));
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    );
  }, 60_000);

  it('[TL-I13] give the same for other ids, whatever the owner and the tool of one do', async () => {
    const odd = fc.tuple(
      fc.constantFrom('client', 'throws', 'provider'),
      fc.constantFrom('throws', 'callbackThrows', 'plain'),
    );
    await fc.assert(
      fc.asyncProperty(script, odd, async (one, [owner, tool]) => {
        const changed = { ...one, owners: { ...one.owners, c: owner }, tools: { ...one.tools, c: tool } } as Script;
        const [plain, other] = [new World(one), new World(changed)];
        await plain.run();
        await other.run();
        const ofOthers = (world: World): string[] => eventsOf(world).filter((line) => !line.endsWith(' c'));
        expect(ofOthers(other)).toEqual(ofOthers(plain));
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    );
  }, 60_000);

  it('[TL-I14] say nothing of a snapshot that is fed again as a copy', async () => {
    await fc.assert(
      fc.asyncProperty(script, async (one) => {
        const world = new World(one);
        await world.run();
        const last = {
          messages: [message(...IDS.map((id) => part(textOf(id, 'whole'), { id, name: id })))],
          isRunning: false,
        };
        world.tracker.push(structuredClone(last));
        world.tracker.push(structuredClone(last));
        await macrotask();
        const { length } = world.log;
        world.tracker.push(structuredClone(last));
        await macrotask();
        expect(world.log.slice(length)).toEqual([]);
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    );
  }, 60_000);

  it('[TL-I07] start nothing of history that keeps its meaning', async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.array(fc.tuple(fc.boolean(), fc.boolean(), fc.boolean())), async (one, shows) => {
        const world = new World({ ...one, commands: [] });
        for (const [loading, isRunning, isReordered] of [[true, true, false] as const, ...shows]) {
          const text = isReordered ? 'reordered' : 'whole';
          const parts = IDS.map((id) => part(textOf(id, text), { id, name: id }));
          world.tracker.push({ messages: [message(...parts)], isRunning, isLoading: loading });
          await macrotask();
        }
        expect(world.log).toEqual([]);
      }),
      { numRuns: 50 },
    );
  }, 60_000);

  it('[TL-I18] start and report the same when snapshots that only grow are left out', async () => {
    const cuts = fc.array(fc.integer({ min: 0, max: 18 }), { maxLength: 6 });
    const owner = fc.constantFrom('unknown', 'client');
    await fc.assert(
      fc.asyncProperty(cuts, owner, async (lengths, owned) => {
        const whole = textOf('a', 'whole') ?? '';
        const outcomes = await Promise.all(
          [lengths, []].map(async (cut) => {
            const tools = { a: 'plain', b: 'plain', c: 'plain', d: 'plain' } as const;
            const world = new World({
              owners: { a: owned, b: owned, c: owned, d: owned } as Script['owners'],
              tools,
              loud: false,
              commands: [],
            });
            world.tracker.push({ messages: [], isRunning: true });
            const texts = [...cut].sort((a, b) => a - b).map((length) => whole.slice(0, length));
            for (const [at, text] of [...texts, whole, whole].entries()) {
              const isRunning = at <= texts.length;
              world.tracker.push({ messages: [message(part(text, { id: 'a', name: 'a' }))], isRunning });
              await macrotask();
            }
            return eventsOf(world);
          }),
        );
        expect(outcomes[0]).toEqual(outcomes[1]);
        expect(outcomes[1]).toEqual(['run a']);
      }),
      { numRuns: 40 },
    );
  }, 60_000);
});
