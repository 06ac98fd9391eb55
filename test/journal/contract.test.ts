import { describe, test } from 'vitest';
import { journalContract } from '../../src/testing/journal-contract.ts';
import { own } from './support.ts';

journalContract('in memory', own, { describe, test });
