// The real tasks room over a real database, with role servers that are functions: what a run does is in the test.
import { join } from 'node:path';
import { AppError } from '../../src/domain/errors.ts';
import {
  type Claim,
  type ModelGateway,
  type RoleServer,
  type ServerExit,
  type Store,
  type Supervisor,
  silentLog,
  systemClock,
} from '../../src/domain/ports.ts';
import type { Envelope, RunHost, RunOutcome } from '../../src/domain/run.ts';
import { createMemory, type Memory } from '../../src/memory/index.ts';
import { lookAt } from '../../src/queries/look-at.ts';
import { createStanding, type Standing } from '../../src/queries/standing.ts';
import { createReviews, type Reviews } from '../../src/reviews/index.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { createStore } from '../../src/store/sqlite/store.ts';
import { createTasks, type Tasks } from '../../src/tasks/index.ts';
import { directQuery, outcome, role } from './tasks-rows.ts';

export type Work = (run: {
  envelope: Envelope;
  host: RunHost;
  signal: AbortSignal;
}) => Promise<Partial<RunOutcome> | string>;
export type World = {
  store: Store;
  tasks: Tasks;
  memory: Memory;
  reviews: Reviews;
  standing: Standing;
  /** Claims that are taken and not lent, at this moment and at most. */
  places: () => { now: number; most: number };
  started: Envelope[];
  steered: string[];
  /** Runs that are at work in their role servers. */
  working: () => string[];
  /** From here on the database may not grow, or may again. */
  disk(full: boolean): void;
  crash(role: string, own_fault?: boolean): void;
  close(): Promise<void>;
};

export function createWorld(
  folder: string,
  work: Work,
  options: {
    max?: number;
    places?: number;
    overflow?: 'queue' | 'reject';
    queue_limit?: number;
    resume_tokens?: number;
    confirm_above?: { tokens: number; usd: number };
    blocked?: { blocked_after_ms: number; blocked_deadline_ms: number };
    alternates?: Record<string, string>;
    /** Until a review expires. */
    review_timeout_s?: number;
    /** Role servers start, hear and answer only after this: the order of messages is up to the test. */
    hop?: () => Promise<void>;
  } = {},
): World {
  const database = openDatabase({ file: join(folder, 'troupe.db'), log: silentLog });
  const store = createStore({ database, log: silentLog });
  const roles = new Map(
    [role('planner', ['coder', 'reviewer']), role('coder'), role('reviewer')].map((r) => [
      r.name,
      { ...r, alternate: options.alternates?.[r.name] ?? null },
    ]),
  );
  const places = { now: 0, most: 0 };
  const running = new Map<string, AbortController>();
  const started: Envelope[] = [];
  const steered: string[] = [];
  const changed: (() => void)[] = [];
  const goneListeners: ((s: RoleServer, e: ServerExit, own: boolean) => void)[] = [];
  const generation = new Map<string, number>();
  // Cancelled before their start arrived: a late start finds them ended.
  const refused = new Set<string>();
  const dead = new Set<AbortController>();
  const hop = options.hop ?? (async () => {});
  const wake = (): void => {
    for (const listener of changed) listener();
  };

  const serverOf = (name: string, born = generation.get(name) ?? 0): RoleServer => ({
    role: name,
    instance: 1,
    server_id: `${name}-${born}`,
    pid: null,
    port: null,
    endpoint: `test:${name}`,
    client: {
      async start(envelope) {
        await hop();
        if (born !== (generation.get(name) ?? 0))
          throw new AppError('server_unreachable', `${name} is gone`);
        if (refused.has(envelope.run_id)) return;
        const host = tasks.hostOf(envelope.run_token);
        if (!host) throw new AppError('unauthorized', 'no host');
        started.push(envelope);
        const abort = new AbortController();
        running.set(envelope.run_id, abort);
        void work({ envelope, host, signal: abort.signal })
          .catch((error: unknown) =>
            abort.signal.aborted
              ? { status: 'cancelled' as const, end_reason: 'cancelled' as const }
              : {
                  status: 'failed' as const,
                  error: { code: 'internal' as const, message: String(error), reasons: [] },
                },
          )
          .finally(() => {
            if (running.get(envelope.run_id) === abort) running.delete(envelope.run_id);
          })
          .then(async (given) => {
            await hop();
            // A process that has gone says nothing more; one that lives says it until it is heard.
            while (!dead.has(abort)) {
              const heard = await host.result(outcome(given), null).then(
                () => true,
                (error: { code?: string }) => !error.code?.startsWith('storage_'),
              );
              if (heard) return;
              await new Promise((resolve) => setTimeout(resolve, 20));
            }
          })
          .catch(() => {});
        await hop();
      },
      async cancel(run_id) {
        await hop();
        if (running.has(run_id)) running.get(run_id)?.abort();
        else refused.add(run_id);
        await hop();
      },
      async steer(run_id, text) {
        if (!running.has(run_id)) return 'missed';
        steered.push(text);
        return 'delivered';
      },
    },
  });

  const supervisor: Supervisor = {
    claim(name) {
      if (places.now >= (options.places ?? 100)) return { wait: 'role' };
      let held = true;
      const take = (): void => {
        places.now += 1;
        places.most = Math.max(places.most, places.now);
        held = true;
      };
      const give = (): void => {
        if (held) places.now -= 1;
        held = false;
        wake();
      };
      take();
      const claim: Claim = {
        role: name,
        ready: hop().then(() => serverOf(name)),
        // Some find their role server ready, some wait for it.
        now: () => (options.hop && places.now % 2 === 0 ? null : serverOf(name)),
        lend: give,
        resume() {
          if (held) return true;
          if (places.now >= (options.places ?? 100)) return false;
          take();
          return true;
        },
        release: give,
      };
      return claim;
    },
    onChange: (listener) => void changed.push(listener),
    onGone: (listener) => void goneListeners.push(listener),
    list: () => [],
    start: () => Promise.reject(new Error('not here')),
    stop: () => Promise.reject(new Error('not here')),
    restart: () => Promise.reject(new Error('not here')),
    kill: async () => {},
    log: async () => [],
    close: async () => {},
  };
  const gateway: ModelGateway = {
    async *call() {},
    chosen: () => ({ model: 'echo', why: 'test' }),
    route: (model) => ({ models: [model === 'default' ? 'echo' : model], why: 'test' }),
    problem: () => null,
    inputPrice: () => 2,
    beats: () => false,
    context: () => null,
  };
  const memory = createMemory({
    ...{ store, embedder: null, lookAt, log: silentLog },
    mask: (text) => text,
  });
  const reviews = createReviews({
    ...{ store, clock: systemClock, log: silentLog },
    timeout_s: options.review_timeout_s ?? 600,
  });
  store.onCommit(reviews.follow);
  const standing = createStanding({
    ...{ store, log: silentLog, reviews: reviews.agents },
    waitingOf: (agent_id) => tasks.waitingOf(agent_id),
  });
  reviews.onChange(standing.touch);
  const tasks = createTasks({
    store,
    reviews: reviews.agents,
    waits: standing.touch,
    memory: memory.agents,
    supervisor,
    gateway,
    roles,
    clock: systemClock,
    log: silentLog,
    ...{ max_subagents: options.max ?? 30, max_depth: 2 },
    queue: {
      queue_limit: options.queue_limit ?? 10_000,
      overflow: options.overflow ?? 'queue',
      description_limit: 32_768,
    },
    ...{ child_min_iterations: 10, resume_tokens: options.resume_tokens ?? 0 },
    confirm_above: options.confirm_above ?? { tokens: 0, usd: 0 },
    runLimits: {
      max_iterations: 100,
      result_limit: 30_000,
      tool_timeout_s: 120,
      tool_timeout_max_s: 3600,
      fetch_allow: [],
    },
    blocked: options.blocked ?? { blocked_after_ms: 45_000, blocked_deadline_ms: 120_000 },
    directQuery: directQuery(folder),
    makeWorkdir() {},
  });

  tasks.open();
  return {
    store,
    tasks,
    memory,
    reviews,
    standing,
    places: () => ({ ...places }),
    started,
    steered,
    working: () => [...running.keys()],
    disk: (full) => void database.writer.get(`PRAGMA max_page_count = ${full ? 1 : 1_000_000_000}`),
    crash(name, own_fault = false) {
      const server = serverOf(name);
      generation.set(name, (generation.get(name) ?? 0) + 1);
      for (const { role, run_id } of started) {
        const abort = role === name ? running.get(run_id) : undefined;
        if (abort) dead.add(abort);
        abort?.abort();
      }
      const exit = { code: null, signal: 'SIGKILL', reason: 'killed by the test', stderr_tail: '' };
      for (const listener of goneListeners) listener(server, exit, own_fault);
    },
    async close() {
      tasks.close();
      standing.close();
      reviews.close();
      for (const abort of running.values()) abort.abort();
      await memory.close();
      await store.close();
    },
  };
}
