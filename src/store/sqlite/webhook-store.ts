// The outbox of webhooks.
import type { Webhook, WebhookReads, WebhookWrites } from '../../domain/webhook.ts';
import type { Connection } from './connection.ts';
import { describeTable, type Row } from './table.ts';

const table = describeTable<Webhook>('webhooks', 'key', {
  key: 'plain',
  url: 'plain',
  body: 'plain',
  state: 'plain',
  attempts: 'plain',
  next_at: 'plain',
  error: 'plain',
  created_at: 'plain',
  updated_at: 'plain',
});
const DUE = `SELECT ${table.columns} FROM webhooks WHERE state = 'pending' AND next_at <= ?
  ORDER BY next_at LIMIT ?`;
const NEXT = `SELECT min(next_at) AS at FROM webhooks WHERE state = 'pending'`;

export const createWebhookReads = (conn: Connection): WebhookReads => ({
  async get(key) {
    return table.byKey(conn, key);
  },
  async due(now, limit) {
    return conn.all<Row>(DUE, now, limit).map(table.decode);
  },
  async nextAt() {
    return conn.get<{ at: string | null }>(NEXT)?.at ?? null;
  },
});

export const createWebhookStore = (conn: Connection, now: () => string): WebhookWrites => ({
  ...createWebhookReads(conn),
  async put(row) {
    conn.run(`${table.insertSql} ON CONFLICT (key) DO NOTHING`, ...table.values(row));
  },
  async patch(key, patch) {
    table.patch(conn, key, patch, now());
  },
  async prune(before) {
    conn.run(`DELETE FROM webhooks WHERE state <> 'pending' AND updated_at < ?`, before);
  },
});
