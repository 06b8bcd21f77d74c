// What the API answers, as far as the page reads it.
export type Usage = {
  input_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
  model_calls: number;
};
export type Failure = { code: string; message: string; reasons: string[] };
export type Query = {
  query_id: string;
  kind: string;
  input: string;
  status: string;
  answer: string | null;
  branched: boolean;
  workdir: string;
  options: Record<string, unknown>;
  usage: Usage;
  error: Failure | null;
  created_at: string;
  updated_at: string;
};
export type AgentRow = {
  agent_id: string;
  role: string;
  ordinal: number;
  state: string;
  model: string | null;
  pid: number | null;
  port: number | null;
  endpoint: string | null;
  error: string | null;
  created_at: string;
  updated_at: string;
};
export type TreeNode = {
  id: string;
  kind: 'query' | 'task';
  label: string;
  role: string;
  status: string;
  waiting: string | null;
  description: string;
  depth: number;
  usage: Usage;
  subtree_usage: Usage;
  created_at: string;
  updated_at: string;
  attempts: AgentRow[];
  children: TreeNode[];
};
export type Attempt = {
  agent_id: string;
  role: string;
  ordinal: number;
  run_id: string;
  status: string;
  started_at: string;
  ended_at: string | null;
  error: string | null;
};
export type Task = {
  task_id: string;
  query_id: string;
  subagent_type: string;
  description: string;
  status: string;
  waiting: string | null;
  depth: number;
  attempts: Attempt[];
  result: string | null;
  unverified: string[];
  error: Failure | null;
  partial_output: string;
  usage: Usage;
  created_at: string;
  updated_at: string;
};
export type FileEntry = { path: string; size: number; modified_at: string };

export type { ServerInfo as ServerRow } from '../../domain/server.ts';
