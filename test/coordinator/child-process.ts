/** The inside of a child that ends itself at one of its commits. */
import { appendFileSync } from 'node:fs';
import type { Store } from '../../src/store/store.ts';
import { type FaultyStore, faultyStore } from '../../src/testing/index.ts';

/** What this child was told to do, how it writes down what happens outside, and the store that ends it. */
export function asChild<Note>(): { path: string; write: (note: Note) => void; mortal: (store: Store) => FaultyStore } {
  const [path = '', notes = '', nth = '0', when = 'before'] = process.argv.slice(2);
  let commits = 0;
  let killed = false;
  /** Ends this process as a power failure would, at the commit that was asked for. */
  const killAt = (done: boolean): void => {
    if (!done) commits += 1;
    if (commits !== Number(nth) || done !== (when === 'after')) return;
    killed = true;
    process.kill(process.pid, 'SIGKILL');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
  return {
    path,
    write: (note) => {
      if (!killed) appendFileSync(notes, `${JSON.stringify(note)}\n`);
    },
    mortal: (store) => {
      const faulty = faultyStore(store);
      faulty.watch = ({ kind, done }) => {
        if (kind === 'commit') killAt(done);
      };
      return faulty;
    },
  };
}
