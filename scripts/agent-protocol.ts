// Runs the conformance program of the Agent Protocol against a server of its own and writes down how each check went:
// docs/agent-protocol.json, from which the table of docs/agent-protocol.md is made. `npm run agent-protocol`
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { productEnv, startServer } from '../test/support/server.ts';

export type Check = { level: string; name: string; verdict: 'PASS' | 'FAIL' | 'SKIP' };
export type Ask = {
  /** Below the root of the server: '' or '/roles/planner'. */
  path: string;
  key?: string;
  levels?: string;
};

/** A check may wait for seconds; a run that takes longer than this hangs. */
const LONGEST_MS = 300_000;
const PROGRAM = 'test/fixtures/programs/agent-protocol.mjs';

/** Every check with its verdict, and what the program printed of those that did not pass. */
export async function runChecks({ path, key, levels = 'all' }: Ask) {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-agent-protocol-'));
  const server = await startServer({
    args: ['dist/bin/server.js'],
    env: productEnv(folder, {
      TROUPE_WEBHOOK_ALLOW: '127.0.0.1',
      TROUPE_ALLOWED_ORIGINS: 'http://x.test',
      ...(key ? { TROUPE_API_KEY: key } : {}),
    }),
  });
  try {
    const out = join(folder, 'checks.json');
    const args = [PROGRAM, `${server.url}${path}`, '--level', levels, '--json', out];
    if (key) args.push('--api-key', key);
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const late = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
    let printed = '';
    child.stdout.on('data', (chunk) => (printed += chunk));
    await once(child, 'exit').finally(() => clearTimeout(late));
    const { results } = JSON.parse(readFileSync(out, 'utf8')) as {
      results: { level: string; name: string; status: Check['verdict'] }[];
    };
    return {
      checks: results.map(({ level, name, status }): Check => ({ level, name, verdict: status })),
      notPassed: printed.split('\n').filter((line) => !line.startsWith('PASS')),
    };
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const root = dirname(import.meta.dirname);
  const { checks, notPassed } = await runChecks({ path: '', key: 'key-of-the-checks' });
  console.log(notPassed.join('\n'));
  const lines = checks.map((check) => `  ${JSON.stringify(check)}`).join(',\n');
  writeFileSync(join(root, 'docs/agent-protocol.json'), `[\n${lines}\n]\n`);
}
