// Step 5: what model calls cost. One row for each run, one for each day, and one for each call that is under way:
// a crash leaves that one behind, and the next start counts it as spent.

export const up = `
CREATE TABLE run_spend (
  run_id TEXT PRIMARY KEY, query_id TEXT NOT NULL REFERENCES queries (query_id) ON DELETE CASCADE,
  node_id TEXT NOT NULL, iterations INTEGER NOT NULL DEFAULT 0, model_calls INTEGER NOT NULL DEFAULT 0,
  input_tokens INTEGER NOT NULL DEFAULT 0, cached_input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0, reasoning_tokens INTEGER NOT NULL DEFAULT 0, nano_usd INTEGER,
  estimated_tokens INTEGER NOT NULL DEFAULT 0, estimated_nano_usd INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX run_spend_node ON run_spend (query_id, node_id);

CREATE TABLE day_spend (
  day TEXT PRIMARY KEY, model_calls INTEGER NOT NULL DEFAULT 0, tokens INTEGER NOT NULL DEFAULT 0,
  nano_usd INTEGER NOT NULL DEFAULT 0, estimated_tokens INTEGER NOT NULL DEFAULT 0,
  estimated_nano_usd INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE spend_under_way (
  call_id INTEGER PRIMARY KEY, run_id TEXT NOT NULL, query_id TEXT NOT NULL, node_id TEXT NOT NULL,
  day TEXT NOT NULL, model TEXT NOT NULL, tokens INTEGER NOT NULL, nano_usd INTEGER NOT NULL,
  created_at TEXT NOT NULL
);

ALTER TABLE queries ADD COLUMN iterations INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN iterations INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN resume_json TEXT;
`;

export const down = `
ALTER TABLE tasks DROP COLUMN resume_json;
ALTER TABLE tasks DROP COLUMN iterations;
ALTER TABLE queries DROP COLUMN iterations;
DROP TABLE spend_under_way;
DROP TABLE day_spend;
DROP TABLE run_spend;
`;
