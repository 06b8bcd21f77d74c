// Rows as services in memory hand them out.
import { newAgentId, uuidv7 } from '../../src/domain/ids.ts';
import { noUsage } from '../../src/domain/message.ts';
import type { ServerInfo } from '../../src/domain/ports.ts';
import type { Query } from '../../src/domain/query.ts';
import type { Role } from '../../src/domain/role.ts';
import type { Subagent } from '../../src/domain/subagent.ts';
import type { Task } from '../../src/domain/task.ts';
import type { TreeNode } from '../../src/http/services.ts';

const now = () => new Date().toISOString();

export const roleRow = (name: string): Role => ({
  name,
  description: `does ${name} work`,
  graph_id: name,
  system_prompt: 'You work.',
  model: 'default',
  fallback: null,
  tier: null,
  tools: ['read'],
  may_start: [],
  url: null,
  headers: { authorization: 'Bearer secret-of-a-remote-role' },
  transport: 'http',
  host: '127.0.0.1',
  port: 0,
  instances: 1,
  max_concurrent_runs: 4,
  alternate: null,
  max_iterations: null,
  timeout_s: 0,
});

export const readyServer = (name: string): ServerInfo => ({
  role: name,
  instance: 0,
  state: 'ready',
  pid: 42,
  port: 4242,
  endpoint: 'http://127.0.0.1:4242',
  model: 'echo',
  rss_bytes: 1_000_000,
  cpu_seconds: 0.5,
  started_at: '2026-01-01T00:00:00.000Z',
  restarts: 1,
  active_runs: 2,
  last_activity_at: '2026-01-01T00:00:00.000Z',
  last_exit: null,
});

export function taskRow(subagent_type: string, description: string): Task {
  const stamp = now();
  return {
    task_id: uuidv7(),
    run_id: uuidv7(),
    query_id: uuidv7(),
    parent_task_id: null,
    subagent_type,
    description,
    status: 'created',
    waiting: 'slot',
    depth: 1,
    max_depth: 2,
    result: null,
    unverified: [],
    output_schema: null,
    schema_valid: null,
    structured: null,
    error: null,
    partial_output: '',
    usage: noUsage(),
    iterations: 0,
    resume_estimate: null,
    delivered_at: null,
    created_at: stamp,
    updated_at: stamp,
  };
}

export const attemptRow = (task: Task): Subagent => ({
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
  metadata: {},
  created_at: task.created_at,
  updated_at: task.updated_at,
});

export function queryRow(input: string, options: Partial<Query['options']>): Query {
  const stamp = now();
  return {
    query_id: uuidv7(),
    kind: 'agent',
    input,
    status: 'queued',
    answer: null,
    branched: false,
    workdir: '/tmp/w',
    options: { model: null, background: false, branch: 'auto', review: 'defer', ...options },
    usage: noUsage(),
    iterations: 0,
    error: null,
    created_at: stamp,
    updated_at: stamp,
  };
}

export const rootNode = (query: Query): TreeNode => ({
  id: query.query_id,
  kind: 'query',
  label: 'main agent',
  role: 'main',
  status: query.status,
  waiting: null,
  description: query.input,
  depth: 0,
  usage: noUsage(),
  subtree_usage: noUsage(),
  iterations: 0,
  subtree_iterations: 0,
  spend: { tokens: 0, cost_usd: null, estimated_tokens: 0, share: 0 },
  created_at: query.created_at,
  updated_at: query.updated_at,
  attempts: [],
  children: [],
});
