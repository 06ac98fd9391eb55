/** 100,000 asks on file: how soon a coordinator accepts, how fast it reads, what a waiting or finished ask costs. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createJournal } from '../../src/journal.ts';
import { median, paired, type Ratio } from './measure.ts';
import { freshId } from './raw.ts';
import { cycle, openBench, silent, withFolder } from './sqlite.ts';

const ON_FILE = 100_000;
const AT_ONCE = 2_000;
const TABS = 1_000;
const PRINT = '0123456789abcdef0123456789abcdef';
const QUESTION = 'Which of the two should I use for the next step, given what was said about the other one before?';

const figure = (name: string, value: number, limit: number, detail: string): Ratio => ({
  name,
  ratio: value,
  pairs: [value],
  limit,
  detail,
});

const heap = (): number => {
  if (globalThis.gc === undefined) throw new Error('run with --expose-gc');
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
};

/** Finished asks of a thousand tabs, in a file that was closed properly. */
async function fill(path: string): Promise<number> {
  const coordinator = await openBench(path);
  for (let done = 0; done < ON_FILE; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => cycle(coordinator, `tab-${(done + i) % TABS}`)));
  }
  await coordinator.close();
  return statSync(path).size;
}

async function firstAsk(path: string): Promise<number> {
  const from = performance.now();
  const coordinator = await openBench(path);
  await coordinator.journal.openAsk(freshId(), { tabId: 'tab-new', fingerprint: PRINT, question: QUESTION });
  const took = performance.now() - from;
  await coordinator.close();
  return took;
}

async function heapPerSuspendedAsk(path: string): Promise<number> {
  const coordinator = await openBench(path);
  await coordinator.journal.openAsk(freshId(), { tabId: 'warm', fingerprint: PRINT, question: QUESTION });
  const before = heap();
  for (let done = 0; done < 50_000; done += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        const askId = freshId();
        await coordinator.journal.openAsk(askId, {
          tabId: 'tab',
          fingerprint: PRINT,
          question: `${QUESTION} ${askId}`,
        });
        await coordinator.journal.closeAsk(askId);
      }),
    );
  }
  const per = (heap() - before) / 50_000;
  await coordinator.close();
  return per;
}

function heapPerSuspendedAskInMemory(): number {
  const journal = createJournal({ limits: { tickets: 1e9 }, logger: silent });
  const before = heap();
  for (let i = 0; i < 50_000; i++) {
    const askId = freshId();
    journal.openAsk(askId, {
      tabId: `tab-${i % 1_000}`,
      fingerprint: `${PRINT.slice(8)}${i}`,
      question: `${QUESTION} ${askId}`,
    });
    journal.closeAsk(askId);
  }
  const per = (heap() - before) / 50_000;
  // The journal must still be reachable when its heap is read.
  return journal.tracks('pa-') ? per : 0;
}

export const onFileBench = (): Promise<Ratio[]> =>
  withFolder(async (folder) => {
    const path = join(folder, 'readback.db');
    const bytes = await fill(path);
    const opens: number[] = [];
    for (let i = 0; i < 7; i++) opens.push(await firstAsk(path));
    const everything = async (): Promise<number> => {
      const coordinator = await openBench(path);
      const from = performance.now();
      let read = 0;
      for (let tab = 0; tab < TABS; tab++) read += (await coordinator.journal.entriesFor(`tab-${tab}`)).length;
      const took = performance.now() - from;
      await coordinator.close();
      if (read !== ON_FILE) throw new Error('not everything was read');
      return took;
    };
    const raw = (): number => {
      const db = new Database(path, { readonly: true });
      const from = performance.now();
      const rows = db.prepare('SELECT * FROM entries').all().length;
      const took = performance.now() - from;
      db.close();
      if (rows !== ON_FILE) throw new Error('not everything was read');
      return took;
    };
    return [
      figure(
        'SQLite: ms from open to the first ask accepted, 100,000 on file',
        median(opens),
        50,
        `${opens.map((ms) => ms.toFixed(0)).join(', ')} ms`,
      ),
      await paired('SQLite: everything readable / a raw load', 1.5, [everything, raw], { pairs: 5, unit: 'ms' }),
      figure(
        'SQLite: bytes on disk for a finished ask',
        bytes / ON_FILE,
        1_024,
        `${(bytes / 2 ** 20).toFixed(1)} MiB for ${ON_FILE}`,
      ),
      figure(
        'SQLite: bytes of heap for a suspended ask',
        await heapPerSuspendedAsk(join(folder, 'suspended.db')),
        300,
        '50,000 suspended',
      ),
      figure('memory: bytes of heap for a suspended ask', heapPerSuspendedAskInMemory(), 1_024, '50,000 suspended'),
    ];
  });
