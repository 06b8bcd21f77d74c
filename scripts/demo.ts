// `npm run demo [-- --lang ko] [-- --keep] [-- "your request"]`: one real request on a server of its own.
// Always on the offline rules: needs no key and no network. Leaves no process behind, and no folder unless --keep.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { TroupeEvent } from '../src/domain/event.ts';
import type { ServerInfo } from '../src/domain/ports.ts';
import type { Query } from '../src/domain/query.ts';
import { isLabelled } from '../src/models/offline/label.ts';
import { instanceOf, leftOf } from './demo-processes.ts';

const REQUESTS: Record<string, string> = {
  en: 'Build a small todo REST API with tests and write its README',
  ko: '테스트가 있는 작은 할 일 REST API를 만들고 README를 작성해 주세요',
  zh: '构建一个带测试的小型待办事项 REST API，并编写它的 README',
};
/** The requests above need so many roles; a request of one's own may need fewer. */
const LEAST_SERVERS = 3;
/** A cold start on a slow machine takes seconds; then something is wrong. */
const START_MS = 60_000;
/** The longest that the built-in requests take on one slow core, many times over. */
const RUN_S = 300;
/** Above the server's own drain and kill grace (12 s). */
const STOP_MS = 30_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    keep: { type: 'boolean', default: false },
    lang: { type: 'string', default: 'en' },
  },
});
const own = positionals.join(' ').trim();
const request = own || REQUESTS[values.lang];
if (request === undefined) {
  console.error(`--lang ${values.lang}: there are ${Object.keys(REQUESTS).join(', ')}`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'troupe-demo-'));
const logFile = join(folder, 'server.log');
const checks: { ok: boolean; text: string }[] = [];
const check = (ok: boolean, text: string): void => {
  checks.push({ ok, text });
};

function build(): void {
  if (!existsSync('scripts/build.ts')) return;
  const args = ['--import', 'tsx', 'scripts/build.ts', '--if-stale'];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error('the build failed');
}

/** Nothing of this machine's configuration or keys reaches the demo. */
function environment(): Record<string, string> {
  const { PATH = '', LANG = 'C.UTF-8', TERM = 'dumb', NO_COLOR } = process.env;
  return {
    ...{ PATH, LANG, TERM, HOME: folder, TMPDIR: tmpdir(), ...(NO_COLOR ? { NO_COLOR } : {}) },
    ...{ TROUPE_HOST: '127.0.0.1', TROUPE_PORT: '0', TROUPE_MODEL: 'offline' },
    TROUPE_STATE_DIR: join(folder, 'data'),
  };
}

/** Resolves with the address once the server listens. */
async function startServer(): Promise<{ server: ChildProcess; url: string }> {
  mkdirSync(join(folder, 'data'), { recursive: true });
  // A process group of its own: Ctrl-C is for the client, which asks; we stop the server.
  const server = spawn(process.execPath, [join(process.cwd(), 'dist/bin/server.js')], {
    ...{ cwd: folder, env: environment(), detached: true },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.on('exit', () => server.kill('SIGKILL'));
  const log = createWriteStream(logFile);
  server.stderr?.pipe(log, { end: false });
  let said = '';
  const url = new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`no server after ${START_MS} ms`)), START_MS);
    server.stdout?.setEncoding('utf8').on('data', (text: string) => {
      log.write(text);
      said = (said + text).slice(-64 * 1024);
      const found = /^troupe listening on (http:\/\/\S+)/m.exec(said)?.[1];
      if (found === undefined) return;
      clearTimeout(late);
      resolve(found);
    });
    server.once('exit', (code, signal) => {
      clearTimeout(late);
      reject(new Error(`the server ended before it listened (${code ?? signal})`));
    });
  });
  try {
    return { server, url: await url };
  } catch (error) {
    server.kill('SIGKILL');
    throw error;
  }
}

async function ask(url: string): Promise<number> {
  const args = [
    join(process.cwd(), 'dist/bin/cli.js'),
    'run',
    request ?? '',
    '--review',
    'off',
    '--url',
    url,
  ];
  const client = spawn(process.execPath, [...args, '--timeout', String(RUN_S)], {
    ...{ cwd: folder, env: environment(), stdio: 'inherit' },
  });
  const [code] = (await once(client, 'exit')) as [number | null];
  return code ?? 1;
}

async function get<T>(url: string, path: string): Promise<T> {
  const answer = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(30_000) });
  if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}
type Page<T> = { data: T[] };

async function examine(url: string): Promise<void> {
  const query = (await get<Page<Query>>(url, '/v1/queries?limit=1')).data[0];
  if (query === undefined) throw new Error('the server knows no query');
  const files = await get<Page<{ path: string }>>(url, `/v1/queries/${query.query_id}/files`);
  const paths = files.data.map(({ path }) => path);
  const events = await get<Page<TroupeEvent>>(url, '/v1/events?kinds=server&limit=1000');
  const ready = new Set(events.data.filter((e) => e.state === 'ready').map((e) => e.role));
  const answer = query.answer ?? '';
  const named = paths.filter((path) => answer.includes(path));
  check(isLabelled(answer), 'the answer says that rules made it, not a model');
  check(
    ready.size >= (own === '' ? LEAST_SERVERS : 0),
    `${ready.size} role servers came up when they were needed: ${[...ready].sort().join(', ') || 'none'}`,
  );
  check(
    own !== '' || (paths.length > 0 && named.length > 0),
    `${paths.length} files in ${query.workdir}, ${named.length} named in the answer`,
  );
}

async function stop(server: ChildProcess, children: ServerInfo[]): Promise<void> {
  const pids = [server.pid, ...children.map(({ pid }) => pid)].filter((pid) => pid != null);
  const instances = [...new Set(children.map(({ pid }) => instanceOf(pid)))].filter(
    (i) => i !== null,
  );
  if (server.exitCode === null && server.signalCode === null) {
    const gone = once(server, 'exit', { signal: AbortSignal.timeout(STOP_MS) });
    server.kill('SIGTERM');
    await gone.catch(() => server.kill('SIGKILL'));
  }
  check(server.exitCode === 0, `the server stopped (${server.exitCode ?? server.signalCode})`);
  const left = await leftOf(pids, instances);
  check(left.length === 0, left.length === 0 ? 'no process is left' : `left: ${left.join(', ')}`);
}

async function demo(): Promise<number> {
  build();
  console.log(`request: ${request}`);
  const { server, url } = await startServer();
  console.log(`server:  ${url} (offline rules, state in ${folder})\n`);
  let code = 1;
  let children: ServerInfo[] = [];
  try {
    const before = (await get<Page<ServerInfo>>(url, '/v1/servers')).data;
    check(before.length === 0, 'no role server ran before the request');
    code = await ask(url);
    children = (await get<Page<ServerInfo>>(url, '/v1/servers')).data;
    check(code === 0, `the request ended with exit code ${code}`);
    await examine(url);
  } finally {
    await stop(server, children);
  }
  console.log();
  for (const { ok, text } of checks) console.log(`${ok ? '✓' : '✗'} ${text}`);
  return checks.every(({ ok }) => ok) ? 0 : code || 1;
}

// The client asks what Ctrl-C means; this process only has to outlive it and clean up.
process.on('SIGINT', () => {});
let exitCode = 1;
try {
  exitCode = await demo();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
}
if (exitCode !== 0 && existsSync(logFile))
  console.error(readFileSync(logFile, 'utf8').split('\n').slice(-20).join('\n'));
if (values.keep) console.log(`\nkept: ${folder}`);
else rmSync(folder, { recursive: true, force: true });
process.exit(exitCode);
