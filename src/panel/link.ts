import { type Channel, type ChannelState, createChannel, type JsonObject, webSocketTransport } from '../channel.ts';

export interface LinkState {
  readonly state: 'connecting' | 'open' | 'lost';
  /** Attempts that failed since the last good connection. */
  readonly failures: number;
}

export interface LinkOptions {
  readonly url: string;
  /** The same name over all sockets of this window. */
  readonly window: string;
  /** One part of what is open, with what the host says beside it. */
  readonly resumed: (reply: JsonObject) => void;
  readonly moved: (state: ChannelState) => void;
}

/** The page's end of the wire: opens its socket again after each loss, and is told then of all that is open. */
export function createLink({ url, window, resumed, moved }: LinkOptions): Channel {
  return createChannel({
    connect: webSocketTransport(url),
    resume: { method: 'desk.resume', params: { window }, onReply: resumed },
    onState: moved,
    // The console is where a person who debugs a page looks; nothing that was answered is in a message of ours.
    onCallbackError: (error) => console.error(error),
  });
}

/** How the connection is shown. It counts as open once all is told; a lost one stays lost until then. */
export function nextLink(before: LinkState, { state, failures, caughtUp }: ChannelState): LinkState {
  if (caughtUp) return { state: 'open', failures: 0 };
  const isLost = state === 'lost' || before.state !== 'connecting';
  return { state: isLost ? 'lost' : 'connecting', failures: Math.max(failures, isLost ? 1 : 0) };
}
