import { describe, test } from 'vitest';
import { memoryStore } from '../../src/store/memory.ts';
import { storeContract } from '../../src/testing/index.ts';

storeContract('in memory', () => ({ open: memoryStore, keeps: false, end: () => undefined }), { describe, test });
