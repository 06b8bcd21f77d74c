// The floor of a cold start: the least that a role server could be. A bare node:http child with the same road to
// ready: secrets on stdin, one line on fd 3, one authenticated /health. It ends when its stdin ends.
const { createHmac } = require('node:crypto');
const { writeSync } = require('node:fs');
const { createServer } = require('node:http');

const proof = (nonce, what) => createHmac('sha256', nonce).update(what).digest('hex');

function serve({ nonce, server_token }) {
  const server = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${server_token}` || request.url !== '/health') {
      response.writeHead(401).end();
      return;
    }
    const nonce_proof = proof(nonce, `health:${request.headers['x-troupe-challenge']}`);
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        role: 'bare',
        pid: process.pid,
        build: 'bare',
        nonce_proof,
        active_runs: 0,
      }),
    );
  });
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    const nonce_proof = proof(nonce, `ready:${process.pid}:${port}`);
    writeSync(3, `${JSON.stringify({ v: 1, port, pid: process.pid, nonce_proof })}\n`);
  });
}

let line = '';
let started = false;
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text) => {
  line += text;
  if (started || !line.includes('\n')) return;
  started = true;
  serve(JSON.parse(line.slice(0, line.indexOf('\n'))));
});
process.stdin.on('end', () => process.exit(0));
