/** The stream of steps: its words, and a tap of one's own for rows that no coordinator holds. */
import { consoleLogger, type Logger, nodeRuntime, type Runtime } from '../runtime.ts';
import { Tap, type TapReader, type Watch } from '../tap.ts';

export type { TapFact, TapReader, TapStep, TapValue, Watch } from '../tap.ts';

export interface TapOptions {
  /** Clock of the steps, and the end of a tick, after which readers are told. */
  readonly runtime?: Pick<Runtime, 'now' | 'soon'> | undefined;
  readonly logger?: Pick<Logger, 'warn'> | undefined;
}

export interface OwnTap {
  /** Goes to whoever steps the rows: `createJournal({ watch })`, `createServerRequests({ watch })`. */
  readonly watch: Watch;
  /** Tells the reader of each step from now on, until the function returned is called. Throws `invalid_input`. */
  read(reader: TapReader): () => void;
}

/**
 * Makes a tap for what has no coordinator: a journal in memory, or requests without a store.
 *
 * Costs nothing until somebody reads. A reader can neither change nor hold up anything: it is told a tick later, and
 * the oldest steps are lost to one that is too far behind. A coordinator has its own: `coordinator.tap(reader)`.
 */
export function createTap({ runtime = nodeRuntime, logger = consoleLogger }: TapOptions = {}): OwnTap {
  const tap = new Tap({ runtime, warn: (text) => logger.warn(`readback: ${text}`), isStaging: () => false });
  return { watch: tap.settled, read: (reader) => tap.read(reader) };
}
