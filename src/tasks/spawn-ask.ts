// What is asked of the one spawn, and by whom.
import type { DepthContext } from '../domain/depth.ts';
import type { Message } from '../domain/message.ts';
import type { Tx } from '../domain/ports.ts';
import type { Query, QueryOptions } from '../domain/query.ts';
import type { Subagent } from '../domain/subagent.ts';
import type { Task } from '../domain/task.ts';

/** Who asks: the main agent of a query, a subagent, or (query null) a caller of the API. */
export type Parent = {
  name: string;
  query: Query | null;
  agent: Subagent | null;
  at: DepthContext;
  may_start: readonly string[];
};
export type SpawnAsk = {
  parent: Parent;
  subagent_type: string;
  description: string;
  /** The shape that the result must have; as it was given, unchecked. */
  output_schema?: unknown;
  /** The tool call that asks; a repetition of it gets the same task. */
  call: { run_id: string; call_id: string } | null;
  /** Ids that the caller has given out already; a task_id that is taken is a conflict. */
  ids?: { task_id: string; run_id: string } | undefined;
  /** What the run adds to the thread, when that is not the description alone. */
  messages?: Message[] | undefined;
  /** Of the implicit query, where the API asks. */
  options?: Partial<QueryOptions>;
  /** Extra work of the same unit, e.g. an idempotency row. */
  with?: ((t: Tx, task: Task) => Promise<void>) | undefined;
};
