/** Runs that broke something once, kept as files with a note of what it was. */
import { readdirSync, readFileSync } from 'node:fs';
import { isSequence, type Sequence } from './sequence.ts';

const FOLDER = new URL('../regressions/', import.meta.url);

export interface Regression {
  readonly name: string;
  readonly note: string;
  readonly sequence: Sequence;
}

/** The files of this folder that hold a run of the journal: `journal-*.json`. */
export function loadRegressions(): Regression[] {
  const names = readdirSync(FOLDER).filter((name) => name.startsWith('journal-') && name.endsWith('.json'));
  return names.sort().map((name) => {
    const parsed: unknown = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));
    if (typeof parsed !== 'object' || parsed === null) throw new Error(`${name}: no object`);
    const { note, sequence } = parsed as { note?: unknown; sequence?: unknown };
    if (typeof note !== 'string' || note === '') throw new Error(`${name}: says not what it is for`);
    if (!isSequence(sequence)) throw new Error(`${name}: holds no run`);
    return { name, note, sequence };
  });
}
