// An envelope as main would make it, for tests of the road between main and a role server.
import { uuidv7 } from '../../src/domain/ids.ts';
import type { Envelope } from '../../src/domain/run.ts';

export const envelopeOf = (changes: Partial<Envelope> = {}): Envelope => ({
  v: 1,
  run_id: uuidv7(),
  thread_id: uuidv7(),
  agent_id: 'sa_000000000001',
  query_id: 'q',
  role: 'coder',
  run_token: 'run-token',
  messages: [{ role: 'user', content: 'hello' }],
  prompt: 'You are a coder.',
  model: 'echo',
  tools: [],
  spawn: { may_start: [], depth: 1, max_depth: 2, status: 'DEPTH_1' },
  workdir: '/tmp',
  memory_block: '',
  language: null,
  output_schema: null,
  limits: {
    max_iterations: 10,
    result_limit: 30_000,
    tool_timeout_s: 120,
    tool_timeout_max_s: 3_600,
    timeout_s: 0,
    fetch_allow: [],
    compact: null,
  },
  first_step: 0,
  begun: { iterations: 0, answers: 0 },
  ...changes,
});
