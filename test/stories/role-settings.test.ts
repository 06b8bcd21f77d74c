// What the configuration says about a role holds for the agents that really run.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chunk, stream, upstream, usage } from '../models/support/upstream.ts';
import { type Server, startTroupe } from '../support/server.ts';
import { tempFolder } from '../support/temp-folder.ts';

type Task = { task_id: string; query_id: string; status: string; result: string };
type Query = { query_id: string; status: string; workdir: string };
type Subagent = { role: string; ordinal: number; task_id: string };

async function serve(folder: string, toml: string, env: NodeJS.ProcessEnv = {}): Promise<Server> {
  const config = join(folder, 'config.toml');
  writeFileSync(config, toml);
  const server = await startTroupe(join(folder, 'data'), { TROUPE_CONFIG: config, ...env });
  onTestFinished(async () => void (await server.stop()));
  return server;
}

async function finish(server: Server, subagent_type: string, description: string): Promise<Task> {
  const { task_id } = await server.call<Task>('POST', '/v1/tasks', { subagent_type, description });
  return await server.call<Task>('GET', `/v1/tasks/${task_id}?wait_ms=30000`);
}

describe('a role', () => {
  it('that has only the tool read is refused when it calls write, and the file stays as it is', async () => {
    const server = await serve(tempFolder(), '[async_subagents.coder]\ntools = ["read"]\n');
    const write = (text: string) => `[[tool write {"path":"a.txt","content":"${text}"}]] done`;
    const workdirOf = async ({ query_id }: Task) =>
      (await server.call<Query>('GET', `/v1/queries/${query_id}`)).workdir;
    const free = await finish(server, 'backend', write('kept'));
    expect(readFileSync(join(await workdirOf(free), 'a.txt'), 'utf8')).toBe('kept');
    const bound = await finish(server, 'coder', write('changed'));
    expect(bound.status).toBe('completed');
    expect(existsSync(join(await workdirOf(bound), 'a.txt'))).toBe(false);
  });

  it('with a model of its own asks that model first', async () => {
    const provider = await upstream(
      stream([chunk({ content: 'from the model of the role' }), chunk({}, 'stop'), usage(1, 1)]),
    );
    const server = await serve(
      tempFolder(),
      '[async_subagents.coder]\nmodel = "openai:role-model"\n',
      { OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: 'sk-test-key' },
    );
    expect((await finish(server, 'reviewer', 'hello')).result).toBe('hello');
    expect(provider.seen).toHaveLength(0);
    expect((await finish(server, 'coder', 'hello')).result).toBe('from the model of the role');
    expect(provider.seen[0]?.body.model).toBe('role-model');
  });
});

it('the second architect of a query is architect agent #2, also after a restart', async () => {
  const folder = tempFolder();
  const start = (n: number) =>
    `[[tool start_async_task {"subagent_type":"architect","description":"part ${n}"}]]`;
  const first = await serve(folder, '');
  const input = `${start(1)}${start(2)} both`;
  const { query_id } = await first.call<Query>('POST', '/v1/queries', { input });
  const labels = async (server: Server) =>
    JSON.stringify(await server.call<object>('GET', `/v1/queries/${query_id}/tree`)).match(
      /architect agent #\d/g,
    );
  const ended = await first.call<Query>('GET', `/v1/queries/${query_id}?wait_ms=30000`);
  expect(ended.status).toBe('completed');
  expect(await labels(first)).toEqual(['architect agent #1', 'architect agent #2']);
  await first.stop();
  const second = await serve(folder, '');
  expect(await labels(second)).toEqual(['architect agent #1', 'architect agent #2']);
  const { data } = await second.call<{ data: Subagent[] }>(
    'GET',
    `/v1/subagents?query_id=${query_id}&role=architect`,
  );
  expect(data.map(({ ordinal }) => ordinal).sort()).toEqual([1, 2]);
});
