/** `readback stop`: ends the running host. Questions and answers stay on disk. */

import { type Client, connect, type Health } from './client.ts';
import { alive, stateFolder } from './home.ts';
import { type Global, type Io, json } from './io.ts';
import { EXIT, Problem } from './problem.ts';
import { progress } from './progress.ts';
import { line } from './text.ts';

const LIMIT_MS = 10_000;

export async function stop(io: Io, flags: Global): Promise<number> {
  const client = connect(stateFolder(flags.home, io.env));
  const { pid } = client.host;
  const clients = await clientsOf(client);
  await client.stop();
  await progress(io, `waiting for pid ${pid} to end`, async () => {
    for (const begun = io.now(); alive(pid); ) {
      if (io.now() - begun > LIMIT_MS) throw stuck(pid);
      await io.sleep(30);
    }
  });
  await (flags.json === true
    ? json(io, { stopped: true, pid, clients })
    : io.out(
        `Stopped the host (pid ${pid}). Open questions stay on file and are shown again by the next one.\n${returning(clients)}`,
      ));
  return EXIT.ok;
}

/** Whoever was connected; a host that cannot say so is ended all the same. */
async function clientsOf(client: Client): Promise<Health['clients']> {
  try {
    return (await client.health()).clients;
  } catch {
    return [];
  }
}

function returning(clients: Health['clients']): string {
  if (clients.length === 0) return '';
  const names = clients.map(({ name, version }) => line(`${name} ${version}`)).join(', ');
  return `Connected until now: ${names}. With "readback mcp" such a client starts a host again at its next call; to keep it off, end the client too.\n`;
}

function stuck(pid: number): Problem {
  return new Problem({
    code: 'still_running',
    message: `the host was told to stop, but pid ${pid} is still there after ${LIMIT_MS / 1_000} s`,
    remedy: `see what it does, or end it with: kill ${pid}`,
  });
}
