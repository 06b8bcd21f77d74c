// Tasks as the rest of main sees them: composed here once, used by the main agent, by subagents and by the API.
import { AppError } from '../domain/errors.ts';
import type { Page, PageAsk, Store, Tx } from '../domain/ports.ts';
import type { Query, QueryOptions } from '../domain/query.ts';
import type { TaskAnswer, TaskCall } from '../domain/run.ts';
import { isOpen, type Subagent, type Waiting } from '../domain/subagent.ts';
import { isOpenTask, type Task, type TaskStatus } from '../domain/task.ts';
import { brief, cleanId } from './brief.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Follow } from './follow.ts';
import { type Forensics, forensicsOf } from './forensics.ts';
import { discard } from './lifecycle.ts';
import { checkAnswer } from './output-schema.ts';
import type { Parent, Spawn } from './spawn.ts';
import { alreadyEnded, type Stop } from './stop.ts';
import type { Wait } from './wait.ts';

export type ServiceDeps = {
  store: Store;
  spawn: Spawn;
  follow: Follow;
  stop: Stop;
  wait: Wait;
  dispatcher: Dispatcher;
  /** Role names that a caller of the API may start, and the depth at which it stands. */
  direct: { may_start: readonly string[]; max_depth: number };
};
export type NewTask = {
  subagent_type: string;
  description: string;
  review?: QueryOptions['review'];
};
export type TaskDetail = { task: Task; attempts: Subagent[] };
export type ListAsk = PageAsk & { status?: TaskStatus; role?: string; query_id?: string };
/** Who uses the async tools: the query's main agent (agent null) or a subagent. */
export type Actor = { parent: Parent & { query: Query }; run_id: string };

export function createTaskService(deps: ServiceDeps) {
  const { store, spawn, follow, stop, wait, dispatcher, direct } = deps;
  const { reads } = store;

  /** Live facts that no row holds: what an open task waits for at this moment. */
  const waitingOf = (task: Task, attempt: Subagent | undefined): Waiting =>
    isOpenTask(task.status) && attempt ? dispatcher.waitingOf(attempt.agent_id) : null;

  async function find(id: string): Promise<Task> {
    const task_id = cleanId(id);
    const task = await reads.tasks.get(task_id);
    if (task) return task;
    const recent = (await reads.tasks.list({ limit: 5, cursor: null })).data.map((t) => t.task_id);
    throw new AppError(
      'not_found',
      `no task ${task_id.slice(0, 200)}; ids are given whole. Recent tasks: ${recent.join(', ') || 'none'}`,
    );
  }

  async function detail(task: Task): Promise<TaskDetail> {
    const attempts = await reads.subagents.ofTask(task.task_id);
    const waiting = waitingOf(task, attempts.at(-1));
    return {
      task: { ...task, waiting },
      attempts: attempts.map((a) => (isOpen(a.state) ? { ...a, waiting } : a)),
    };
  }

  async function briefOf(task: Task): Promise<ReturnType<typeof brief>> {
    const attempt = (await reads.subagents.ofTask(task.task_id)).at(-1);
    return brief(task, waitingOf(task, attempt));
  }

  /** A task that the actor may touch: one of its own tree. Of others it learns nothing, not even their ids. */
  async function findOwn({ parent: { query, agent } }: Actor, id: string): Promise<Task> {
    const task = await reads.tasks.get(cleanId(id));
    let up = task?.query_id === query.query_id ? task : null;
    while (up && agent && up.parent_task_id !== agent.task_id)
      up = up.parent_task_id ? await reads.tasks.get(up.parent_task_id) : null;
    if (task && up) return task;
    const mine = await reads.tasks.children(query.query_id, agent?.task_id ?? null);
    const latest = mine.slice(-5).map((t) => t.task_id);
    throw new AppError(
      'not_found',
      `no task ${cleanId(id).slice(0, 200)} among the tasks that this agent started; ids are given whole. Its latest tasks: ${latest.join(', ') || 'none'}`,
    );
  }

  async function act(actor: Actor, call: TaskCall, signal: AbortSignal): Promise<TaskAnswer> {
    const { query, agent } = actor.parent;
    const me = {
      query_id: query.query_id,
      task_id: agent?.task_id ?? null,
      agent_id: agent?.agent_id ?? null,
    };
    switch (call.op) {
      case 'start': {
        const { subagent_type, description, output_schema, call_id } = call;
        const ask = { parent: actor.parent, subagent_type, description, output_schema };
        const task = await spawn({ ...ask, call: { run_id: actor.run_id, call_id } });
        return { ok: true, op: 'start', task: await briefOf(task) };
      }
      case 'check': {
        const task = await findOwn(actor, call.task_id);
        if (call.wait_ms > 0 && isOpenTask(task.status))
          await wait.lending(me.agent_id, () =>
            wait.untilEnded(task.task_id, call.wait_ms, signal),
          );
        return { ok: true, op: 'check', task: await briefOf(await find(task.task_id)) };
      }
      case 'update': {
        const task = await findOwn(actor, call.task_id);
        const by = { run_id: actor.run_id, call_id: call.call_id };
        return {
          ok: true,
          op: 'update',
          task: await briefOf(await follow.update(task, call.message, by)),
        };
      }
      case 'cancel': {
        const task = await findOwn(actor, call.task_id);
        await stop.cancelTask(task, `cancelled by ${actor.parent.name}`);
        return { ok: true, op: 'cancel', task: await briefOf(await find(task.task_id)) };
      }
      case 'list': {
        const all = await reads.tasks.children(me.query_id, me.task_id);
        const wanted = all.filter((t) => matchesStatus(t.status, call.status));
        return { ok: true, op: 'list', tasks: await Promise.all(wanted.map(briefOf)) };
      }
      case 'check_result': {
        const task = me.task_id === null ? null : await reads.tasks.get(me.task_id);
        const schema = task?.output_schema ?? null;
        const problems = schema === null ? [] : checkAnswer(schema, call.text).problems;
        return { ok: true, op: 'check_result', problems };
      }
      case 'join': {
        const { ended, open } = await wait.join(me, call.wait_ms, signal);
        const briefs = (list: Task[]) => Promise.all(list.map(briefOf));
        return { ok: true, op: 'join', ended: await briefs(ended), open: await briefs(open) };
      }
    }
  }

  return {
    act,
    /** For the runtime itself: the one way in which a task comes to exist. */
    spawn,
    /** start_async_task straight through the API. `with`: rows of the same unit of work. */
    async start(
      { review, ...input }: NewTask & { output_schema?: unknown },
      extra?: (t: Tx, task: Task) => Promise<void>,
    ): Promise<Task> {
      const at = { depth: 0, max_depth: direct.max_depth };
      const parent = { name: 'api', query: null, agent: null, at, may_start: direct.may_start };
      const options = review === undefined ? {} : { review };
      return spawn({ parent, ...input, options, call: null, with: extra });
    },
    get: async (id: string): Promise<TaskDetail> => detail(await find(id)),
    wait: (id: string, ms: number, signal: AbortSignal) => wait.untilEnded(cleanId(id), ms, signal),
    async list(ask: ListAsk): Promise<Page<Task>> {
      const page = await reads.tasks.list(ask);
      return page;
    },
    async message(id: string, text: string, mode: 'steer' | 'interrupt' | 'enqueue') {
      const task = await find(id);
      if (mode === 'enqueue') {
        const { task: queued } = await detail(await follow.enqueue(task, text));
        return { task: queued, delivery: 'queued' as const };
      }
      if (mode === 'steer') {
        const delivery = await follow.steer(task, text);
        return { task: (await detail(await find(id))).task, delivery };
      }
      const updated = await follow.update(task, text, null);
      return { task: (await detail(updated)).task, delivery: 'delivered' as const };
    },
    async cancel(id: string, reason: string): Promise<TaskDetail> {
      const task = await find(id);
      await stop.cancelTask(task, reason);
      const after = await find(id);
      // It ended by itself while it was being stopped: its outcome stands.
      if (after.status !== 'cancelled') throw alreadyEnded(after);
      return detail(after);
    },
    /** What is known of the latest attempt, for a person who must decide what to do with it. */
    async forensics(id: string): Promise<Forensics> {
      const { task, attempts } = await detail(await find(id));
      const last = attempts.at(-1);
      if (!last) throw new AppError('not_found', `task ${task.task_id} has no attempt`);
      return forensicsOf(reads, task, last);
    },
    /** Lets the ended attempt of a task go: its rows stay, it is not resumed any more. */
    async discard(id: string): Promise<TaskDetail> {
      const task = await find(id);
      const last = (await reads.subagents.ofTask(task.task_id)).at(-1);
      if (last) await store.tx((t) => discard(t, last.agent_id));
      return detail(await find(id));
    },
    retry: async (id: string): Promise<TaskDetail> => detail(await follow.retry(await find(id))),
    cancelUnder: stop.cancelUnder,
    look: wait.look,
  };
}

/** Filters of the agent world (`running success error cancelled all`) and of our own. */
function matchesStatus(status: TaskStatus, filter: string | null): boolean {
  switch (filter ?? 'all') {
    case 'all':
      return true;
    case 'success':
      return status === 'completed';
    case 'error':
      return status === 'failed';
    case 'pending':
      return status === 'created' || status === 'assigned';
    default:
      return status === filter;
  }
}
