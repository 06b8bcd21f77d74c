// Rows for tests of the store: valid, small, and different each time.

import { newAgentId, newLoopId, uuidv7 } from '../../src/domain/ids.ts';
import { noUsage } from '../../src/domain/message.ts';
import type { Clock } from '../../src/domain/ports.ts';
import type { LoopRun, Query } from '../../src/domain/query.ts';
import type { Subagent } from '../../src/domain/subagent.ts';
import type { Run, Task } from '../../src/domain/task.ts';

export const AT = '2026-01-02T03:04:05.678Z';
export const fixedClock: Clock = { now: () => new Date(AT), mono: () => performance.now() };

export const aQuery = (given: Partial<Query> = {}): Query => ({
  query_id: uuidv7(),
  kind: 'agent',
  input: 'build a clock',
  status: 'queued',
  answer: null,
  branched: false,
  workdir: '/tmp/nowhere',
  options: { model: null, background: false, branch: 'auto', review: 'off' },
  usage: noUsage(),
  iterations: 0,
  error: null,
  created_at: AT,
  updated_at: AT,
  ...given,
});

export const aTask = (query_id: string, given: Partial<Task> = {}): Task => ({
  task_id: uuidv7(),
  run_id: uuidv7(),
  query_id,
  parent_task_id: null,
  subagent_type: 'coder',
  description: 'write it — 시계, 時計 🕰',
  status: 'created',
  waiting: 'slot',
  depth: 1,
  max_depth: 2,
  result: null,
  error: null,
  partial_output: '',
  usage: noUsage(),
  iterations: 0,
  resume_estimate: null,
  unverified: [],
  output_schema: null,
  schema_valid: null,
  structured: null,
  delivered_at: null,
  created_at: AT,
  updated_at: AT,
  ...given,
});

export const aSubagent = (task: Task, given: Partial<Subagent> = {}): Subagent => ({
  agent_id: newAgentId(),
  role: task.subagent_type,
  ordinal: 1,
  task_summary: task.description,
  parent_id: 'main-agent',
  state: 'created',
  waiting: 'slot',
  task_id: task.task_id,
  run_id: task.run_id,
  query_id: task.query_id,
  depth: 1,
  endpoint: null,
  pid: null,
  port: null,
  model: null,
  error: null,
  server_nonce: null,
  attempts_used: 0,
  metadata: { topology: 'split' },
  created_at: AT,
  updated_at: AT,
  ...given,
});

export const aRun = (task: Task, given: Partial<Run> = {}): Run => ({
  run_id: task.run_id,
  task_id: task.task_id,
  agent_id: newAgentId(),
  kind: 'start',
  input: [{ role: 'user', content: task.description }],
  created_at: AT,
  ...given,
});

export const aLoop = (query_id: string, given: Partial<LoopRun> = {}): LoopRun => ({
  run_id: newLoopId(),
  thread_id: query_id,
  status: 'running',
  current_step: 'planning',
  retries: 0,
  failure_reason: null,
  next_action: null,
  model: 'offline',
  fallback_model: null,
  metadata: { prompt_preview: 'build a clock' },
  created_at: AT,
  updated_at: AT,
  ...given,
});
