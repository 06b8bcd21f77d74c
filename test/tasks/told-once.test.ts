// Who is told of an outcome: its parent, once for each outcome, and nobody else's agent.
import { describe, expect, it } from 'vitest';
import { tasksHarness } from '../support/tasks-harness.ts';
import type { Work } from '../support/tasks-world.ts';
import { until } from '../support/until.ts';

const { open, start, ended } = tasksHarness();
type Host = Parameters<Work>[0]['host'];

const startChild = async (host: Host, signal: AbortSignal): Promise<string> => {
  const call = { call_id: 'c1', subagent_type: 'coder', description: 'part' };
  const answer = await host.tasks({ op: 'start', ...call }, signal);
  if (!answer.ok || !('task' in answer)) throw new Error('not started');
  return answer.task.task_id;
};
const join = async (host: Host, signal: AbortSignal): Promise<(string | null)[]> => {
  const answer = await host.tasks({ op: 'join', wait_ms: 10_000 }, signal);
  if (!answer.ok || !('ended' in answer)) throw new Error('not joined');
  return answer.ended.map((task) => task.result);
};

describe('an outcome', () => {
  it('of a task that began anew before the parent had noted the one before is told as well', async () => {
    const told: (string | null)[] = [];
    const world = open(async ({ envelope, host, signal }) => {
      if (envelope.role === 'coder') return envelope.messages.at(-1)?.content ?? '';
      const child = await startChild(host, signal);
      told.push(...(await join(host, signal)));
      await world.tasks.message(child, 'and more', 'interrupt');
      const delta = { step: 0, messages: [{ role: 'user' as const, content: 'told' }] };
      await host.step({ ...delta, delivered: [child] }, []);
      told.push(...(await join(host, signal)));
      return 'done';
    });
    const parent = await start('planner', 'plan');
    await ended(parent.task_id);
    expect(told).toEqual(['part', 'and more']);
  });

  it('is not taken from its parent by an agent of another tree, which does not even learn of it', async () => {
    const said: string[] = [];
    let victim = '';
    const world = open(async ({ envelope, host, signal }) => {
      if (envelope.role === 'coder') return 'the result';
      if (envelope.messages[0]?.content === 'own') {
        victim = await startChild(host, signal);
        await ended(victim);
        await until(() => said.length === 4, 5_000, 'the stranger has tried');
        return (await join(host, signal)).join();
      }
      const ready = async () => victim !== '' && (await ended(victim)).status === 'completed';
      await until(ready, 5_000, 'there is something to take');
      const delta = { step: 0, messages: [{ role: 'user' as const, content: 'mine' }] };
      await host.step({ ...delta, delivered: [victim] }, []);
      const call = { task_id: victim, call_id: 'x', message: 'do my work', wait_ms: 0 };
      for (const op of ['check', 'update', 'cancel'] as const) {
        const answer = await host.tasks({ op, ...call }, signal);
        said.push(answer.ok ? 'let in' : answer.code);
      }
      const guess = await host.tasks({ op: 'check', task_id: 'nothing', wait_ms: 0 }, signal);
      said.push(guess.ok ? 'let in' : guess.message);
      return 'tried';
    });
    const owner = await start('planner', 'own');
    await start('planner', 'stranger');
    expect((await ended(owner.task_id)).result).toBe('the result');
    expect(said.slice(0, 3)).toEqual(['not_found', 'not_found', 'not_found']);
    expect(said[3]).not.toContain(victim);
    expect(said[3]).not.toContain(owner.task_id);
    expect((await world.tasks.get(victim)).attempts).toHaveLength(1);
  });
});

it('calls that wait beside each other lend the slot once, and each is answered', async () => {
  // One slot in all: while one child is waited for still, it must be able to work.
  const world = open(
    async ({ envelope, host, signal }) => {
      if (envelope.role !== 'planner') return envelope.role;
      const ids: string[] = [];
      for (const subagent_type of ['coder', 'reviewer']) {
        const call = { call_id: subagent_type, subagent_type, description: 'part' };
        const answer = await host.tasks({ op: 'start', ...call }, signal);
        if (answer.ok && 'task' in answer) ids.push(answer.task.task_id);
      }
      const answers = await Promise.all(
        ids.map((task_id) => host.tasks({ op: 'check', task_id, wait_ms: 8_000 }, signal)),
      );
      return answers.map((a) => (a.ok && 'task' in a ? a.task.result : '?')).join();
    },
    { max: 1 },
  );
  const parent = await start('planner', 'plan');
  expect((await ended(parent.task_id)).result).toBe('coder,reviewer');
  expect(world.tasks.counts()).toMatchObject({ held: 0, lent: 0, queued: 0, runs: 0 });
  expect(world.places().most).toBe(1);
});
