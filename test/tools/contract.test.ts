import { describe, test } from 'vitest';
import { toolTrackerContract } from '../../src/testing/tools-contract.ts';
import { own } from './rig.ts';

toolTrackerContract('of this package', own, { describe, test });
