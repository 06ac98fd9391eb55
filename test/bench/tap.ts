/** The tap: what a cycle costs with a page or a reader attached, and with nobody looking on, each beside one without. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import { createTap } from '../../src/inspect/tap.ts';
import { Viewers } from '../../src/inspect/viewers.ts';
import { askFingerprint, createJournal, type Journal, type JournalOptions } from '../../src/journal.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { alternating, type Ratio } from './measure.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const ASK = { question: 'Which of the two should I use for this step?', options: [{ label: 'One' }, { label: 'Two' }] };
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const IN_A_TICK = 50;
/** Of one block, which must be long beside the grain of the clock of the processor. */
const CALLS = 1_500;
const JOURNAL_CALLS = 10_000;
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

/** Cycles of one journal; what readers are told at the end of a tick is part of the time. */
function journalSide(options: JournalOptions): () => Promise<void> {
  const journal = createJournal({ ...options, logger: silent });
  journal.setTurnAttacher(() => 'turn');
  return async () => {
    for (let n = 0; n < JOURNAL_CALLS / IN_A_TICK; n += 1) {
      for (let i = 0; i < IN_A_TICK; i += 1) cycle(journal);
      await tick();
    }
  };
}

function readTap() {
  const tap = createTap({ logger: silent });
  tap.read(() => void read++);
  return tap;
}

/** The end of a page that reads at once whatever it is sent. */
function page(coordinator: Coordinator): () => void {
  const res = Object.assign(new PassThrough(), { writeHead: () => undefined });
  res.on('data', (text: Buffer) => {
    read += text.length;
  });
  const viewers = new Viewers((reader) => coordinator.tap(reader), silent);
  viewers.open({ resume: () => undefined } as unknown as IncomingMessage, res as unknown as ServerResponse);
  return () => viewers.close();
}

interface Side {
  readonly run: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Questions, answered and read back. A receipt shares the commit of what is asked next, so no timer is in it. */
async function coordinatorSide(look: (coordinator: Coordinator) => unknown): Promise<Side> {
  const coordinator = await openCoordinator({ store: memoryStore(), logger: silent, alwaysVisible: true });
  look(coordinator);
  const attach = (): string => 'turn';
  const one = async (): Promise<void> => {
    const onOpen = (askId: string): void => void coordinator.answer(askId, { text: 'One' }, { surface: 'page' });
    const outcome = await coordinator.ask(
      { question: ASK.question },
      { tab: 'tab', timeoutMs: 60_000, attach, onOpen },
    );
    if (outcome.outcome === 'answered') void coordinator.ack([outcome.token], 'turn');
  };
  const run = async (): Promise<void> => {
    for (let n = 0; n < CALLS / IN_A_TICK; n += 1) await Promise.all(Array.from({ length: IN_A_TICK }, one));
  };
  return { run, close: () => coordinator.close() };
}

async function coordinators(name: string, look: (coordinator: Coordinator) => unknown): Promise<Ratio> {
  const sides = [await coordinatorSide(look), await coordinatorSide(() => undefined)] as const;
  const result = await alternating(name, 1.2, [sides[0].run, sides[1].run], { pairs: 30, calls: CALLS });
  for (const { close } of sides) await close();
  return result;
}

export async function tapBench(): Promise<Ratio[]> {
  let leave: () => void = () => undefined;
  const results = [
    await coordinators('tap on, a page attached: in-memory cycle of the coordinator / without one', (coordinator) => {
      leave = page(coordinator);
    }),
    await coordinators('tap on, a reader attached: in-memory cycle of the coordinator / without one', (coordinator) =>
      coordinator.tap(() => void read++),
    ),
    await alternating(
      'tap on, a reader attached: in-memory cycle of the journal alone / without a tap',
      1.2,
      [journalSide({ watch: readTap().watch }), journalSide({})],
      { pairs: 40, calls: JOURNAL_CALLS },
    ),
    await alternating(
      'tap there, nobody looks on: in-memory cycle of the journal alone / without a tap',
      1.02,
      [journalSide({ watch: createTap({ logger: silent }).watch }), journalSide({})],
      { pairs: 60, calls: JOURNAL_CALLS },
    ),
  ];
  leave();
  if (read === 0) throw new Error('no reader was told anything');
  return results;
}
