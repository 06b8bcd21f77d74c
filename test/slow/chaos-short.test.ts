// A few seconds of kills and freezes at random on the built product. `npm run chaos` is the same for as long as
// one likes.
import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runChaos } from '../../scripts/chaos/run.ts';

it('what was accepted ends once while main, role servers and commands are killed at random', {
  timeout: 150_000,
}, async () => {
  const report = await runChaos({
    ...{ seconds: 12, seed: 20, rate: 3, max_subagents: 8 },
    prove: ['main_killed', 'server_killed', 'command_killed'],
  });
  expect(report.breaches).toEqual([]);
  expect(report.tally.acknowledged).toBeGreaterThan(10);
  expect(report.main_starts.count).toBeGreaterThan(2);
  rmSync(report.folder, { recursive: true, force: true });
});
