import { describe, test } from 'vitest';
import { lineage } from '../../src/seats.ts';
import { lineageContract } from '../../src/testing/lineage-contract.ts';

lineageContract('of this package', lineage, { describe, test });
