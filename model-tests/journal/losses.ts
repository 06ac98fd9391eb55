/** Ground truth of debt: every loss by name, and what has become of it (journal.md 5.5, last paragraph). */
import type { Slot } from './host.ts';

export type LossState = 'owed' | 'displayed' | 'told' | 'cancelled' | 'surfaced';

export interface Loss {
  /** Token of the answer that was lost. */
  readonly dead: string;
  slot: Slot;
  readonly occupant: string | undefined;
  state: LossState;
  /** The queue copy that shows it. */
  shownBy: string | undefined;
  /** Carriers whose receipt still proves the lost answer. */
  readonly rides: Set<string>;
}

export interface Warning {
  readonly carrier: string;
  readonly named: readonly Loss[];
  /** What it counted if the resolver threw just then. */
  readonly ifUnknown: readonly Loss[];
}

export class LossBook {
  readonly all: Loss[] = [];
  /** Warning tokens that ride a turn, with what their footnote counted. */
  readonly warnings = new Map<string, Warning>();

  note(dead: string, slot: Slot, occupant: string | undefined, rides: readonly string[]): Loss {
    const loss: Loss = { dead, slot, occupant, state: 'owed', shownBy: undefined, rides: new Set(rides) };
    this.all.push(loss);
    return loss;
  }

  /** What `droppedFor` must say. */
  open(slot: Slot): Loss[] {
    return this.all.filter((loss) => loss.slot === slot && (loss.state === 'owed' || loss.state === 'displayed'));
  }

  /** What the reader of a tab may be told of now. */
  reportable(slot: Slot, occupant: string | undefined): Loss[] {
    return this.all.filter(
      (loss) =>
        loss.slot === slot && loss.state === 'owed' && (loss.occupant === undefined || loss.occupant === occupant),
    );
  }

  display(losses: readonly Loss[], token: string): void {
    for (const loss of losses) {
      if (loss.state !== 'owed') continue;
      loss.state = 'displayed';
      loss.shownBy = token;
    }
  }

  /** The copy ended without a receipt of its own. */
  undisplay(token: string): void {
    for (const loss of this.all) {
      if (loss.state !== 'displayed' || loss.shownBy !== token) continue;
      loss.state = 'owed';
      loss.shownBy = undefined;
    }
  }

  shownBy(token: string): Loss[] {
    return this.all.filter((loss) => loss.state === 'displayed' && loss.shownBy === token);
  }

  end(losses: readonly Loss[], state: 'told' | 'cancelled' | 'surfaced'): number {
    let count = 0;
    for (const loss of losses) {
      if (loss.state !== 'owed' && loss.state !== 'displayed') continue;
      loss.state = state;
      loss.shownBy = undefined;
      count += 1;
    }
    return count;
  }

  count(state: LossState): number {
    return this.all.filter((loss) => loss.state === state).length;
  }

  move(from: Slot, to: Slot): void {
    for (const loss of this.all) if (loss.slot === from) loss.slot = to;
  }
}
