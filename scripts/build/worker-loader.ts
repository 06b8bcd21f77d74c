// The text of dist/bin/worker.js: runs the worker's bundle with the code that V8 compiled on an earlier start.
// The cached data belongs to one bundle, one Node and one architecture; without it, or when V8 rejects it, the
// bundle is compiled as usual and the data is written for the next start, if the folder can be written.

export const LOADER = `'use strict';
const fs = require('node:fs');
const vm = require('node:vm');
const path = require('node:path');
const { createHash } = require('node:crypto');

const file = path.join(__dirname, 'worker.bundle.cjs');
const source = fs.readFileSync(file);
const build = createHash('sha256').update(source).digest('hex').slice(0, 16);
const cache = path.join(__dirname, \`worker-\${build}-\${process.version}-\${process.arch}.cache\`);

let cachedData;
try {
  cachedData = fs.readFileSync(cache);
} catch {}
const script = new vm.Script(
  \`(function (exports, require, module, __filename, __dirname, TROUPE_BUILD) {\${source}\\n})\`,
  { filename: file, cachedData },
);
const run = script.runInThisContext();
run.call(exports, exports, require, module, file, __dirname, build);

if (cachedData === undefined || script.cachedDataRejected) {
  // Later, so that what the start needed is compiled and nobody waits for it.
  setTimeout(() => {
    try {
      fs.writeFileSync(\`\${cache}.\${process.pid}\`, script.createCachedData());
      fs.renameSync(\`\${cache}.\${process.pid}\`, cache);
    } catch {}
  }, 500).unref();
}
`;
