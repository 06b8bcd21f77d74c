// What a run is started with: its thread, repaired; its powers, from the runtime; the move to `running`.
import { canSpawn, depthStatus } from '../domain/depth.ts';
import type { Message } from '../domain/message.ts';
import type { ModelRoute, RoleServer, Tx } from '../domain/ports.ts';
import type { Role } from '../domain/role.ts';
import type { Envelope, RunLimits } from '../domain/run.ts';
import type { Subagent } from '../domain/subagent.ts';
import { repairThread } from '../domain/thread.ts';
import { ASKS, answersLost } from './forensics.ts';
import { move } from './lifecycle.ts';
import type { LiveRun } from './live.ts';

/** Tools that make and steer tasks: a leaf does not get them. */
export const SPAWN_TOOLS = [
  'start_async_task',
  'check_async_task',
  'update_async_task',
  'cancel_async_task',
  'list_async_tasks',
] as const;

export type PrepareDeps = {
  roles: ReadonlyMap<string, Role>;
  limits: Omit<RunLimits, 'timeout_s'>;
  /** The workdir is there before the run is: that of a direct task is made only now. */
  makeWorkdir(path: string): void;
  /** Which model is asked first and why, for the subagent's row and event. */
  route(model: string, role: string): ModelRoute;
};

export function createPrepare({ roles, limits, makeWorkdir, route }: PrepareDeps) {
  /** In a unit of work of the caller. `agent`: its row as read in that unit. */
  return async function prepare(
    t: Tx,
    run: LiveRun,
    agent: Subagent,
    server: RoleServer,
  ): Promise<Envelope | null> {
    const role = roles.get(run.role);
    const task = await t.tasks.get(run.task_id);
    const query = await t.queries.get(run.query_id);
    if (!task || !query || !role || agent.state !== 'assigned') return null;
    if (query.kind === 'direct') makeWorkdir(query.workdir);
    const thread = await t.checkpoints.thread(task.task_id);
    const started = new Set<string>();
    const answers = new Map<string, string>();
    if (thread.messages.at(-1)?.role !== 'user' || thread.messages.length > 1)
      for (const { run_id } of await t.runs.ofTask(task.task_id)) {
        for (const call of await t.checkpoints.openCalls(run_id))
          if (!ASKS.test(call.name)) started.add(call.id);
        for (const [id, answer] of await answersLost(t, run_id)) answers.set(id, answer);
      }
    const model = role.model === 'default' ? (query.options.model ?? 'default') : role.model;
    const { models, why } = route(model, role.name);
    const first = models[0] ?? model;
    await move(t, agent, 'running', {
      detail: `in ${server.endpoint}`,
      agent: {
        endpoint: server.endpoint,
        pid: server.pid,
        port: server.port,
        server_nonce: server.server_id,
        model: first,
      },
      data: {
        pid: server.pid,
        port: server.port,
        server_id: server.server_id,
        instance: server.instance,
        model: first,
        model_why: why,
      },
    });
    run.run_id = agent.run_id;
    run.parent_task_id = task.parent_task_id;
    run.spawned = thread.next_step > 0;
    const at = { depth: task.depth, max_depth: task.max_depth };
    const spawns = canSpawn(at) && role.may_start.length > 0;
    return {
      v: 1,
      run_id: agent.run_id,
      thread_id: task.task_id,
      agent_id: agent.agent_id,
      query_id: query.query_id,
      role: role.name,
      run_token: run.token,
      messages: repairThread(thread.messages, started, run.interrupted, answers) as Message[],
      prompt: role.system_prompt,
      model,
      tools: role.tools.filter(
        (name) => spawns || !(SPAWN_TOOLS as readonly string[]).includes(name),
      ),
      spawn: { may_start: spawns ? [...role.may_start] : [], ...at, status: depthStatus(at) },
      workdir: query.workdir,
      memory_block: run.recalled,
      limits: {
        ...limits,
        max_iterations: role.max_iterations ?? Math.max(10, Math.floor(limits.max_iterations / 2)),
        timeout_s: role.timeout_s,
      },
      first_step: thread.next_step,
    };
  };
}
