/** The server in the test's hand of the kit, over the channel of this package. */
import { type ChannelSubject, Hand as KitHand } from '../../src/testing/channel/hand.ts';
import { type Channel, createChannel } from '../../src/wire/channel.ts';
import type { ChannelOptions } from '../../src/wire/channel-options.ts';

export const own: ChannelSubject = { create: createChannel };

export class Hand extends KitHand {
  declare readonly channel: Channel;

  constructor(options: Partial<ChannelOptions> = {}) {
    super(options, own);
  }
}
