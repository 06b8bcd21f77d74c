// Step 1: all tables of the first release. Rows keep the order of their insertion by rowid.
// An index ends in the rowid by itself, so (status) also serves "newest first, from here on".
// Every index costs a page in each commit that accepts a task: there is none that another one can replace.

export const up = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO meta (key, value) VALUES ('created_at', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));

CREATE TABLE queries (
  query_id TEXT PRIMARY KEY, kind TEXT NOT NULL, input TEXT NOT NULL, status TEXT NOT NULL,
  answer TEXT, branched INTEGER NOT NULL DEFAULT 0, workdir TEXT NOT NULL,
  options_json TEXT NOT NULL, usage_json TEXT NOT NULL, error_json TEXT,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE INDEX queries_status ON queries (status);
CREATE INDEX queries_kind ON queries (kind);

CREATE TABLE tasks (
  task_id TEXT PRIMARY KEY, run_id TEXT NOT NULL,
  query_id TEXT NOT NULL REFERENCES queries (query_id) ON DELETE CASCADE,
  parent_task_id TEXT, subagent_type TEXT NOT NULL, description TEXT NOT NULL,
  status TEXT NOT NULL, waiting TEXT, depth INTEGER NOT NULL, max_depth INTEGER NOT NULL,
  result TEXT, error_json TEXT, usage_json TEXT NOT NULL, unverified_json TEXT NOT NULL DEFAULT '[]',
  delivered_at TEXT,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE INDEX tasks_query ON tasks (query_id);
CREATE INDEX tasks_status ON tasks (status);
CREATE INDEX tasks_role ON tasks (subagent_type);

CREATE TABLE task_output (
  chunk_id INTEGER PRIMARY KEY,
  task_id TEXT NOT NULL REFERENCES tasks (task_id) ON DELETE CASCADE,
  text TEXT NOT NULL
);
CREATE INDEX task_output_task ON task_output (task_id);

CREATE TABLE task_calls (
  run_id TEXT NOT NULL, call_id TEXT NOT NULL,
  task_id TEXT NOT NULL REFERENCES tasks (task_id) ON DELETE CASCADE,
  PRIMARY KEY (run_id, call_id)
) WITHOUT ROWID;
CREATE INDEX task_calls_task ON task_calls (task_id);

CREATE TABLE runs (
  run_id TEXT PRIMARY KEY,
  task_id TEXT NOT NULL REFERENCES tasks (task_id) ON DELETE CASCADE,
  agent_id TEXT NOT NULL, kind TEXT NOT NULL, input_json TEXT NOT NULL, created_at TEXT NOT NULL
);
CREATE INDEX runs_task ON runs (task_id);

CREATE TABLE subagent_records (
  agent_id TEXT PRIMARY KEY, role TEXT NOT NULL, task_summary TEXT NOT NULL,
  parent_id TEXT NOT NULL DEFAULT 'main-agent', state TEXT NOT NULL,
  task_id TEXT REFERENCES tasks (task_id) ON DELETE CASCADE, run_id TEXT,
  endpoint TEXT, pid INTEGER, model TEXT, error TEXT, metadata_json TEXT NOT NULL DEFAULT '{}',
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
  ordinal INTEGER NOT NULL, waiting TEXT, query_id TEXT NOT NULL, depth INTEGER NOT NULL,
  port INTEGER, server_nonce TEXT, attempts_used INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX subagent_ordinal ON subagent_records (query_id, role, ordinal);
CREATE INDEX subagent_query ON subagent_records (query_id);
CREATE INDEX subagent_task ON subagent_records (task_id);
CREATE INDEX subagent_state ON subagent_records (state);
CREATE INDEX subagent_role ON subagent_records (role);

CREATE TABLE subagent_events (
  event_id INTEGER PRIMARY KEY AUTOINCREMENT, agent_id TEXT, state TEXT NOT NULL,
  detail TEXT NOT NULL, created_at TEXT NOT NULL,
  kind TEXT NOT NULL, query_id TEXT, task_id TEXT, role TEXT, data_json TEXT NOT NULL
);
CREATE INDEX event_task ON subagent_events (task_id) WHERE task_id IS NOT NULL;
CREATE INDEX event_query ON subagent_events (query_id) WHERE query_id IS NOT NULL;
CREATE INDEX event_role ON subagent_events (role) WHERE role IS NOT NULL;
CREATE INDEX event_rare ON subagent_events (kind)
  WHERE kind IN ('query', 'server', 'notice', 'policy', 'branch', 'security');

CREATE TABLE loop_runs (
  run_id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, status TEXT NOT NULL,
  current_step TEXT NOT NULL, retries INTEGER NOT NULL DEFAULT 0, failure_reason TEXT,
  next_action TEXT, model TEXT, fallback_model TEXT, metadata_json TEXT NOT NULL DEFAULT '{}',
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE INDEX loop_thread ON loop_runs (thread_id);

CREATE TABLE checkpoints (
  thread_id TEXT NOT NULL, seq INTEGER NOT NULL, parent_seq INTEGER, run_id TEXT NOT NULL,
  step INTEGER NOT NULL, messages_json TEXT NOT NULL, hidden INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL, UNIQUE (thread_id, seq), UNIQUE (run_id, step)
);

CREATE TABLE tool_calls (
  run_id TEXT NOT NULL, call_id TEXT NOT NULL, name TEXT NOT NULL, arguments TEXT NOT NULL,
  started_at TEXT NOT NULL, ended_at TEXT, ok INTEGER, summary TEXT, duration_ms REAL,
  exit_code INTEGER, PRIMARY KEY (run_id, call_id)
);
CREATE INDEX tool_calls_open ON tool_calls (run_id) WHERE ended_at IS NULL;

CREATE TABLE idempotency (
  api_key TEXT NOT NULL, route TEXT NOT NULL, key TEXT NOT NULL, body_hash TEXT NOT NULL,
  status INTEGER NOT NULL, response TEXT NOT NULL, created_at TEXT NOT NULL,
  PRIMARY KEY (api_key, route, key)
);
CREATE INDEX idempotency_age ON idempotency (created_at);

CREATE TABLE memory_records (
  record_id TEXT PRIMARY KEY, layer TEXT NOT NULL, content TEXT NOT NULL,
  scope_key TEXT NOT NULL DEFAULT 'global', source TEXT, tags_json TEXT NOT NULL DEFAULT '[]',
  status TEXT NOT NULL DEFAULT 'active', correction_of TEXT,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE INDEX memory_scope ON memory_records (scope_key, layer, status);
`;

export const down = `
DROP TABLE memory_records;
DROP TABLE idempotency;
DROP TABLE tool_calls;
DROP TABLE checkpoints;
DROP TABLE loop_runs;
DROP TABLE subagent_events;
DROP TABLE subagent_records;
DROP TABLE runs;
DROP TABLE task_calls;
DROP TABLE task_output;
DROP TABLE tasks;
DROP TABLE queries;
DROP TABLE meta;
`;
