// The decisions of a turn about branches, and what became of them: events of kind `branch`, kept with the query. What
// a turn has decided is read from here when it goes on after an interruption, so it is decided once.
import type {
  Branch,
  Decision,
  GateVerdict,
  PayOff,
  Prediction,
  Scores,
  Trigger,
} from '../branching/index.ts';
import type { TroupeEvent } from '../domain/event.ts';
import type { Store, Tx } from '../domain/ports.ts';

/** `data` of a decision: everything that it was made from. */
export type Decided = {
  run_id: string;
  trigger: Trigger;
  branched: boolean;
  reason: string;
  mode: string;
  /** Of the ratio scheme. */
  score: number;
  scores: Scores;
  gate: Pick<GateVerdict, 'open' | 'mode' | 'reason'>;
  parts: string[];
  /** Steps of a request whose order matters; empty else. */
  steps: string[];
  branches: Branch[];
  prediction: Prediction | null;
};
/** `data` of the end of a branching. */
export type Settlement = {
  run_id: string;
  status: 'completed' | 'partial' | 'failed';
  branch_ids: string[];
  warnings: string[];
  prediction: Prediction;
  payoff: PayOff;
};

export type Past = { decided: Decided[]; settled: Set<Trigger>; given_up: Set<Trigger> };

const MOST_EVENTS = 1_000;

export async function pastOf(store: Store, query_id: string, run_id: string): Promise<Past> {
  const filter = { query_id, kinds: ['branch'] as const };
  const events = await store.reads.events.after(0, filter, MOST_EVENTS);
  const own = events.filter(({ data }) => data.run_id === run_id);
  const decided = own.flatMap((e) => (isDecision(e) ? [e.data as unknown as Decided] : []));
  const triggersOf = (state: string) =>
    new Set(own.filter((e) => e.state === state).map(({ data }) => data.trigger as Trigger));
  return { decided, settled: triggersOf('settled'), given_up: triggersOf('given_up') };
}

const isDecision = ({ state }: TroupeEvent): boolean =>
  state === 'branched' || state === 'considered';

export async function tellDecision(
  t: Tx,
  query_id: string,
  data: Decided,
  said: Decision,
): Promise<void> {
  if (said.branch) await t.queries.patch(query_id, { branched: true, updated_at: t.at });
  await t.events.append({
    kind: 'branch',
    state: said.branch ? 'branched' : 'considered',
    detail: said.detail,
    query_id,
    role: 'main',
    data,
  });
}

/** `settled`: all branches have ended. `given_up`: none could be started, and the agent goes on alone. */
export async function tellEnd(
  t: Tx,
  query_id: string,
  trigger: Trigger,
  end: { state: 'settled'; data: Settlement } | { state: 'given_up'; run_id: string; why: string },
): Promise<void> {
  const given_up = end.state === 'given_up';
  if (given_up) await t.queries.patch(query_id, { branched: false, updated_at: t.at });
  await t.events.append({
    kind: 'branch',
    state: end.state,
    detail: given_up ? end.why : `${end.data.branch_ids.length} branches: ${end.data.status}`,
    query_id,
    role: 'main',
    data: given_up ? { run_id: end.run_id, trigger, error: end.why } : { ...end.data, trigger },
  });
}
