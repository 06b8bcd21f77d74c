// Step 4: results of a given shape, and prompts that were changed while the server ran.
// A row of prompt_overrides is never changed: the newest of a role holds, and a run keeps the one it began with.

export const up = `
ALTER TABLE tasks ADD COLUMN output_schema_json TEXT;
ALTER TABLE tasks ADD COLUMN schema_valid INTEGER;
ALTER TABLE tasks ADD COLUMN structured_json TEXT;

CREATE TABLE prompt_overrides (
  revision INTEGER PRIMARY KEY AUTOINCREMENT, role TEXT NOT NULL, prompt TEXT, at TEXT NOT NULL
);
CREATE INDEX prompt_override_role ON prompt_overrides (role);
`;

export const down = `
DROP TABLE prompt_overrides;
ALTER TABLE tasks DROP COLUMN structured_json;
ALTER TABLE tasks DROP COLUMN schema_valid;
ALTER TABLE tasks DROP COLUMN output_schema_json;
`;
