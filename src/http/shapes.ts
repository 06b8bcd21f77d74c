// The JSON shapes of the native API as named schemas: documents for readers, and types for handlers.
// Answers are plain JSON.stringify; tests hold them against these schemas.
import Type, { type TSchema } from 'typebox';
import { ERRORS } from '../domain/errors.ts';
import { EVENT_KINDS } from '../domain/event.ts';
import { LAYERS, MEMORY_STATUSES } from '../domain/memory.ts';
import { QUERY_STATUSES } from '../domain/query.ts';
import { SUBAGENT_STATES } from '../domain/subagent.ts';
import { TASK_STATUSES } from '../domain/task.ts';
import { id, orNull, record, text, time, words } from './shape-parts.ts';
import { review, waitingFor } from './shapes-review.ts';
import { resumeEstimate, share, usage } from './spend-shapes.ts';

/** A named schema of the document. */
export const ref = (name: string): TSchema => Type.Unsafe({ $ref: `#/components/schemas/${name}` });

const failure = Type.Object({
  code: text('One of the error codes'),
  message: Type.String(),
  reasons: Type.Array(Type.String(), { description: 'One line per attempt, oldest first' }),
});
const waiting = orNull(
  words(['slot', 'role', 'child', 'human', 'backoff'], 'Why it does not move; null: it works'),
);
const stamps = { created_at: time('When it was accepted'), updated_at: time('Last change') };

const attempt = Type.Object({
  agent_id: id('The subagent'),
  role: Type.String(),
  ordinal: Type.Integer({ description: 'Number of this agent among those of its role, from 1' }),
  run_id: Type.String(),
  status: words(SUBAGENT_STATES, 'State of the subagent'),
  started_at: time('When the attempt was made'),
  ended_at: orNull(time('When it ended')),
  error: orNull(Type.String()),
});

const task = Type.Object({
  task_id: id('UUIDv7; also the thread_id of the task'),
  run_id: id('The latest run on the thread'),
  query_id: Type.String(),
  parent_task_id: orNull(Type.String()),
  subagent_type: text('The role that was asked for'),
  description: Type.String(),
  status: words(TASK_STATUSES, 'State of the latest attempt'),
  waiting,
  waiting_for: waitingFor,
  depth: Type.Integer(),
  attempts: Type.Array(ref('Attempt'), { description: 'Oldest first; empty in an acceptance' }),
  result: orNull(text('Full text of the outcome')),
  unverified: Type.Array(Type.String(), {
    description: 'Claims of the result for which no receipt of the runtime speaks: "tests pass"',
  }),
  output_schema: orNull(record('The JSON Schema that the result must fit')),
  schema_valid: orNull(
    Type.Boolean({
      description: 'Whether the result fits output_schema; null: none was given, or no result yet',
    }),
  ),
  structured: Type.Unknown({ description: 'The JSON of a result that fits; else null' }),
  error: orNull(ref('Failure')),
  partial_output: text('Progress lines, a blank line, then the text so far'),
  usage: ref('Usage'),
  iterations: Type.Integer({ description: 'Model steps that its attempts have begun' }),
  resume_estimate: resumeEstimate,
  ...stamps,
});

const query = Type.Object({
  query_id: Type.String(),
  kind: words(['agent', 'direct'], 'direct: holds tasks that were started without the main agent'),
  input: Type.String(),
  status: words(QUERY_STATUSES, 'waiting: a person must decide. degraded: something is missing'),
  waiting_for: waitingFor,
  answer: orNull(Type.String()),
  branched: Type.Boolean(),
  workdir: Type.String(),
  options: record('How it was asked'),
  usage: ref('Usage'),
  iterations: Type.Integer({ description: 'Model steps of all agents of the tree' }),
  error: orNull(ref('Failure')),
  ...stamps,
});

const subagent = Type.Object({
  agent_id: Type.String(),
  role: Type.String(),
  ordinal: Type.Integer(),
  task_summary: Type.String(),
  parent_id: text('agent_id of the parent, or main-agent'),
  state: words(SUBAGENT_STATES, 'Where it is in its life'),
  waiting,
  holds_slot: Type.Boolean({ description: 'false while it waits' }),
  task_id: Type.String(),
  run_id: Type.String(),
  query_id: Type.String(),
  depth: Type.Integer(),
  endpoint: orNull(Type.String()),
  pid: orNull(Type.Integer()),
  port: orNull(Type.Integer()),
  model: orNull(Type.String()),
  error: orNull(Type.String()),
  server_nonce: orNull(Type.String()),
  attempts_used: Type.Integer(),
  metadata: record('Facts about this attempt'),
  ...stamps,
});

const server = Type.Object({
  role: Type.String(),
  instance: Type.Integer(),
  state: words(['stopped', 'starting', 'ready', 'draining', 'crashed', 'parked'], 'Its life'),
  pid: orNull(Type.Integer()),
  port: orNull(Type.Integer()),
  endpoint: orNull(Type.String()),
  model: Type.String(),
  rss_bytes: orNull(Type.Integer()),
  cpu_seconds: orNull(Type.Number()),
  started_at: orNull(Type.String()),
  restarts: Type.Integer(),
  active_runs: Type.Integer(),
  last_activity_at: orNull(Type.String()),
  last_exit: orNull(
    Type.Object({
      code: orNull(Type.Integer()),
      signal: orNull(Type.String()),
      reason: Type.String(),
      stderr_tail: Type.String(),
    }),
  ),
});

const event = Type.Object(
  {
    seq: Type.Integer({ description: 'Position in commit order over everything; strictly rising' }),
    kind: words(EVENT_KINDS, 'What it is about'),
    query_id: orNull(Type.String()),
    task_id: orNull(Type.String()),
    agent_id: orNull(Type.String()),
    role: orNull(Type.String()),
    state: text('The new state, or what happened'),
    detail: text('One sentence for people'),
    data: record('Facts; output events carry data.text'),
    at: time('For display; order is by seq'),
  },
  {
    description: 'In streams each event also has prev_seq.',
    examples: [
      {
        seq: 42,
        kind: 'subagent',
        query_id: '0198c0de-0000-7000-8000-000000000001',
        task_id: '0198c0de-0000-7000-8000-000000000002',
        agent_id: 'sa_0123456789ab',
        role: 'coder',
        state: 'running',
        detail: 'coder agent #1 is running',
        data: {},
        at: '2026-01-01T00:00:00.000Z',
      },
    ],
  },
);

const role = Type.Object({
  name: Type.String(),
  description: Type.String(),
  graph_id: Type.String(),
  system_prompt: Type.String(),
  model: Type.String(),
  fallback: orNull(
    Type.Array(Type.String(), { description: 'Asked in this order when the model fails' }),
  ),
  tier: orNull(words(['cheap', 'strong'], 'Which model of [models] stands for "default"')),
  tools: Type.Array(Type.String()),
  may_start: Type.Array(Type.String()),
  url: orNull(Type.String()),
  headers: record('Names only; values are never shown'),
  transport: words(['http', 'inproc'], 'How the role is reached'),
  host: Type.String(),
  port: Type.Integer(),
  instances: Type.Integer(),
  max_concurrent_runs: Type.Integer(),
  alternate: orNull(Type.String()),
  max_iterations: orNull(Type.Integer()),
  timeout_s: Type.Number(),
});

const problem = Type.Object({
  type: text('urn:troupe:problem:<code>'),
  title: Type.String(),
  status: Type.Integer(),
  detail: text('What was found, what is allowed, what to do'),
  instance: text('Path of the request'),
  code: words(Object.keys(ERRORS), 'Stable name of the error'),
  errors: Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
  request_id: Type.String(),
  data: Type.Optional(record('Numbers and names that the detail speaks of')),
});

const treeNode = Type.Object({
  id: text('query_id of the root, task_id below it'),
  kind: words(['query', 'task'], 'What the node is'),
  label: text('For people: coder agent #2'),
  role: Type.String(),
  status: Type.String(),
  waiting: orNull(Type.String()),
  description: Type.String(),
  depth: Type.Integer(),
  usage: ref('Usage'),
  subtree_usage: ref('Usage'),
  iterations: Type.Integer({ description: 'Model steps of its own' }),
  subtree_iterations: Type.Integer({ description: 'With those of everything below' }),
  spend: share,
  ...stamps,
  attempts: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: 'Subagent rows',
  }),
  children: Type.Array(ref('TreeNode')),
});
const file = Type.Object({
  path: text('Relative to the workdir'),
  size: Type.Integer({ description: 'Bytes' }),
  modified_at: Type.String(),
});

const memoryRecord = Type.Object({
  record_id: id('mem_ and 12 hex digits'),
  layer: words(LAYERS, 'What it is about'),
  content: Type.String(),
  scope_key: text('global, or the project in which it holds'),
  source: text('Who stored it: an agent, or api'),
  tags: Type.Array(Type.String()),
  status: words(MEMORY_STATUSES, 'superseded: another record has taken its place'),
  correction_of: orNull(text('The record that it replaces')),
  reason: Type.Optional(orNull(text('Why it was corrected; in a history'))),
  ...stamps,
});
const brainNote = Type.Object({
  note_id: Type.Integer({ description: 'Rises in the order of the notes' }),
  query_id: Type.String(),
  kind: words(['note', 'outcome'], 'outcome: made for a child that recorded none'),
  author: text('agent_id, or main-agent'),
  role: Type.String(),
  task_id: orNull(Type.String()),
  branch: text('main, or the task_id of the main agent’s child above the author'),
  note: Type.String(),
  at: time('When it was recorded'),
});

const removedFiles = { removed: Type.Integer(), bytes: Type.Integer() };
const gc = Type.Object({
  dry_run: Type.Boolean(),
  before: time('What ended and was not touched since then is removed'),
  more: Type.Boolean({ description: 'There is more of it: call again' }),
  rows: Type.Record(Type.String(), Type.Integer(), { description: 'Rows by kind' }),
  workdirs: Type.Object({
    ...removedFiles,
    kept: Type.Integer({ description: 'Those that somebody had named: never removed' }),
  }),
  logs: Type.Object(removedFiles),
  first_kept_seq: Type.Integer({ description: 'The event log is whole from here on' }),
});
const backup = Type.Object({
  path: Type.String(),
  state: words(['running', 'done', 'failed'], 'How it goes'),
  bytes: orNull(Type.Integer()),
  duration_ms: orNull(Type.Integer()),
  error: orNull(Type.String()),
});

export const SHAPES: Record<string, TSchema> = {
  Usage: usage,
  Failure: failure,
  Attempt: attempt,
  Task: task,
  Query: query,
  Subagent: subagent,
  Server: server,
  Event: event,
  Role: role,
  TreeNode: treeNode,
  File: file,
  MemoryRecord: memoryRecord,
  BrainNote: brainNote,
  Review: review,
  Gc: gc,
  Backup: backup,
  Problem: problem,
};
