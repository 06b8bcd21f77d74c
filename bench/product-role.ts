// One role of the running product as a benchmark sees it: start a task, wait for it, stop its role server.
import { until } from '../test/support/until.ts';
import type { Server } from './server.ts';

type TaskView = { task_id: string; status: string };
type ServerView = { role: string; state: string; pid: number | null };

/** Longest time of one task that does nothing. */
const TASK_MS = 30_000;

export const startTask = (
  server: Server,
  role: string,
  description = 'nothing',
): Promise<TaskView> =>
  server.call<TaskView>('POST', '/v1/tasks', { subagent_type: role, description });

export async function finishTask(server: Server, task_id: string): Promise<void> {
  const { status } = await server.call<TaskView>('GET', `/v1/tasks/${task_id}?wait_ms=${TASK_MS}`);
  if (status !== 'completed') throw new Error(`task ${task_id} is ${status}, not completed`);
}

async function liveServer(server: Server, role: string): Promise<ServerView | undefined> {
  const { data } = await server.call<{ data: ServerView[] }>('GET', '/v1/servers');
  return data.find((row) => row.role === role && row.state !== 'stopped');
}

export async function pidOf(server: Server, role: string): Promise<number> {
  const live = await liveServer(server, role);
  if (live?.pid == null) throw new Error(`no role server of ${role} is listed`);
  return live.pid;
}

/** Resolves when the role server is gone: the next task starts a new one. */
export async function stopRole(server: Server, role: string): Promise<void> {
  await server.call('POST', `/v1/servers/${role}/stop`, {});
  await until(async () => !(await liveServer(server, role)), 30_000, `${role} has stopped`);
}
