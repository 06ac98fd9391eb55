/** Message lists of the AI SDK: `UIMessage[]`, as `useChat` holds them and applications store them. */
import { type ListLog, listLog } from './list.ts';

/** What is looked at of a `UIMessage`. */
export interface UIMessageLike {
  readonly id: string;
  readonly role: string;
  readonly metadata?: unknown;
}

export interface AiSdkLogOptions<T extends UIMessageLike> {
  readonly messages: () => readonly T[];
  /** Whether this message stands for earlier ones that are no longer sent. The SDK marks none: only you know yours. */
  readonly isSummary: (message: T) => boolean | undefined;
}

/**
 * A list of `UIMessage`. Regenerating or editing takes messages out of it, which refuses what was anchored there. What
 * `prepareStep` or `convertToModelMessages` leaves out of one request is in no list, and cannot be seen here.
 */
export function aiSdkLog<T extends UIMessageLike>({ messages, isSummary }: AiSdkLogOptions<T>): ListLog<T> {
  return listLog<T>({ entries: messages, idOf: ({ id }) => id, isBreak: isSummary });
}
