// Composes the room: one object with everything that main needs of tasks.
import type { AgentMemory } from '../domain/brain.ts';
import type { Clock, Log, ModelGateway, Store, Supervisor } from '../domain/ports.ts';
import type { AgentReviews } from '../domain/review.ts';
import type { Role } from '../domain/role.ts';
import type { RunLimits, TaskAnswer, TaskCall } from '../domain/run.ts';
import { createAskPerson } from './ask.ts';
import { createBell } from './bell.ts';
import { createDelegated } from './delegated.ts';
import { createDispatcher } from './dispatcher.ts';
import { createFollow } from './follow.ts';
import { answersLost } from './forensics.ts';
import { createInbox, createLateHost } from './inbox.ts';
import { createInform } from './inform.ts';
import { createInsist, createUntilStored, patientHost, patientStore } from './insist.ts';
import { noteDrift } from './language-drift.ts';
import { destroyEnded } from './lifecycle.ts';
import { createLive, type LiveRun } from './live.ts';
import { createPrepare } from './prepare.ts';
import { createRecorder, type Recorded } from './record.ts';
import { recover } from './recovery.ts';
import { createTaskService } from './service.ts';
import { createSlots } from './slots.ts';
import { createSpawn, type SpawnDeps } from './spawn.ts';
import { createStop } from './stop.ts';
import { createStopping } from './stopping.ts';
import { childrenKey, createWait } from './wait.ts';
import { createWatch } from './watch.ts';

export type TasksDeps = {
  store: Store;
  supervisor: Supervisor;
  gateway: ModelGateway;
  memory: AgentMemory;
  reviews: AgentReviews;
  /** What an agent of this query waits for has changed. */
  waits(query_id: string): void;
  roles: ReadonlyMap<string, Role>;
  clock: Clock;
  log: Log;
  max_subagents: number;
  max_depth: number;
  queue: { queue_limit: number; overflow: 'queue' | 'reject'; description_limit: number };
  runLimits: Omit<RunLimits, 'timeout_s' | 'compact'>;
  child_min_iterations: number;
  resume_tokens: number;
  confirm_above: SpawnDeps['confirm_above'];
  blocked: { blocked_after_ms: number; blocked_deadline_ms: number };
  directQuery: SpawnDeps['directQuery'];
  makeWorkdir(path: string): void;
};

export function createTasks(deps: TasksDeps) {
  const { store, supervisor, gateway, memory, reviews, roles, clock, log } = deps;
  const bell = createBell();
  const slots = createSlots(deps.max_subagents);
  const stopping = createStopping();
  const insist = createInsist({ store, log, closed: stopping.closed });
  const untilStored = createUntilStored(stopping.closed);
  const delegated = createDelegated({ reads: store.reads, memory });

  const wake = (task_id: string, query_id: string, parent_task_id: string | null): void => {
    bell.ring(task_id);
    bell.ring(childrenKey(query_id, parent_task_id));
  };
  /** Nothing works on for a parent that is no more. */
  const stopUnder = (query_id: string, task_id: string, status: string): void =>
    void stop
      .cancelUnder(query_id, task_id, `parent ${status}`)
      .catch((error: unknown) => log.error({ err: error, task_id }, 'children not stopped'));

  const ended = ({ task_id }: { task_id: string }): void =>
    void store.reads.tasks
      .get(task_id)
      .then(async (task) => {
        if (!task) return;
        if (task.status === 'created') return takeWaiting(task_id);
        await delegated.ended(task_id);
        wake(task_id, task.query_id, task.parent_task_id);
        stopUnder(task.query_id, task_id, task.status);
      })
      .catch((error: unknown) => log.error({ err: error, task_id }, 'an end was not told'));

  /** The attempt before has ended and a waiting run has become the next one: it joins the queue. */
  async function takeWaiting(task_id: string): Promise<void> {
    const agent = (await store.reads.subagents.ofTask(task_id)).at(-1);
    if (agent?.state === 'created')
      dispatcher.enqueue({
        agent_id: agent.agent_id,
        role: agent.role,
        query_id: agent.query_id,
        ancestors: [agent.parent_id],
        returning: false,
      });
  }

  const alternateOf = (name: string): string | null => {
    const other = roles.get(name)?.alternate ?? null;
    return other !== null && roles.has(other) ? other : null;
  };

  const live = createLive((run: LiveRun) => inbox(run), createLateHost(store));
  const prepare = createPrepare({
    roles,
    limits: deps.runLimits,
    child_min_iterations: deps.child_min_iterations,
    resume_tokens: deps.resume_tokens,
    makeWorkdir: deps.makeWorkdir,
    gateway,
  });
  const dispatcher = createDispatcher({
    store,
    slots,
    live,
    supervisor,
    insist,
    clock,
    log,
    prepare,
    inform: createInform({ reads: store.reads, memory }),
    untilAnswered: ({ query_id, agent_id }) => reviews.untilAnswered(query_id, agent_id),
    waits: deps.waits,
    alternateOf,
    stopping,
    ended,
  });
  const stop = createStop({
    ...{ store, live, dispatcher, supervisor, stopping, insist, log, ended },
  });
  const watch = createWatch({
    ...{ store, live, stop, alternateOf, insist, clock, log, ended },
    limits: deps.blocked,
  });
  const wait = createWait({ store, bell, dispatcher });
  const spawn = createSpawn({
    store,
    roles,
    slots,
    dispatcher,
    stopping,
    confirm_above: deps.confirm_above,
    log,
    limits: deps.queue,
    directQuery: deps.directQuery,
  });
  const follow = createFollow({
    ...{ store, live, dispatcher, stop, stopping, insist },
    limits: deps.queue,
  });
  const service = createTaskService({
    store,
    spawn,
    follow,
    stop,
    wait,
    dispatcher,
    direct: { may_start: [...roles.keys()], max_depth: deps.max_depth },
  });

  async function actFor(run: LiveRun, call: TaskCall, signal: AbortSignal): Promise<TaskAnswer> {
    if (call.op === 'start') run.spawned = true;
    const agent = await store.reads.subagents.get(run.agent_id);
    const task = await store.reads.tasks.get(run.task_id);
    const query = await store.reads.queries.get(run.query_id);
    const role = roles.get(run.role);
    if (!agent || !task || !query || !role)
      return { ok: false, code: 'not_found', message: `task ${run.task_id} is gone` };
    const at = { depth: task.depth, max_depth: task.max_depth };
    const parent = { name: role.name, query, agent, at, may_start: role.may_start };
    return service.act({ parent, run_id: run.run_id }, call, signal);
  }

  const inbox = createInbox({
    store,
    gateway,
    memory,
    clock,
    tasks: actFor,
    ask: createAskPerson({ reviews, dispatcher }),
    alternateOf,
    finished(run, how) {
      const { task_id, query_id, parent_task_id } = run;
      dispatcher.settle(run);
      if (how === 'goes_on') return ended({ task_id });
      void delegated
        .ended(task_id)
        .catch((error: unknown) => log.error({ err: error, task_id }, 'an end was not told'))
        .finally(() => wake(task_id, query_id, parent_task_id));
      if (run.spawned) stopUnder(query_id, task_id, 'ended');
    },
  });

  return {
    ...service,
    /** The RunHost behind a run token, or null. */
    hostOf: live.host,
    /** The same for a run inside main: full storage makes it wait. */
    patientHostOf(token: string) {
      const host = live.host(token);
      return host && patientHost(host, untilStored);
    },
    /** The store for work that goes no further before it is stored. */
    patientStore: patientStore(store, untilStored),
    untilStored,
    serverOf: live.serverOf,
    stopping,
    bell,
    noteDrift,
    /** At the end of a query its ended subagents are destroyed; those still at work are left alone. */
    destroyEnded,
    counts: () => ({ ...slots.counts(), runs: live.size() }),
    holdsSlot: dispatcher.holdsSlot,
    waitingOf: dispatcher.waitingOf,
    /** `step` and `toolStarted` for an agent that is no subagent: the main agent. */
    recorder: (of: Recorded) => createRecorder(patientStore(store, untilStored), () => of),
    recover: (policy: 'resume' | 'fail') =>
      recover({ store, enqueue: dispatcher.enqueue, log }, policy),
    /** Answers of an ended process that a run never got, by call id. */
    answersLost: (run_id: string) => answersLost(store.reads, run_id),
    /** Outcomes that a crash kept from memory. */
    catchUp: delegated.catchUp,
    /** Begins to take work from the queue. */
    open: dispatcher.open,
    /** Refuses new work and takes no more from the queue; rows stay as they are for the next start. */
    close(): void {
      stopping.close();
      watch.close();
      dispatcher.close();
    },
  };
}
export type Tasks = ReturnType<typeof createTasks>;
