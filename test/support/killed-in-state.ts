// One test for each state: the victim dies with kill -9 while a subagent is in it. Whatever dies: one outcome, no
// repetition, and the role works on.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isOpen, SUBAGENT_STATES, type SubagentState } from '../../src/domain/subagent.ts';
import { alive } from './process-table.ts';
import { SCENES, type Scene } from './state-scenes.ts';
import { stateTest, type Victim } from './state-table.ts';
import { startTroupe, type Troupe } from './troupe-server.ts';
import { until } from './until.ts';

/** Kills it; answers the main that is there afterwards. */
async function kill(victim: Victim, { troupe, options, pid }: Scene): Promise<Troupe> {
  if (victim === 'role server') {
    process.kill(pid, 'SIGKILL');
    await until(() => !alive(pid), 5_000, 'the role server is gone');
    return troupe;
  }
  await troupe.kill();
  await until(() => troupe.family().length === 0, 2_000, 'all that main had started is gone');
  return startTroupe({ ...options, folder: troupe.folder });
}

/** How often the command of the task has run. */
async function runsOf(troupe: Troupe, query_id: string): Promise<number> {
  const { workdir } = await troupe.call<{ workdir: string }>('GET', `/v1/queries/${query_id}`);
  const file = join(workdir, 'ran');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
}

async function survives(state: SubagentState, victim: Victim): Promise<void> {
  const scene = await SCENES[state]();
  const { task_id, query_id, role, states, result, commands } = scene;
  const before = await scene.troupe.task(task_id);
  const troupe = await kill(victim, scene);
  if (!isOpen(state)) expect(await troupe.task(task_id)).toEqual(before);
  const task = await troupe.ended(task_id);
  expect(task).toMatchObject({ result, attempts: [{ role }] });
  expect(task.attempts).toHaveLength(1);
  // The role works on, and by then nothing has touched the task again.
  const next = await troupe.ended((await troupe.start(role, 'the next one')).task_id);
  expect(next.result).toBe('the next one');
  const moves = (await troupe.events('&kinds=subagent')).filter((e) => e.task_id === task_id);
  expect(moves.map((e) => e.state)).toEqual(states);
  expect(await runsOf(troupe, query_id)).toBe(commands);
}

export function describeKillsOf(victim: Victim): void {
  describe(`kill -9 of ${victim} in each state`, { timeout: 120_000 }, () => {
    for (const state of SUBAGENT_STATES)
      it(stateTest(state, victim), () => survives(state, victim));
  });
}
