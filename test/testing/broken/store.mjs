/** A store with eight seeded defects, each of another kind. It keeps its rows in memory from one opening to the next. */
import { memoryStore } from 'readback';
import { broken, isIn, replaced } from './seeded.mjs';

const ROWS = {
  'numbers are counted from what is there': (b) => ({ nextNumber: () => b.entryCount() + 1 }),
  'the newest answer goes first': (b) => ({
    entryVictim: (tab, except) =>
      (tab === undefined ? b.allEntries() : b.entriesOn(tab)).findLast((row) => row.n !== except),
  }),
  'an answer is given out as a copy': (b) => ({
    entry: (n) => (b.entry(n) === undefined ? undefined : { ...b.entry(n) }),
  }),
  'what lost its licence is found': (b) => ({
    licensed: (tab, print) =>
      b
        .entriesOn(tab)
        .filter((row) => row.fingerprint === print)
        .reverse(),
  }),
  'a finished card is still open': (b) => ({ ticket: (id) => b.anyTicket(id) }),
};

const WHOLE = {
  'a rollback keeps what was staged': (s) => ({ rollback: () => s.commit() }),
  'the outbox gives its numbers again': (s) => ({
    intend(row) {
      s.intend(row);
      return s.outbox().length;
    },
  }),
};

export const store = () => {
  let kept;
  return {
    keeps: true,
    open() {
      const isAgain = kept !== undefined;
      kept ??= memoryStore();
      kept.rollback();
      if (isAgain && isIn('closing loses a kind of rows')) {
        for (const { id } of kept.kept('request')) kept.keep('request', id, undefined);
        kept.commit();
      }
      const whole = replaced(kept, { book: broken(kept.book, ROWS), close: () => undefined });
      return broken(whole, WHOLE);
    },
    end: () => undefined,
  };
};
