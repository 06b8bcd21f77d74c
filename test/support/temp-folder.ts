// A folder of a test's own, gone when the test has ended.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Call inside a test or a beforeEach hook. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
