// How the fields of a domain type lie in the columns of a table, and the statements that follow from it.
// Column names come from here only, never from a caller.
import { AppError } from '../../domain/errors.ts';
import type { Connection, Value } from './connection.ts';

/** `plain`: as it is. `json`: any value as JSON text. `flag`: boolean as 0 or 1. */
type Form = 'plain' | 'json' | 'flag';
export type Row = Record<string, Value>;

export function describeTable<T extends object>(
  name: string,
  key: keyof T & string,
  /** Every field of the type: its form, or form and column where the column has another name. */
  fields: { [K in keyof T & string]: Form | [form: Form, column: string] },
) {
  const columns = (Object.keys(fields) as (keyof T & string)[]).map((field) => {
    const given: Form | [Form, string] = fields[field];
    const [form, column] = typeof given === 'string' ? [given, field] : given;
    return { field, form, column };
  });
  const names = columns.map((c) => c.column).join(', ');
  const insertSql = `INSERT INTO ${name} (${names}) VALUES (${columns.map(() => '?').join(', ')})`;

  return {
    name,
    columns: names,
    insertSql,
    values: (row: T): Value[] => columns.map((c) => encode(c.form, row[c.field])),
    insert(conn: Connection, row: T): void {
      conn.run(insertSql, ...this.values(row));
    },
    decode: (row: Row): T =>
      Object.fromEntries(columns.map((c) => [c.field, decode(c.form, row[c.column])])) as T,
    byKey(conn: Connection, id: string): T | null {
      const row = conn.get<Row>(`SELECT ${names} FROM ${name} WHERE ${key} = ?`, id);
      return row ? this.decode(row) : null;
    },
    /** Fields that are absent stay; null clears. `updated_at` is `at` unless the patch names it. */
    patch(conn: Connection, id: string, patch: Partial<T>, at: string): void {
      const given = { updated_at: at, ...patch } as Partial<T>;
      const set = columns.filter((c) => c.field !== key && given[c.field] !== undefined);
      const sql = `UPDATE ${name} SET ${set.map((c) => `${c.column} = ?`).join(', ')} WHERE ${key} = ?`;
      const { changes } = conn.run(sql, ...set.map((c) => encode(c.form, given[c.field])), id);
      if (changes === 0) throw new AppError('not_found', `${name} has no row with ${key} "${id}"`);
    },
  };
}

function encode(form: Form, value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (form === 'json') return JSON.stringify(value);
  if (form === 'flag') return value ? 1 : 0;
  return value as Value;
}

function decode(form: Form, value: Value | undefined): unknown {
  if (value === null || value === undefined) return null;
  if (form === 'json') return JSON.parse(String(value));
  if (form === 'flag') return value === 1;
  return value;
}
