/** The journal in memory: a whole cycle against its fingerprint, and 100,000 live entries against 192. */
import { askFingerprint, createJournal, type Journal } from '../../src/journal.ts';
import { paired, type Ratio, timed } from './measure.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const TABS = 16;
let ids = 0;

const question = (i: number) => ({
  question: `Which of the two should I use for step ${i % 1000}, given what we said about the other one before?`,
  header: 'Choice',
  options: [
    { label: 'The first', description: 'It is what the plan says.' },
    { label: 'The second', description: 'It is newer and a little faster.' },
  ],
});

function open(journal: Journal, i: number): { askId: string; tab: string } {
  const ask = question(i);
  const askId = `pa-${(ids++).toString(36).padStart(8, '0')}-bench`;
  const tab = `tab-${i % TABS}`;
  journal.openAsk(askId, { tabId: tab, fingerprint: askFingerprint(ask), question: ask.question });
  return { askId, tab };
}

/** Answered while its handler waits. */
function early(journal: Journal, i: number): void {
  const { askId, tab } = open(journal, i);
  const { token } = journal.record(askId, 'The first', { tabId: tab });
  journal.markReturned(token, { askId });
  journal.closeAsk(askId);
  journal.ack(token, { carrier: 'turn' });
}

/** Answered when its handler is gone, and pushed. */
function late(journal: Journal, i: number): void {
  const { askId, tab } = open(journal, i);
  journal.closeAsk(askId);
  const { token } = journal.record(askId, 'The first', { tabId: tab });
  journal.deliverPending(tab, () => true);
  journal.ack(token);
}

function filled(entries: number, live: boolean): Journal {
  const limits = { tickets: 1e9, entriesPerTab: 1e9, entriesTotal: entries };
  const journal = createJournal({ limits: live ? { ...limits, entriesTotal: 1e9 } : limits, logger: silent });
  journal.setTurnAttacher(() => 'turn');
  // Live entries are returned and not acked, so that they stay what the bounds would take last.
  for (let i = 0; i < entries; i++) {
    const { askId, tab } = open(journal, i);
    const { token } = journal.record(askId, 'The first', { tabId: tab });
    journal.markReturned(token, { askId });
    journal.closeAsk(askId);
  }
  return journal;
}

export async function memoryBench(): Promise<Ratio[]> {
  const rounds = 20_000;
  const small = filled(192, false);
  const results = [
    await paired('memory, 192 entries: cycle / its fingerprint', 2, [
      () => timed(rounds, (i) => early(small, i)),
      () => timed(rounds, (i) => void askFingerprint(question(i))),
    ]),
  ];
  for (const [route, cycle] of [
    ['early', early],
    ['late', late],
  ] as const) {
    const few = filled(192, true);
    const many = filled(100_000, true);
    results.push(
      await paired(`memory, ${route} route: cycle at 100,000 live entries / at 192`, 1.5, [
        () => timed(rounds / 4, (i) => cycle(many, i)),
        () => timed(rounds / 4, (i) => cycle(few, i)),
      ]),
    );
  }
  return results;
}
