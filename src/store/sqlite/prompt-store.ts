// Changed prompts: one row for each change. Old ones are kept for the runs that began with them, up to a bound.
import type { PromptNouns, PromptOverride, PromptReads } from '../../domain/prompt-override.ts';
import type { Connection } from './connection.ts';

/** Changes of one role that are kept. */
const KEPT = 100;
const COLUMNS = 'revision, role, prompt, at';
const LATEST = `SELECT ${COLUMNS} FROM prompt_overrides WHERE role = ?
  ORDER BY revision DESC LIMIT 1`;
const AS_OF = `SELECT ${COLUMNS} FROM prompt_overrides WHERE role = ? AND revision <= ?
  ORDER BY revision DESC LIMIT 1`;
const ALL = `SELECT ${COLUMNS} FROM prompt_overrides
  WHERE revision IN (SELECT max(revision) FROM prompt_overrides GROUP BY role) ORDER BY role`;
const PRUNE = `DELETE FROM prompt_overrides WHERE role = ? AND revision <=
  (SELECT revision FROM prompt_overrides WHERE role = ? ORDER BY revision DESC LIMIT 1 OFFSET ${KEPT})`;

export const createPromptReads = (conn: Connection): PromptReads => ({
  async latest(role) {
    return conn.get<PromptOverride>(LATEST, role) ?? null;
  },
  async asOf(role, revision) {
    return conn.get<PromptOverride>(AS_OF, role, revision) ?? null;
  },
  async all() {
    return conn.all<PromptOverride>(ALL);
  },
});

export const createPromptStore = (conn: Connection, now: () => string): PromptNouns => ({
  ...createPromptReads(conn),
  async set(role, prompt) {
    const at = now();
    conn.run('INSERT INTO prompt_overrides (role, prompt, at) VALUES (?, ?, ?)', role, prompt, at);
    conn.run(PRUNE, role, role);
    return conn.get<PromptOverride>(LATEST, role) as PromptOverride;
  },
});
