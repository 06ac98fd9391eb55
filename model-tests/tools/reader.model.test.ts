/** Random JSON in random pieces: what the reader gives is what the whole text says, and completeness is that of JSON. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { macrotask, microtasks, part } from '../../src/testing/tools/rig.ts';
import type { ArgumentsReader } from '../../src/tools/types.ts';
import { live, type Rig } from '../../test/tools/rig.ts';
import { isJson } from './script.ts';
import '../../test/support/seed.ts';

const RUNS = Number(process.env['READBACK_RUNS'] ?? 150);
type Path = readonly (string | number)[];

const isHarmless = (text: string): boolean => !/__proto__|constructor/.test(text);
/** The ways of one value to be written. */
const written = fc
  .record({
    value: fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({ s: fc.string({ unit: 'binary' }), l: fc.array(fc.jsonValue()), v: fc.jsonValue() }),
      },
      { weight: 1, arbitrary: fc.jsonValue() },
    ),
    space: fc.constantFrom('', ' ', '\t', '\r\n'),
    escaped: fc.boolean(),
  })
  .map(({ value, space, escaped }) => {
    const plain = JSON.stringify(value, null, space);
    const hex = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
    return escaped ? plain.replaceAll('/', '\\/').replace(/[\u007f-\uffff]/g, hex) : plain;
  })
  .filter(isHarmless);
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

/** Every path of a value, and one that leads nowhere below each. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path, [...path, 'none']];
  return [path, [...path, 'none'], ...Object.entries(value).flatMap(([key, one]) => pathsOf(one, [...path, key]))];
}
function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key) ? (inner as never)[key] : undefined,
    value,
  );
}

/** Nothing that was shown while it grew contradicts what came of it. */
function isBeginning(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part);
  if (typeof part !== 'object' || part === null) return Object.is(part, whole);
  if (typeof whole !== 'object' || whole === null || Array.isArray(part) !== Array.isArray(whole)) return false;
  return Object.entries(part).every(([key, one]) => Object.hasOwn(whole, key) && isBeginning(one, at(whole, [key])));
}

async function gather(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const one of stream) seen.push(structuredClone(one));
  return seen;
}

interface Read {
  readonly path: Path;
  readonly got: Promise<unknown>;
  readonly values: Promise<unknown[]>;
  readonly pieces: Promise<unknown[]>;
  readonly elements: Promise<unknown[]>;
}
const readAll = (args: ArgumentsReader, paths: readonly Path[]): Read[] =>
  paths.map((path) => ({
    path,
    got: args.get(...path),
    values: gather(args.streamValues(...path)),
    pieces: gather(args.streamText(...path)),
    elements: gather(args.forEach(...path)),
  }));

async function judge({ path, got, values, pieces, elements }: Read, whole: unknown): Promise<void> {
  const value = at(whole, path);
  const what = JSON.stringify(path);
  expect([what, await got]).toEqual([what, value]);
  const shown = await values;
  expect([what, shown.at(-1)]).toEqual([what, value]);
  expect(shown.filter((one) => !isBeginning(one, value))).toEqual([]);
  expect([what, (await pieces).join('')]).toEqual([what, typeof value === 'string' ? value : '']);
  // What `forEach` makes of the keys of an object is not promised.
  const isList = Array.isArray(value);
  const seen = await elements;
  if (isList || typeof value !== 'object') expect([what, seen]).toEqual([what, isList ? value : []]);
}

/** A rig whose tool reads these paths from the start. */
function readingRig(paths: readonly Path[]): { rig: Rig; reads: Read[] } {
  const reads: Read[] = [];
  const rig: Rig = live({
    tool: {
      streamCall: ({ args }) => void reads.push(...readAll(args, paths)),
      execute: (args: unknown, context) => rig.execute(args, context),
    },
  });
  return { rig, reads };
}

describe('arguments in pieces', () => {
  it('[TL-R40, TL-R50, TL-I02, TL-I15] are read as the whole text says, and are whole when JSON says so', async () => {
    let whole = 0;
    await fc.assert(
      fc.asyncProperty(written, cuts, fc.boolean(), async (text, places, isLate) => {
        const value: unknown = JSON.parse(text);
        const lengths = [...new Set(places.map((place) => Math.floor(place * text.length)))].sort((a, b) => a - b);
        const { rig, reads } = readingRig(pathsOf(value).slice(0, 24));
        for (const length of [...lengths, text.length]) {
          const shown = text.slice(0, length);
          rig.push('r', part(shown));
          expect([shown, rig.record()?.phase]).toEqual([shown, isJson(shown) ? 'waitingForRun' : 'streaming']);
          whole += 1;
          if (isLate) await microtasks(4);
        }
        rig.push('s', part(text));
        await macrotask();
        expect(rig.started.map(({ args }) => args)).toEqual([value]);
        for (const read of reads) await judge(read, value);
        expect(reads.length).toBeGreaterThan(0);
      }),
      { numRuns: RUNS },
    );
    expect(whole).toBeGreaterThan(RUNS);
  }, 60_000);

  it('[TL-R41, TL-R42, TL-R50] are whole when JSON says so, whatever the text', async () => {
    const letters = fc.array(fc.constantFrom(...'{}[]",:\\ 1-.e\n', 'true', 'null', '"a"', '\\u00e9', '\\n'), {
      maxLength: 12,
    });
    await fc.assert(
      fc.property(letters, (pieces) => {
        const rig = live();
        let text = '';
        for (const piece of pieces) {
          text += piece;
          rig.push('r', part(text));
          expect([text, rig.record()?.phase]).toEqual([text, isJson(text) ? 'waitingForRun' : 'streaming']);
        }
      }),
      { numRuns: RUNS * 4 },
    );
  }, 60_000);

  it('[TL-R33, TL-R43] are the same when JSON says so, and another text is one notice', async () => {
    await fc.assert(
      fc.asyncProperty(written, written, async (one, other) => {
        const isSame = JSON.stringify(sortedDeep(JSON.parse(one))) === JSON.stringify(sortedDeep(JSON.parse(other)));
        const spaced = JSON.stringify(reversed(JSON.parse(one)), null, 1);
        const rig = live();
        rig.push('s', part(one));
        await macrotask();
        rig.push('s', part(spaced));
        expect(rig.kinds).toEqual([]);
        rig.push('s', part(other));
        expect(rig.kinds).toEqual(isSame ? [] : ['changed']);
        await macrotask();
        expect(rig.started).toHaveLength(1);
      }),
      { numRuns: RUNS },
    );
  }, 60_000);
});

const mapped = (value: unknown, order: (keys: [string, unknown][]) => [string, unknown][]): unknown => {
  if (Array.isArray(value)) return value.map((one) => mapped(one, order));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(order(Object.entries(value)).map(([key, one]) => [key, mapped(one, order)]));
};
const sortedDeep = (value: unknown): unknown => mapped(value, (keys) => keys.sort(([a], [b]) => (a < b ? -1 : 1)));
const reversed = (value: unknown): unknown => mapped(value, (keys) => keys.reverse());
