/** `readback show`: one whole card with its answers and their receipts. */

import { connect } from './client.ts';
import { find } from './find.ts';
import { stateFolder } from './home.ts';
import { type Global, type Io, json } from './io.ts';
import { EXIT } from './problem.ts';
import { card } from './view.ts';

export async function show(io: Io, id: string, flags: Global): Promise<number> {
  const ask = await find(connect(stateFolder(flags.home, io.env)), id);
  await (flags.json === true ? json(io, ask) : io.out(`${card(io, ask, io.now()).join('\n')}\n`));
  return EXIT.ok;
}
