/** Opens the store in the file it is given, puts one answer there, says so, and stays until it is killed. */
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { newEntry } from '../../src/testing/rows.ts';

const store = openSqliteStore(process.argv[2] ?? '');
newEntry(store.book, 'pa-1');
store.commit();
process.send?.('open');
process.on('disconnect', () => process.exit(1));
