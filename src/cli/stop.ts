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
  const { clients, open } = await found(client);
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
        `Stopped the host (pid ${pid}). Open questions stay on file and are shown again by the next one.\n${returning(clients, open)}`,
      ));
  return EXIT.ok;
}

/** Who was connected, and whether somebody may still wait; a host that cannot say so is ended all the same. */
async function found(client: Client): Promise<Pick<Health, 'clients' | 'open'>> {
  try {
    return await client.health();
  } catch {
    return { clients: [], open: 0 };
  }
}

/** What may bring a host back that was ended on purpose. */
function returning(clients: Health['clients'], open: number): string {
  const names = clients.map(({ name, version }) => line(`${name} ${version}`)).join(', ');
  const told =
    clients.length === 0
      ? ''
      : `Connected until now: ${names}. With "readback mcp" such a client starts a host again at its next call; to keep it off, end the client too.\n`;
  const waiting = 'A "readback ask" that still waits starts a host again in a moment; to keep it off, end that too.\n';
  return open === 0 ? told : told + waiting;
}

function stuck(pid: number): Problem {
  return new Problem({
    code: 'still_running',
    message: `the host was told to stop, but pid ${pid} is still there after ${LIMIT_MS / 1_000} s`,
    remedy: `see what it does, or end it with: kill ${pid}`,
  });
}
