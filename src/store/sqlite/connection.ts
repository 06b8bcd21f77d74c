// One SQLite connection with its prepared statements cached by text. Knows nothing of what it stores.
import type Sqlite from 'better-sqlite3';

export type Value = string | number | null;
export type Connection = {
  get<R>(sql: string, ...values: Value[]): R | undefined;
  all<R>(sql: string, ...values: Value[]): R[];
  /** Number of changed rows and the rowid of the last insert. */
  run(sql: string, ...values: Value[]): { changes: number; rowid: number };
  inTransaction(): boolean;
  /** Texts of the cached statements: what this connection has been asked so far. */
  statements(): string[];
};

// Patches make one text per set of columns; more than this would be a leak, so the oldest goes.
const MOST_STATEMENTS = 500;

export function createConnection(db: Sqlite.Database): Connection {
  const cache = new Map<string, Sqlite.Statement<Value[], unknown>>();
  const prepared = (sql: string) => {
    const known = cache.get(sql);
    if (known) return known;
    const made = db.prepare<Value[], unknown>(sql);
    const oldest = cache.keys().next();
    if (cache.size >= MOST_STATEMENTS && !oldest.done) cache.delete(oldest.value);
    cache.set(sql, made);
    return made;
  };
  return {
    get: <R>(sql: string, ...values: Value[]) => prepared(sql).get(...values) as R | undefined,
    all: <R>(sql: string, ...values: Value[]) => prepared(sql).all(...values) as R[],
    run(sql, ...values) {
      const { changes, lastInsertRowid } = prepared(sql).run(...values);
      return { changes, rowid: Number(lastInsertRowid) };
    },
    inTransaction: () => db.inTransaction,
    statements: () => [...cache.keys()],
  };
}
