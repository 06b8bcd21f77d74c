// How a role server comes to exist, whatever it is: a process, a part of main, or somebody else's server.
// Shapes and contracts only.
import type { Role } from '../domain/role.ts';
import type { RoleConnection } from '../wire/parent-end.ts';

export type StartAsk = {
  role: Role;
  instance: number;
  /** Identifies this start; public. */
  server_id: string;
  /** Secret that proves who answers. */
  nonce: string;
  server_token: string;
  /** Wanted port; 0: any. The one that was had is in `Launched.port`. */
  port: number;
};
export type RawExit = { code: number | null; signal: string | null; stderr_tail: string };

export type Launched = {
  pid: number | null;
  port: number | null;
  endpoint: string;
  /** False: it cannot prove to be ours (a remote server); its health is its word. */
  proves: boolean;
  client: RoleConnection;
  /** False as soon as its process has ended, before all that it started is gone: nobody is sent there any more. */
  alive(): boolean;
  /** Resolves once, when it and everything it started are gone. Never rejects. */
  exited: Promise<RawExit>;
  /**
   * Asks it to finish and leave; kills it when it is still there after `grace_ms`. `leave_ms`: it need not finish,
   * only get this long to reach a checkpoint; null: it may finish. A second call may make it faster.
   */
  stop(grace_ms: number, leave_ms: number | null): Promise<void>;
  kill(): Promise<void>;
};

export type Launcher = {
  /** What a role server of this main must report as its build. */
  build: string;
  /**
   * Resolves when the server says that it listens. Rejects with start_exited, start_spawn_failed,
   * start_bad_ready_line, server_unreachable, or the signal's reason; whatever was started is gone by then.
   */
  start(ask: StartAsk, signal: AbortSignal, onSpawn: (pid: number) => void): Promise<Launched>;
  /** Last lines of the role's log, oldest first, masked. */
  log(role: string, lines: number): Promise<string[]>;
  /** Ends what serves all role servers (spares, guard). Call after the last of them has gone. */
  close(): Promise<void>;
};
