/** A registry of requests and its mirror, with eleven seeded defects, each of another kind. */
import { createMirror, createServerRequests } from 'readback/requests';
import { broken, misled } from './seeded.mjs';

/** Contracts whose every method has some members replaced. */
const lax = (contracts, own) => ({
  ...contracts,
  request: (method) => {
    const known = contracts.request(method);
    return known && { ...known, ...own };
  },
});

const OPTIONS = {
  'an answer of any shape is taken': ({ contracts }) => ({ contracts: lax(contracts, { wrongResult: () => [] }) }),
  'a secret is kept': ({ contracts }) => ({ contracts: lax(contracts, { secret: false }) }),
  'a stranger may answer': () => ({ mayAccess: undefined }),
  'told before it is on file': ({ ledger }) => ({
    ledger: ledger && {
      rows: (kind) => ledger.rows(kind),
      commit: (...args) =>
        void Promise.resolve()
          .then(() => ledger.commit(...args))
          .catch(() => undefined),
    },
  }),
  'nothing is left after a restart': ({ ledger }) => ({
    ledger: ledger && { rows: () => [], commit: (...args) => ledger.commit(...args) },
  }),
};

const MADE = {
  'one session takes back all': (r) => ({ cancel: (_sid, reason) => r.cancel(null, reason) }),
  'an owner is called twice': (r) => ({
    sendAsync: (method, sid, params, onResult, options) =>
      r.sendAsync(
        method,
        sid,
        params,
        (...args) => {
          onResult(...args);
          return onResult(...args);
        },
        options,
      ),
  }),
  'a deadline is forgotten': (r) => ({
    send: (method, sid, params, options) => r.send(method, sid, params, { ...options, timeoutMs: null }),
  }),
  'who cannot answer is asked': () => ({ answerable: () => true }),
  'the first lock ends a batch': (r) => ({
    lockAnswer(id, qid, answer, from) {
      const left = r.lockAnswer(id, qid, answer, from);
      if (left !== null && left.length > 0) r.answer(id, {}, from);
      return left === null ? null : [];
    },
  }),
};

const MIRRORED = {
  'the cards of a dead child stay': () => ({ childExited: () => 0 }),
};

export const requests = {
  create: (options) => broken(createServerRequests(misled(options, OPTIONS)), MADE),
  mirror: (options) => broken(createMirror(options), MIRRORED),
};
