/** Public entry `readback/contracts`: declare what travels, check it, and write it down for clients. */
export { ContractError } from './wire/contracts/closed.ts';
export { incompleteness, type RunningNames } from './wire/contracts/complete.ts';
export { defaultPack } from './wire/contracts/default-pack.ts';
export { type EventChecks, eventChecks } from './wire/contracts/events.ts';
export { type GeneratedFiles, type GenerateOptions, generate } from './wire/contracts/generate.ts';
export { jsonObject, jsonValue, whole } from './wire/contracts/json-value.ts';
export {
  approvalChoice,
  approvalFields,
  batchAnswers,
  decisionFields,
  openRequest,
  openRequests,
  replayedEvent,
  valueResult,
} from './wire/contracts/models.ts';
export {
  contracts,
  type EventContract,
  type MethodContract,
  type MethodSpec,
  type Pack,
  type ParamsSchema,
  type RequestSpec,
  type ResultSchema,
  type ServerRequestContract,
} from './wire/contracts/pack.ts';
export { answeringPack } from './wire/contracts/pack-answering.ts';
export { questionPack } from './wire/contracts/pack-questions.ts';
export { secretPack } from './wire/contracts/pack-secrets.ts';
export { sessionPack } from './wire/contracts/pack-sessions.ts';
export { windowPack } from './wire/contracts/pack-windows.ts';
export { type Fault, keyPath, type Path, type Problem } from './wire/contracts/paths.ts';
export { type ContractPolicy, ContractViolation, contractPolicy, type ViolationKind } from './wire/contracts/policy.ts';
export { requestContracts } from './wire/contracts/request-contracts.ts';
export { type Call, createDispatcher, type Dispatcher, type DispatcherOptions, type Handler } from './wire/dispatch.ts';
export { type RequestRelay, requestHandlers, withOpenRequests } from './wire/dispatch-handlers.ts';
export type { JsonObject, JsonValue } from './wire/json.ts';
