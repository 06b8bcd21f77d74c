// The floor of accepting a task: a bare Fastify handler and one durable insert. Prints its address, ends on SIGTERM.
import { randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';
import Fastify from 'fastify';

const [, , file = ''] = process.argv;
const database = new Database(file);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec('CREATE TABLE tasks (task_id TEXT PRIMARY KEY, role TEXT, description TEXT)');
const insert = database.prepare('INSERT INTO tasks VALUES (?, ?, ?)');

type Body = { subagent_type: string; description: string };
const server = Fastify();
server.post<{ Body: Body }>('/v1/tasks', async ({ body }, reply) => {
  const task_id = randomUUID();
  insert.run(task_id, body.subagent_type, body.description);
  return reply.code(202).send({ task_id, status: 'created' });
});
process.once('SIGTERM', () => void server.close().then(() => database.close()));
console.log(`floor listening on ${await server.listen({ host: '127.0.0.1', port: 0 })}`);
