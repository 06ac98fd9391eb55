/** `readback/seats`: what was decided still belongs to this branch of the conversation, or it does not count. */
export { answerOutcome } from '../machines/seats/outcome.ts';
export type * from './seats/api.ts';
export { createSeatCache } from './seats/cache.ts';
export { createLineageChecker } from './seats/checker.ts';
export { startLeg } from './seats/leg.ts';
export type { Leg, LegOptions, Refusal } from './seats/leg-types.ts';
export { lineage, lineages } from './seats/lineage.ts';
