import { execFileSync } from 'node:child_process';
import { accessSync, constants, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.ts';

const count = (...files: string[]): string =>
  execFileSync(process.execPath, ['.ci/count.cjs', ...files], { encoding: 'utf8' });

it('adds up the reports of all test runs', () => {
  const folder = tempFolder();
  const report = (name: string, passed: number, failed: number, results: object[]): string => {
    const path = join(folder, name);
    const counts = { numPassedTests: passed, numFailedTests: failed };
    writeFileSync(path, JSON.stringify({ ...counts, testResults: results }));
    return path;
  };
  const fast = report('fast.json', 7, 1, [
    { status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'passed' }] },
  ]);
  const slow = report('slow.json', 2, 0, [{ status: 'failed', assertionResults: [] }]);
  expect(count(fast)).toBe('7 passed, 1 failed\n');
  // a file that could not be loaded has no tests that could fail, but it is a failure
  expect(count(fast, slow)).toBe('9 passed, 2 failed\n');
});

it('counts a run without a report as a failure', () => {
  expect(count(join(tempFolder(), 'results-*.json'))).toBe('0 passed, 1 failed\n');
});

it('can be started', () => {
  accessSync('.ci/run', constants.X_OK);
  execFileSync('bash', ['-n', '.ci/run']);
});
