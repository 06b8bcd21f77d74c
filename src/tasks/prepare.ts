// What a run is started with: its thread, repaired; its powers, from the runtime; the move to `running`.
import { viewOf } from '../domain/compaction.ts';
import { canSpawn, depthStatus } from '../domain/depth.ts';
import { isReplyLanguage, type ReplyLanguage } from '../domain/language.ts';
import type { ModelGateway, RoleServer, Tx } from '../domain/ports.ts';
import type { Query } from '../domain/query.ts';
import type { Role } from '../domain/role.ts';
import { compactAt, type Envelope, type RunLimits } from '../domain/run.ts';
import type { Subagent } from '../domain/subagent.ts';
import { repairThread } from '../domain/thread.ts';
import { languageOfRequest } from '../language/reply.ts';
import { iterationsOf } from './budget.ts';
import { ASKS, answersLost } from './forensics.ts';
import { move } from './lifecycle.ts';
import type { LiveRun } from './live.ts';
import { compactFor, noteResume } from './resume-estimate.ts';
import { promptOfRun } from './role-prompts.ts';

/** Tools that make and steer tasks: a leaf does not get them. */
export const SPAWN_TOOLS = [
  'start_async_task',
  'check_async_task',
  'update_async_task',
  'cancel_async_task',
  'list_async_tasks',
] as const;

/** What the user writes: of the turn that asks, or of the task that came straight through the API. */
async function languageOf(t: Tx, query: Query, run_id: string): Promise<ReplyLanguage | null> {
  const turn = (await t.loops.ofQuery(query.query_id)).at(-1);
  if (turn) return isReplyLanguage(turn.metadata.language) ? turn.metadata.language : null;
  const run = await t.runs.get(run_id);
  const later = run?.kind === 'update' ? run.input.map((m) => m.content).join('\n') : '';
  return languageOfRequest(later) ?? languageOfRequest(query.input);
}

export type PrepareDeps = {
  roles: ReadonlyMap<string, Role>;
  limits: Omit<RunLimits, 'timeout_s' | 'compact'>;
  /** Model steps of a subagent at least, where half of those of the agent above it would be fewer. */
  child_min_iterations: number;
  /** Input tokens of one model call above which a thread that goes on is summarised first; 0 = never. */
  resume_tokens: number;
  /** The workdir is there before the run is: that of a direct task is made only now. */
  makeWorkdir(path: string): void;
  /** Which model is asked first and why, for the subagent's row and event; and what it has room for. */
  gateway: Pick<ModelGateway, 'route' | 'context' | 'inputPrice'>;
};

export function createPrepare(deps: PrepareDeps) {
  const { roles, limits, makeWorkdir, gateway } = deps;
  /** Of the agent above; the main agent and callers of the API have the whole. */
  async function above(t: Tx, { parent_id }: Subagent): Promise<number> {
    const parent = await t.subagents.get(parent_id);
    const known = parent?.metadata.max_iterations;
    return typeof known === 'number' ? known : limits.max_iterations;
  }
  /** In a unit of work of the caller. `agent`: its row as read in that unit. */
  return async function prepare(
    t: Tx,
    run: LiveRun,
    agent: Subagent,
    server: RoleServer,
  ): Promise<Envelope | null> {
    const role = roles.get(run.role);
    const task = await t.tasks.get(run.task_id);
    const query = await t.queries.get(run.query_id);
    if (!task || !query || !role || agent.state !== 'assigned') return null;
    if (query.kind === 'direct') makeWorkdir(query.workdir);
    const thread = await t.checkpoints.thread(task.task_id);
    const started = new Set<string>();
    const answers = new Map<string, string>();
    if (thread.messages.at(-1)?.role !== 'user' || thread.messages.length > 1)
      for (const { run_id } of await t.runs.ofTask(task.task_id)) {
        for (const call of await t.checkpoints.openCalls(run_id))
          if (!ASKS.test(call.name)) started.add(call.id);
        for (const [id, answer] of await answersLost(t, run_id)) answers.set(id, answer);
      }
    const model = role.model === 'default' ? (query.options.model ?? 'default') : role.model;
    const began = agent.metadata.prompt as { run_id: string; revision: number } | undefined;
    const known = began?.run_id === agent.run_id ? began.revision : undefined;
    const own = await promptOfRun(t, role.name, known);
    const prompt = own.prompt ?? role.system_prompt;
    const { models, why } = gateway.route(model, role.name);
    const first = models[0] ?? model;
    const messages = viewOf(repairThread(thread.messages, started, run.interrupted, answers));
    const resume = await noteResume(t, agent, {
      ...{ messages, prompt, model: first },
      price: gateway.inputPrice(first),
      limit: deps.resume_tokens,
    });
    const most = await above(t, agent);
    const max_iterations = iterationsOf(role.max_iterations, most, deps.child_min_iterations);
    await move(t, agent, 'running', {
      detail: `in ${server.endpoint}`,
      agent: {
        endpoint: server.endpoint,
        pid: server.pid,
        port: server.port,
        server_nonce: server.server_id,
        model: first,
        metadata: {
          ...agent.metadata,
          prompt: { run_id: agent.run_id, revision: own.revision },
          max_iterations,
        },
      },
      data: {
        pid: server.pid,
        port: server.port,
        server_id: server.server_id,
        instance: server.instance,
        model: first,
        model_why: why,
        max_iterations,
      },
    });
    run.run_id = agent.run_id;
    run.parent_task_id = task.parent_task_id;
    run.output_schema = task.output_schema;
    run.language = await languageOf(t, query, agent.run_id);
    run.spawned = thread.next_step > 0;
    const at = { depth: task.depth, max_depth: task.max_depth };
    const spawns = canSpawn(at) && role.may_start.length > 0;
    return {
      v: 1,
      run_id: agent.run_id,
      thread_id: task.task_id,
      agent_id: agent.agent_id,
      query_id: query.query_id,
      role: role.name,
      run_token: run.token,
      messages,
      prompt,
      model,
      tools: role.tools.filter(
        (name) => spawns || !(SPAWN_TOOLS as readonly string[]).includes(name),
      ),
      spawn: { may_start: spawns ? [...role.may_start] : [], ...at, status: depthStatus(at) },
      workdir: query.workdir,
      memory_block: run.recalled,
      language: run.language,
      output_schema: task.output_schema,
      limits: {
        ...limits,
        max_iterations,
        timeout_s: role.timeout_s,
        compact: compactFor(
          compactAt(gateway.context(model, role.name)),
          resume?.tokens_per_turn ?? 0,
          deps.resume_tokens,
        ),
      },
      first_step: thread.next_step,
      begun: {
        iterations: await t.spend.iterationsOf(agent.run_id),
        answers: await t.checkpoints.answers(agent.run_id),
      },
    };
  };
}
