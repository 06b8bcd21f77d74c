import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { marked, sweep } from '../../src/launch/sweep.ts';
import { alive } from '../support/process-table.ts';
import { until } from '../support/until.ts';

test('everything with the marker dies, in whatever session, and nothing else', async () => {
  const id = randomUUID();
  const marker = `TROUPE_INSTANCE=${id}`;
  const start = (command: string, value: string) =>
    spawn('/bin/sh', ['-c', command], {
      env: { PATH: process.env.PATH, TROUPE_INSTANCE: value },
      stdio: 'ignore',
      detached: true,
    });
  start('setsid sleep 621 & sleep 622 & wait', id);
  const longer = start('sleep 623', `${id}-of-another`);
  await until(async () => (await marked(marker)).length === 3, 5_000, 'three processes');
  expect(await sweep(marker)).toBe(3);
  expect(await marked(marker)).toEqual([]);
  expect(alive(longer.pid as number)).toBe(true);
  process.kill(-(longer.pid as number), 'SIGKILL');
});

test('there may be nothing to sweep', async () => {
  expect(await sweep(`TROUPE_INSTANCE=${randomUUID()}`)).toBe(0);
});
