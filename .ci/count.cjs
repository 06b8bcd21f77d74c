// Adds up vitest's JSON reports: `node .ci/count.cjs FILE…` prints `N passed, N failed`.
// A test file that could not be loaded counts as one failure: it has no tests that could say so.
const { existsSync, readFileSync } = require('node:fs');

let passed = 0;
let failed = 0;
for (const file of process.argv.slice(2)) {
  const report = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
  if (report === null) {
    failed += 1;
    continue;
  }
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  failed += report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  ).length;
}
console.log(`${passed} passed, ${failed} failed`);
