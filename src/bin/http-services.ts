// What the HTTP surface calls, put together from the rooms: services, status, limits, readiness.
import { createHash } from 'node:crypto';
import { describeConfig } from '../config/describe.ts';
import type { Loaded } from '../config/load.ts';
import { byPath } from '../config/schema.ts';
import { isHidden } from '../domain/depth.ts';
import { AppError } from '../domain/errors.ts';
import type { Store, Supervisor } from '../domain/ports.ts';
import type { Role } from '../domain/role.ts';
import { NANO } from '../domain/spend.ts';
import { isOpen, type Subagent } from '../domain/subagent.ts';
import { WORKFLOW_NAMES, WORKFLOWS } from '../domain/workflow.ts';
import type { Hub } from '../events/hub.ts';
import { type ApiKey, SCOPES } from '../http/limits.ts';
import type { Readiness, Services, SubagentNow, Upkeep } from '../http/services.ts';
import type { Gateway } from '../models/gateway.ts';
import type { Spending, Today } from '../models/spending.ts';
import { childIterations } from '../tasks/budget.ts';
import { spendLimits } from './models.ts';
import type { Work } from './work.ts';

/** The configured key as the door keeps it: hashed, with every scope. */
export const apiKeys = (key: string | null): ApiKey[] =>
  key === null
    ? []
    : [{ name: 'default', sha256: createHash('sha256').update(key).digest('hex'), scopes: SCOPES }];

export type ServicesDeps = {
  loaded: Loaded;
  store: Store;
  hub: Hub;
  supervisor: Supervisor;
  gateway: Gateway;
  spending: Spending;
  work: Work;
  upkeep: Upkeep;
  version: string;
  instance: string;
  draining: () => boolean;
};

export function createServices(deps: ServicesDeps): Services {
  const { loaded, store, hub, supervisor, gateway, work } = deps;
  const { tasks, queries, memory, reviews } = work;
  const { reads } = store;
  const now = (agent: Subagent): SubagentNow => ({
    ...agent,
    waiting: isOpen(agent.state) ? tasks.waitingOf(agent.agent_id) : null,
    holds_slot: tasks.holdsSlot(agent.agent_id),
  });
  const withPrompt = (role: Role): Role => ({
    ...role,
    system_prompt: work.prompts.get(role.name).effective,
  });
  return {
    tasks,
    queries,
    subagents: {
      async get(agent_id) {
        const agent = await reads.subagents.get(agent_id);
        if (agent) return now(agent);
        throw new AppError('not_found', `no subagent ${agent_id}; ids are given whole`);
      },
      async list(ask) {
        const page = await reads.subagents.list(ask);
        return { ...page, data: page.data.map(now) };
      },
    },
    supervisor,
    roles: {
      list: (all = false) => loaded.roles.filter((role) => all || !isHidden(role)).map(withPrompt),
      get(name) {
        const role = loaded.roles.find((r) => r.name === name);
        if (!role) return null;
        const changed = work.prompts.get(name).override !== null;
        const sources = loaded.roleSources.get(name) ?? {};
        return {
          role: withPrompt(role),
          sources: changed ? { ...sources, system_prompt: 'override' } : sources,
        };
      },
    },
    prompts: work.prompts,
    hub,
    events: reads.events,
    memory: {
      ...memory.longTerm,
      store: ({ project, ...given }, also) =>
        memory.longTerm.store(given, { source: 'api', project, call: null }, also),
      correct: (given, also) =>
        memory.longTerm.correct(given, { source: 'api', project: null, call: null }, also),
    },
    reviews,
    brain: {
      // An unknown query is an error, not an empty brain.
      page: async (id, ask) => memory.brain.page((await queries.get(id)).query_id, ask),
    },
    upkeep: deps.upkeep,
    models: { onTry: gateway.onTry },
    status: () => statusOf(deps),
    limits: async () => ({
      ...limitsOf(loaded),
      spend: { limits: spendLimits(loaded.config), today: todayView(await deps.spending.today()) },
    }),
    settings: () =>
      describeConfig(loaded).map((shown) => ({ ...shown, doc: byPath.get(shown.key)?.doc ?? '' })),
    ready: () => readiness(deps),
  };

  async function statusOf({ version, instance }: ServicesDeps): Promise<object> {
    return {
      version,
      instance,
      node: process.version,
      uptime_s: Math.round(process.uptime()),
      model: gateway.chosen(),
      models: gateway.status(),
      breakers: gateway.breakers(),
      topology: loaded.config.server.topology,
      slots: tasks.counts(),
      queries: queries.counts(),
      spend: { limits: spendLimits(loaded.config), today: todayView(await deps.spending.today()) },
      reviews: work.reviews.counts(),
      servers: supervisor.list().length,
      readers: hub.readers(),
      last_seq: await reads.events.last(),
      first_kept_seq: (await reads.events.removed()) + 1,
      draining: deps.draining(),
      memory_bytes: process.memoryUsage.rss(),
    };
  }
}

/** What this day (UTC) has cost so far, and what calls under way may still cost. */
function todayView({ day, model_calls, spent, estimated, reserved }: Today): object {
  return {
    day,
    model_calls,
    tokens: spent.tokens,
    usd: spent.nano_usd / NANO,
    estimated_tokens: estimated.tokens,
    estimated_usd: estimated.nano_usd / NANO,
    reserved_tokens: reserved.tokens,
    reserved_usd: reserved.nano_usd / NANO,
  };
}

/** The limits that are really in force. */
function limitsOf({ config, roles }: Loaded): object {
  const { subagents, limits } = config;
  return {
    max_subagents: subagents.max,
    overflow: subagents.overflow,
    queue_limit: subagents.queue_limit,
    max_depth: subagents.max_depth,
    workflow_max_depth: Object.fromEntries(
      WORKFLOW_NAMES.map((name) => [name, WORKFLOWS[name].max_depth]),
    ),
    max_tasks: subagents.max_tasks,
    fan_out: Object.fromEntries(
      roles.filter((role) => role.fan_out > 0).map(({ name, fan_out }) => [name, fan_out]),
    ),
    max_running_queries: limits.max_running_queries,
    max_iterations: limits.max_iterations,
    child_iterations: childIterations(limits.max_iterations, limits.child_min_iterations),
    output_tokens: limits.output_tokens,
    description_limit: limits.description_limit,
    result_limit: limits.result_limit,
    body_limit: limits.body_limit,
    tool_timeout_s: limits.tool_timeout_s,
    tool_timeout_max_s: limits.tool_timeout_max_s,
    review_timeout_s: limits.review_timeout_s,
  };
}

/** Role servers never count: they start when they are needed. */
function readiness({ draining, supervisor }: ServicesDeps): Readiness {
  const parked = supervisor
    .list()
    .filter((s) => s.state === 'parked')
    .map((s) => s.role);
  const leaving = draining();
  return {
    ok: !leaving,
    checks: {
      accepting: {
        ok: !leaving,
        critical: true,
        detail: leaving ? 'shutting down' : 'accepts new work',
      },
      roles: {
        ok: parked.length === 0,
        critical: false,
        detail: parked.length > 0 ? `parked: ${parked.join(', ')}` : 'none is parked',
      },
    },
  };
}
