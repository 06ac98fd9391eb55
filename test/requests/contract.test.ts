import { describe, test } from 'vitest';
import { requestsContract } from '../../src/testing/requests-contract.ts';
import { own } from './support/rig.ts';

requestsContract('of this package', own, { describe, test });
