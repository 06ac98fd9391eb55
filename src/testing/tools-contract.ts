/** The contract of a tracker of tool calls, as a suite. */

import { register, type Suite } from './rules.ts';
import { argumentsRules } from './tools/arguments.ts';
import { boundsRules } from './tools/bounds.ts';
import { edgeRules } from './tools/edge.ts';
import { executionRules } from './tools/execution.ts';
import { intakeRules } from './tools/intake.ts';
import { pathRules } from './tools/paths.ts';
import type { ToolsSubject } from './tools/rig.ts';
import { runningRules } from './tools/running.ts';

const CHAPTERS = [
  argumentsRules,
  boundsRules,
  edgeRules,
  executionRules,
  intakeRules,
  pathRules,
  runningRules,
] as const;

/**
 * Runs a tracker through the rules that can be seen from outside: what runs, how often, and what it reports.
 *
 * Promises nothing about what it keeps inside, and nothing beyond a reset.
 */
export function toolTrackerContract(name: string, make: ToolsSubject['create'] | ToolsSubject, suite: Suite): void {
  register(
    `the contract of a tool tracker: ${name}`,
    typeof make === 'function' ? { create: make } : make,
    CHAPTERS,
    suite,
  );
}
