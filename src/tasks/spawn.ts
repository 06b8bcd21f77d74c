// The one way in which a subagent comes to exist. Main agent, subagents, branches and the API all come through here:
// guards, caps, rows and events live here and in spawn-refusal.ts, and nowhere else.

import { childOf, refuseSpawn } from '../domain/depth.ts';
import { AppError } from '../domain/errors.ts';
import { newAgentId, uuidv7 } from '../domain/ids.ts';
import { noUsage } from '../domain/message.ts';
import type { OutputSchema } from '../domain/output-schema.ts';
import type { Log, Store, Tx } from '../domain/ports.ts';
import type { Query, QueryOptions } from '../domain/query.ts';
import type { Role } from '../domain/role.ts';
import { MAIN_AGENT } from '../domain/subagent.ts';
import type { Task } from '../domain/task.ts';
import type { WorkflowGate } from '../domain/workflow-gate.ts';
import { lineTo, rootOf } from './ancestry.ts';
import type { Dispatcher } from './dispatcher.ts';
import { type Confirm, createFanout } from './fanout.ts';
import { insertAttempt } from './new-attempt.ts';
import { acceptSchema } from './output-schema.ts';
import type { Slots } from './slots.ts';
import type { SpawnAsk } from './spawn-ask.ts';
import {
  isRefusal,
  noteRefusal,
  refusedBy,
  refuseInCrowd,
  refuseUnderCancelled,
} from './spawn-refusal.ts';
import type { Stopping } from './stopping.ts';

export type SpawnDeps = {
  store: Store;
  roles: ReadonlyMap<string, Role>;
  slots: Slots;
  dispatcher: Dispatcher;
  stopping: Stopping;
  workflow: Pick<WorkflowGate, 'admit'>;
  /** Above these estimates a person is asked before an agent starts one more task; 0 = never. */
  confirm_above: Confirm;
  log: Log;
  limits: {
    queue_limit: number;
    overflow: 'queue' | 'reject';
    description_limit: number;
    /** Most tasks of one query, ended ones too. */
    max_tasks: number;
  };
  /** Makes the implicit query of a task that comes straight through the API. */
  directQuery(description: string, at: string, options: Partial<QueryOptions>): Query;
};

export function createSpawn(deps: SpawnDeps) {
  const { store, roles, slots, dispatcher, workflow, limits } = deps;
  const fanout = createFanout({ store, confirm_above: deps.confirm_above, log: deps.log });
  // Accepted but not yet in the queue: counted, so that a burst cannot pass the limit between check and entry.
  let underWay = 0;

  async function guard(ask: SpawnAsk): Promise<string> {
    const { parent, subagent_type, description, output_schema } = ask;
    if (description.trim() === '')
      throw new AppError('bad_request', 'description is empty; say what the task is');
    if (output_schema !== undefined) acceptSchema(output_schema);
    const bytes = Buffer.byteLength(description);
    if (bytes > limits.description_limit)
      throw new AppError(
        'bad_request',
        `description has ${bytes} bytes; at most ${limits.description_limit} are allowed: put the material into a file of the workdir and name it`,
      );
    const refusal = refuseSpawn({
      parent: parent.name,
      child: subagent_type,
      at: parent.at,
      may_start: parent.may_start,
      roles,
      line: await lineTo(store.reads, parent.agent, rootOf(parent)),
    });
    if (refusal) throw refusedBy(ask, refusal, roles);
    return admitted(ask);
  }

  /** The description as the workflow of the query lets it through. */
  async function admitted(ask: SpawnAsk): Promise<string> {
    const { parent, subagent_type: child, description } = ask;
    const { query, agent, name } = parent;
    if (!query) return description;
    const from = { query, parent: name, parent_task_id: agent?.task_id ?? null };
    const answer = await workflow.admit({ ...from, by_main: agent === null, child, description });
    if (answer.ok) return answer.description;
    throw refusedBy(ask, { rule: 'workflow', message: answer.message }, roles);
  }

  function reserve(): void {
    const { max, held, queued } = slots.counts();
    const numbers = { max_subagents: max, live: held, queued, queue_limit: limits.queue_limit };
    if (limits.overflow === 'reject' && held + queued + underWay >= max)
      throw new AppError(
        'capacity',
        `capacity: ${held} of ${max} subagents are live and overflow is "reject"; wait for one to end`,
        { data: numbers },
      );
    if (queued + underWay >= limits.queue_limit)
      throw new AppError(
        'queue_full',
        `the queue is full: ${queued} tasks wait and queue_limit is ${limits.queue_limit}; try again later`,
        { data: numbers },
      );
    underWay += 1;
  }

  /** Resolves with the task when it is durable; its start never delays the answer. */
  return async function spawn(ask: SpawnAsk): Promise<Task> {
    if (ask.call) {
      const known = await store.reads.tasks.byCall(ask.call.run_id, ask.call.call_id);
      if (known) return known;
    }
    let description: string;
    try {
      description = await guard(ask);
    } catch (error) {
      if (isRefusal(error)) await noteRefusal(store, ask, error);
      throw error;
    }
    if (ask.call) await fanout(ask.parent, ask.subagent_type, ask.call);
    reserve();
    try {
      const made = await store
        .tx((t) => insert(t, { ...ask, description }, deps))
        .catch(async (error: unknown) => {
          if (isRefusal(error)) await noteRefusal(store, ask, error);
          throw error;
        });
      if (made.fresh) {
        const ancestors = ask.parent.agent ? [ask.parent.agent.agent_id] : [];
        dispatcher.enqueue({
          agent_id: made.agent_id,
          role: ask.subagent_type,
          query_id: made.task.query_id,
          ancestors,
          returning: false,
        });
      }
      return made.task;
    } finally {
      underWay -= 1;
    }
  };
}
export type Spawn = ReturnType<typeof createSpawn>;

async function insert(
  t: Tx,
  ask: SpawnAsk,
  deps: SpawnDeps,
): Promise<{ task: Task; agent_id: string; fresh: boolean }> {
  const { parent, subagent_type, description, call } = ask;
  if (call) {
    const known = await t.tasks.byCall(call.run_id, call.call_id);
    if (known) return { task: known, agent_id: '', fresh: false };
  }
  await refuseUnderCancelled(t, ask, deps);
  if (parent.query) await refuseInCrowd(t, ask, parent.query.query_id, deps);
  let query = parent.query;
  if (!query) {
    query = deps.directQuery(description, t.at, ask.options ?? {});
    await t.queries.insert(query);
  }
  const at = childOf(parent.at);
  const agent_id = newAgentId();
  const task: Task = {
    task_id: ask.ids?.task_id ?? uuidv7(),
    run_id: ask.ids?.run_id ?? uuidv7(),
    query_id: query.query_id,
    parent_task_id: parent.agent?.task_id ?? null,
    subagent_type,
    description,
    status: 'created',
    waiting: 'slot',
    depth: at.depth,
    max_depth: at.max_depth,
    result: null,
    error: null,
    partial_output: '',
    usage: noUsage(),
    iterations: 0,
    resume_estimate: null,
    unverified: [],
    output_schema: (ask.output_schema as OutputSchema | undefined) ?? null,
    schema_valid: null,
    structured: null,
    delivered_at: null,
    created_at: t.at,
    updated_at: t.at,
  };
  await t.tasks.insert(task, call);
  await insertAttempt(t, {
    agent_id,
    task,
    role: subagent_type,
    parent_id: parent.agent?.agent_id ?? MAIN_AGENT,
    kind: 'start',
    attempts_used: 0,
    input: description,
    messages: ask.messages,
  });
  await ask.with?.(t, task);
  return { task, agent_id, fresh: true };
}
