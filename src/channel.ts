/** `readback/channel`: the client's end of the wire, for pages and programs. Nothing here needs Node. */
export type { AnswerForm, CardEnd } from '../machines/requests/card-facts.ts';
export { CallLost, CallRefused } from './wire/calls.ts';
export {
  type Arrival,
  type CardKind,
  type CardKinds,
  personKinds,
  type SessionFacts,
  type WindowKindOptions,
  windowKind,
} from './wire/card-kinds.ts';
export { endWords, type Words } from './wire/card-words.ts';
export { type Card, CardDesk, type CardDeskOptions, createCardDesk, type GoneCard } from './wire/cards.ts';
export { Channel, createChannel } from './wire/channel.ts';
export type { ChannelLimits, ChannelOptions, ChannelState } from './wire/channel-options.ts';
export type { Connect, ReconnectOptions, Transport, TransportHandlers } from './wire/connection.ts';
export type { HeartbeatOptions } from './wire/heartbeat.ts';
export type { JsonObject, JsonValue, RpcError } from './wire/json.ts';
export type { Stop, Timers } from './wire/platform.ts';
export type { Question } from './wire/question.ts';
export type { AnswerVerdict, LockVerdict, QuestionOwner, Sent } from './wire/question-types.ts';
export type { RequestHandler } from './wire/questions.ts';
export type { ChannelEvent, ResumeOptions } from './wire/replay.ts';
export { type SocketTransportOptions, type StandardSocket, webSocketTransport } from './wire/socket-transport.ts';
