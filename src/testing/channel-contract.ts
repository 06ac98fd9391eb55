/** The contract of the client's end of the wire, as a suite. */
import { channelRules } from './channel/channel.ts';
import type { ChannelSubject } from './channel/hand.ts';
import { pathRules } from './channel/paths.ts';
import { register, type Suite } from './rules.ts';

const CHAPTERS = [channelRules, pathRules] as const;

/**
 * Runs a channel through the rules and the generated paths, against a server that is played by hand.
 *
 * Promises what the client says and takes on a line that breaks; it shows nothing of a real socket.
 */
export function channelContract(name: string, make: ChannelSubject['create'] | ChannelSubject, suite: Suite): void {
  register(`the contract of a channel: ${name}`, typeof make === 'function' ? { create: make } : make, CHAPTERS, suite);
}
