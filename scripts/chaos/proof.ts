// What must hold after a chaos run, judged from the clients' own records and the event log. Pure: it reads
// nothing and asks nobody. Every breach is one text with its evidence.
import type { TroupeEvent } from '../../src/domain/event.ts';
import { isOpenQuery, type QueryStatus } from '../../src/domain/query.ts';
import { canMove, isOpen, isOutcome, type SubagentState } from '../../src/domain/subagent.ts';
import { isOpenTask, type TaskStatus } from '../../src/domain/task.ts';
import type { Read } from './reader.ts';
import type { Job } from './work.ts';

export type TaskRow = {
  task_id: string;
  query_id: string;
  parent_task_id: string | null;
  status: TaskStatus;
  result: string | null;
  error: { code: string; message: string } | null;
};
export type AgentRow = { agent_id: string; task_id: string; state: SubagentState };
export type QueryRow = {
  query_id: string;
  kind: string;
  status: QueryStatus;
  answer: string | null;
  error: { message: string } | null;
  workdir: string;
};
/** What a client knows of a piece of work that was acknowledged. */
export type Accepted = {
  job: Job;
  /** task_id, or query_id of a query. */
  id: string;
  query_id: string;
  /** It has asked for the cancel, answered or not. */
  cancelled: boolean;
  /** Texts of updates that were asked for; any of them may be the last word. */
  updates: string[];
};
export type Evidence = {
  accepted: Accepted[];
  log: TroupeEvent[];
  /** What the reader of everything and the reader of subagent events were told. */
  read: Read[];
  read_subagents: Read[];
  tasks: TaskRow[];
  agents: AgentRow[];
  queries: QueryRow[];
  slots: { held: number; lent: number; queued: number; runs: number };
  /** Lines that the command of a task has left, by query. */
  ran: Map<string, number>;
};

const some = (found: string[], most = 5): string[] =>
  found.length <= most ? found : [...found.slice(0, most), `… and ${found.length - most} more`];
const plain = ({ prev_seq: _, ...event }: Read): TroupeEvent => event;

function logBreaches({ log, read, read_subagents }: Evidence): string[] {
  const gap = log.findIndex((event, at) => event.seq !== at + 1);
  if (gap >= 0) return [`the log has ${log[gap]?.seq} where ${gap + 1} belongs`];
  const found: string[] = [];
  const compare = (name: string, told: Read[], truth: TroupeEvent[]): void => {
    if (told.length !== truth.length)
      found.push(`${name} was told ${told.length} events of ${truth.length}`);
    const at = told.findIndex((e, n) => JSON.stringify(plain(e)) !== JSON.stringify(truth[n]));
    if (at >= 0)
      found.push(
        `${name}, event ${at}: told ${JSON.stringify(told[at])}, stored ${JSON.stringify(truth[at])}`,
      );
    const broken = told.find((e, n) => n > 0 && e.prev_seq !== told[n - 1]?.seq);
    if (broken) found.push(`${name}: ${broken.seq} says that ${broken.prev_seq} came before it`);
  };
  compare('the reader of everything', read, log);
  const subagents = log.filter(({ kind }) => kind === 'subagent');
  compare('the reader of subagents', read_subagents, subagents);
  return found;
}

/** Every move is in the table, every attempt has one outcome, and the rows say what the log says. */
function lifeBreaches({ log, tasks, agents }: Evidence): string[] {
  const found: string[] = [];
  const states = new Map<string, SubagentState>();
  const outcomes = new Map<string, number>();
  const ofTask = new Map<string, SubagentState>();
  for (const { kind, state: to, agent_id, task_id, seq } of log) {
    if (kind !== 'subagent' || !agent_id || !task_id) continue;
    const state = to as SubagentState;
    const from = states.get(agent_id);
    if (from === undefined ? state !== 'created' : !canMove(from, state))
      found.push(`event ${seq}: ${agent_id} moved from ${from ?? 'nothing'} to ${state}`);
    states.set(agent_id, state);
    if (isOutcome(state)) outcomes.set(agent_id, (outcomes.get(agent_id) ?? 0) + 1);
    if (state !== 'destroyed') ofTask.set(task_id, state);
  }
  for (const { agent_id, state } of agents) {
    if (isOpen(state)) found.push(`subagent ${agent_id} is still ${state}`);
    if (states.get(agent_id) !== state)
      found.push(`subagent ${agent_id} is ${state}, its last event says ${states.get(agent_id)}`);
    if (outcomes.get(agent_id) !== 1)
      found.push(`subagent ${agent_id} has ${outcomes.get(agent_id) ?? 0} outcomes`);
  }
  for (const { task_id, status } of tasks) {
    if (isOpenTask(status)) found.push(`task ${task_id} is still ${status}`);
    if (ofTask.get(task_id) !== status)
      found.push(`task ${task_id} is ${status}, its last event says ${ofTask.get(task_id)}`);
  }
  return found;
}

/** Whoever was answered has the answer that was asked for, and one only. */
function answerBreaches({ accepted, tasks, queries, ran }: Evidence): string[] {
  const byTask = new Map(tasks.map((row) => [row.task_id, row]));
  const byQuery = new Map(queries.map((row) => [row.query_id, row]));
  const count = new Map<string, number>();
  for (const { query_id } of tasks) count.set(query_id, (count.get(query_id) ?? 0) + 1);
  const ids = accepted.map(({ id }) => id);
  const found = ids.filter((id, n) => ids.indexOf(id) !== n).map((id) => `${id} was given twice`);
  for (const { job, id, query_id, updates } of accepted) {
    const task = byTask.get(id);
    const query = byQuery.get(query_id);
    const row = job.kind === 'query' ? query : task;
    if (!row || !query) {
      found.push(`${job.kind} ${id} was acknowledged and is not there`);
      continue;
    }
    if (isOpenQuery(query.status)) found.push(`query ${query_id} is still ${query.status}`);
    const text = job.kind === 'query' ? query.answer : (task?.result ?? null);
    const allowed = [job.result, ...updates];
    if (row.status === 'completed' && !allowed.includes(text ?? ''))
      found.push(`${job.kind} ${id} ended with ${JSON.stringify(text)}, asked: ${allowed}`);
    const own = job.kind === 'query' ? 0 : 1;
    if ((count.get(query_id) ?? 0) > job.children + own)
      found.push(`${job.kind} ${id} has ${count.get(query_id)} tasks, asked for ${job.children}`);
    if ((ran.get(query_id) ?? 0) > 1)
      found.push(`the command of ${id} was run ${ran.get(query_id)} times`);
  }
  return found;
}

function slotBreaches({ slots }: Evidence): string[] {
  const { held, lent, queued, runs } = slots;
  const left = held + lent + queued + runs;
  return left === 0 ? [] : [`slots are not given back: ${JSON.stringify(slots)}`];
}

export type Tally = {
  acknowledged: number;
  completed: number;
  cancelled: number;
  failed: number;
  /** Of those that no client has cancelled. */
  completed_share: number;
  /** Every end that is neither completed nor wanted. */
  failures: string[];
};

export function tally({ accepted, tasks, queries }: Evidence): Tally {
  const byTask = new Map(tasks.map((row) => [row.task_id, row]));
  const byQuery = new Map(queries.map((row) => [row.query_id, row]));
  const ends = accepted.map((one) => {
    const row = one.job.kind === 'query' ? byQuery.get(one.id) : byTask.get(one.id);
    const status = row?.status ?? 'missing';
    const why = `${one.job.kind} ${one.id} ${status}: ${row?.error?.message ?? ''}`;
    return { status, wanted: one.cancelled, why };
  });
  const of = (status: string): number => ends.filter((end) => end.status === status).length;
  const left = ends.filter(({ wanted }) => !wanted);
  const bad = left.filter(({ status }) => status !== 'completed');
  return {
    acknowledged: ends.length,
    completed: of('completed'),
    cancelled: of('cancelled'),
    failed: ends.length - of('completed') - of('cancelled'),
    completed_share: left.length === 0 ? 0 : (left.length - bad.length) / left.length,
    failures: bad.map(({ why }) => why),
  };
}

/** Less than this is a product that gives up what it could have done. */
const LEAST_COMPLETED = 0.95;

export function breachesOf(evidence: Evidence): string[] {
  const { completed_share, failures, acknowledged } = tally(evidence);
  const few = acknowledged === 0 || completed_share < LEAST_COMPLETED;
  return [
    ...some(logBreaches(evidence)),
    ...some(lifeBreaches(evidence)),
    ...some(answerBreaches(evidence)),
    ...slotBreaches(evidence),
    ...(few
      ? [
          `only ${(completed_share * 100).toFixed(1)} % of ${acknowledged} completed: ${some(failures).join('\n')}`,
        ]
      : []),
  ];
}
