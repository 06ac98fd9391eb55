/** `readback idle`: whether the running host does nothing and waits for nobody. Everything but a proof is an exit code. */

import type { IdleAnswer } from '../api.ts';
import { askIdle } from '../idle-client.ts';
import { type Client, connect } from './client.ts';
import { stateFolder } from './home.ts';
import { type Global, type Io, json, paint } from './io.ts';
import { Problem } from './problem.ts';
import { line } from './text.ts';

/** Not those of the other commands: here 1 is an answer, and whatever hinders an answer must not look like one. */
const IDLE_EXIT = Object.freeze({ idle: 0, busy: 1, unproven: 2 });

export async function idle(io: Io, flags: Global): Promise<number> {
  const { host } = connected(stateFolder(flags.home, io.env));
  const answer = await askIdle(host.url, host.token);
  if (answer.reason === 'unreachable') {
    throw new Problem({
      code: 'unproven',
      message: `the host at ${host.url} (pid ${host.pid}) has not proven that it is idle: ${answer.why}`,
      remedy: 'treat it as busy; see what is wrong with: readback doctor',
      exit: IDLE_EXIT.unproven,
    });
  }
  await (flags.json === true ? json(io, answer) : io.out(`${sentence(io, answer)}\n`));
  if (answer.idle === true) return IDLE_EXIT.idle;
  return answer.idle === false ? IDLE_EXIT.busy : IDLE_EXIT.unproven;
}

/** The host of host.json. That there is none proves nothing of the one that a caller has in mind. */
function connected(folder: string): Client {
  try {
    return connect(folder);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, field, message, remedy, cause } = error;
    throw new Problem({ code, field, message, remedy, cause, exit: IDLE_EXIT.unproven });
  }
}

const WORDS = {
  turn_in_flight: 'Not idle: something runs',
  awaiting_human_input: 'Not idle: a person is being asked',
  turn_probe_unavailable: 'Not proven: whether something runs cannot be read',
  input_probe_unavailable: 'Not proven: whether a person is being asked cannot be read',
} as const;

function sentence(io: Io, answer: IdleAnswer): string {
  if (answer.idle === true) return `${paint(io)('green', 'Idle')}: nothing runs, and nobody is asked.`;
  const { reason, detail } = answer;
  const close = answer.idle === null ? ' Treat it as busy.' : '';
  if (detail === undefined) return `${WORDS[reason]}.${close}`;
  const count = detail.count === undefined ? '' : `: ${detail.count}`;
  const owners = (detail.owners ?? []).length === 0 ? '' : ` (${(detail.owners ?? []).join(', ')})`;
  return line(`${WORDS[reason]} [${detail.ledger}${count}${owners}].${close}`);
}
