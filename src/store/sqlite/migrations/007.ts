// Step 7: threads, runs and items of the Agent Protocol, and the outbox of webhooks. A thread goes with its task or its query.

export const up = `
CREATE TABLE protocol_threads (
  thread_id TEXT PRIMARY KEY, assistant TEXT, metadata_json TEXT NOT NULL, values_json TEXT NOT NULL,
  temporary INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE TABLE protocol_runs (
  run_id TEXT PRIMARY KEY,
  thread_id TEXT NOT NULL REFERENCES protocol_threads (thread_id) ON DELETE CASCADE,
  assistant TEXT NOT NULL, work_id TEXT NOT NULL, state TEXT NOT NULL, status TEXT, reason TEXT, error TEXT,
  strategy TEXT NOT NULL, metadata_json TEXT NOT NULL, request_json TEXT NOT NULL,
  values_before_json TEXT, not_before TEXT,
  from_seq INTEGER NOT NULL, from_checkpoint INTEGER NOT NULL,
  to_seq INTEGER, to_checkpoint INTEGER,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE INDEX protocol_run_thread ON protocol_runs (thread_id);
CREATE INDEX protocol_run_open ON protocol_runs (state) WHERE state <> 'ended';
CREATE TRIGGER protocol_thread_of_task AFTER DELETE ON tasks BEGIN
  DELETE FROM protocol_threads WHERE thread_id = OLD.task_id;
END;
CREATE TRIGGER protocol_thread_of_query AFTER DELETE ON queries BEGIN
  DELETE FROM protocol_threads WHERE thread_id = OLD.query_id;
END;
CREATE TABLE store_items (
  namespace TEXT NOT NULL, key TEXT NOT NULL, value_json TEXT NOT NULL, expires_at TEXT,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL, PRIMARY KEY (namespace, key)
);
CREATE INDEX store_item_age ON store_items (updated_at);
CREATE TABLE webhooks (
  key TEXT PRIMARY KEY, url TEXT NOT NULL, body TEXT NOT NULL, state TEXT NOT NULL,
  attempts INTEGER NOT NULL, next_at TEXT NOT NULL, error TEXT,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE INDEX webhook_due ON webhooks (next_at) WHERE state = 'pending';
CREATE INDEX store_item_end ON store_items (expires_at) WHERE expires_at IS NOT NULL;
`;

export const down = `
DROP TABLE webhooks;
DROP TABLE store_items;
DROP TRIGGER protocol_thread_of_query;
DROP TRIGGER protocol_thread_of_task;
DROP TABLE protocol_runs;
DROP TABLE protocol_threads;
`;
