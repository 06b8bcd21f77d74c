// What people see of a query and its agents while and after it runs. On the built product.
import { basename } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Server, startTroupe } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

type Query = { query_id: string; status: string; workdir: string; answer: string };
type Task = { task_id: string; query_id: string; status: string; partial_output: string };
type Node = { id: string; role: string; status: string; children: Node[]; usage: object };

async function serve(): Promise<Server> {
  const server = await startTroupe(tempFolder());
  onTestFinished(async () => void (await server.stop()));
  return server;
}
async function answered(server: Server, input: string): Promise<Query> {
  const { query_id } = await server.call<Query>('POST', '/v1/queries', { input });
  const query = await server.call<Query>('GET', `/v1/queries/${query_id}?wait_ms=30000`);
  expect(query.status).toBe('completed');
  return query;
}
const tool = (name: string, args: object): string => `[[tool ${name} ${JSON.stringify(args)}]]`;
const startTask = (subagent_type: string, description: string): string =>
  tool('start_async_task', { subagent_type, description });

it('queries of the same second have workdirs of their own', async () => {
  const server = await serve();
  const queries = await Promise.all(Array.from({ length: 4 }, () => answered(server, 'hello')));
  expect(new Set(queries.map(({ workdir }) => workdir)).size).toBe(4);
  for (const { workdir } of queries) expect(basename(workdir)).toMatch(/^\d{8}_\d{6}(_\d\d)?$/);
});

it('a query and its subagents share one workdir', async () => {
  const server = await serve();
  const write = tool('write', { path: 'shared.txt', content: 'from the coder' });
  const { query_id } = await answered(server, `${startTask('coder', write)} done`);
  const file = await server.ask('GET', `/v1/queries/${query_id}/files/shared.txt`);
  expect(file).toMatchObject({ status: 200, body: 'from the coder' });
});

it('the tree shows each task under its parent, with status and cost', async () => {
  const server = await serve();
  const nested = startTask('coder', `${startTask('reviewer', 'look')} made`);
  const { query_id } = await answered(server, `${nested} done`);
  const root = await server.call<Node>('GET', `/v1/queries/${query_id}/tree`);
  const usage = { model_calls: expect.any(Number), cost_usd: null };
  expect(root).toMatchObject({
    ...{ id: query_id, role: 'main', usage, status: 'completed' },
    children: [
      {
        ...{ role: 'coder', status: 'completed', usage },
        children: [{ role: 'reviewer', status: 'completed', usage, children: [] }],
      },
    ],
  });
});

it('a subagent shows who it is, where it runs and whom it works for', async () => {
  const server = await serve();
  const task = { subagent_type: 'coder', description: '[[delay=20000]] x' };
  const { task_id, query_id } = await server.call<Task>('POST', '/v1/tasks', task);
  const seen = await until(
    async () => {
      const path = `/v1/subagents?query_id=${query_id}`;
      const { data } = await server.call<{ data: { state: string }[] }>('GET', path);
      return data[0]?.state === 'running' && data[0];
    },
    20_000,
    'the subagent is running',
  );
  expect(seen).toMatchObject({
    ...{ task_id, query_id, role: 'coder', ordinal: 1, depth: 1, parent_id: 'main-agent' },
    agent_id: expect.stringMatching(/^sa_[0-9a-f]{12}$/),
    run_id: expect.any(String),
    endpoint: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    ...{ pid: expect.any(Number), port: expect.any(Number), model: expect.any(String) },
    updated_at: expect.any(String),
  });
  await server.call('POST', `/v1/tasks/${task_id}/cancel`, {});
});

it('the partial output grows while a task runs and names each tool call once', async () => {
  const server = await serve();
  const description = `${tool('write', { path: 'a.txt', content: 'a' })}[[delay=20000]] written`;
  const task = await server.call<Task>('POST', '/v1/tasks', {
    subagent_type: 'coder',
    description,
  });
  const path = `/v1/tasks/${task.task_id}`;
  const part = await until(
    async () => {
      const { status, partial_output } = await server.call<Task>('GET', path);
      return status === 'running' && partial_output.includes('a.txt') && partial_output;
    },
    20_000,
    'the tool call is in the partial output',
  );
  expect(part.match(/a\.txt/g)).toHaveLength(1);
  await server.call('POST', `${path}/cancel`, {});
  const { partial_output } = await server.call<Task>('GET', path);
  expect(partial_output.startsWith(part.trimEnd())).toBe(true);
});

it('the end of one query leaves the tasks of another at work', async () => {
  const server = await serve();
  const long = `${startTask('coder', '[[delay=30000]] late')} done`;
  const ending = await server.call<Query>('POST', '/v1/queries', { input: long });
  const other = { subagent_type: 'coder', description: '[[delay=3000]] kept' };
  const { task_id } = await server.call<Task>('POST', '/v1/tasks', other);
  const tasksOf = async ({ query_id }: Query) =>
    (await server.call<{ data: Task[] }>('GET', `/v1/tasks?query_id=${query_id}`)).data;
  const running = async () => (await tasksOf(ending)).some(({ status }) => status === 'running');
  await until(running, 20_000, 'the task of the query is running');
  await server.call('POST', `/v1/queries/${ending.query_id}/cancel`, {});
  expect((await tasksOf(ending)).map(({ status }) => status)).toEqual(['cancelled']);
  const kept = await server.call<Task>('GET', `/v1/tasks/${task_id}?wait_ms=30000`);
  expect(kept).toMatchObject({ status: 'completed', result: 'kept' });
});
