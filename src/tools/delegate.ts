// The five async tools: work handed to other agents and what became of it. Ids are whole, answers are data.
// Never waits in one silent request: a long check asks again and again until its time is up.
import { frameData } from '../domain/data-frame.ts';
import type { JsonSchema } from '../domain/message.ts';
import type { TaskAnswer, TaskBrief, TaskCall } from '../domain/run.ts';
import { oneLine } from '../domain/text.ts';
import type { Tool, ToolContext, ToolResult } from '../domain/tool.ts';
import { askPerson } from './person.ts';
import { failed, succeeded } from './result.ts';

/** One request waits at most this long: shorter than the deadline of a call to main. */
const ONE_WAIT_MS = 20_000;
const MOST_WAIT_MS = 600_000;
const ENDED = new Set(['completed', 'failed', 'cancelled']);

/** Models like to put quotes, brackets, spaces or capitals around an id. */
const cleanId = (given: string): string => given.replace(/[\s"'`<>()[\]]/g, '').toLowerCase();

const headLine = (t: TaskBrief): string =>
  `task_id: ${t.task_id}\nsubagent_type: ${t.subagent_type}\nstatus: ${t.status}${t.waiting ? ` (waiting: ${t.waiting})` : ''}`;

const misshapen =
  'schema_valid: false (the result does not fit the output schema that was asked for)';
const unverified = ({ unverified: claims }: TaskBrief): string =>
  `unverified: the result claims "${claims.join(', ')}", but no receipt of the runtime shows it`;

function describe(task: TaskBrief): string {
  const from = `${task.subagent_type}, task ${task.task_id}`;
  const parts = [headLine(task)];
  if (task.error !== null) parts.push(`error:\n${frameData(from, task.error)}`);
  if (task.unverified.length > 0) parts.push(unverified(task));
  if (task.schema_valid !== null) parts.push(task.schema_valid ? 'schema_valid: true' : misshapen);
  if (task.result !== null) parts.push(`result:\n${frameData(from, task.result)}`);
  else if (task.partial_output !== '')
    parts.push(`output so far:\n${frameData(from, task.partial_output)}`);
  if (!ENDED.has(task.status)) parts.push('It is still at work; keep the task_id.');
  return parts.join('\n');
}

const refused = (answer: Extract<TaskAnswer, { ok: false }>): ToolResult =>
  failed(`${answer.code}: ${answer.message}`);

function one(answer: TaskAnswer, said: string, full: boolean): ToolResult {
  if (!answer.ok) return refused(answer);
  if (!('task' in answer)) return failed('the answer of the runtime had another shape');
  const { task } = answer;
  const ended = full && ENDED.has(task.status);
  return {
    ...succeeded(full ? describe(task) : `${headLine(task)}\n${said}`, `${said}: ${task.task_id}`),
    ...(ended ? { delivered: [task.task_id] } : {}),
  };
}

async function check(task_id: string, wait_ms: number, ctx: ToolContext): Promise<ToolResult> {
  const deadline = performance.now() + wait_ms;
  for (;;) {
    const left = Math.max(0, Math.round(deadline - performance.now()));
    const wait = Math.min(left, ONE_WAIT_MS);
    const answer = await ctx.host.tasks({ op: 'check', task_id, wait_ms: wait }, ctx.signal);
    const open = answer.ok && 'task' in answer && !ENDED.has(answer.task.status);
    if (!open || left <= ONE_WAIT_MS || ctx.signal.aborted)
      return one(
        answer,
        `checked, ${answer.ok && 'task' in answer ? answer.task.status : ''}`,
        true,
      );
    ctx.progress(`waiting for task ${task_id}`);
  }
}

const listLine = (t: TaskBrief): string =>
  `${t.task_id} ${t.subagent_type} ${t.status}${t.waiting ? ` (waiting: ${t.waiting})` : ''}: ${oneLine(t.description, 120)}`;

function listed(answer: TaskAnswer): ToolResult {
  if (!answer.ok) return refused(answer);
  if (!('tasks' in answer)) return failed('the answer of the runtime had another shape');
  if (answer.tasks.length === 0) return succeeded('no tasks', 'list: no tasks');
  const body = frameData('the task list', answer.tasks.map(listLine).join('\n'));
  return succeeded(body, `list: ${answer.tasks.length} tasks`);
}

const task_id: JsonSchema = { type: 'string', minLength: 1, description: 'The whole task_id.' };
const schema = (properties: Record<string, JsonSchema>, required: string[]): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

type Args = {
  subagent_type?: string;
  description?: string;
  output_schema?: Record<string, unknown>;
  task_id?: string;
  message?: string;
};
type Work = (args: Args, ctx: ToolContext) => TaskCall;

const simple = (
  spec: Pick<Tool, 'name' | 'description' | 'parameters'>,
  said: string,
  call: Work,
): Tool => ({
  ...spec,
  run: async (args, ctx) =>
    one(await ctx.host.tasks(call(args as Args, ctx), ctx.signal), said, false),
});

/** A start that a person must approve first waits for them, and is asked for once more. */
async function started(given: TaskCall, ctx: ToolContext): Promise<ToolResult> {
  const answer = await ctx.host.tasks(given, ctx.signal);
  if (answer.ok || !answer.approval) return one(answer, 'started', false);
  const decided = await askPerson(ctx, { kind: 'approval', ...answer.approval });
  if (decided === 'left') return { ...failed('stopped before an answer'), unanswered: true };
  if (!decided.ok) return failed(`${decided.code}: ${decided.message}`);
  if (!decided.approved) return failed(`${answer.message}\n${decided.text}`);
  return one(await ctx.host.tasks(given, ctx.signal), 'started', false);
}

const start: Tool = {
  ...{
    name: 'start_async_task',
    description:
      'Hands a piece of work to a specialist agent and answers at once with its task_id. The agent sees only the description: name goals, files and limits in it. Its result reaches you when it ends.',
    parameters: schema(
      {
        subagent_type: { type: 'string', minLength: 1, description: 'Name of the role.' },
        description: { type: 'string', minLength: 1, maxLength: 32_000 },
        output_schema: {
          type: 'object',
          description: 'A JSON Schema, when the result must be JSON of that shape; it is checked.',
        },
      },
      ['subagent_type', 'description'],
    ),
  },
  run: (given, ctx) => {
    const a = given as Args;
    const call = {
      op: 'start' as const,
      call_id: ctx.call_id,
      subagent_type: (a.subagent_type ?? '').trim(),
      description: a.description ?? '',
      ...(a.output_schema ? { output_schema: a.output_schema } : {}),
    };
    return started(call, ctx);
  },
};

const update = simple(
  {
    name: 'update_async_task',
    description:
      'Gives a task a further message: its agent goes on with it, whatever it was doing.',
    parameters: schema({ task_id, message: { type: 'string', minLength: 1, maxLength: 32_000 } }, [
      'task_id',
      'message',
    ]),
  },
  'updated',
  (a, ctx) => ({
    op: 'update',
    call_id: ctx.call_id,
    task_id: cleanId(a.task_id ?? ''),
    message: a.message ?? '',
  }),
);

const cancel = simple(
  {
    name: 'cancel_async_task',
    description: 'Stops a task and everything under it.',
    parameters: schema({ task_id }, ['task_id']),
  },
  'cancel asked',
  (a) => ({ op: 'cancel', task_id: cleanId(a.task_id ?? '') }),
);

const checking: Tool = {
  name: 'check_async_task',
  description:
    'Status and result of a task. wait_ms waits for its end, at most so many milliseconds. You need not poll: results of your tasks reach you before you finish.',
  parameters: schema({ task_id, wait_ms: { type: 'integer', minimum: 0, maximum: MOST_WAIT_MS } }, [
    'task_id',
  ]),
  run: (args, ctx) => check(cleanId(String(args.task_id)), Number(args.wait_ms ?? 0), ctx),
};

const listing: Tool = {
  name: 'list_async_tasks',
  description: 'Lists your tasks with their live status.',
  parameters: schema(
    {
      status: {
        type: 'string',
        enum: [
          'all',
          'created',
          'assigned',
          'running',
          'blocked',
          'completed',
          'failed',
          'cancelled',
        ],
      },
    },
    [],
  ),
  async run(args, ctx) {
    const status = (args.status as string | undefined) ?? 'all';
    const asked = status === 'all' ? null : status;
    return listed(await ctx.host.tasks({ op: 'list', status: asked }, ctx.signal));
  },
};

export const delegateTools = (): Tool[] => [start, checking, update, cancel, listing];
