// The floor of a task that does nothing: accept durably, hand it to a child over loopback, take its result,
// commit, tell who waits. The bare pair without the product. Prints its address, ends on SIGTERM.
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import Fastify from 'fastify';
import { Pool } from 'undici';

type Job = { task_id: string; description: string };

/** The child answers with the text that it was given. */
async function beChild(): Promise<void> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const job = JSON.parse(Buffer.concat(parts).toString('utf8')) as Job;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ task_id: job.task_id, result: job.description }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send?.((server.address() as AddressInfo).port);
  process.on('disconnect', () => process.exit(0));
}

async function beMain(file: string): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), ['--child']);
  const [port] = (await once(child, 'message')) as [number];
  const pool = new Pool(`http://127.0.0.1:${port}`);
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec('CREATE TABLE tasks (task_id TEXT PRIMARY KEY, description TEXT, result TEXT)');
  const insert = database.prepare('INSERT INTO tasks (task_id, description) VALUES (?, ?)');
  const finish = database.prepare('UPDATE tasks SET result = ? WHERE task_id = ?');
  const atWork = new Map<string, Promise<string>>();

  async function work(job: Job): Promise<string> {
    const { body } = await pool.request({
      ...{ method: 'POST', path: '/runs', body: JSON.stringify(job) },
      headers: { 'content-type': 'application/json' },
    });
    const { result } = (await body.json()) as { result: string };
    finish.run(result, job.task_id);
    return result;
  }

  const server = Fastify();
  server.post<{ Body: { description: string } }>('/v1/tasks', async ({ body }, reply) => {
    const job = { task_id: randomUUID(), description: body.description };
    insert.run(job.task_id, job.description);
    atWork.set(job.task_id, work(job));
    return reply.code(202).send({ task_id: job.task_id, status: 'created' });
  });
  server.get<{ Params: { task_id: string } }>('/v1/tasks/:task_id', async ({ params }) => {
    const result = await atWork.get(params.task_id);
    atWork.delete(params.task_id);
    return { task_id: params.task_id, status: 'completed', result };
  });
  process.once('SIGTERM', async () => {
    await server.close();
    await pool.close();
    child.disconnect();
    database.close();
  });
  console.log(`floor listening on ${await server.listen({ host: '127.0.0.1', port: 0 })}`);
}

const [, , what = ''] = process.argv;
await (what === '--child' ? beChild() : beMain(what));
