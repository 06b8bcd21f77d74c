// Step 2: search over long-term memory, and the shared notes of a query.
// memory_entries numbers the records: the index and the vectors hang on that number, which no VACUUM changes. Only
// active records are in the index. Its words come from the program: SQLite splits neither Chinese nor Korean.

export const up = `
CREATE TABLE memory_entries (
  n INTEGER PRIMARY KEY, record_id TEXT NOT NULL UNIQUE REFERENCES memory_records (record_id),
  run_id TEXT, call_id TEXT, reason TEXT
);
CREATE UNIQUE INDEX memory_call ON memory_entries (run_id, call_id) WHERE run_id IS NOT NULL;
CREATE INDEX memory_correction ON memory_records (correction_of) WHERE correction_of IS NOT NULL;
CREATE INDEX memory_layer ON memory_records (layer, status);
CREATE INDEX memory_status ON memory_records (status);

CREATE VIRTUAL TABLE memory_index USING fts5 (
  words, content='', contentless_delete=1,
  tokenize="unicode61 remove_diacritics 0 tokenchars '_'"
);
CREATE VIRTUAL TABLE memory_terms USING fts5vocab ('memory_index', 'row');

CREATE TABLE memory_vectors (
  n INTEGER PRIMARY KEY REFERENCES memory_entries (n) ON DELETE CASCADE,
  model TEXT NOT NULL, vector TEXT NOT NULL
);
CREATE INDEX memory_vector_model ON memory_vectors (model);

CREATE TABLE brain_notes (
  note_id INTEGER PRIMARY KEY AUTOINCREMENT,
  query_id TEXT NOT NULL REFERENCES queries (query_id) ON DELETE CASCADE,
  kind TEXT NOT NULL, author TEXT NOT NULL, role TEXT NOT NULL, task_id TEXT, branch TEXT NOT NULL,
  note TEXT NOT NULL, at TEXT NOT NULL, run_id TEXT NOT NULL, call_id TEXT NOT NULL
);
CREATE INDEX brain_query ON brain_notes (query_id);
CREATE UNIQUE INDEX brain_call ON brain_notes (run_id, call_id);
`;

export const down = `
DROP TABLE brain_notes;
DROP TABLE memory_vectors;
DROP TABLE memory_terms;
DROP TABLE memory_index;
DROP INDEX memory_status;
DROP INDEX memory_layer;
DROP INDEX memory_correction;
DROP TABLE memory_entries;
`;
