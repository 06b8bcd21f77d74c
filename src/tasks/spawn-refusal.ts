// How a spawn is refused: the error with its rule and numbers, the event that keeps it, and the limits that can only be
// counted in the unit of work that adds a task.
import { depthStatus, listedNames, refuseCrowd, type SpawnRefusal } from '../domain/depth.ts';
import { AppError } from '../domain/errors.ts';
import type { Store, Tx } from '../domain/ports.ts';
import type { Role } from '../domain/role.ts';
import { isOpen } from '../domain/subagent.ts';
import { isOpenTask } from '../domain/task.ts';
import type { SpawnAsk } from './spawn-ask.ts';
import type { Stopping } from './stopping.ts';

/** What refuses a spawn, as the caller sees it: the rule and its numbers. */
export function refusedBy(
  { parent, subagent_type }: SpawnAsk,
  refusal: SpawnRefusal,
  roles: ReadonlyMap<string, Role>,
): AppError {
  const { rule, message } = refusal;
  return new AppError(rule === 'unknown_role' ? 'unknown_role' : 'spawn_refused', message, {
    data: {
      rule,
      parent: parent.name,
      child: subagent_type.slice(0, 100),
      ...parent.at,
      status: depthStatus(parent.at),
      known: listedNames(roles),
    },
  });
}
export const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && (error.code === 'spawn_refused' || error.code === 'unknown_role');

/** Every refusal is an event, whoever asked; it is durable before the caller hears of it. */
export async function noteRefusal(
  store: Store,
  { parent, subagent_type }: SpawnAsk,
  { message, data }: AppError,
): Promise<void> {
  await store.tx((t) =>
    t.events.append({
      kind: 'security',
      state: 'spawn_refused',
      detail: message,
      query_id: parent.query?.query_id ?? null,
      task_id: parent.agent?.task_id ?? null,
      agent_id: parent.agent?.agent_id ?? null,
      role: parent.name,
      data: {
        parent: parent.name,
        child: subagent_type.slice(0, 100),
        rule: data.rule,
        ...parent.at,
        status: depthStatus(parent.at),
      },
    }),
  );
}

/** Counted in the unit that adds one: no burst passes the limits. */
export async function refuseInCrowd(
  t: Tx,
  ask: SpawnAsk,
  query_id: string,
  { roles, limits }: { roles: ReadonlyMap<string, Role>; limits: { max_tasks: number } },
): Promise<void> {
  const { parent, subagent_type } = ask;
  const fan_out = roles.get(subagent_type)?.fan_out ?? 0;
  const siblings =
    fan_out > 0 ? await t.tasks.children(query_id, parent.agent?.task_id ?? null) : [];
  const open = siblings.filter((s) => s.subagent_type === subagent_type && isOpenTask(s.status));
  const refusal = refuseCrowd(parent.name, subagent_type, {
    tasks: await t.tasks.count(query_id),
    max_tasks: limits.max_tasks,
    open: open.length,
    fan_out,
  });
  if (refusal) throw refusedBy(ask, refusal, roles);
}

export async function refuseUnderCancelled(
  t: Tx,
  ask: SpawnAsk,
  { roles, stopping }: { roles: ReadonlyMap<string, Role>; stopping: Stopping },
): Promise<void> {
  const refuse = (what: string): never => {
    const message = `${what} is being cancelled or has ended: nothing new starts under it`;
    throw refusedBy(ask, { rule: 'cancelled', message }, roles);
  };
  if (stopping.closed())
    throw new AppError('shutting_down', 'the server is shutting down; try again when it is back');
  const { agent, query } = ask.parent;
  if (agent) {
    const row = await t.subagents.get(agent.agent_id);
    if (!row || !isOpen(row.state) || stopping.has(agent.task_id)) refuse(`task ${agent.task_id}`);
  }
  if (query) {
    const row = await t.queries.get(query.query_id);
    const ended = !row || row.status === 'cancelled' || row.status === 'failed';
    if (ended || stopping.has(query.query_id)) refuse(`query ${query.query_id}`);
  }
}
