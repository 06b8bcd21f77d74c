// A role server as it is shown: its life, its process, how it ended last.

export type ServerState = 'stopped' | 'starting' | 'ready' | 'draining' | 'crashed' | 'parked';
export type ServerExit = {
  code: number | null;
  signal: string | null;
  /** A named failure: start_timeout, start_exited, server_hung, idle, shutdown, stopped, … */
  reason: string;
  stderr_tail: string;
};
export type ServerInfo = {
  role: string;
  instance: number;
  state: ServerState;
  pid: number | null;
  port: number | null;
  endpoint: string | null;
  model: string;
  rss_bytes: number | null;
  cpu_seconds: number | null;
  started_at: string | null;
  restarts: number;
  active_runs: number;
  last_activity_at: string | null;
  last_exit: ServerExit | null;
};
