// Brings a subagent into exactly one state on the built product, and says how it has to go on from there.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { SubagentState } from '../../src/domain/subagent.ts';
import { fixture } from './fixture.ts';
import { type StartOptions, shellTask, startTroupe, type Troupe } from './troupe-server.ts';
import { until } from './until.ts';

export type Scene = {
  troupe: Troupe;
  options: StartOptions;
  task_id: string;
  query_id: string;
  role: string;
  /** The role server that is to be killed. */
  pid: number;
  /** States of the task's subagents, in order, when all is over. */
  states: SubagentState[];
  result: string | null;
  /** How often the command of the task may have run. */
  commands: 0 | 1;
};

const BEGUN = ['created', 'assigned', 'running'] as const;
const status = (troupe: Troupe, task_id: string, wanted: string) =>
  until(
    async () => (await troupe.task(task_id)).status === wanted,
    30_000,
    `task ${task_id} is ${wanted}`,
  );
const pidOf = async (troupe: Troupe, role: string): Promise<number> =>
  until(
    async () => (await troupe.servers()).find((s) => s.role === role)?.pid,
    30_000,
    `the ${role} role server`,
  );

async function opened(options: StartOptions = {}) {
  return { troupe: await startTroupe(options), options };
}
const COUNTED = 'echo ran >> ran; sleep 600';

async function created(): Promise<Scene> {
  const world = await opened({ env: { MAX_SUBAGENTS: '1' } });
  const { troupe } = world;
  const first = await troupe.start('coder', '[[delay=1500]] first');
  await status(troupe, first.task_id, 'running');
  const { task_id, query_id } = await troupe.start('planner', 'second');
  expect(await troupe.task(task_id)).toMatchObject({ status: 'created', waiting: 'slot' });
  const pid = await pidOf(troupe, 'coder');
  const end = { states: [...BEGUN, 'completed'] as SubagentState[], result: 'second' };
  return { ...world, task_id, query_id, role: 'planner', pid, ...end, commands: 0 };
}

/** The first process of the role never gets ready. */
async function assigned(): Promise<Scene> {
  const world = await opened({ worker: fixture('held-once') });
  const { troupe } = world;
  const { task_id, query_id } = await troupe.start('coder', 'hello');
  const pid = await pidOf(troupe, 'coder');
  const held = join(troupe.folder, 'product/dist/bin/held');
  await until(() => existsSync(held), 30_000, 'the process holds still');
  expect((await troupe.task(task_id)).status).toBe('assigned');
  const end = { states: [...BEGUN, 'completed'] as SubagentState[], result: 'hello' };
  return { ...world, task_id, query_id, role: 'coder', pid, ...end, commands: 0 };
}

async function running(): Promise<Scene> {
  const world = await opened();
  const { troupe } = world;
  const { task_id, query_id } = await troupe.start('coder', shellTask(COUNTED));
  await until(() => commandOf(troupe), 30_000, 'the command runs');
  const pid = await pidOf(troupe, 'coder');
  const states: SubagentState[] = [...BEGUN, 'assigned', 'running', 'completed'];
  return { ...world, task_id, query_id, role: 'coder', pid, states, result: 'done', commands: 1 };
}
const commandOf = (troupe: Troupe) => troupe.family().find((p) => p.command === 'sleep 600');

/** A role server that is frozen in a command gives no sign of life, and is not probed for a long time. */
async function blocked(): Promise<Scene> {
  const config = '[limits]\nblocked_after_s = 5\n[subagents]\nprobe_every_s = 300\n';
  const world = await opened({ config });
  const { troupe } = world;
  const { task_id, query_id } = await troupe.start('coder', shellTask(COUNTED));
  await until(() => commandOf(troupe), 30_000, 'the command runs');
  const pid = await pidOf(troupe, 'coder');
  process.kill(pid, 'SIGSTOP');
  await status(troupe, task_id, 'blocked');
  const states: SubagentState[] = [...BEGUN, 'blocked', 'assigned', 'running', 'completed'];
  return { ...world, task_id, query_id, role: 'coder', pid, states, result: 'done', commands: 1 };
}

async function ended(
  state: 'completed' | 'failed' | 'cancelled',
  description: string,
  result: string | null,
): Promise<Scene> {
  // No other role takes over: the failure itself is looked at.
  const world = await opened({ config: '[async_subagents.coder]\nalternate = "none"\n' });
  const { troupe } = world;
  const { task_id, query_id } = await troupe.start('coder', description);
  if (state === 'cancelled') {
    await status(troupe, task_id, 'running');
    await troupe.call('POST', `/v1/tasks/${task_id}/cancel`, {});
  }
  await status(troupe, task_id, state);
  const pid = await pidOf(troupe, 'coder');
  return {
    ...world,
    task_id,
    query_id,
    role: 'coder',
    pid,
    states: [...BEGUN, state],
    result,
    commands: 0,
  };
}

async function destroyed(): Promise<Scene> {
  const world = await opened();
  const { troupe } = world;
  const part = { subagent_type: 'coder', description: 'the part' };
  const input = `[[tool start_async_task ${JSON.stringify(part)}]] the whole`;
  const { query_id } = await troupe.call<{ query_id: string }>('POST', '/v1/queries', { input });
  const path = `/v1/queries/${query_id}`;
  await until(
    async () => (await troupe.call<{ status: string }>('GET', path)).status === 'completed',
    30_000,
    'the query ends',
  );
  const { data } = await troupe.call<{ data: { task_id: string }[] }>('GET', '/v1/tasks');
  const task_id = data[0]?.task_id ?? '';
  const pid = await pidOf(troupe, 'coder');
  const states: SubagentState[] = [...BEGUN, 'completed', 'destroyed'];
  return {
    ...world,
    task_id,
    query_id,
    role: 'coder',
    pid,
    states,
    result: 'the part',
    commands: 0,
  };
}

export const SCENES: Record<SubagentState, () => Promise<Scene>> = {
  ...{ created, assigned, running, blocked, destroyed },
  completed: () => ended('completed', 'whole', 'whole'),
  failed: () => ended('failed', '[[fail]]', null),
  cancelled: () => ended('cancelled', '[[delay=600000]] never', null),
};
