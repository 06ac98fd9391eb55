/** The handle that the SQLite store needs: the shape of better-sqlite3, so that another driver can serve. */

export interface Statement {
  run(...params: unknown[]): { changes: number; lastInsertRowid: number | bigint };
  get(...params: unknown[]): unknown;
  all(...params: unknown[]): unknown[];
  pluck(on?: boolean): Statement;
}

export interface Database {
  prepare(sql: string): Statement;
  exec(sql: string): unknown;
  pragma(sql: string, options?: { simple?: boolean }): unknown;
  close(): unknown;
}
