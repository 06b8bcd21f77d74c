// Whether a query waits for a person: somebody must decide, and nobody in it can go on before. Follows what its agents
// wait for at this moment; the row and the event say so when it has changed.
import type { Log, Store, Tx } from '../domain/ports.ts';
import type { Query } from '../domain/query.ts';
import type { AgentReviews } from '../domain/review.ts';
import type { Waiting } from '../domain/subagent.ts';
import { isOpenTask } from '../domain/task.ts';

export type StandingDeps = {
  store: Store;
  reviews: Pick<AgentReviews, 'holds' | 'untilAnswered'>;
  /** What an open subagent waits for at this moment. */
  waitingOf(agent_id: string): Waiting;
  log: Log;
};

/** Agents that ask again and again are working for a moment between two requests: that is no change. */
const SETTLE_MS = 50;
/** A disk gets room when somebody makes it. */
const AGAIN_MS = 1_000;

export function createStanding({ store, reviews, waitingOf, log }: StandingDeps) {
  const waiting = new Set<string>();
  const joins = new Map<string, number>();
  const timers = new Map<string, NodeJS.Timeout>();
  const listeners: (() => void)[] = [];
  let closed = false;

  /** Everybody at work in it waits for a person, or for somebody who does. */
  async function nobodyGoesOn(t: Tx, { query_id, kind }: Query): Promise<boolean> {
    if (!reviews.holds(query_id)) return false;
    const main = reviews.untilAnswered(query_id, null) !== null || joins.has(query_id);
    if (kind === 'agent' && !main) return false;
    const open = (await t.tasks.ofQuery(query_id)).filter((task) => isOpenTask(task.status));
    for (const { task_id } of open) {
      const agent = (await t.subagents.ofTask(task_id)).at(-1);
      const why = agent && waitingOf(agent.agent_id);
      if (why !== 'human' && why !== 'child') return false;
    }
    return true;
  }

  async function look(query_id: string): Promise<void> {
    await store.tx(async (t) => {
      const query = await t.queries.get(query_id);
      if (query?.status !== 'running' && query?.status !== 'waiting')
        return waiting.delete(query_id);
      const status = (await nobodyGoesOn(t, query)) ? 'waiting' : 'running';
      if (status === 'waiting') waiting.add(query_id);
      else waiting.delete(query_id);
      if (status === query.status) return;
      await t.queries.patch(query_id, { status, updated_at: t.at });
      const detail = status === 'waiting' ? 'a person must decide' : 'somebody can go on';
      await t.events.append({ kind: 'query', state: status, detail, query_id });
    });
    for (const listener of listeners) listener();
  }

  /** Something that agents of this query wait for has changed. Cheap where nobody is asked. */
  function touch(query_id: string, after_ms: number = SETTLE_MS): void {
    const concerns = reviews.holds(query_id) || waiting.has(query_id);
    if (closed || !concerns || timers.has(query_id)) return;
    const timer = setTimeout(() => {
      timers.delete(query_id);
      look(query_id).catch((err: unknown) => {
        log.warn({ err, query_id }, 'its status is not known to be right; looking again');
        waiting.add(query_id);
        touch(query_id, AGAIN_MS);
      });
    }, after_ms);
    timers.set(query_id, timer.unref());
  }

  return {
    touch: (query_id: string): void => touch(query_id),
    waits: (query_id: string): boolean => waiting.has(query_id),
    /** Called after each look: the number of queries that wait may have changed. */
    onChange: (listener: () => void): void => void listeners.push(listener),
    /** The main agent waits for its tasks while `work` runs. */
    async joining<T>(query_id: string, work: () => Promise<T>): Promise<T> {
      joins.set(query_id, (joins.get(query_id) ?? 0) + 1);
      touch(query_id);
      try {
        return await work();
      } finally {
        const left = (joins.get(query_id) ?? 1) - 1;
        if (left > 0) joins.set(query_id, left);
        else joins.delete(query_id);
        touch(query_id);
      }
    },
    /** After a restart: what was waiting then is looked at again. */
    async begin(): Promise<void> {
      for (const { query_id, status } of await store.reads.queries.open()) {
        if (status === 'waiting') waiting.add(query_id);
        touch(query_id);
      }
    },
    close(): void {
      closed = true;
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}
export type Standing = ReturnType<typeof createStanding>;
