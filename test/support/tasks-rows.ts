// Roles, outcomes and implicit queries of the tasks world.
import { uuidv7 } from '../../src/domain/ids.ts';
import { noUsage } from '../../src/domain/message.ts';
import type { Query } from '../../src/domain/query.ts';
import type { Role } from '../../src/domain/role.ts';
import type { RunOutcome } from '../../src/domain/run.ts';

export const role = (name: string, may_start: string[] = []): Role => ({
  name,
  description: name,
  graph_id: name,
  system_prompt: `You are ${name}.`,
  model: 'default',
  fallback: null,
  tier: null,
  tools: ['read', 'write', 'start_async_task'],
  may_start,
  url: null,
  headers: {},
  transport: 'http',
  host: '127.0.0.1',
  port: 0,
  instances: 1,
  max_concurrent_runs: 4,
  alternate: null,
  max_iterations: null,
  timeout_s: 0,
});

export const outcome = (given: Partial<RunOutcome> | string): RunOutcome => ({
  status: 'completed',
  end_reason: 'goal',
  text: typeof given === 'string' ? given : '',
  error: null,
  usage: noUsage(),
  iterations: 1,
  model: 'echo',
  background_left: [],
  ...(typeof given === 'string' ? {} : given),
});

export const directQuery =
  (workdir: string) =>
  (description: string, at: string, more: Partial<Query['options']> = {}): Query => ({
    query_id: uuidv7(),
    kind: 'direct',
    input: description,
    status: 'running',
    answer: null,
    branched: false,
    workdir,
    options: { model: null, background: false, branch: 'auto', review: 'off', ...more },
    usage: noUsage(),
    iterations: 0,
    error: null,
    created_at: at,
    updated_at: at,
  });
