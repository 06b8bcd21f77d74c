// Step 6: what is proposed for memory at the end of a turn, and what a person did not want to have remembered. The
// rounds go with their query, rejections stay with the project.

export const up = `
CREATE TABLE remember_rounds (
  run_id TEXT PRIMARY KEY,
  query_id TEXT NOT NULL REFERENCES queries (query_id) ON DELETE CASCADE,
  task_id TEXT NOT NULL, review TEXT NOT NULL, state TEXT NOT NULL, review_id TEXT, reason TEXT,
  created_at TEXT NOT NULL
);
CREATE INDEX remember_query ON remember_rounds (query_id);
CREATE INDEX remember_open ON remember_rounds (state) WHERE state = 'asked';

CREATE TABLE rejected_proposals (
  project TEXT NOT NULL, path TEXT NOT NULL, essence TEXT NOT NULL, reason TEXT, rejected_at TEXT NOT NULL
);
CREATE INDEX rejected_project ON rejected_proposals (project);
`;

export const down = `
DROP TABLE rejected_proposals;
DROP TABLE remember_rounds;
`;
