/** One process with an answer that follows its branch, on a database in a file, which kills itself at one commit. */
import { setTimeout } from 'node:timers/promises';
import { openCoordinator } from '../../src/coordinator.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { asChild } from '../coordinator/child-process.ts';
import { STEPS, Story } from './story.ts';

export interface Note {
  readonly what: 'begun' | 'ended' | 'asked' | 'pushed' | 'done';
  /** Of a step. */
  readonly step?: number;
  /** An ask id, or a token. */
  readonly id?: string;
  readonly isRepeat?: boolean;
  readonly isOn?: boolean;
}

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const { path, write, mortal } = asChild<Note>();

const story = new Story();
story.told = ({ token, isRepeat, isOn }) => write({ what: 'pushed', id: token, isRepeat, isOn });
const store = mortal(openSqliteStore(path));
story.c = await openCoordinator({ store, ...story.options, alwaysVisible: true, logger: SILENT });
for (const [i, step] of STEPS.entries()) {
  write({ what: 'begun', step: i });
  await step(story);
  // What follows by itself, and what may share a later commit.
  await setTimeout(60);
  if (i === 0) write({ what: 'asked', id: story.id });
  write({ what: 'ended', step: i });
}
await story.c.close();
write({ what: 'done' });
process.exit(0);
