// The test files of a workdir with their hashes, and the coverage that a run has left behind.
import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Coverage } from '../../workflows/tdd-cycle.ts';
import { readText } from './files.ts';

const LEFT_OUT = new Set([
  ...['node_modules', '.git', '.troupe', '.cospec', 'dist', 'build', 'target', 'coverage'],
  ...['vendor', '.venv', 'venv', '__pycache__'],
]);
const TEST_FILE =
  /(\.|_|-)(test|spec)s?\.[cm]?[a-z]{1,4}$|(^|\/)test_[^/]+\.py$|(^|\/)(tests?|__tests__|spec)\/(.*\/)?[^/]+\.(c|cc|cpp|cs|go|java|[cm]?[jt]sx?|kt|php|py|rb|rs|scala|sh|swift)$|Tests?\.(java|kt|cs|swift|scala)$/;
const MOST_FILES = 20_000;
const MOST_TESTS = 2_000;

/** By path, relative to the workdir. */
export async function hashTests(workdir: string): Promise<Record<string, string>> {
  const found: string[] = [];
  let seen = 0;
  async function walk(folder: string): Promise<void> {
    const entries = await readdir(join(workdir, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => a.name.localeCompare(b.name))) {
      seen += 1;
      if (seen > MOST_FILES || found.length >= MOST_TESTS) return;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) await walk(path);
      else if (entry.isFile() && TEST_FILE.test(path)) found.push(path);
    }
  }
  await walk('');
  const hashes: Record<string, string> = {};
  for (const path of found) {
    const file = await readText(workdir, path);
    if (file) hashes[path] = createHash('sha256').update(file.text).digest('hex');
  }
  return hashes;
}

const SUMMARY = 'coverage/coverage-summary.json';

/** What a run since `since` (ms of the wall clock) has written; null: nothing that is understood. */
export async function coverageSince(workdir: string, since: number): Promise<Coverage | null> {
  const file = await readText(workdir, SUMMARY);
  const at = await stat(join(workdir, SUMMARY)).catch(() => null);
  // Some file systems keep whole seconds only.
  if (!file || !at || at.mtimeMs < since - 1_000) return null;
  try {
    const { total } = JSON.parse(file.text) as { total: Record<string, { pct?: unknown }> };
    const [lines, branches, functions] = [
      total.lines?.pct,
      total.branches?.pct,
      total.functions?.pct,
    ];
    const all = [lines, branches, functions].every((n) => typeof n === 'number');
    return all ? ({ lines, branches, functions } as Coverage) : null;
  } catch {
    return null;
  }
}
