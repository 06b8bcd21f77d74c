// A role as the configuration would give it, for tests that need only its name.
import type { Role } from '../../src/domain/role.ts';

export const roleNamed = (name: string, changes: Partial<Role> = {}): Role => ({
  name,
  description: name,
  graph_id: name,
  system_prompt: '',
  model: 'echo',
  fallback: null,
  tier: null,
  tools: [],
  may_start: [],
  visible_to: null,
  ceiling: false,
  fan_out: 0,
  write_under: null,
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
  ...changes,
});
