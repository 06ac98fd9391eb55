/**
 * One process that asks, answers, pushes and reads back on a database in a file, and kills itself at one commit.
 * What it was told, and what it did outside, it writes down at once.
 */
import { type Coordinator, openCoordinator } from '../../src/coordinator.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { asChild } from './child-process.ts';

const TAB = 'session-1';
const HUMAN = { surface: 'page', who: 'window-1' };
const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

export interface Note {
  readonly what: 'opened' | 'saved' | 'shown' | 'acked' | 'closed' | 'ended' | 'revoked' | 'done';
  readonly askId?: string;
  readonly token?: string;
  readonly text?: string;
  /** Whether what was shown said that it may be a repeat. */
  readonly label?: boolean;
  readonly state?: string;
}

const { path, write, mortal } = asChild<Note>();

async function open(): Promise<Coordinator> {
  const store = mortal(openSqliteStore(path));
  const revoker = (_: string, token: string): boolean => {
    write({ what: 'revoked', token });
    return true;
  };
  const c = await openCoordinator({ store, revoker, alwaysVisible: true, logger: SILENT });
  c.subscribe(({ ask }) => {
    if (ask.state !== 'open') write({ what: 'ended', askId: ask.askId, state: ask.state });
  });
  return c;
}

async function answer(c: Coordinator, askId: string, text: string): Promise<string> {
  const { token = '', saved } = await c.answer(askId, { text }, HUMAN);
  if (saved) write({ what: 'saved', askId, token, text });
  return token;
}

async function ask(c: Coordinator, question: string, supersedes?: string): Promise<string> {
  let id = '';
  const onOpen = (askId: string): void => {
    id = askId;
    write({ what: 'opened', askId });
  };
  const end = await c.ask({ question }, { tab: TAB, timeoutMs: 0, onOpen, supersedes });
  if ('token' in end) write({ what: 'shown', token: end.token, label: end.possibleRepeat });
  return id;
}

async function push(c: Coordinator): Promise<string[]> {
  const tokens: string[] = [];
  await c.journal.deliverPending(TAB, (payload, token) => {
    write({ what: 'shown', token, label: payload.possible_repeat === true || payload.replayed === true });
    return tokens.push(token) > 0;
  });
  return tokens;
}

async function ack(c: Coordinator, token: string, carrier: string): Promise<void> {
  const [receipt] = await c.ack([token], carrier);
  if (receipt?.accepted === true) write({ what: 'acked', token });
}

/** A call that waits, a person who answers, an agent that reads it back. */
async function direct(c: Coordinator): Promise<void> {
  let opened: (askId: string) => void = () => undefined;
  const id = new Promise<string>((resolve) => {
    opened = resolve;
  });
  const outcome = c.ask(
    { question: 'direct?' },
    { tab: TAB, onOpen: (askId) => opened(askId), attach: () => 'turn-1' },
  );
  const askId = await id;
  write({ what: 'opened', askId });
  const token = await answer(c, askId, 'direct');
  const end = await outcome;
  if ('token' in end) write({ what: 'shown', token: end.token, label: end.possibleRepeat });
  await ack(c, token, 'turn-1');
}

async function first(c: Coordinator): Promise<void> {
  await direct(c);
  const late = await answer(c, await ask(c, 'late?'), 'late');
  await push(c);
  await c.journal.ack(late);
  write({ what: 'acked', token: late });
  await answer(c, await ask(c, 'twice?'), 'once');
  await push(c);
  const id = await ask(c, 'withdrawn?');
  await c.withdraw(id, 'no longer', HUMAN);
  write({ what: 'ended', askId: id, state: 'withdrawn' });
  const old = await ask(c, 'old?');
  await ask(c, 'new?', old);
  write({ what: 'ended', askId: old, state: 'superseded' });
  await answer(c, await ask(c, 'asked again?'), 'the first time');
  await ask(c, 'asked again?');
}

async function second(c: Coordinator): Promise<void> {
  await push(c);
  await answer(c, await ask(c, 'replaced?'), 'for nobody');
  await push(c);
  await c.journal.closeAsks(TAB);
  write({ what: 'closed' });
  await answer(c, await ask(c, 'afterwards?'), 'for the next');
}

const c = await open();
await first(c);
await c.close();
const again = await open();
await second(again);
await again.close();
write({ what: 'done' });
process.exit(0);
