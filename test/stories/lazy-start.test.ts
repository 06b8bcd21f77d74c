// Role servers start when they are first needed, once, and end with the server. On the built product.
import { expect, it, onTestFinished } from 'vitest';
import type { TroupeEvent } from '../../src/domain/event.ts';
import { alive, descendants, environmentOf } from '../support/process-table.ts';
import { type Server, startTroupe } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

type Task = { task_id: string; status: string };
type RoleServer = { role: string; pid: number };

async function serve(env: NodeJS.ProcessEnv = {}): Promise<Server> {
  const server = await startTroupe(tempFolder(), env);
  onTestFinished(async () => void (await server.stop()));
  return server;
}
const start = (server: Server, subagent_type: string, description: string): Promise<Task> =>
  server.call<Task>('POST', '/v1/tasks', { subagent_type, description });
async function finish(server: Server, { task_id }: Task): Promise<void> {
  const { status } = await server.call<Task>('GET', `/v1/tasks/${task_id}?wait_ms=30000`);
  expect(status).toBe('completed');
}
const roleServers = async (server: Server): Promise<RoleServer[]> =>
  (await server.call<{ data: RoleServer[] }>('GET', '/v1/servers')).data;
async function states(server: Server, kinds: string[]): Promise<string[]> {
  const { data } = await server.call<{ data: TroupeEvent[] }>('GET', '/v1/events?limit=1000');
  return data.filter(({ kind }) => kinds.includes(kind)).map(({ state }) => state);
}

it('no child process exists before the first task', async () => {
  const server = await serve();
  expect(await roleServers(server)).toEqual([]);
  expect(descendants(server.pid)).toEqual([]);
});

it('the first task is answered at once and reaches its process only after the check', async () => {
  const server = await serve();
  const task = await start(server, 'coder', 'hello');
  expect(task.status).toBe('created');
  await finish(server, task);
  expect(await states(server, ['server', 'subagent'])).toEqual([
    ...['created', 'assigned', 'spawned', 'ready', 'running', 'completed'],
  ]);
  expect(await roleServers(server)).toMatchObject([{ role: 'coder' }]);
});

it('twenty first tasks of one role make one process, and the next task reuses it', async () => {
  const server = await serve();
  const first = await Promise.all(Array.from({ length: 20 }, () => start(server, 'coder', 'hi')));
  for (const task of first) await finish(server, task);
  const [{ pid } = { pid: 0 }, ...more] = await roleServers(server);
  expect(more).toEqual([]);
  await finish(server, await start(server, 'coder', 'once more'));
  expect(await roleServers(server)).toMatchObject([{ pid }]);
  const told = await states(server, ['server']);
  expect(told.filter((state) => state === 'spawned')).toHaveLength(1);
  expect(told).toContain('reused');
});

it('no prompt and no key is in the arguments or the environment of any child', async () => {
  const secret = 'sk-canary-4f1f7c';
  const server = await serve({ OPENAI_API_KEY: secret, MY_OWN_VARIABLE: 'private' });
  const command = '{"command":"sleep 30 # canary-prompt"}';
  const { task_id } = await start(server, 'coder', `[[tool shell ${command}]] canary-prompt`);
  const children = await until(
    () => {
      const found = descendants(server.pid);
      return found.some(({ command }) => command.startsWith('sleep 30')) && found;
    },
    20_000,
    'the command of the task runs',
  );
  for (const { pid, command } of children) {
    const environment = environmentOf(pid).join('\n');
    expect(`${command}\n${environment}`).not.toContain(secret);
    expect(environment).not.toMatch(/canary-prompt|MY_OWN_VARIABLE|_API_KEY=/);
  }
  const [{ pid } = { pid: 0 }] = await roleServers(server);
  expect(children.find((child) => child.pid === pid)?.command).not.toContain('canary');
  await server.call('POST', `/v1/tasks/${task_id}/cancel`, {});
});

it('SIGTERM ends everything that the server started, also what is at work', async () => {
  const server = await serve();
  await start(server, 'coder', '[[tool shell {"command":"sleep 61"}]]');
  await start(server, 'reviewer', '[[delay=60000]]');
  const children = await until(
    () => {
      const found = descendants(server.pid);
      return found.some(({ command }) => command.startsWith('sleep 61')) && found;
    },
    20_000,
    'the command of the task runs',
  );
  expect(await server.stop()).toEqual({ code: 0, signal: null });
  expect(children.filter(({ pid }) => alive(pid))).toEqual([]);
}, 60_000);
