// What is known of an attempt that was lost or failed: what it did last, what it left, and what can be done now.
import { frameData } from '../domain/data-frame.ts';
import type { CallRecord, Reads } from '../domain/ports.ts';
import { isOpen, type Subagent } from '../domain/subagent.ts';
import type { Task } from '../domain/task.ts';
import { answerLost } from '../reviews/told.ts';
import { type ChangedFile, changedSince } from './changed-files.ts';

export type Forensics = {
  task_id: string;
  agent_id: string;
  role: string;
  ordinal: number;
  state: string;
  reasons: string[];
  started_at: string;
  /** When it was heard of last. */
  last_seen_at: string;
  /** The last tool call with a receipt. */
  last_call: CallRecord | null;
  /** Calls that had started and whose result is lost. */
  open_calls: CallRecord[];
  /** The end of its output, at most 4,000 characters. */
  last_output: string;
  files_changed: ChangedFile[];
  /** What a person may do: resume = retry on the same thread, discard = let the attempt go. */
  actions: ('resume' | 'discard')[];
};

const TAIL = 4_000;
const DELEGATES = /^(?:start|update)_async_task$/;
/** Their calls have had no effect when nothing is in the inbox. */
export const ASKS = /^ask_user$/;

/** About the latest attempt of a task. */
export async function forensicsOf(reads: Reads, task: Task, agent: Subagent): Promise<Forensics> {
  const query = await reads.queries.get(task.query_id);
  const calls = await reads.checkpoints.calls(agent.run_id);
  const events = await reads.events.after(0, { task_id: task.task_id, kinds: ['subagent'] }, 1_000);
  const own = events.filter((e) => e.agent_id === agent.agent_id);
  const started_at = own.find((e) => e.state === 'running')?.at ?? agent.created_at;
  return {
    task_id: task.task_id,
    agent_id: agent.agent_id,
    role: agent.role,
    ordinal: agent.ordinal,
    state: agent.state,
    reasons: task.error?.reasons ?? (agent.error ? [agent.error] : []),
    started_at,
    last_seen_at: calls.at(-1)?.ended_at ?? agent.updated_at,
    last_call: calls.filter((c) => c.ended_at !== null).at(-1) ?? null,
    open_calls: calls.filter((c) => c.ended_at === null),
    last_output: task.partial_output.slice(-TAIL),
    files_changed: query ? await changedSince(query.workdir, started_at) : [],
    actions:
      isOpen(agent.state) || agent.state === 'destroyed' ? ['resume'] : ['resume', 'discard'],
  };
}

/** What an agent is told of calls whose result is lost: the files that have changed since they started. */
export async function interruptedNote(reads: Reads, agent_id: string): Promise<string> {
  const agent = await reads.subagents.get(agent_id);
  const query = agent && (await reads.queries.get(agent.query_id));
  if (!agent || !query) return '';
  const [first] = (await reads.checkpoints.calls(agent.run_id)).filter((c) => c.ended_at === null);
  if (!first) return '';
  const files = await changedSince(query.workdir, first.started_at);
  if (files.length === 0) return '\nFiles changed since it started: none.';
  const names = files.map((f) => f.path).join('\n');
  return `\nFiles changed since it started:\n${frameData('names of files', names)}`;
}

/**
 * The answers that were lost of calls that start or update tasks, or that ask a person, by call id: each such call is
 * noted with what it has made, so nobody has to guess and nothing is started or asked twice.
 */
export async function answersLost(
  reads: Pick<Reads, 'tasks' | 'checkpoints' | 'reviews'>,
  run_id: string,
): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const { id, name } of await reads.checkpoints.openCalls(run_id)) {
    // A person may have been asked about any call.
    const review = await reads.reviews.byCall(run_id, id);
    const told = review && answerLost(review);
    if (told) answers.set(id, told);
    const task = DELEGATES.test(name) ? await reads.tasks.byCall(run_id, id) : null;
    if (!task) continue;
    const { task_id, subagent_type, status } = task;
    const head = `task_id: ${task_id}\nsubagent_type: ${subagent_type}\nstatus: ${status}`;
    answers.set(id, `${head}\n${name.startsWith('start') ? 'started' : 'updated'}`);
  }
  return answers;
}
