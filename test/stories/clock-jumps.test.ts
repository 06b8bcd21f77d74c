// Somebody sets the clock of the machine, far ahead and far back, while the server works.
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { startTroupe, type TaskView } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

const HOOK = resolve('test/fixtures/programs/shifted-clock.cjs');
const DAY_MS = 24 * 3_600_000;

it('a clock that jumps by a month changes no order, no deadline and no work', {
  timeout: 60_000,
}, async () => {
  const troupe = await startTroupe({ env: { NODE_OPTIONS: `--require ${HOOK}` } });
  const jump = async (days: number): Promise<void> => {
    process.kill(troupe.pid, 'SIGUSR2');
    await until(
      async () => {
        const probe = await troupe.start('coder', `day ${days}`);
        const { data } = await troupe.call<{ data: { task_id: string; created_at: string }[] }>(
          'GET',
          '/v1/tasks?limit=1',
        );
        made.push(probe.task_id);
        const off = (Date.parse(data[0]?.created_at ?? '') - Date.now()) / DAY_MS;
        return data[0]?.task_id === probe.task_id && Math.abs(off - days) < 1;
      },
      10_000,
      `the clock is ${days} days off`,
    );
  };
  const made: string[] = [];
  const long = await troupe.start('planner', '[[delay=3000]] took its time');
  await until(
    async () => (await troupe.task(long.task_id)).status === 'running',
    20_000,
    'the task runs',
  );
  const since = performance.now();
  const waiting = troupe.call<TaskView>('GET', `/v1/tasks/${long.task_id}?wait_ms=1500`);
  await jump(30);
  await jump(-30);
  expect((await waiting).status).toBe('running');
  expect(performance.now() - since).toBeGreaterThan(1_000);
  await jump(0);
  expect((await troupe.ended(long.task_id)).result).toBe('took its time');
  for (const id of made) expect((await troupe.ended(id)).status).toBe('completed');

  // Ids sort as they were made, lists are newest first, and events have their one order.
  expect([...made].sort()).toEqual(made);
  const { data } = await troupe.call<{ data: TaskView[] }>('GET', '/v1/tasks?limit=1000');
  expect(data.map((task) => task.task_id)).toEqual([...made].reverse().concat(long.task_id));
  const events = await troupe.events();
  expect(events.map((e) => e.seq)).toEqual(events.map((_, i) => i + 1));
  const servers = events.filter((e) => e.kind === 'server').map((e) => e.state);
  expect(servers).not.toContain('crashed');
  expect(servers.filter((state) => state === 'spawned')).toHaveLength(2);
  expect((await troupe.stop()).code).toBe(0);
});
