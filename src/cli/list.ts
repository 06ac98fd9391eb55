/** `readback list`: what is open, or what was answered lately; once, or as it changes. */

import type { AskView } from '../api.ts';
import { type Client, connect, isGone } from './client.ts';
import { shortIds } from './find.ts';
import { alive, readHostFile, stateFolder } from './home.ts';
import { type Global, type Io, json, paint } from './io.ts';
import { whole } from './parse.ts';
import { changeTeller, openTable, recentTable, sayOf, type Teller } from './view.ts';

export interface ListFlags extends Global {
  readonly recent?: boolean | undefined;
  readonly follow?: boolean | undefined;
  readonly limit?: string | undefined;
  readonly terminal?: boolean | undefined;
}

export async function list(io: Io, flags: ListFlags): Promise<number> {
  const limit = flags.limit === undefined ? 50 : whole('--limit', flags.limit, 1, 1_000);
  const folder = stateFolder(flags.home, io.env);
  const client = connect(folder);
  if (flags.follow === true) return follow(io, folder, client, flags, limit);
  await tellList(io, await client.list(whatOf(flags), limit), flags);
  return 0;
}

const whatOf = (flags: ListFlags): 'open' | 'recent' => (flags.recent === true ? 'recent' : 'open');

async function tellList(io: Io, asks: readonly AskView[], flags: ListFlags): Promise<void> {
  if (flags.json === true) return json(io, { asks });
  const what = whatOf(flags);
  const dim = (text: string): string => paint(io)('dim', text);
  const [first] = asks;
  if (first === undefined) {
    const nothing = what === 'open' ? 'Nothing is open.' : 'Nothing has been answered yet.';
    const other = what === 'open' ? 'earlier ones: readback list --recent' : 'open ones: readback list';
    return io.out(`${nothing}  ${dim(other)}\n`);
  }
  const ids = shortIds(asks);
  const table = what === 'open' ? openTable(io, asks, ids, io.now()) : recentTable(io, asks, ids, io.now());
  const id = ids.get(first.askId) ?? first.askId;
  const answer = what === 'open' ? `answer: readback answer ${id} ${sayOf(first)}   ` : '';
  return io.out(`${table.join('\n')}\n\n${dim(`${answer}whole card: readback show ${id}`)}\n`);
}

async function follow(io: Io, folder: string, first: Client, flags: ListFlags, limit: number): Promise<number> {
  const signal = io.interrupted();
  const teller = changeTeller(io);
  let client: Client | undefined = first;
  while (!signal.aborted) {
    try {
      client ??= connect(folder);
      await followOne(io, client, teller, flags, limit);
    } catch (error) {
      if (!isGone(error) && !signal.aborted) throw error;
    }
    if (client !== undefined && !signal.aborted) {
      io.err('readback: the host has ended; waiting for the next one (Ctrl-C ends)\n');
    }
    client = undefined;
    await io.sleep(500, signal);
    while (!signal.aborted && !running(folder)) await io.sleep(500, signal);
  }
  return 0;
}

/** Follows one host to its end. What changed while no host was there is in the list that each one begins with. */
async function followOne(io: Io, client: Client, teller: Teller, flags: ListFlags, limit: number): Promise<void> {
  // A person who watches can be asked; a script that pipes this away cannot, unless it says so.
  const surface = io.outTTY || flags.terminal === true ? 'terminal' : undefined;
  // The stream is open before the list is read, so that no change falls between the two.
  const changes = await client.events(io.interrupted(), surface);
  const asks = await client.list(whatOf(flags), limit);
  if (flags.json === true) for (const ask of asks) await json(io, { cause: 'listed', ask });
  else await tellList(io, asks, flags);
  for (const ask of asks) teller(ask);
  for await (const { ask, cause } of changes) {
    const lines = teller(ask);
    if (flags.json === true) await json(io, { cause, ask });
    else if (lines !== undefined) await io.out(`${lines.join('\n')}\n`);
  }
}

function running(folder: string): boolean {
  const host = readHostFile(folder);
  return host !== undefined && alive(host.pid);
}
