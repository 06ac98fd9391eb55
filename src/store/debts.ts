/** Losses and warning tokens. They are few and small, so every store keeps them in memory and writes changes through. */
import type { LossRow, WarningRow } from '../journal/rows.ts';

export abstract class Debts {
  /** How to forget what is staged, last change last; null while nothing need be undone. */
  undo: (() => void)[] | null = null;
  readonly #losses = new Map<number, LossRow>();
  readonly #byToken = new Map<string, LossRow>();
  readonly #byTab = new Map<string, Set<LossRow>>();
  readonly #warnings = new Map<number, WarningRow>();

  protected undoable(undo: () => void): void {
    this.undo?.push(undo);
  }

  /** Called after a change of a loss or a warning, with the row or, when it is gone, undefined. */
  protected saveLoss(_id: number, _row: LossRow | undefined): void {}
  protected saveWarning(_n: number, _row: WarningRow | undefined): void {}

  #lastLoss = 0;

  nextLoss(): number {
    this.#lastLoss += 1;
    return this.#lastLoss;
  }

  get lossCount(): number {
    return this.#losses.size;
  }

  loss(id: number): LossRow | undefined {
    return this.#losses.get(id);
  }

  lossOf(token: string): LossRow | undefined {
    return this.#byToken.get(token);
  }

  losses(tab?: string): LossRow[] {
    const rows = tab === undefined ? [...this.#losses.values()] : [...(this.#byTab.get(tab) ?? [])];
    return rows.sort((a, b) => a.id - b.id);
  }

  addLoss(row: LossRow): void {
    this.#putLoss(row);
    this.saveLoss(row.id, row);
    this.undoable(() => this.#takeLoss(row));
  }

  dropLoss(row: LossRow): void {
    this.#takeLoss(row);
    this.saveLoss(row.id, undefined);
    this.undoable(() => this.#putLoss(row));
  }

  setLoss(row: LossRow, at: LossRow['at']): void {
    const before = row.at;
    this.#restate(row, at);
    this.saveLoss(row.id, row);
    this.undoable(() => this.#restate(row, before));
  }

  #restate(row: LossRow, at: LossRow['at']): void {
    const moves = at.context.tab !== row.at.context.tab;
    if (moves) this.#takeLoss(row);
    row.at = at;
    if (moves) this.#putLoss(row);
  }

  #putLoss(row: LossRow): void {
    this.#losses.set(row.id, row);
    this.#byToken.set(row.at.context.of, row);
    const { tab } = row.at.context;
    const there = this.#byTab.get(tab);
    if (there === undefined) this.#byTab.set(tab, new Set([row]));
    else there.add(row);
  }

  #takeLoss(row: LossRow): void {
    this.#losses.delete(row.id);
    this.#byToken.delete(row.at.context.of);
    const there = this.#byTab.get(row.at.context.tab);
    if (there?.delete(row) && there.size === 0) this.#byTab.delete(row.at.context.tab);
  }

  warning(n: number): WarningRow | undefined {
    return this.#warnings.get(n);
  }

  warnings(): WarningRow[] {
    return [...this.#warnings.values()];
  }

  addWarning(row: WarningRow): void {
    this.#warnings.set(row.n, row);
    this.saveWarning(row.n, row);
    this.undoable(() => void this.#warnings.delete(row.n));
  }

  setWarning(row: WarningRow, at: WarningRow['at']): void {
    const before = row.at;
    row.at = at;
    this.saveWarning(row.n, row);
    this.undoable(() => {
      row.at = before;
    });
  }

  dropWarning(row: WarningRow): void {
    this.#warnings.delete(row.n);
    this.saveWarning(row.n, undefined);
    this.undoable(() => void this.#warnings.set(row.n, row));
  }

  /** For a store that read them from disk. */
  protected loadDebts(losses: readonly LossRow[], warnings: readonly WarningRow[]): void {
    for (const row of losses) {
      this.#putLoss(row);
      this.#lastLoss = Math.max(this.#lastLoss, row.id);
    }
    for (const row of warnings) this.#warnings.set(row.n, row);
  }

  protected clearDebts(): void {
    for (const row of this.warnings()) this.dropWarning(row);
    for (const row of this.losses()) this.dropLoss(row);
  }
}
