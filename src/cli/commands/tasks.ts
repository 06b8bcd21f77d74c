// `troupe tasks`: pieces of work handed to roles.
import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import { REVIEW_MODES } from '../../domain/query.ts';
import { isOpenTask, TASK_STATUSES, type Task } from '../../domain/task.ts';
import type { Cli, Run } from '../cli.ts';
import { segment } from '../client.ts';
import { EXIT } from '../exit.ts';
import { rowLimit, seconds } from '../number.ts';

type Attempt = {
  agent_id: string;
  role: string;
  ordinal: number;
  status: string;
  started_at: string | null;
  ended_at: string | null;
  error: unknown;
};
type TaskView = Task & { attempts?: Attempt[]; waiting_for?: string[] };

const path = (id: string, rest = ''): string => `/v1/tasks/${segment(id)}${rest}`;
const stateOf = ({ status, waiting }: Task): string =>
  waiting === null || waiting === undefined ? status : `${status} (${waiting})`;

async function list(
  cli: Cli,
  o: { status?: string; role?: string; query?: string; limit: number },
): Promise<number> {
  const client = await cli.connect();
  const params = { status: o.status, role: o.role, query_id: o.query };
  const rows = await client.list<Task>('/v1/tasks', params, o.limit);
  if (cli.json) cli.term.json(rows);
  else if (rows.length === 0) cli.term.line('no tasks');
  else
    cli.term.table(rows, [
      { title: 'TASK', value: (t) => t.task_id },
      { title: 'ROLE', value: (t) => t.subagent_type },
      { title: 'STATUS', value: stateOf },
      { title: 'CREATED', value: (t) => t.created_at },
      { title: 'DESCRIPTION', value: (t) => t.description, cut: true },
    ]);
  return EXIT.ok;
}

function print(cli: Cli, task: TaskView): void {
  cli.term.fields([
    ['task', task.task_id],
    ['role', task.subagent_type],
    ['status', stateOf(task)],
    ['waits for', task.waiting_for?.join(', ')],
    ['query', task.query_id],
    ['parent', task.parent_task_id],
    ['depth', task.depth],
    ['run', task.run_id],
    ['description', task.description],
    ['error', task.error?.message],
    ['created', task.created_at],
    ['updated', task.updated_at],
  ]);
  if (task.attempts !== undefined && task.attempts.length > 0) {
    cli.term.line();
    cli.term.table(task.attempts, [
      { title: 'AGENT', value: (a) => a.agent_id },
      { title: 'WHO', value: (a) => `${a.role} agent #${a.ordinal}` },
      { title: 'STATUS', value: (a) => a.status },
      { title: 'STARTED', value: (a) => a.started_at },
      { title: 'ENDED', value: (a) => a.ended_at },
    ]);
  }
  if (!task.result) return;
  cli.term.line();
  cli.term.text(task.result);
}

/** The server answers a wait within this time; longer waits are asked for again. */
const WAIT_MS = 30_000;

async function show(cli: Cli, id: string, o: { wait?: number }): Promise<number> {
  const client = await cli.connect();
  const deadline = performance.now() + (o.wait ?? 0) * 1000;
  const look = (wait_ms: number) =>
    client.get<TaskView>(path(id), wait_ms > 0 ? { wait_ms } : {}, { extraMs: wait_ms });
  const left = () => Math.min(WAIT_MS, Math.round(deadline - performance.now()));
  let task = await look(0);
  while (isOpenTask(task.status) && left() > 0) task = await look(left());
  if (cli.json) cli.term.json(task);
  else print(cli, task);
  if (o.wait === undefined) return EXIT.ok;
  if (isOpenTask(task.status)) return EXIT.timed_out;
  return task.status === 'completed' ? EXIT.ok : EXIT.failed;
}

type Acted = { status?: string; delivery?: string };

async function act(cli: Cli, id: string, verb: string, body: object): Promise<number> {
  const client = await cli.connect();
  const answer = await client.post<Acted>(path(id, `/${verb}`), body);
  if (cli.json) cli.term.json(answer);
  else cli.term.line(`${id}  ${answer.delivery ?? answer.status ?? 'accepted'}`);
  return EXIT.ok;
}

async function start(
  cli: Cli,
  role: string,
  description: string,
  o: { review?: string },
): Promise<number> {
  const client = await cli.connect();
  const body = { subagent_type: role, description, ...o };
  const headers = { 'idempotency-key': randomUUID() };
  const task = await client.post<Task>('/v1/tasks', body, { headers });
  if (cli.json) cli.term.json(task);
  else cli.term.line(`${task.task_id}  ${stateOf(task)}`);
  return EXIT.ok;
}

type Forensics = {
  role: string;
  ordinal: number;
  state: string;
  reasons: string[];
  started_at: string;
  last_seen_at: string;
  last_call: { name: string; summary: string | null } | null;
  open_calls: { name: string; arguments: string }[];
  files_changed: { path: string; size: number; modified_at: string }[];
  last_output: string;
  actions: string[];
};

async function forensics(cli: Cli, id: string): Promise<number> {
  const client = await cli.connect();
  const found = await client.get<Forensics>(path(id, '/forensics'));
  if (cli.json) {
    cli.term.json(found);
    return EXIT.ok;
  }
  const can: Record<string, string> = {
    resume: `troupe tasks retry ${id}`,
    discard: `troupe tasks discard ${id}`,
  };
  cli.term.fields([
    ['agent', `${found.role} agent #${found.ordinal}`],
    ['state', found.state],
    ['reasons', found.reasons.join('; ')],
    ['started', found.started_at],
    ['last seen', found.last_seen_at],
    ['last call', found.last_call ? `${found.last_call.name}: ${found.last_call.summary}` : 'none'],
    ['lost calls', found.open_calls.map((c) => `${c.name} ${c.arguments}`).join('; ') || 'none'],
    ['changed', found.files_changed.map((f) => f.path).join(', ') || 'no file'],
    ...found.actions.map((a): [string, string] => [a, can[a] ?? a]),
  ]);
  if (found.last_output !== '') {
    cli.term.line();
    cli.term.text(found.last_output);
  }
  return EXIT.ok;
}

async function output(cli: Cli, id: string): Promise<number> {
  const client = await cli.connect();
  const answer = await client.get<{ text: string }>(path(id, '/output'));
  if (cli.json) cli.term.json(answer);
  else if (answer.text !== '') cli.term.text(answer.text);
  return EXIT.ok;
}

export function addTasks(program: Command, run: Run): void {
  const tasks = program.command('tasks').description('Tasks: pieces of work handed to roles.');
  tasks
    .command('list', { isDefault: true })
    .description('list tasks, newest first')
    .addOption(new Option('--status <status>', 'only these').choices([...TASK_STATUSES]))
    .option('--role <role>', 'only tasks of this role')
    .option('--query <id>', 'only tasks of this query')
    .option('--limit <n>', 'at most so many', rowLimit, 50)
    .action((o) => run((cli) => list(cli, o)));
  tasks
    .command('start <role> <description>')
    .description('hand a task straight to a role')
    .addOption(
      new Option('--review <mode>', 'whether its agents may ask a person (default: defer)').choices(
        [...REVIEW_MODES],
      ),
    )
    .action((role: string, text: string, o: { review?: string }) =>
      run((cli) => start(cli, role, text, o)),
    );
  tasks
    .command('show <id>')
    .description('one task with its attempts and result')
    .option(
      '--wait <s>',
      'wait so long for its end; exit code 6 if it has not ended, 1 if it failed',
      seconds,
    )
    .action((id: string, o) => run((cli) => show(cli, id, o)));
  tasks
    .command('cancel <id>')
    .description('cancel a task and everything under it')
    .action((id: string) =>
      run((cli) => act(cli, id, 'cancel', { reason: 'cancelled at the command line' })),
    );
  tasks
    .command('message <id> <text>')
    .description('say something to the agent at work, or start a follow-up')
    .addOption(
      new Option(
        '--mode <mode>',
        'steer: next model step; interrupt: stop and go on; enqueue: when done',
      )
        .choices(['steer', 'interrupt', 'enqueue'])
        .default('steer'),
    )
    .action((id: string, text: string, o: { mode: string }) =>
      run((cli) => act(cli, id, 'messages', { text, mode: o.mode })),
    );
  tasks
    .command('retry <id>')
    .description('try a failed task again')
    .action((id: string) => run((cli) => act(cli, id, 'retry', {})));
  tasks
    .command('forensics <id>')
    .description('what the last attempt of a task did and left; what can be done now')
    .action((id: string) => run((cli) => forensics(cli, id)));
  tasks
    .command('discard <id>')
    .description('let the ended attempt of a task go')
    .action((id: string) => run((cli) => act(cli, id, 'discard', {})));
  tasks
    .command('output <id>')
    .description('what the agent has written so far')
    .action((id: string) => run((cli) => output(cli, id)));
}
