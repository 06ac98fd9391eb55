import { describe, test } from 'vitest';
import { channelContract } from '../../src/testing/channel-contract.ts';
import { own } from './hand.ts';

channelContract('of this package', own, { describe, test });
