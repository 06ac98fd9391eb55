/** The one catalogue of the error numbers that travel. Imports nothing: pages use it too. */

const CATALOGUE = {
  /** Params hold a key that the contract does not know; the message names the method and the key path. */
  unknown_key: { code: 4000, message: 'unknown key' },
  /** No live session has that id. */
  no_session: { code: 4001, message: 'session not found' },
  /** An answer without its ids, for a question the batch does not have, or that does not conform. */
  bad_answer: { code: 4002, message: 'the answer does not fit what was asked' },
  /** A documented identifier is missing. */
  missing_id: { code: 4006, message: 'a required identifier is missing' },
  /** Claims something nobody is waiting on, or that is busy. Never used for a late answer: that is `expired`. */
  orphan: { code: 4009, message: 'nobody is waiting on this' },
  /** A malformed url or range. */
  bad_argument: { code: 4015, message: 'malformed argument' },
  /** A client declines: it does not show this session. Means what `not_owner` means. */
  not_shown: { code: 4404, message: 'this session is not shown here' },
  /** The approval queue failed. */
  approval_failed: { code: 5004, message: 'the approval backend failed' },
  /** The child process could not be reached, or gave no verdict. */
  relay_failed: { code: 5019, message: 'the process that owns the question could not be reached' },
  /** The backend is retiring and admits nothing new. */
  retiring: { code: 5035, message: 'the backend is retiring' },
  invalid_request: { code: -32600, message: 'not a request' },
  unknown_method: { code: -32601, message: 'unknown method' },
  invalid_params: { code: -32602, message: 'invalid params' },
  client_crashed: { code: -32603, message: 'the handler of the client crashed' },
  server_crashed: { code: -32000, message: 'the handler of the server crashed' },
  /** A window declines: another one owns this. Not an answer. */
  not_owner: { code: -32004, message: 'this window does not own what was asked for' },
} as const;

/** The error numbers of the wire, by name. */
export type RpcErrorName = keyof typeof CATALOGUE;

/** The number of an error. */
export const rpcCode = (name: RpcErrorName): number => CATALOGUE[name].code;

/** What an error says when nothing better is known. */
export const rpcMessage = (name: RpcErrorName): string => CATALOGUE[name].message;

/**
 * A refusal that a caller over the wire gets as an error response.
 *
 * `code` is a number of the catalogue; `data` travels as it is and never holds a value that somebody answered.
 */
export class RpcRefusal extends Error {
  readonly code: number;
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(name: RpcErrorName, detail?: string, data?: Readonly<Record<string, unknown>>) {
    super(detail ?? CATALOGUE[name].message);
    this.name = 'RpcRefusal';
    this.code = CATALOGUE[name].code;
    this.data = data;
  }
}

/** The batch has no question of that id; nothing was changed. */
export class UnknownQuestion extends RpcRefusal {
  constructor(id: string, qid: string) {
    super('bad_answer', `request ${id} has no question "${qid}"`, { id, question_id: qid });
    this.name = 'UnknownQuestion';
  }
}
