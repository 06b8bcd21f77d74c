// Asks /livez again and again from a process of its own. A line on stdin begins a measurement, the next one ends it:
// the longest time of one answer, in ms, is printed.
const http = require('node:http');

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const PAUSE_MS = 5;
let slowest = 0;
function ask() {
  const since = performance.now();
  http.get(`${process.argv[2]}/livez`, { agent }, (res) => {
    res.resume();
    res.on('end', () => {
      slowest = Math.max(slowest, performance.now() - since);
      setTimeout(ask, PAUSE_MS);
    });
  });
}
process.stdin.on('data', () => {
  console.log(slowest);
  slowest = 0;
});
process.stdin.on('end', () => process.exit());
ask();
