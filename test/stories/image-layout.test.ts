// The image without the image: the files that the Dockerfile puts into it, the environment that it sets, an
// ordinary user, a program folder that nobody may write to. What only a registry could show is not shown here.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Server, startServer } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const USER = 1000;
const isRoot = process.getuid?.() === 0;

/** package.json, dist, roles and the packages that are not for development. */
function layOut(app: string): void {
  const listed = execFileSync('npm', ['ls', '--omit=dev', '--all', '--parseable'], {
    ...{ encoding: 'utf8', timeout: 60_000 },
  });
  const packages = listed
    .trim()
    .split('\n')
    .slice(1)
    .map((path) => relative(process.cwd(), path));
  for (const path of ['package.json', 'dist', 'roles', ...new Set(packages)])
    cpSync(path, join(app, path), {
      recursive: true,
      // a package's own packages are in the list when they are needed
      filter: (from) => from === path || basename(from) !== 'node_modules',
    });
  if (isRoot) return;
  execFileSync('chmod', ['-R', 'a-w', app]);
  onTestFinished(() => void execFileSync('chmod', ['-R', 'u+w', app]));
}

/** The environment of the image, as the Dockerfile sets it, with the port left to the system. */
function imageEnv(data: string): NodeJS.ProcessEnv {
  const text = readFileSync('Dockerfile', 'utf8');
  const pairs = [...text.matchAll(/\b((?:NODE|TROUPE)_[A-Z_]+)=(\S+)/g)].map(
    ([, name = '', value = '']) => [name, value.replace(/^\/data/, data)],
  );
  return { ...Object.fromEntries(pairs), TROUPE_PORT: '0', PATH: process.env.PATH };
}

async function start(app: string, data: string): Promise<Server> {
  const server = await startServer({
    ...{ args: ['dist/bin/server.js'], cwd: app },
    env: { ...imageEnv(data), HOME: '/', TROUPE_MODEL: 'echo' },
    ...(isRoot ? { uid: USER } : {}),
  });
  onTestFinished(async () => void (await server.kill()));
  return server;
}

const bearer = (keyFile: string): Record<string, string> => ({
  authorization: `Bearer ${readFileSync(keyFile, 'utf8').trim()}`,
});

it('runs as an ordinary user from what the image holds, and keeps key and data', async () => {
  const folder = tempFolder();
  chmodSync(folder, 0o755);
  const [app, data] = [join(folder, 'app'), join(folder, 'data')];
  mkdirSync(app);
  mkdirSync(data, { mode: 0o700 });
  if (isRoot) chownSync(data, USER, USER);
  layOut(app);

  const first = await start(app, data);
  expect(await first.ask('GET', '/livez')).toMatchObject({ status: 200 });
  expect(await first.ask('GET', '/v1/tasks')).toMatchObject({ status: 401 });

  const keyFile = join(data, 'api-key');
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  const key = bearer(keyFile);
  expect(key.authorization?.length).toBeGreaterThanOrEqual('Bearer '.length + 32);

  const task = { subagent_type: 'coder', description: 'say hello' };
  const accepted = await first.ask<{ task_id: string }>('POST', '/v1/tasks', task, key);
  expect(accepted.status).toBe(202);
  const path = `/v1/tasks/${accepted.body.task_id}`;
  const done = await first.ask('GET', `${path}?wait_ms=20000`, undefined, key);
  expect(done.body).toMatchObject({ status: 'completed' });
  expect(await first.stop()).toEqual({ code: 0, signal: null });

  // a new container on the same volume
  const second = await start(app, data);
  expect(bearer(keyFile)).toEqual(key);
  const kept = await second.ask('GET', path, undefined, key);
  expect(kept.body).toMatchObject({ task_id: accepted.body.task_id, status: 'completed' });
  expect(await second.stop()).toEqual({ code: 0, signal: null });
}, 90_000);
