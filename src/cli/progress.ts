/** A sign of life on stderr for whatever takes longer than a second. Only where a person sees it. */

import type { Io } from './io.ts';
import { span } from './text.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;
const AFTER_MS = 1_000;

/** Runs the work; shows `label` and the time it has taken once a second has gone by. Leaves no trace behind. */
export async function progress<T>(io: Io, label: string, work: () => Promise<T>): Promise<T> {
  if (!io.errTTY) return work();
  const over = new AbortController();
  const shown = show(io, label, over.signal);
  try {
    return await work();
  } finally {
    over.abort();
    await shown;
  }
}

async function show(io: Io, label: string, over: AbortSignal): Promise<void> {
  const begun = io.now();
  await io.sleep(AFTER_MS, over);
  if (over.aborted) return;
  for (let frame = 0; !over.aborted; frame += 1) {
    io.err(`\r\u001b[K${FRAMES[frame % FRAMES.length]} ${label} (${span(io.now() - begun)})`);
    await io.sleep(FRAME_MS, over);
  }
  io.err('\r\u001b[K');
}
