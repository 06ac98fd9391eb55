/** `readback/seats`: what was decided still belongs to this branch of the conversation, or it does not count. */
export { answerOutcome } from '../machines/seats/outcome.ts';
export { type AiSdkLogOptions, aiSdkLog, type UIMessageLike } from './seats/adapters/ai-sdk.ts';
export { type ClaudeCodeLog, claudeCodeLog } from './seats/adapters/claude-code.ts';
export {
  type CheckpointConfig,
  type CheckpointTupleLike,
  checkpointAnchor,
  type LangGraphLogOptions,
  langGraphLog,
} from './seats/adapters/langgraph.ts';
export { type ListLog, type ListLogOptions, listLog } from './seats/adapters/list.ts';
export type { ConversationLog } from './seats/adapters/log.ts';
export { type TreeLogOptions, treeLog } from './seats/adapters/tree.ts';
export type * from './seats/api.ts';
export { createSeatCache } from './seats/cache.ts';
export { createLineageChecker } from './seats/checker.ts';
export { startLeg } from './seats/leg.ts';
export type { Leg, LegOptions, Refusal } from './seats/leg-types.ts';
export { lineage, lineages } from './seats/lineage.ts';
