// The program that serves: `node dist/bin/server.js`. Starts, waits for a signal, ends with a code.
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { exitOnFailure } from './exit.ts';
import { startServer } from './serve.ts';
import { stopOnSignals } from './signals.ts';

startServer({
  env: process.env,
  flags: {},
  cwd: process.cwd(),
  home: homedir(),
  packageRoot: fileURLToPath(new URL('../..', import.meta.url)),
  stdout: process.stdout,
})
  .then(async (server) => {
    stopOnSignals(server);
    process.exit(await server.done);
  })
  .catch(exitOnFailure);
