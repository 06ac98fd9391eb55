import { describe, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { storeContract } from '../../src/testing/index.ts';
import { place } from './place.ts';

storeContract(
  'on SQLite',
  () => {
    const { path, end } = place();
    return { open: () => openSqliteStore(path), keeps: true, end };
  },
  { describe, test },
);
