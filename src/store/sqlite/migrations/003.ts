// Step 3: reviews, what waits for a person. They go with their query.

export const up = `
CREATE TABLE reviews (
  review_id TEXT PRIMARY KEY, kind TEXT NOT NULL,
  query_id TEXT NOT NULL REFERENCES queries (query_id) ON DELETE CASCADE,
  task_id TEXT, agent_id TEXT, role TEXT NOT NULL, path_json TEXT NOT NULL, context TEXT NOT NULL,
  request_json TEXT NOT NULL, decision_json TEXT, status TEXT NOT NULL, blocking INTEGER NOT NULL,
  run_id TEXT, call_id TEXT, created_at TEXT NOT NULL, expires_at TEXT NOT NULL,
  decided_at TEXT, decided_by TEXT
);
CREATE UNIQUE INDEX review_call ON reviews (run_id, call_id) WHERE run_id IS NOT NULL;
CREATE INDEX review_query ON reviews (query_id);
CREATE INDEX review_status ON reviews (status);
CREATE INDEX review_kind ON reviews (kind);
CREATE INDEX event_review ON subagent_events (kind) WHERE kind = 'review';
`;

export const down = `
DROP INDEX event_review;
DROP TABLE reviews;
`;
