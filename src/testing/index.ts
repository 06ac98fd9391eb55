/**
 * `readback/testing`: what a test of an own host or store needs. No test runner is required: the suites take
 * `describe` and `test` of whichever there is.
 */

export { type FaultyLine, faultyChannel, type LineFault } from './channel/faulty.ts';
export { type ChannelLike, type ChannelSubject, Hand } from './channel/hand.ts';
export { type CardPath, cardPaths, walkCardPath } from './channel/paths.ts';
export type { CardSight } from './channel/sight.ts';
export { afterwards as cardAfterwards, type CardStep } from './channel/walk.ts';
export { channelContract } from './channel-contract.ts';
export { type CallKind, type Fault, type FaultyStore, faultyStore, type StoreCall } from './faulty-store.ts';
export { HandRuntime, type HandRuntimeOptions, handRuntime } from './hand-runtime.ts';
export { type JournalPath, journalPaths, walkJournalPath } from './journal/paths.ts';
export type { JournalAbility, JournalLike, JournalSubject, LaterJournalSubject } from './journal/subject.ts';
export type { Sight, Step } from './journal/walk.ts';
export { journalContract } from './journal-contract.ts';
export { type LineagePath, lineagePaths, walkLineagePath } from './lineage/paths.ts';
export type { LineageSubject } from './lineage/subject.ts';
export type { LineageSight, LineageStep } from './lineage/walk.ts';
export { lineageContract } from './lineage-contract.ts';
export { type MirrorPath, mirrorPaths, walkMirrorPath } from './requests/mirror-paths.ts';
export type { MirrorSight, MirrorStep } from './requests/mirror-walk.ts';
export { type RequestPath, requestPaths, walkRequestPath } from './requests/paths.ts';
export type { RequestsSubject } from './requests/rig.ts';
export type { RequestSight } from './requests/sight.ts';
export type { RequestStep } from './requests/walk.ts';
export { requestsContract } from './requests-contract.ts';
export type { Suite, TestContext } from './rules.ts';
export { type StoreFixture, storeContract } from './store-contract.ts';
export { type ToolPath, toolPaths, walkToolPath } from './tools/paths.ts';
export type { ToolsSubject } from './tools/rig.ts';
export { afterwards as toolAfterwards, type ShownCall, type ToolSight, type ToolStep } from './tools/walk.ts';
export { toolTrackerContract } from './tools-contract.ts';

/** A log that keeps its lines, for reading them back. */
export class KeptLog {
  readonly lines: { readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly text: string }[] = [];
  readonly debug = this.#writer('debug');
  readonly info = this.#writer('info');
  readonly warn = this.#writer('warn');
  readonly error = this.#writer('error');

  #writer(level: 'debug' | 'info' | 'warn' | 'error') {
    return (...args: unknown[]): void => {
      const text = args.map((arg) => (typeof arg === 'string' ? arg : JSON.stringify(arg))).join(' ');
      this.lines.push({ level, text });
    };
  }

  /** Texts of the lines at one level. */
  at(level: 'debug' | 'info' | 'warn' | 'error'): string[] {
    return this.lines.filter((line) => line.level === level).map((line) => line.text);
  }
}
