/** The figures of SQLite as JSON, for a parent that makes each sync take longer. */
import { sqliteBench } from './sqlite.ts';

console.log(JSON.stringify(await sqliteBench({ where: ', syncs a millisecond longer', rounds: 100 })));
process.exit(0);
