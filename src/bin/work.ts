// Tasks, queries and the main agent, composed.
import type { Loaded } from '../config/load.ts';
import { sentence } from '../config/problem.ts';
import type { Clock, Log, Store, Supervisor } from '../domain/ports.ts';
import type { RunHost } from '../domain/run.ts';
import { createMemory } from '../memory/index.ts';
import { openEmbedder } from '../models/embedder.ts';
import type { Gateway } from '../models/gateway.ts';
import { createLateAnswers } from '../queries/late-answers.ts';
import { lookAt } from '../queries/look-at.ts';
import { createMainAgent } from '../queries/main-agent.ts';
import { createMainRoleOf } from '../queries/main-role.ts';
import { createRemember } from '../queries/remember.ts';
import { createSelfBranch } from '../queries/self-branch.ts';
import { createQueryService } from '../queries/service.ts';
import { createStanding } from '../queries/standing.ts';
import { createTurns } from '../queries/turn.ts';
import { createWorkflows } from '../queries/workflow/index.ts';
import { createPhases } from '../queries/workflow/phases.ts';
import { createTestRun } from '../queries/workflow/test-run.ts';
import { createWorkspace } from '../queries/workspace.ts';
import { createReviews } from '../reviews/index.ts';
import { createTasks } from '../tasks/index.ts';
import { createRolePrompts } from '../tasks/role-prompts.ts';
import { roleTools } from '../tools/index.ts';
import { MARK_INSTANCE } from '../wire/protocol.ts';
import { spendLimits } from './models.ts';

export type WorkDeps = {
  loaded: Loaded;
  store: Store;
  supervisor: Supervisor;
  gateway: Gateway;
  instance: string;
  env: Record<string, string | undefined>;
  /** Workdir of the newest query of the runs before, or null. */
  newest: string | null;
  /** Masks secrets. */
  mask: (text: string) => string;
  /** What every run talks to, with known secrets taken out of what it says. */
  guardHost: (host: RunHost) => RunHost;
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
  mask,
  guardHost,
  log,
  clock,
}: WorkDeps) {
  const { config } = loaded;
  const { limits, subagents, main, server, branching } = config;
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
  const memory = createMemory({ store, embedder, lookAt, mask, log });
  const tools = roleTools(env);
  const workflows = createWorkflows({ store, log });
  const markers = { [MARK_INSTANCE]: instance };
  const run = createTestRun({ tools, limits: runLimits, markers });
  const phases = createPhases({ store, clock, run });
  const reviews = createReviews({
    ...{ store, clock, log, timeout_s: limits.review_timeout_s },
    effects: { memory: memory.proposals.decided },
  });
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
      max_tasks: subagents.max_tasks,
    },
    runLimits,
    child_min_iterations: limits.child_min_iterations,
    resume_tokens: limits.resume_tokens,
    confirm_above: { tokens: limits.confirm_above_tokens, usd: limits.confirm_above_usd },
    blocked: {
      blocked_after_ms: limits.blocked_after_s * 1000,
      blocked_deadline_ms: limits.blocked_deadline_s * 1000,
    },
    workflow: { admit: workflows.admit, check: phases.check },
    directQuery: (description, at, options) => queries.direct(description, at, options),
    makeWorkdir: workspace.make,
  });
  const { model, may_start } = main;
  const roleOf = createMainRoleOf({
    plain: {
      ...{ model, may_start, prompt: loaded.mainPrompt.text, tools: main.tools },
      max_depth: subagents.max_depth,
    },
    roles,
    tools,
  });
  const prompts = createRolePrompts({
    store,
    roles,
    main: (addition) => ({
      text: loaded.mainPrompt.text(addition),
      warnings: loaded.mainPrompt.problems(addition).map(sentence),
    }),
  });
  const remember = createRemember({
    ...{ store, tasks, reviews, proposals: memory.proposals, log },
    max_depth: subagents.max_depth,
    may_start: main.may_start,
  });
  const turns = createTurns({
    guardHost,
    store,
    tasks,
    gateway,
    memory: memory.agents,
    reviews: reviews.agents,
    standing,
    clock,
    log,
    roleOf,
    workflows,
    runMain: createMainAgent({
      store,
      memory: memory.agents,
      reviews: reviews.agents,
      roleOf,
      workflows,
      limits: { ...runLimits, timeout_s: 0 },
      gateway,
      selfBranch: createSelfBranch({
        store,
        patientStore: tasks.patientStore,
        tasks,
        settings: {
          ...branching,
          threshold: branching.ratio_threshold_percent / 100,
        },
        may_start: main.may_start,
        max_depth: subagents.max_depth,
        clock,
        log,
      }),
      answersLost: tasks.answersLost,
      atEnd: remember.middleware,
      markers,
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
    branch: branching.mode,
    max_running: limits.max_running_queries,
    input_limit: limits.description_limit,
    problemOfModel: gateway.problem,
    workflows,
    tree_limit: spendLimits(config).tree,
  });
  reviews.onDecided(createLateAnswers({ tasks, queries, log }));
  reviews.onDecided(({ kind }) => kind === 'memory' && memory.fillVectors());
  return {
    tasks,
    queries,
    memory,
    reviews,
    prompts,
    /** Takes up what was queued or at work, and begins to serve. */
    async begin(): Promise<void> {
      await tasks.catchUp();
      memory.fillVectors();
      tasks.open();
      await queries.recover();
      await remember.recover();
    },
    async close(): Promise<void> {
      tasks.close();
      await phases.close();
      reviews.close();
      await queries.close();
      await remember.close();
      await memory.close();
    },
  };
}
export type Work = ReturnType<typeof openWork>;
