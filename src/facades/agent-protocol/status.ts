// How a run and a thread stand. What runs is not copied anywhere: the rows of its task or its query say it, so that
// the status, the values and the state of a thread change in one transaction.
import type { Reads, Tx } from '../../domain/ports.ts';
import type { EndStatus, ProtocolRun, RunStatus, ThreadStatus } from '../../domain/protocol.ts';
import type { Query, QueryStatus } from '../../domain/query.ts';
import { isOpenTask, type Task, type TaskStatus } from '../../domain/task.ts';
import { MAIN } from './assistants.ts';
import { interruptsOf } from './person.ts';

export type Look = {
  status: RunStatus;
  /** Whether its task or query is at work, or waits for a person. */
  open: boolean;
  error: string | null;
  reason: string | null;
};
/** The rows, as readers see them or inside a unit of work. */
export type Rows = Pick<Reads | Tx, 'tasks' | 'runs' | 'queries' | 'subagents' | 'reviews'>;

export const isEnd = (status: RunStatus): status is EndStatus =>
  status !== 'pending' && status !== 'running';

const OF_TASK: Record<TaskStatus, RunStatus> = {
  created: 'pending',
  assigned: 'pending',
  running: 'running',
  blocked: 'running',
  completed: 'success',
  failed: 'error',
  cancelled: 'interrupted',
};
const OF_QUERY: Record<QueryStatus, RunStatus> = {
  queued: 'pending',
  running: 'running',
  waiting: 'interrupted',
  completed: 'success',
  degraded: 'success',
  failed: 'error',
  cancelled: 'interrupted',
};

type Ended = Pick<Task, 'error'> | Pick<Query, 'error'>;
function lookOf(status: RunStatus, open: boolean, { error }: Ended): Look {
  const text = open ? null : (error?.message ?? null);
  if (status === 'error' && error?.code === 'run_timeout')
    return { status: 'timeout', open, error: text, reason: null };
  if (status === 'interrupted') return { status, open, error: null, reason: text };
  return { status, open, error: status === 'error' ? text : null, reason: null };
}

const SUPERSEDED: Look = {
  status: 'interrupted',
  open: false,
  error: null,
  reason: 'another run went on with the thread',
};

/** A run of the task that was started elsewhere has taken the place of this one: what is left of it is its attempt. */
async function leftOf(rows: Rows, run: ProtocolRun): Promise<Look> {
  const mine = (await rows.subagents.ofTask(run.thread_id)).find((a) => a.run_id === run.work_id);
  if (!mine) return SUPERSEDED;
  const error = mine.error ? { code: 'internal' as const, message: mine.error, reasons: [] } : null;
  if (mine.state === 'failed') return lookOf('error', false, { error });
  if (mine.state === 'cancelled') return lookOf('interrupted', false, { error });
  return mine.state === 'completed' || mine.state === 'destroyed'
    ? lookOf('success', false, { error: null })
    : SUPERSEDED;
}

/** The latest run of the task is this one, or an alternate role's try at the same. */
async function isLatest(rows: Rows, run: ProtocolRun, task: Task): Promise<boolean> {
  if (task.run_id === run.work_id) return true;
  const all = await rows.runs.ofTask(task.task_id);
  const at = all.findIndex(({ run_id }) => run_id === run.work_id);
  return at >= 0 && all.slice(at + 1).every(({ kind }) => kind === 'alternate');
}

/** How a run stands that has been handed to its task or query. */
async function lookAtWork(rows: Rows, run: ProtocolRun): Promise<Look> {
  if (run.assistant === MAIN) {
    const query = await rows.queries.get(run.thread_id);
    if (!query) return SUPERSEDED;
    const status = OF_QUERY[query.status];
    return lookOf(status, !isEnd(status) || query.status === 'waiting', query);
  }
  const task = await rows.tasks.get(run.thread_id);
  if (!task) return SUPERSEDED;
  if (!(await isLatest(rows, run, task))) return leftOf(rows, run);
  // Whoever asks a person has ended for its caller, until the answer comes.
  const asks = isOpenTask(task.status) && (await interruptsOf(rows, run)).length > 0;
  if (asks) return { status: 'interrupted', open: true, error: null, reason: null };
  return lookOf(OF_TASK[task.status], isOpenTask(task.status), task);
}

export async function lookAt(rows: Rows, run: ProtocolRun): Promise<Look> {
  if (run.state === 'waiting') return { status: 'pending', open: true, error: null, reason: null };
  if (run.state === 'started') return lookAtWork(rows, run);
  const { status, error, reason } = run;
  return { status: status ?? 'success', open: false, error, reason };
}

/** What a thread does by its runs, oldest first, each with its look. */
export function threadStatus(looks: readonly Look[]): ThreadStatus {
  const open = looks.filter((look) => look.open);
  if (open.some(({ status }) => !isEnd(status))) return 'busy';
  if (open.length > 0) return 'interrupted';
  const last = looks.at(-1)?.status;
  return last === 'error' || last === 'timeout' ? 'error' : 'idle';
}
