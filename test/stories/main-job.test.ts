// A request becomes work in role servers that did not exist a second before. Real processes, real HTTP.
import { describe, expect, it } from 'vitest';
import { BUILT_IN_ROLES } from '../../src/domain/role.ts';
import { startTroupe } from '../support/troupe-server.ts';
import { until } from '../support/until.ts';

describe('role servers start when they are first needed', { timeout: 60_000 }, () => {
  it('50 first tasks of one role at once make one role server and 50 runs', async () => {
    const troupe = await startTroupe();
    const tasks = await Promise.all(
      Array.from({ length: 50 }, (_, i) => troupe.start('planner', `task ${i}`)),
    );
    const ends = await Promise.all(tasks.map((t) => troupe.ended(t.task_id)));
    expect(ends.map((t) => t.result)).toEqual(tasks.map((_, i) => `task ${i}`));
    const spawned = (await troupe.events('&kinds=server')).filter((e) => e.state === 'spawned');
    expect(spawned).toHaveLength(1);
  });

  it('ten roles at once with MAX_SUBAGENTS=4 never show more than 4 live, and all finish', async () => {
    const troupe = await startTroupe({ env: { MAX_SUBAGENTS: '4' } });
    const tasks = await Promise.all(
      BUILT_IN_ROLES.map((role) => troupe.start(role, `[[delay=150]] ${role} done`)),
    );
    let mostHeld = 0;
    let mostServers = 0;
    await until(
      async () => {
        const status = await troupe.call<{ slots: { held: number } }>('GET', '/v1/status');
        const processes = troupe.family().filter((p) => p.command.includes('worker'));
        const listed = (await troupe.servers()).filter((s) => s.pid !== null);
        mostHeld = Math.max(mostHeld, status.slots.held);
        mostServers = Math.max(mostServers, processes.length, listed.length);
        const all = await Promise.all(tasks.map((t) => troupe.task(t.task_id)));
        return all.every((t) => t.status === 'completed');
      },
      50_000,
      'all ten have completed',
    );
    expect(mostHeld).toBeGreaterThan(0);
    expect(mostHeld).toBeLessThanOrEqual(4);
    expect(mostServers).toBeLessThanOrEqual(4);
  });
});
