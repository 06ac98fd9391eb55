/** The journal in memory: a whole cycle against its fingerprint, and 100,000 live entries against 192. */
import { askFingerprint, createJournal, type Journal } from '../../src/journal.ts';
import { paired, type Ratio, timed } from './measure.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const TABS = Array.from({ length: 16 }, (_, i) => ['tab', i].join('-'));
let ids = 0;

/** Ids and tab keys come from the host: they are made before the clock starts, and no id is used twice. */
const freshIds = (count: number): string[] =>
  Array.from({ length: count }, () => ['pa', (ids++).toString(36).padStart(8, '0'), 'bench'].join('-'));

/** A short card: two options of a few words. */
const short = (i: number) => ({
  question: `Which of the two should I use for step ${i % 1000}, given what we said about the other one before?`,
  header: 'Choice',
  options: [
    { label: 'The first', description: 'It is what the plan says.' },
    { label: 'The second', description: 'It is newer and a little faster.' },
  ],
});

/** What agents ask as a rule: four options, each explained in a sentence. */
const full = (i: number) => ({
  question: `Which of these should I use for step ${i % 1000}, given what we said about the other one before?`,
  header: 'Choice',
  options: [
    { label: 'The first', description: 'It is what the plan says, and the rest of the pipeline was written for it.' },
    { label: 'The second', description: 'It is newer and a little faster, but nobody here has run it in production.' },
    { label: 'Both', description: 'Run the two side by side for a week and compare what they report.' },
    { label: 'Neither', description: 'Leave things as they are and ask again when the next step is due.' },
  ],
});

type Card = typeof short;
type Cycle = (journal: Journal, askId: string, i: number, card?: Card) => void;

function open(journal: Journal, askId: string, i: number, card: Card = short): string {
  const ask = card(i);
  const tab = TABS[i % TABS.length] ?? '';
  journal.openAsk(askId, { tabId: tab, fingerprint: askFingerprint(ask), question: ask.question });
  return tab;
}

/** Answered while its handler waits. */
const early: Cycle = (journal, askId, i, card) => {
  const tab = open(journal, askId, i, card);
  const { token } = journal.record(askId, 'The first', { tabId: tab });
  journal.markReturned(token, { askId });
  journal.closeAsk(askId);
  journal.ack(token, { carrier: 'turn' });
};

/** Answered when its handler is gone, and pushed. */
const late: Cycle = (journal, askId, i) => {
  const tab = open(journal, askId, i);
  journal.closeAsk(askId);
  const { token } = journal.record(askId, 'The first', { tabId: tab });
  journal.deliverPending(tab, () => true);
  journal.ack(token);
};

function cycles(count: number, journal: Journal, cycle: Cycle, card?: Card): number {
  const askIds = freshIds(count);
  return timed(count, (i) => cycle(journal, askIds[i] ?? '', i, card));
}

function filled(entries: number, live: boolean): Journal {
  const limits = { tickets: 1e9, entriesPerTab: 1e9, entriesTotal: entries };
  const journal = createJournal({ limits: live ? { ...limits, entriesTotal: 1e9 } : limits, logger: silent });
  journal.setTurnAttacher(() => 'turn');
  // Live entries are returned and not acked, so that they stay what the bounds would take last.
  for (const [i, askId] of freshIds(entries).entries()) {
    const tab = open(journal, askId, i);
    const { token } = journal.record(askId, 'The first', { tabId: tab });
    journal.markReturned(token, { askId });
    journal.closeAsk(askId);
  }
  return journal;
}

export async function memoryBench(): Promise<Ratio[]> {
  const rounds = 20_000;
  const results: Ratio[] = [];
  for (const [name, card] of [
    ['a short card', short],
    ['four options explained', full],
  ] as const) {
    results.push(
      await paired(`memory, 192 entries, ${name}: cycle / its fingerprint`, 2, [
        // A new journal for each pair: what every id that was ever opened costs to remember is not what is asked here.
        () => cycles(rounds, filled(192, false), early, card),
        () => timed(rounds, (i) => void askFingerprint(card(i))),
      ]),
    );
  }
  for (const [route, cycle] of [
    ['early', early],
    ['late', late],
  ] as const) {
    const few = filled(192, true);
    const many = filled(100_000, true);
    results.push(
      await paired(`memory, ${route} route: cycle at 100,000 live entries / at 192`, 1.5, [
        () => cycles(rounds / 4, many, cycle),
        () => cycles(rounds / 4, few, cycle),
      ]),
    );
  }
  return results;
}
