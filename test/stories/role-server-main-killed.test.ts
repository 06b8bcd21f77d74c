// Main dies without a word: everything it has started is gone within two seconds, whatever it was doing.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { sweep } from '../../src/launch/sweep.ts';
import { MARK_INSTANCE } from '../../src/wire/protocol.ts';
import { alive, marked, processOf } from '../support/process-table.ts';
import { fixture } from '../support/role-servers.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const program = join(import.meta.dirname, '../fixtures/programs/main-with-servers.ts');

function startMain(
  mode: 'steady' | 'early',
  worker: string,
  roles: string[],
  env: NodeJS.ProcessEnv = process.env,
) {
  const instance = randomUUID();
  const args = [
    '--import',
    'tsx',
    program,
    instance,
    fixture(worker),
    tempFolder(),
    mode,
    ...roles,
  ];
  const main = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const words: { guard: number | null; servers?: number[] }[] = [];
  createInterface({ input: main.stdout }).on('line', (line) => words.push(JSON.parse(line)));
  onTestFinished(async () => {
    main.kill('SIGKILL');
    await sweep(`${MARK_INSTANCE}=${instance}`);
  });
  return { main, words, ours: () => marked(MARK_INSTANCE, instance) };
}
const killed = async (main: ChildProcess): Promise<void> => {
  const gone = once(main, 'exit');
  main.kill('SIGKILL');
  await gone;
};
/** Jobs without any environment, found by their group. */
const hidden = (groups: number[], jobs: ReturnType<typeof marked>): number[] =>
  allPids().filter((pid) => {
    const row = processOf(pid);
    return row !== null && groups.includes(row.group) && !jobs.some((job) => job.pid === pid);
  });
const allPids = (): number[] => readdirSync('/proc').map(Number).filter(Number.isInteger);

test('servers at rest, busy and stopped, with jobs of every kind under them', async () => {
  const { main, words, ours } = startMain('steady', 'parent-of-jobs', ['rest', 'busy', 'frozen']);
  const first = await until(() => words[0], 15_000, 'three role servers');
  const servers = first.servers ?? [];
  process.kill(servers[2] as number, 'SIGSTOP');
  await until(() => ours().length >= 3 * 8, 5_000, 'all jobs');
  const bare = await until(
    () => {
      const found = hidden(servers, ours());
      return found.length === 3 ? found : null;
    },
    5_000,
    'the jobs without environment',
  );

  await killed(main);
  await until(() => ours().length === 0 && !bare.some(alive), 2_000, 'everything is gone');
  await until(() => !alive(first.guard as number), 10_000, 'the guard has left');
});

test('main dies in the very moment it starts a role server', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { main, ours } = startMain('early', 'parent-of-jobs', ['a', 'b', 'c', 'd']);
    await once(main, 'exit');
    // What was between fork and exec shows up late: gone means gone for good.
    let quiet_since = performance.now();
    await until(
      () => {
        if (ours().length > 0) quiet_since = performance.now();
        return performance.now() - quiet_since > 300;
      },
      2_300,
      'nothing is left',
    );
  }
});

test('a guard that is killed is replaced within a second, and the new one does its duty', async () => {
  const { main, words, ours } = startMain('steady', 'parent-of-jobs', ['busy']);
  const { guard } = await until(() => words[0], 15_000, 'the role server');
  await until(() => ours().length >= 8, 5_000, 'all jobs');
  process.kill(guard as number, 'SIGKILL');
  const next = await until(
    () => {
      const pid = words.at(-1)?.guard ?? null;
      return pid !== null && pid !== guard ? pid : null;
    },
    1_000,
    'another guard',
  );
  expect(alive(next)).toBe(true);
  await killed(main);
  await until(() => ours().length === 0, 2_000, 'everything is gone');
});

test('where there is no grep, a guard of another kind does the same', async () => {
  const { main, words, ours } = startMain('steady', 'good', ['frozen', 'free'], {
    PATH: '/nowhere',
  });
  const { guard, servers } = await until(() => words[0], 15_000, 'two role servers');
  expect(processOf(guard as number)?.command).toContain(process.execPath);
  process.kill(servers?.[0] as number, 'SIGSTOP');
  await killed(main);
  await until(() => ours().length === 0, 2_000, 'everything is gone');
  await until(() => !alive(guard as number), 10_000, 'the guard has left');
});
