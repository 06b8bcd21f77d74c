// Starts the built worker once as main would, so that it leaves its cached data behind.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildOf } from '../../src/launch/fork.ts';
import { WIRE_VERSION } from '../../src/wire/protocol.ts';

/** The worker writes its cache half a second after its start; a slow machine gets more. */
const PATIENCE_MS = 20_000;

/** False when there is no cache after all: the build is good without it. */
export async function warmCache(worker_file: string): Promise<boolean> {
  const folder = dirname(worker_file);
  const name = `worker-${buildOf(worker_file)}-${process.version}-${process.arch}.cache`;
  for (const other of readdirSync(folder))
    if (other.includes('.cache') && other !== name) rmSync(join(folder, other), { force: true });
  if (existsSync(join(folder, name))) return true;

  const child = spawn(process.execPath, [worker_file], {
    stdio: ['pipe', 'ignore', 'inherit', 'pipe'],
    env: {},
  });
  const exited = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
  child.stdin?.on('error', () => {});
  child.stdin?.write(`${JSON.stringify(lifeline)}\n`);
  child.stdio[3]?.once('data', (line: Buffer) => {
    // One request, so that answering is compiled as well.
    const { port } = JSON.parse(String(line)) as { port: number };
    fetch(`http://127.0.0.1:${port}/health`, {
      headers: { authorization: `Bearer ${lifeline.server_token}` },
    }).catch(() => {});
  });
  const until = performance.now() + PATIENCE_MS;
  while (!existsSync(join(folder, name)) && child.exitCode === null && performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 50));
  child.kill('SIGKILL');
  await exited;
  return existsSync(join(folder, name));
}

const lifeline = {
  v: WIRE_VERSION,
  instance: 'build',
  role: 'build',
  server_id: 'build',
  nonce: 'build',
  server_token: 'build',
  main_url: 'http://127.0.0.1:9',
  bind: { host: '127.0.0.1', port: 0 },
  limits: { max_concurrent_runs: 1, cancel_deadline_ms: 1_000 },
};
