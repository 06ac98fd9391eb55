/** `readback withdraw`: takes an open card off every surface. */

import { SIZES } from '../limits.ts';
import { connect } from './client.ts';
import { find } from './find.ts';
import { stateFolder } from './home.ts';
import type { Global, Io } from './io.ts';
import { bounded } from './parse.ts';
import { usage } from './problem.ts';
import { tellVerdict } from './verdict.ts';

export interface WithdrawFlags extends Global {
  readonly reason: string;
}

export async function withdraw(io: Io, id: string, flags: WithdrawFlags): Promise<number> {
  if (flags.reason.trim() === '')
    throw usage('--reason', 'is empty', 'say in a few words why, for the person who sees the card go');
  bounded('--reason', 'the reason', flags.reason, SIZES.reason);
  const client = connect(stateFolder(flags.home, io.env));
  const ask = await find(client, id);
  return tellVerdict(io, await client.withdraw(ask.askId, flags.reason), flags, 'withdrawn');
}
