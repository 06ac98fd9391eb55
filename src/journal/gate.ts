/**
 * The gate: whether a question, and the answer to it, belongs to the conversation as it is now. Where a log speaks for
 * the question the log decides, else the epoch of its tab. What an epoch has retired stays so.
 */
import type { Lineage, LineageWord } from './operation.ts';
import type { EntryRow } from './rows.ts';
import type { Tabs } from './tabs.ts';

interface Opening {
  readonly tab: string;
  readonly epoch: number;
}

export class Gate {
  lineage: Lineage | undefined;
  readonly #tabs: Tabs;

  constructor(tabs: Tabs) {
    this.#tabs = tabs;
  }

  /** Whether this answer may be given to the conversation. What is not in the log yet only its own call may take. */
  belongs(row: EntryRow): boolean {
    const { delivery } = row.at.value;
    if (delivery === 'retired' || row.provenance === 'unknown') return false;
    const says = this.says(row.askId);
    if (says === 'unplaced') return delivery === 'none' && !row.at.context.returned;
    return says === undefined || says === 'on' || says === 'kept';
  }

  /** The log shows the delivery: it is owed to nobody, though its copy may have come back. Who asks for it may have it. */
  isKept(row: EntryRow): boolean {
    return this.says(row.askId) === 'kept';
  }

  /** It may belong yet: the log has not said. */
  isWithheld(row: EntryRow): boolean {
    const says = this.says(row.askId);
    return (says === 'unsure' || says === 'unplaced') && row.at.value.delivery !== 'retired' && !this.belongs(row);
  }

  isLive(askId: string, opening: Opening): boolean {
    return this.isPlaced(askId) ? this.says(askId) !== 'off' : this.isOfEpoch(opening);
  }

  isOfEpoch({ tab, epoch }: Opening): boolean {
    return epoch === this.#tabs.epoch(tab);
  }

  says(askId: string): LineageWord | undefined {
    return this.lineage?.says(askId);
  }

  /** Whether the log decides for this ask, and no epoch any more. */
  isPlaced(askId: string): boolean {
    const says = this.says(askId);
    return says !== undefined && says !== 'unplaced';
  }
}
