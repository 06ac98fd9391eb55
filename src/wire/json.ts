/** JSON as it travels, and the frames of JSON-RPC 2.0. Types only: every end of a wire, browsers too, sees these. */

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** An id of a client: ids `0` and `''` are ids. Ids of a server are texts that start with `srq-`. */
export type RpcId = string | number;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonValue | undefined;
}

export interface RpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: RpcId;
  readonly method: string;
  readonly params?: JsonObject | undefined;
}

export interface RpcSuccess {
  readonly jsonrpc: '2.0';
  readonly id: RpcId;
  readonly result: JsonObject;
}

export interface RpcFailure {
  readonly jsonrpc: '2.0';
  readonly id: RpcId | null;
  readonly error: RpcError;
}

/** Something the server tells; it has no id and gets no reply. */
export interface RpcEvent {
  readonly jsonrpc: '2.0';
  readonly method: 'event';
  readonly params: {
    readonly type: string;
    readonly session_id: string;
    readonly seq?: number | undefined;
    readonly payload?: JsonObject | undefined;
  };
}

export type RpcFrame = RpcRequest | RpcSuccess | RpcFailure | RpcEvent;
