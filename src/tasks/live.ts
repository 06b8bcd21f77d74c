// The runs that are at work at this moment: one entry an agent, and the tokens that reach them.
import { newToken } from '../domain/ids.ts';
import type { ReplyLanguage } from '../domain/language.ts';
import type { OutputSchema } from '../domain/output-schema.ts';
import type { Claim, RoleServer } from '../domain/ports.ts';
import type { RunHost, RunOutcome } from '../domain/run.ts';
import type { Subagent, Waiting } from '../domain/subagent.ts';

export type LiveRun = {
  agent_id: string;
  task_id: string;
  query_id: string;
  role: string;
  run_id: string;
  token: string;
  claim: Claim;
  /** null while its role server starts. */
  server: RoleServer | null;
  /** Task that this one was started by, or null. */
  parent_task_id: string | null;
  /** It may have started tasks of its own. */
  spawned: boolean;
  waiting: Waiting;
  /** Set once: the run is being stopped, and this is why. Its results no longer count as progress. */
  stopping: string | null;
  /** Monotonic ms of the last sign of life: token, tool event or heartbeat. */
  last_progress: number;
  activity: string;
  /** What is known of the effect of calls whose result is lost; for the agent. */
  interrupted: string;
  /** What its result has to be written in; null: nobody can tell. */
  language: ReplyLanguage | null;
  /** The shape that its result must have. */
  output_schema: OutputSchema | null;
  /** What is remembered for its task; text for its memory block. */
  recalled: string;
  /** Monotonic ms since when it counts as blocked; null while it does not. */
  blocked_since: number | null;
  /** What the run said when it was told to stop. */
  last_words: RunOutcome | null;
  /** Aborts everything that main does for this run (model calls, waits). */
  abort: AbortController;
  /** Settled: nothing of it counts any more, whatever is still under way. */
  over: boolean;
  /** Those of its calls that wait at this moment: while there is one, its slot is lent. */
  waits: Set<unknown>;
};

/** Task and run are known when its row has been read. */
export const newRun = (
  { agent_id, role, query_id }: Pick<Subagent, 'agent_id' | 'role' | 'query_id'>,
  claim: Claim,
  now: number,
): LiveRun => ({
  ...{ agent_id, role, query_id },
  task_id: '',
  run_id: '',
  token: newToken(),
  claim,
  server: null,
  parent_task_id: null,
  spawned: true,
  waiting: null,
  stopping: null,
  last_progress: now,
  activity: 'starting',
  interrupted: '',
  language: null,
  output_schema: null,
  recalled: '',
  blocked_since: null,
  last_words: null,
  abort: new AbortController(),
  over: false,
  waits: new Set(),
});

/** What a fenced-off token still may do: hand in a result that changes nothing. */
export type Tombstone = { agent_id: string; task_id: string; query_id: string; role: string };

const TOMBSTONES = 2_000;
// One reason for all: an abort without one would build an exception with its stack, once a run.
const SETTLED = new Error('the run is over');

export function createLive(
  hostFor: (run: LiveRun) => RunHost,
  lateHost: (of: Tombstone) => RunHost,
) {
  const byAgent = new Map<string, LiveRun>();
  const hosts = new Map<string, { host: RunHost; run: LiveRun }>();
  const tombstones = new Map<string, Tombstone>();
  return {
    add(run: LiveRun): void {
      byAgent.set(run.agent_id, run);
      hosts.set(run.token, { host: hostFor(run), run });
    },
    get: (agent_id: string): LiveRun | undefined => byAgent.get(agent_id),
    ofRun: (run_id: string): LiveRun | undefined =>
      [...byAgent.values()].find((r) => r.run_id === run_id),
    inServer: (server_id: string): LiveRun[] =>
      [...byAgent.values()].filter((r) => r.server?.server_id === server_id),
    all: (): LiveRun[] => [...byAgent.values()],
    size: (): number => byAgent.size,
    /** From here on the run's token reaches nothing: its late result is noted and changes nothing. */
    remove(run: LiveRun): void {
      const { agent_id, task_id, query_id, role } = run;
      if (byAgent.get(agent_id) !== run) return;
      byAgent.delete(agent_id);
      hosts.delete(run.token);
      run.over = true;
      run.abort.abort(SETTLED);
      tombstones.set(run.token, { agent_id, task_id, query_id, role });
      const oldest = tombstones.size > TOMBSTONES ? tombstones.keys().next().value : undefined;
      if (oldest !== undefined) tombstones.delete(oldest);
    },
    /** The role server whose run holds this token, or null. */
    serverOf: (token: string): string | null => hosts.get(token)?.run.server?.server_id ?? null,
    /** The host behind a run token, or null. */
    host(token: string): RunHost | null {
      const dead = tombstones.get(token);
      return hosts.get(token)?.host ?? (dead ? lateHost(dead) : null);
    },
  };
}
export type Live = ReturnType<typeof createLive>;
