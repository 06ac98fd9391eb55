/** The tap: what a cycle costs with a reader attached, and with nobody reading, each beside one without. */
import { openCoordinator } from '../../src/coordinator.ts';
import { createTap } from '../../src/inspect/tap.ts';
import { askFingerprint, createJournal, type Journal, type JournalOptions } from '../../src/journal.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { paired, type Ratio, timedAsync } from './measure.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const ASK = { question: 'Which of the two should I use for this step?', options: [{ label: 'One' }, { label: 'Two' }] };
const IN_A_TICK = 50;
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
let ids = 0;
let read = 0;

function cycle(journal: Journal): void {
  const askId = `pa-${ids++}`;
  const fingerprint = askFingerprint(ASK);
  journal.openAsk(askId, { tabId: 'tab', fingerprint, question: ASK.question });
  const { token } = journal.record(askId, 'One', { tabId: 'tab' });
  journal.markReturned(token, { askId });
  journal.closeAsk(askId);
  journal.ack(token, { carrier: 'turn' });
}

/** Cycles with the ends of ticks between them, so that what readers are told is part of the time. */
async function journalCycles(rounds: number, options: JournalOptions): Promise<number> {
  const journal = createJournal({ ...options, logger: silent });
  journal.setTurnAttacher(() => 'turn');
  const perTick = await timedAsync(rounds / IN_A_TICK, () => {
    for (let i = 0; i < IN_A_TICK; i += 1) cycle(journal);
    return tick();
  });
  return perTick / IN_A_TICK;
}

function readTap() {
  const tap = createTap({ logger: silent });
  tap.read(() => void read++);
  return tap;
}

/** The same through a coordinator without a disk: 400 questions at a time, answered and read back. */
async function coordinatorCycles(rounds: number, isRead: boolean): Promise<number> {
  const coordinator = await openCoordinator({ store: memoryStore(), logger: silent, alwaysVisible: true });
  if (isRead) coordinator.tap(() => void read++);
  const attach = (): string => 'turn';
  const one = async (): Promise<void> => {
    const onOpen = (askId: string): void => void coordinator.answer(askId, { text: 'One' }, { surface: 'page' });
    const outcome = await coordinator.ask(
      { question: ASK.question },
      { tab: 'tab', timeoutMs: 60_000, attach, onOpen },
    );
    if (outcome.outcome === 'answered') await coordinator.ack([outcome.token], 'turn');
  };
  const spent = await timedAsync(rounds / 400, () => Promise.all(Array.from({ length: 400 }, one)));
  await coordinator.close();
  return spent / 400;
}

export async function tapBench(): Promise<Ratio[]> {
  const rounds = 10_000;
  const results = [
    await paired('tap on, one reader: in-memory cycle of the journal / without a tap', 1.2, [
      () => journalCycles(rounds, { watch: readTap().watch }),
      () => journalCycles(rounds, {}),
    ]),
    await paired('tap on, one reader: in-memory cycle of the coordinator / without a reader', 1.2, [
      () => coordinatorCycles(4_000, true),
      () => coordinatorCycles(4_000, false),
    ]),
    await paired(
      'tap there, nobody reads: in-memory cycle of the journal / without a tap',
      1.02,
      [() => journalCycles(rounds, { watch: createTap({ logger: silent }).watch }), () => journalCycles(rounds, {})],
      { pairs: 15 },
    ),
  ];
  if (read === 0) throw new Error('no reader was told anything');
  return results;
}
