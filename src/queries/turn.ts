// One turn of the main agent, from the `running` row to the outcome: durable at both ends, resumable in between.
import type { Steering } from '../agent/steer-queue.ts';
import type { AgentMemory } from '../domain/brain.ts';
import { addUsage, type Usage } from '../domain/message.ts';
import type { Clock, Log, ModelGateway, Store, Tx } from '../domain/ports.ts';
import { isOpenQuery, type LoopRun, type Query } from '../domain/query.ts';
import type { AgentReviews } from '../domain/review.ts';
import type { RunHost, RunOutcome } from '../domain/run.ts';
import { fuller } from '../domain/spend.ts';
import { isAside } from '../domain/task.ts';
import { withdrawOfQuery } from '../reviews/rows.ts';
import type { Tasks } from '../tasks/index.ts';
import { cancelIdle, failIdle } from './cancel-idle.ts';
import { brokenOff, cancelledBy } from './cut-off.ts';
import { endingOf, withMissing } from './ending.ts';
import { languageOf, openLoop, patchLoop, say, sayGoesOn, turnAtWork } from './loop-run.ts';
import { createMailbox, keepForTurn, type Mailbox, notTaken } from './mailbox.ts';
import type { MainRole } from './main-role.ts';
import type { Standing } from './standing.ts';
import { totalUsage, usageOfTurns } from './tree.ts';
import { createTurnHost } from './turn-host.ts';
import type { Workflows } from './workflow/index.ts';

/** What the main agent's loop needs for one turn; main-agent.ts turns it into calls of the loop. */
export type MainRun = {
  query: Query;
  loop: LoopRun;
  host: RunHost;
  signal: AbortSignal;
  /** Messages of the user that arrived during the turn; taken before each model step. */
  steering: Steering;
};
export type TurnDeps = {
  store: Store;
  tasks: Tasks;
  gateway: ModelGateway;
  memory: AgentMemory;
  reviews: AgentReviews;
  standing: Standing;
  clock: Clock;
  log: Log;
  roleOf: (query: Query) => Pick<MainRole, 'name' | 'model' | 'may_start' | 'max_depth'>;
  workflows: Pick<Workflows, 'begin' | 'settle' | 'verdict'>;
  runMain(run: MainRun): Promise<RunOutcome>;
  /** Takes known secrets out of what the main agent says to the rest of main. */
  guardHost(host: RunHost): RunHost;
};

type Turn = {
  abort: AbortController;
  mailbox: Mailbox;
  /** Row of the turn; null until it has begun. */
  loop_id: string | null;
  done: Promise<'ended' | 'goes_on'>;
  cancelled: string | null;
};

const mainOf = ({ query_id }: Query) => ({
  ...{ query_id, task_id: null, agent_id: null, role: 'main' },
});

export function createTurns(deps: TurnDeps) {
  const { store, tasks, gateway, memory, standing, log } = deps;
  const { reads } = store;
  // A turn begins, works and ends in storage that may be full for a while: then it waits.
  const { patientStore } = tasks;
  const turns = new Map<string, Turn>();
  let closing = false;
  const hostOf = createTurnHost(deps);
  const key = (query_id: string): string => `query:${query_id}`;

  async function open(query_id: string): Promise<{ query: Query; loop: LoopRun } | null> {
    return patientStore.tx(async (t) => {
      const query = await t.queries.get(query_id);
      if (!query || !isOpenQuery(query.status)) return null;
      const role = deps.roleOf(query);
      const { models } = gateway.route(query.options.model ?? role.model, role.name);
      const loop = await openLoop(t, query, models[0] ?? role.model);
      if (query.status === 'queued') {
        await t.queries.patch(query_id, { status: 'running', updated_at: t.at });
        await t.events.append({ kind: 'query', state: 'running', query_id });
      }
      return { query: { ...query, status: 'running' as const }, loop };
    });
  }

  /** `goes_on`: messages came too late for this turn, and are the beginning of the next one. */
  async function close(
    query: Query,
    loop: LoopRun,
    turn: Turn,
    outcome: RunOutcome,
  ): Promise<'ended' | 'goes_on'> {
    const all = await reads.tasks.ofQuery(query.query_id);
    const given = endingOf(query.input, outcome, all);
    const whole = given.status === 'completed' || given.status === 'degraded';
    // Work that nobody waits for any more stops, unless the query asked to leave it running.
    if (!(query.options.background && given.status === 'completed'))
      await tasks.untilStored(() =>
        tasks.cancelUnder(
          ...([query.query_id, null, `the query ended: ${given.status}`] as const),
          (task) => whole && isAside(task),
        ),
      );
    const missing =
      given.status === 'completed'
        ? await tasks.untilStored(() => deps.workflows.verdict(query))
        : null;
    const ending = missing ? withMissing(given, missing) : given;
    const answer =
      ending.answer === null
        ? null
        : await memory.withUnusedNotes(query.query_id, loop.created_at, ending.answer);
    const how = await patientStore.tx(async (t) => {
      const rows = await t.tasks.ofQuery(query.query_id);
      const loops = await t.loops.ofQuery(query.query_id);
      const now = loops.find(({ run_id }) => run_id === loop.run_id) ?? loop;
      const late = turn.cancelled === null ? notTaken(now, turn.mailbox.taken()) : [];
      const before = usageOfTurns(loops.filter(({ run_id }) => run_id !== loop.run_id));
      const own = addUsage(before, outcome.usage);
      const id = query.query_id;
      await t.queries.patch(id, {
        status: late.length > 0 ? 'running' : ending.status,
        answer,
        error: ending.error,
        usage: totalUsage(fuller(own, (await t.spend.ofNode(id, id))?.usage ?? own), rows),
        updated_at: t.at,
      });
      await patchLoop(t, loop, {
        status: ending.loop,
        current_step: 'ended',
        failure_reason: ending.error?.message ?? null,
        metadata: { usage: outcome.usage, end_reason: outcome.end_reason },
      });
      await tasks.destroyEnded(t, query.query_id);
      if (ending.status === 'completed')
        await tasks.noteDrift(t, mainOf(query), languageOf(loop), outcome.text);
      if (late.length > 0) {
        await say(t, query.query_id, late);
        await sayGoesOn(t, query.query_id, late[0] ?? '');
        return 'goes_on';
      }
      const how = whole ? 'ended' : 'cut off';
      await withdrawOfQuery(t, query.query_id, how, `the query ended: ${ending.status}`);
      await t.events.append({
        kind: 'query',
        state: ending.status,
        detail:
          (ending.answer ?? ending.error?.message ?? '').split('\n', 1)[0]?.slice(0, 200) ?? '',
        query_id: query.query_id,
        data: { end_reason: outcome.end_reason },
      });
      return 'ended';
    });
    if (how === 'ended') tasks.bell.ring(key(query.query_id));
    return how;
  }

  async function runTurn(query_id: string, turn: Turn): Promise<'ended' | 'goes_on'> {
    try {
      return await work(query_id, turn);
    } catch (error) {
      if (closing) return 'ended';
      log.error({ err: error, query_id }, 'a turn could not begin or end as it should');
      const { error: failure } = brokenOff(error);
      await tasks
        .cancelUnder(query_id, null, 'the query failed')
        .catch((err: unknown) => log.error({ err, query_id }, 'its tasks were not stopped'));
      if (failure) await failIdle(patientStore, query_id, failure);
      tasks.bell.ring(key(query_id));
      return 'ended';
    }
  }

  async function work(query_id: string, turn: Turn): Promise<'ended' | 'goes_on'> {
    const opened = await open(query_id);
    if (!opened) return 'ended';
    const { query, loop } = opened;
    turn.loop_id = loop.run_id;
    turn.mailbox.restore(loop);
    await tasks.untilStored(() => deps.workflows.begin(query));
    let outcome: RunOutcome;
    try {
      const host = deps.guardHost(hostOf(query, loop, turn.mailbox));
      const { steering } = turn.mailbox;
      outcome = await deps.runMain({ query, loop, host, signal: turn.abort.signal, steering });
    } catch (error) {
      if (closing) return 'ended';
      log.error({ err: error, query_id }, 'the main agent broke off');
      outcome = brokenOff(error);
    }
    // A turn that is cut off by a shutdown keeps its rows: the next start goes on from its checkpoint.
    if (closing && !turn.cancelled) return 'ended';
    if (turn.cancelled) outcome = { ...outcome, ...cancelledBy(turn.cancelled) };
    return close(query, loop, turn, outcome);
  }

  return {
    /** Turns at work; one that waits for a person keeps nobody from starting. */
    active: (): number => [...turns.keys()].filter((id) => !standing.waits(id)).length,
    /**
     * Runs a turn to its end; a second call for a running query waits for the same turn. `goes_on`: the query wants
     * another turn.
     */
    run(query_id: string): Promise<'ended' | 'goes_on'> {
      const known = turns.get(query_id);
      if (known) return known.done;
      const turn: Turn = {
        abort: new AbortController(),
        mailbox: createMailbox(),
        loop_id: null,
        done: Promise.resolve('ended'),
        cancelled: null,
      };
      turns.set(query_id, turn);
      turn.done = runTurn(query_id, turn).finally(() => turns.delete(query_id));
      return turn.done;
    },
    /**
     * A message of the user; durable when it resolves. `kept`: the turn at work takes it before its next model step,
     * or the next turn begins with it. `next`: the query wants a turn (a new one, or one that waits already).
     */
    async say(
      query_id: string,
      text: string,
      extra?: (t: Tx) => Promise<void>,
    ): Promise<'kept' | 'next'> {
      const loop_id = await store.tx(async (t) => {
        await extra?.(t);
        const loop = await turnAtWork(t, query_id);
        if (loop) {
          await keepForTurn(t, loop, text);
          const detail = text.slice(0, 200);
          await t.events.append({ kind: 'notice', state: 'steer_queued', detail, query_id });
          return loop.run_id;
        }
        await say(t, query_id, [text]);
        const row = await t.queries.get(query_id);
        if (row && isOpenQuery(row.status)) return null;
        await t.queries.patch(query_id, { status: 'running', error: null, updated_at: t.at });
        await sayGoesOn(t, query_id, text);
        return null;
      });
      const turn = turns.get(query_id);
      // A turn that ended meanwhile has found it in its row.
      if (turn && turn.loop_id === loop_id) turn.mailbox.put(text);
      return loop_id === null ? 'next' : 'kept';
    },
    /** Stops the tree below, then the main agent, then writes `cancelled`. */
    async cancel(query: Query, reason: string): Promise<void> {
      tasks.stopping.add(query.query_id);
      try {
        for (let how = 'goes_on'; how === 'goes_on'; ) {
          const turn = turns.get(query.query_id);
          if (turn) {
            turn.cancelled ??= reason;
            turn.abort.abort();
          }
          await tasks.cancelUnder(query.query_id, null, `query cancelled: ${reason}`);
          how = turn ? await turn.done : 'ended';
          // A late message would have begun another turn: that one is not wanted either.
          if (!turn) await cancelIdle(store, query, reason);
        }
        tasks.bell.ring(key(query.query_id));
      } finally {
        tasks.stopping.delete(query.query_id);
      }
    },
    async untilEnded(id: string, ms: number, signal: AbortSignal): Promise<void> {
      const deadline = performance.now() + ms;
      while (!signal.aborted && performance.now() < deadline) {
        const rung = tasks.bell.wait(key(id), deadline - performance.now(), signal);
        const query = await reads.queries.get(id);
        if (!query || !isOpenQuery(query.status)) return tasks.bell.ring(key(id));
        await rung;
      }
    },
    /** Tokens of the main agent's own calls, over all turns that have ended. */
    async ownUsage(query_id: string): Promise<Usage> {
      const loops = await reads.loops.ofQuery(query_id);
      return usageOfTurns(loops);
    },
    async close(): Promise<void> {
      closing = true;
      for (const turn of turns.values()) turn.abort.abort();
      await Promise.all([...turns.values()].map((turn) => turn.done.catch(() => {})));
    },
  };
}
export type Turns = ReturnType<typeof createTurns>;
