/** `readback/machines`: the charts themselves, for drawing, exporting and testing. Pure; the package's only door to XState types. */
export { coordinatorMachine } from './coordinator.ts';
export { answerMachine } from './journal/answer.ts';
export { debtMachine } from './journal/debt.ts';
export { lossMachine } from './journal/loss.ts';
export { ticketMachine } from './journal/ticket.ts';
export { approvalMachine } from './requests/approval.ts';
export { cardMachine } from './requests/card.ts';
export { followerMachine } from './requests/follower.ts';
export { grantMachine } from './requests/grant.ts';
export { mirrorMachine } from './requests/mirror.ts';
export { requestMachine } from './requests/request.ts';
export { retirementMachine } from './retirement.ts';
export { fenceMachine } from './seats/fence.ts';
export { seatMachine } from './seats/seat.ts';
export { verdictMachine } from './seats/verdict.ts';
export {
  type Chart,
  type ChartOf,
  ChartRefusal,
  compile,
  type Effect,
  restore,
  type Snapshot,
  type Step,
  start,
  step,
} from './shared/step.ts';
export { callMachine } from './tools/call.ts';
export { spendMachine } from './tools/spend.ts';
export { trackerMachine } from './tools/tracker.ts';
