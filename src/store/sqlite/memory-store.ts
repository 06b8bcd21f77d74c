// Long-term memory: records with their words and vectors. What is superseded leaves index and vectors in the unit that
// supersedes it. Never ranks by anything but BM25: what is relevant is decided above.
import { GLOBAL, type MemoryFilter, type MemoryRecord, scopeOf } from '../../domain/memory.ts';
import type { MemoryReads, MemoryWrites } from '../../domain/memory-ports.ts';
import type { Connection, Value } from './connection.ts';
import { readPage } from './page.ts';
import { describeTable, type Row } from './table.ts';

const table = describeTable<MemoryRecord>('memory_records', 'record_id', {
  record_id: 'plain',
  layer: 'plain',
  content: 'plain',
  scope_key: 'plain',
  source: 'plain',
  tags: ['json', 'tags_json'],
  status: 'plain',
  correction_of: 'plain',
  created_at: 'plain',
  updated_at: 'plain',
});
const COLUMNS = table.columns.replace(/(\w+)/g, 'r.$1');
const ENTRY = 'JOIN memory_entries e ON e.record_id = r.record_id';
const BY_CALL = `SELECT ${COLUMNS} FROM memory_entries e JOIN memory_records r ON r.record_id = e.record_id
  WHERE e.run_id = ? AND e.call_id = ?`;
const SAME = `SELECT ${table.columns} FROM memory_records
  WHERE scope_key = ? AND layer = ? AND status = 'active' AND content = ? LIMIT 1`;
// Up to the first record of the chain, then down to the last: each record corrects one, and is corrected once.
const HISTORY = `WITH RECURSIVE up (id, above) AS (
    SELECT record_id, correction_of FROM memory_records WHERE record_id = ?
    UNION SELECT r.record_id, r.correction_of FROM up JOIN memory_records r ON r.record_id = up.above
  ), down (id) AS (
    SELECT id FROM up WHERE above IS NULL
    UNION SELECT r.record_id FROM down JOIN memory_records r ON r.correction_of = down.id
  )
  SELECT ${COLUMNS}, e.reason FROM down JOIN memory_records r ON r.record_id = down.id ${ENTRY} ORDER BY e.n`;
const TOTAL = "SELECT count(*) AS n FROM memory_records WHERE status = 'active'";
const SEEN = 'SELECT doc FROM memory_terms WHERE term = ?';
const WITHOUT_VECTOR = `SELECT ${COLUMNS} FROM memory_records r ${ENTRY}
  LEFT JOIN memory_vectors v ON v.n = e.n AND v.model = ?
  WHERE r.status = 'active' AND v.n IS NULL ORDER BY e.n LIMIT ?`;
const NUMBER = `SELECT e.n FROM memory_entries e JOIN memory_records r ON r.record_id = e.record_id
  WHERE e.record_id = ? AND r.status = 'active'`;
const INSERT_ENTRY =
  'INSERT INTO memory_entries (record_id, run_id, call_id, reason) VALUES (?, ?, ?, ?)';
const PUT_VECTOR = `INSERT INTO memory_vectors (n, model, vector) VALUES (?, ?, ?)
  ON CONFLICT (n) DO UPDATE SET model = excluded.model, vector = excluded.vector`;

/** Conditions on `r` and their values; what is of another project is never seen. */
function seen({ project, layer }: MemoryFilter): { where: string; values: Value[] } {
  const parts = ["r.status = 'active'"];
  const values: Value[] = [];
  if (project !== null) {
    parts.push('r.scope_key IN (?, ?)');
    values.push(GLOBAL, scopeOf('project/context', project));
  }
  if (layer !== null) {
    parts.push('r.layer = ?');
    values.push(layer);
  }
  return { where: parts.join(' AND '), values };
}

/** Terms hold letters, digits and `_` only; quoted, none of them is an operator. */
const anyOf = (terms: readonly string[]): string => terms.map((term) => `"${term}"`).join(' OR ');

const packed = (vector: readonly number[]): string =>
  Buffer.from(Float32Array.from(vector).buffer).toString('base64');
function unpacked(text: Value | undefined): number[] {
  const bytes = Buffer.from(String(text), 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
}

export const createMemoryReads = (conn: Connection): MemoryReads => ({
  async get(record_id) {
    return table.byKey(conn, record_id);
  },
  async byCall({ run_id, call_id }) {
    const row = conn.get<Row>(BY_CALL, run_id, call_id);
    return row ? table.decode(row) : null;
  },
  async same({ layer, scope_key, content }) {
    const row = conn.get<Row>(SAME, scope_key, layer, content);
    return row ? table.decode(row) : null;
  },
  async list({ limit, cursor, project, layer, status }) {
    const scope_key = project ? scopeOf('project/context', project) : undefined;
    const given = { layer: layer ?? undefined, status };
    // The first that is given leads; each has an index.
    const lead = scope_key ? { scope_key, ...given } : layer ? given : { status };
    return readPage(conn, table, { limit, cursor }, lead);
  },
  async history(record_id) {
    const rows = conn.all<Row>(HISTORY, record_id);
    return rows.map((row) => ({ ...table.decode(row), reason: row.reason as string | null }));
  },
  async match(terms, filter, limit) {
    if (terms.length === 0) return [];
    const { where, values } = seen(filter);
    const sql = `SELECT ${COLUMNS}, bm25(memory_index) AS rank_ FROM memory_index
      JOIN memory_entries e ON e.n = memory_index.rowid JOIN memory_records r ON r.record_id = e.record_id
      WHERE memory_index MATCH ? AND ${where} ORDER BY rank_ LIMIT ?`;
    const rows = conn.all<Row>(sql, anyOf(terms), ...values, limit);
    return rows.map((row) => ({ record: table.decode(row), score: -Number(row.rank_) }));
  },
  async frequencies(terms) {
    const of = new Map<string, number>();
    const total = conn.get<{ n: number }>(TOTAL)?.n ?? 0;
    if (total > 0)
      for (const term of terms) {
        const doc = conn.get<{ doc: number }>(SEEN, term)?.doc;
        if (doc !== undefined) of.set(term, doc);
      }
    return { total, of };
  },
  async vectors(model, filter) {
    const { where, values } = seen(filter);
    const sql = `SELECT ${COLUMNS}, v.vector FROM memory_vectors v JOIN memory_entries e ON e.n = v.n
      JOIN memory_records r ON r.record_id = e.record_id WHERE v.model = ? AND ${where}`;
    const rows = conn.all<Row>(sql, model, ...values);
    return rows.map((row) => ({ record: table.decode(row), vector: unpacked(row.vector) }));
  },
  async withoutVector(model, limit) {
    return conn.all<Row>(WITHOUT_VECTOR, model, limit).map(table.decode);
  },
});

export const createMemoryStore = (conn: Connection, now: () => string): MemoryWrites => ({
  ...createMemoryReads(conn),
  async insert(record, { terms, call, reason }) {
    table.insert(conn, record);
    const { run_id = null, call_id = null } = call ?? {};
    const { rowid } = conn.run(INSERT_ENTRY, record.record_id, run_id, call_id, reason);
    if (record.status !== 'active') return;
    conn.run('INSERT INTO memory_index (rowid, words) VALUES (?, ?)', rowid, [...terms].join(' '));
  },
  async supersede(record_id) {
    const n = conn.get<{ n: number }>(NUMBER, record_id)?.n;
    if (n === undefined) return false;
    table.patch(conn, record_id, { status: 'superseded' }, now());
    conn.run('DELETE FROM memory_index WHERE rowid = ?', n);
    conn.run('DELETE FROM memory_vectors WHERE n = ?', n);
    return true;
  },
  async putVector(record_id, model, vector) {
    const n = conn.get<{ n: number }>(NUMBER, record_id)?.n;
    if (n !== undefined) conn.run(PUT_VECTOR, n, model, packed(vector));
  },
});
