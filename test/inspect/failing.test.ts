/** Readers and loggers of an embedder that fail in any way: the others are told, and no process ends. */
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { INSPECT_BOUNDS } from '../../src/inspect/inspect-bounds.ts';
import { type Inspected, inspectPage } from '../../src/inspect/page-routes.ts';
import { createTap, type TapReader, type TapStep } from '../../src/inspect/tap.ts';
import { createJournal } from '../../src/journal.ts';
import { HandRuntime } from '../../src/testing/hand-runtime.ts';

const throws = (): never => {
  throw new Error('of the embedder');
};

it('a reader that throws what cannot even be shown, to a logger that throws: the others are told', async () => {
  const runtime = new HandRuntime();
  const tap = createTap({ runtime, logger: { warn: throws } });
  const told: TapStep[] = [];
  for (const thrown of [new Error('now'), Object.create(null), undefined])
    tap.read(() => {
      throw thrown;
    });
  tap.read((() => Promise.reject(Object.create(null))) as unknown as TapReader);
  tap.read((step) => void told.push(step));
  const journal = createJournal({ watch: tap.watch });
  journal.openAsk('pa-1', { tabId: 'tab-1', fingerprint: 'f', question: 'Which?' });
  runtime.tick();
  await runtime.breathe();
  expect(told.map(({ id }) => id)).toContain('pa-1');
});

class Deaf extends EventEmitter {
  writableLength = 0;
  destroyed = false;
  readonly writableEnded = false;
  writeHead(): void {}
  write(): void {}
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

it('a page that never reads is dropped, whatever the logger does', async () => {
  let reader: TapReader = () => undefined;
  const tap = (own: TapReader): (() => void) => {
    reader = own;
    return () => undefined;
  };
  const coordinator = { tap } as unknown as Inspected;
  const page = inspectPage({ coordinator, logger: { debug: throws, info: throws, warn: throws, error: throws } });
  const res = new Deaf();
  const req = { url: '/inspect/live', method: 'GET', resume: () => undefined } as unknown as IncomingMessage;
  await page.handle(req, res as unknown as ServerResponse);
  res.writableLength = INSPECT_BOUNDS.buffered + 1;
  const after = { delivery: 'pending', label: 'matched' };
  const step = { seq: 1, at: 2, machine: 'answer', id: 'aa1', effects: [], rules: [], event: { type: 'CLOSE' } };
  reader({ ...step, before: null, after, ignored: false, done: false }, 0);
  await expect.poll(() => res.destroyed).toBe(true);
  page.close();
});
