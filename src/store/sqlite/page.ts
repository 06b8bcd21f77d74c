// Pages, newest first: by rowid, which is the order of insertion and does not follow a clock that jumps.
import { AppError } from '../../domain/errors.ts';
import type { Page, PageAsk } from '../../domain/ports.ts';
import type { Connection, Value } from './connection.ts';
import type { Row } from './table.ts';

const MOST_ROWS = 1000;

/** Opaque to the reader: the rowid of the last row it has seen. */
const encodeCursor = (rowid: number): string =>
  Buffer.from(`before:${rowid}`).toString('base64url');

function decodeCursor(cursor: string | null): number {
  if (cursor === null) return Number.MAX_SAFE_INTEGER;
  const found = /^before:([1-9]\d{0,15})$/.exec(
    Buffer.from(cursor, 'base64url').toString('latin1'),
  );
  const rowid = Number(found?.[1]);
  if (!Number.isSafeInteger(rowid) || encodeCursor(rowid) !== cursor)
    throw new AppError(
      'bad_request',
      'cursor is not one of ours: pass next_cursor of the page before unchanged, or leave it out',
      { errors: [{ path: 'cursor', message: 'malformed' }] },
    );
  return rowid;
}

function checkLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST_ROWS) return;
  throw new AppError(
    'bad_request',
    `limit is ${limit}; allowed are whole numbers from 1 to ${MOST_ROWS}`,
    {
      errors: [{ path: 'limit', message: `1 to ${MOST_ROWS}` }],
    },
  );
}

/**
 * `lead`: conditions that an index serves together. `rest`: checked row by row. Absent values are no condition.
 * The unary plus keeps the planner from an index of the rest, which would have to be sorted.
 */
export function readPage<T>(
  conn: Connection,
  table: { name: string; columns: string; decode(row: Row): T },
  ask: PageAsk,
  lead: Record<string, Value | undefined>,
  rest: Record<string, Value | undefined> = {},
): Page<T> {
  checkLimit(ask.limit);
  const before = decodeCursor(ask.cursor);
  const given = (part: typeof lead) => Object.entries(part).filter(([, v]) => v !== undefined);
  const conditions = [
    ...given(lead).map(([column]) => `${column} = ?`),
    ...given(rest).map(([column]) => `+${column} = ?`),
    'rowid < ?',
  ];
  const values = [...given(lead), ...given(rest)].map(([, v]) => v as Value);
  const rows = conn.all<Row>(
    `SELECT rowid AS rowid_, ${table.columns} FROM ${table.name} WHERE ${conditions.join(' AND ')} ORDER BY rowid DESC LIMIT ?`,
    ...values,
    before,
    ask.limit + 1,
  );
  const shown = rows.slice(0, ask.limit);
  const last = shown.at(-1);
  return {
    data: shown.map(table.decode),
    next_cursor: rows.length > ask.limit && last ? encodeCursor(Number(last.rowid_)) : null,
  };
}
