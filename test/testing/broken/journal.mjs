/** A journal with ten seeded defects, each of another kind. */
import { answerText, askFingerprint, createJournal, preview } from 'readback/journal';
import { broken, isIn, replaced } from './seeded.mjs';

/** Each replaces methods of a journal; `tabs` are the tabs that it has heard of. */
const DEFECTS = (tabs) => ({
  'any carrier proves': (j) => ({
    ack(token, from) {
      const entry = j.allOutstanding().find((one) => one.token === token);
      const carrier = entry?.rides[0];
      j.ack(token, carrier === undefined ? from : { carrier });
    },
  }),
  'a double answer is journaled twice': (j) => {
    const seen = new Set();
    return {
      record(askId, reply, from) {
        const key = `${askId} ${answerText(reply)}`;
        const again = seen.has(key);
        seen.add(key);
        return j.record(askId, again ? `${answerText(reply)} (again)` : reply, from);
      },
    };
  },
  'recovered on another tab': (j) => ({
    recover(key, print, asker) {
      const found = j.recover(key, print, asker);
      if (found.status === 'recovered') return found;
      const elsewhere = [...tabs].map((tab) => j.recover(tab, print)).find((one) => one.status === 'recovered');
      return elsewhere ?? found;
    },
  }),
  'a retired answer is recovered': (j) => ({
    recover(key, print, asker) {
      const found = j.recover(key, print, asker);
      const retired = j.entriesFor(key).find((one) => one.retired && one.fingerprint === print);
      return found.status !== 'recovered' && retired !== undefined ? { status: 'recovered', entry: retired } : found;
    },
  }),
  'an eviction is silent': () => ({ droppedFor: () => 0, reportDropped: () => 0, outstandingDebt: () => [] }),
  'the newest is delivered first': (j) => ({
    deliverPending(key, inject) {
      const newest = j.pending(key).at(-1);
      let isFirst = true;
      return j.deliverPending(key, (payload, token) => {
        if (isFirst && newest !== undefined && newest.token !== token) {
          isFirst = false;
          return inject({ ...payload, ask_answer: newest.answer }, newest.token);
        }
        return inject(payload, token);
      });
    },
  }),
  'a hand-back loses the answer': (j) => ({
    release(token, options) {
      j.release(token, { ...options, carried: true });
      j.release(token, options);
      const entry = j.allOutstanding().find((one) => one.token === token && one.delivery === 'pending');
      if (entry !== undefined) j.deliverPending(entry.key, (_payload, offered) => offered === token);
    },
  }),
  'a boundary is ignored': () => ({ closeAsks: () => undefined }),
  'a long answer is cut': (j) => ({
    record: (askId, reply, from) => j.record(askId, answerText(reply).slice(0, 12), from),
  }),
});

function make(options) {
  const tabs = new Set();
  const journal = createJournal(options);
  const heard = replaced(journal, {
    openAsk(id, ask) {
      tabs.add(ask.tabId);
      return journal.openAsk(id, ask);
    },
  });
  return broken(heard, DEFECTS(tabs));
}

export const journal = {
  create: make,
  askFingerprint: (ask) =>
    isIn('the options are not part of the question') ? askFingerprint({ ...ask, options: [] }) : askFingerprint(ask),
  answerText,
  preview,
};
