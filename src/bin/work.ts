// Tasks, queries and the main agent, composed.
import type { Loaded } from '../config/load.ts';
import type { Clock, Log, Store, Supervisor } from '../domain/ports.ts';
import { createMemory } from '../memory/index.ts';
import { openEmbedder } from '../models/embedder.ts';
import type { Gateway } from '../models/gateway.ts';
import { createLateAnswers } from '../queries/late-answers.ts';
import { createMainAgent } from '../queries/main-agent.ts';
import { createQueryService } from '../queries/service.ts';
import { createStanding } from '../queries/standing.ts';
import { createTurns } from '../queries/turn.ts';
import { createWorkspace } from '../queries/workspace.ts';
import { createReviews } from '../reviews/index.ts';
import { createTasks } from '../tasks/index.ts';
import { roleTools } from '../tools/index.ts';
import { MARK_INSTANCE } from '../wire/protocol.ts';

export type WorkDeps = {
  loaded: Loaded;
  store: Store;
  supervisor: Supervisor;
  gateway: Gateway;
  instance: string;
  env: Record<string, string | undefined>;
  /** Workdir of the newest query of the runs before, or null. */
  newest: string | null;
  log: Log;
  clock: Clock;
};

export function openWork({
  loaded,
  store,
  supervisor,
  gateway,
  instance,
  env,
  newest,
  log,
  clock,
}: WorkDeps) {
  const { config } = loaded;
  const { limits, subagents, main, server } = config;
  const roles = new Map(loaded.roles.map((role) => [role.name, role]));
  const runLimits = {
    max_iterations: limits.max_iterations,
    result_limit: limits.result_limit,
    tool_timeout_s: limits.tool_timeout_s,
    tool_timeout_max_s: limits.tool_timeout_max_s,
    fetch_allow: config.sandbox.fetch_allow,
  };
  const workspace = createWorkspace(server.state_dir, server.workspace_roots, newest);
  const embedder = openEmbedder(config.memory.embedder, config.models);
  const memory = createMemory({ store, embedder, log });
  const reviews = createReviews({ store, clock, log, timeout_s: limits.review_timeout_s });
  const standing = createStanding({
    store,
    reviews: reviews.agents,
    waitingOf: (agent_id) => tasks.waitingOf(agent_id),
    log,
  });
  reviews.onChange(standing.touch);
  const tasks = createTasks({
    store,
    reviews: reviews.agents,
    waits: standing.touch,
    supervisor,
    gateway,
    memory: memory.agents,
    roles,
    clock,
    log,
    max_subagents: subagents.max,
    max_depth: subagents.max_depth,
    queue: {
      queue_limit: subagents.queue_limit,
      overflow: subagents.overflow,
      description_limit: limits.description_limit,
    },
    runLimits,
    blocked: {
      blocked_after_ms: limits.blocked_after_s * 1000,
      blocked_deadline_ms: limits.blocked_deadline_s * 1000,
    },
    directQuery: (description, at, options) => queries.direct(description, at, options),
    makeWorkdir: workspace.make,
  });
  const turns = createTurns({
    store,
    tasks,
    gateway,
    memory: memory.agents,
    reviews: reviews.agents,
    standing,
    clock,
    log,
    model: main.model,
    max_depth: subagents.max_depth,
    may_start: main.may_start,
    runMain: createMainAgent({
      store,
      memory: memory.agents,
      reviews: reviews.agents,
      tools: roleTools(env).filter((tool) => main.tools.includes(tool.name)),
      prompt: loaded.mainPrompt,
      model: main.model,
      may_start: main.may_start,
      known_roles: [...roles.keys()],
      max_depth: subagents.max_depth,
      limits: { ...runLimits, timeout_s: 0 },
      answersLost: tasks.answersLost,
      markers: { [MARK_INSTANCE]: instance },
      clock,
      log,
    }),
  });
  const queries = createQueryService({
    store,
    tasks,
    turns,
    standing,
    workspace,
    clock,
    log,
    max_running: limits.max_running_queries,
    input_limit: limits.description_limit,
    problemOfModel: gateway.problem,
  });
  reviews.onDecided(createLateAnswers({ tasks, queries, log }));
  return {
    tasks,
    queries,
    memory,
    reviews,
    /** Takes up what was queued or at work, and begins to serve. */
    async begin(): Promise<void> {
      await tasks.catchUp();
      memory.begin();
      tasks.open();
      await queries.recover();
    },
    async close(): Promise<void> {
      tasks.close();
      reviews.close();
      await queries.close();
      await memory.close();
    },
  };
}
export type Work = ReturnType<typeof openWork>;
