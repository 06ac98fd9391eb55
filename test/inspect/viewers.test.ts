import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { INSPECT_BOUNDS } from '../../src/inspect/inspect-bounds.ts';
import { Viewers } from '../../src/inspect/viewers.ts';
import type { TapReader, TapStep } from '../../src/tap.ts';

const STEP: TapStep = Object.freeze({
  ...{ seq: 1, at: 2, machine: 'answer', id: 'aa1', effects: [], rules: ['R-187'], ignored: false, done: false },
  event: { type: 'BOUNDARY' },
  before: { delivery: 'none', label: 'matched' },
  after: { delivery: 'retired', label: 'foreign' },
});

/** The end of a page that takes nothing: what is written to it stays. */
class Deaf extends EventEmitter {
  written = '';
  writableLength = 0;
  destroyed = false;
  readonly writableEnded = false;
  writeHead(): void {}
  write(text: string): void {
    this.written += text;
    this.writableLength += Buffer.byteLength(text);
  }
  end(): void {}
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

function opened(): { tell: TapReader; page: Deaf; lines: string[]; readers: () => number } {
  const readers = new Set<TapReader>();
  const lines: string[] = [];
  const say = (text: string): void => void lines.push(text);
  const logger = { debug: say, info: say, warn: say, error: say };
  const viewers = new Viewers((reader) => {
    readers.add(reader);
    return () => readers.delete(reader);
  }, logger);
  const page = new Deaf();
  const req = { resume: () => undefined } as unknown as IncomingMessage;
  expect(viewers.open(req, page as unknown as ServerResponse)).toBe(true);
  const tell: TapReader = (step, dropped) => [...readers].map((reader) => reader(step, dropped));
  return { tell, page, lines, readers: () => readers.size };
}

describe('a burst', () => {
  it('is told as much as one write holds; the next step is told once that is written', async () => {
    const { tell, page } = opened();
    const answers = Array.from({ length: INSPECT_BOUNDS.burst }, () => (tell(STEP, 0) as unknown[])[0]);
    const full = answers.pop();
    expect(answers.every((answer) => answer === undefined)).toBe(true);
    expect(full).toBeInstanceOf(Promise);
    expect(page.written).not.toContain('event: steps');
    await full;
    expect(page.written).toContain('event: steps');
    expect((tell(STEP, 7) as unknown[])[0]).toBeUndefined();
    await expect.poll(() => page.written).toContain('"missed":7');
  });
});

describe('a page that never reads', () => {
  it('is dropped beyond the bound of what may wait for it, and nothing is read for it any more', async () => {
    const { tell, page, lines, readers } = opened();
    page.writableLength = INSPECT_BOUNDS.buffered + 1;
    tell(STEP, 0);
    await expect.poll(() => page.destroyed).toBe(true);
    expect(readers()).toBe(0);
    expect(lines).toEqual(['readback inspect: a page does not read what it is sent; it was dropped']);
  });

  it('below the bound it is told: a step by its names, with whole rule ids, and what was lost before', async () => {
    const { tell, page } = opened();
    tell({ ...STEP, ignored: true }, 3);
    tell(STEP, 0);
    await expect.poll(() => page.written).toContain('event: steps');
    const { steps, missed } = JSON.parse(/data: (\{"steps.*)\n/.exec(page.written)?.[1] ?? '');
    expect(missed).toBe(3);
    expect(steps).toEqual([
      {
        ...{ seq: 1, at: 2, machine: 'answer', id: 'aa1', effects: [], done: false, event: 'BOUNDARY' },
        before: ['delivery.none', 'label.matched'],
        after: ['delivery.retired', 'label.foreign'],
        rules: ['J-R187'],
      },
    ]);
  });
});
